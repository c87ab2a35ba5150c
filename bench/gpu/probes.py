#!/usr/bin/env python3
# Writes small kernels that ask a chip the points of lib/PTXSim/README.md, with their inputs and the answers of our reading.
# probes.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A probe is NAME.ptx and NAME.probe, a text that gpu-probe reads. Answers are computed here from the PTX ISA, and not by the interpreter. Where the ISA
leaves the answer open (sums of tensor cores, approximate functions) gpu-probe records what the interpreter says under a label: see pack. A line "fails CODE"
means that the chip refuses the kernel with that code of the driver."""
import os
import random
import struct
import sys

FOLDER = sys.argv[1]
HEAD = ".version {}\n.target {}\n.address_size 64\n"
REGISTERS = ".reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .f64 %fd<8>; .reg .b16 %h<8>;\n"


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


def kernel(target, version, parameters, body, outside=""):
    """Parameters are addresses, loaded into %rd0, %rd1, ..."""
    loads = "".join(f"ld.param.u64 %rd{i}, [p{i}]; cvta.to.global.u64 %rd{i}, %rd{i};\n" for i in range(parameters))
    declared = ", ".join(f".param .u64 p{i}" for i in range(parameters))
    return HEAD.format(version, target) + outside + f".visible .entry k({declared})\n{{\n{REGISTERS}{loads}{body}ret;\n}}\n"


class Probe:
    def __init__(self, name, point, target, version, block, shared=0):
        self.name = name
        self.lines = [f"point {point}", f"target {target}", f"block {block}", f"shared {shared}"]
        self.target, self.version, self.files = target, version, 0

    def argument(self, line, data=None):
        if data is not None:
            self.files += 1
            file = f"{self.name}.{self.files}.bin"
            write(file, data)
            line = line.replace("FILE", file)
        self.lines.append(line)

    def done(self, text):
        write(self.name + ".ptx", text)
        write(self.name + ".probe", "\n".join(self.lines) + "\n")


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def parity():
    """Point 3. A second warp goes along from barrier to barrier: a test that fails is nothing to wait for."""
    probe = Probe("mbarrier-parity", 3, "sm_90", "8.0", 64)
    steps = ["mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 1;",  # a fresh object: the phase before it is over
             "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0;",
             "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 16;\nmbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0;",  # bytes are missing
             "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 16, [%r0];\n"
             "W: mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0; @!%p0 bra W;",
             "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 1;"]
    body = (".shared .align 8 .b64 bar; .shared .align 16 .b8 s[16];\nmov.u32 %r0, bar; mov.u32 %r1, s; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0;\n"
            "@%p1 mbarrier.init.shared.b64 [%r0], 1; @%p1 fence.proxy.async; bar.sync 0; setp.ge.u32 %p2, %r3, 32; @%p2 bra SECOND;\n")
    for number, step in enumerate(steps):
        body += f"{step}\nselp.u32 %r2, 1, 0, %p0; @%p1 st.global.u32 [%rd1+{4 * number}], %r2; bar.sync 0;\n"
    body += "ld.shared.u32 %r2, [%r1+12]; @%p1 st.global.u32 [%rd1+20], %r2; ret;\nSECOND:\n" + "bar.sync 0;\n" * len(steps)
    probe.argument("in FILE", words(1, 2, 3, 4))
    probe.argument("out 24 FILE", words(1, 0, 0, 1, 0, 4))
    probe.done(kernel("sm_90", "8.0", 2, body))


def matrices():
    """Point 4."""
    data = [(i * 3 + 1) & 0xffff for i in range(256)]
    for load in (False, True):
        for store in (False, True):
            probe = Probe(f"stmatrix{'-load' * load}{'-trans' * (load or store)}{'-store' * store}", 4, "sm_90", "8.0", 32)
            trans = lambda wanted: ".trans" if wanted else ""
            body = (".shared .align 16 .b8 s[1024];\nmov.u32 %r0, %tid.x; mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2; cvt.u64.u32 %rd8, %r2;\n"
                    "add.u64 %rd9, %rd0, %rd8; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd9]; st.shared.v4.u32 [%r3], {%r4,%r5,%r6,%r7}; bar.warp.sync -1;\n"
                    f"ldmatrix.sync.aligned.m8n8.x4{trans(load)}.shared.b16 {{%r8,%r9,%r10,%r11}}, [%r3];\n"
                    f"stmatrix.sync.aligned.m8n8.x4{trans(store)}.shared.b16 [%r3+512], {{%r8,%r9,%r10,%r11}}; bar.warp.sync -1;\n"
                    "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r3+512]; add.u64 %rd9, %rd1, %rd8; st.global.v4.u32 [%rd9], {%r4,%r5,%r6,%r7};\n")
            turned = load != store
            want = [data[64 * m + (8 * c + r if turned else 8 * r + c)] for m in range(4) for r in range(8) for c in range(8)]
            probe.argument("in FILE", struct.pack("<256H", *data))
            probe.argument("out 512 FILE", struct.pack("<256H", *want))
            probe.done(kernel("sm_90", "8.0", 2, body))


CODES = {"f16": lambda x: struct.pack("<e", x), "bf16": lambda x: struct.pack("<f", x)[2:], "tf32": lambda x: struct.pack("<f", x), "f32": lambda x: struct.pack("<f", x)}


def e4m3(x):
    """Small integers are exact."""
    if x == 0:
        return b"\0"
    exponent = abs(int(x)).bit_length() - 1
    return bytes([(x < 0) << 7 | exponent + 7 << 3 | int((abs(x) / 2**exponent - 1) * 8)])


CODES["e4m3"] = e4m3
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1}


class Layout:
    """Where an element (line, k) of an operand of wgmma lies in shared memory, and the descriptor that says so."""

    def __init__(self, k_major, swizzle, element, extent):
        self.k_major, self.swizzle, self.element = k_major, swizzle, element
        plain = swizzle == 16
        self.leading = (extent // 8 * 128 if k_major else extent * element // 16 * 128) if plain else (16 if k_major else 16 * swizzle)
        self.stride = 128 if plain else 8 * swizzle

    def offset(self, line, k):
        s, e, chunk, unit = self.swizzle, self.element, 16 // self.element, self.swizzle // self.element
        if self.k_major and s == 16:
            at = line % 8 * 16 + line // 8 * self.stride + k // chunk * self.leading + k % chunk * e
        elif self.k_major:
            at = line % 8 * s + line // 8 * self.stride + k * e
        elif s == 16:
            at = line % chunk * e + line // chunk * self.stride + k % 8 * 16 + k // 8 * self.leading
        else:
            at = line % unit * e + line // unit * self.leading + k % 8 * s + k // 8 * self.stride
        return at ^ ((at >> 7 & {16: 0, 32: 1, 64: 3, 128: 7}[s]) << 4)

    def descriptor(self):
        return self.leading >> 4 << 16 | self.stride >> 4 << 32 | {16: 0, 32: 3, 64: 2, 128: 1}[self.swizzle] << 62


def wide(draw):
    """Of very different size: what a sum makes of them depends on alignment, truncation and order."""
    return draw.choice([1, -1]) * draw.uniform(1, 2) * 2.0 ** draw.randint(-12, 12)


def wgmma(kind, swizzle, majors, registers, point, sums=False):
    """Points 1 and 5: a product of small integers, which every arithmetic gives exactly. Point 9 (`sums`): of numbers of very different size."""
    element, n = BYTES[kind], 64
    depth, per, area = 32 // element, 4 // element, 16384
    letters = "".join("k" if major else "mn"[side] for side, major in enumerate(majors))
    probe = Probe(f"wgmma-{kind}-sums" if sums else f"wgmma-{kind}-{swizzle}-{letters}{'-registers' * registers}", point, "sm_90a", "8.0", 128, 32768)
    draw = random.Random(swizzle * 8 + depth)
    number = wide if sums else lambda draw: draw.randint(-3, 3)
    a = [[number(draw) for _ in range(depth)] for _ in range(64)]
    b = [[number(draw) for _ in range(depth)] for _ in range(n)]
    sides = [Layout(major, swizzle, element, 64) for major in majors]
    memory, fragments = bytearray(32768), bytearray()
    for layout, values, start in ((sides[0], a, 0), (sides[1], b, area)):
        for line, row in enumerate(values):
            for k, value in enumerate(row):
                at = start + layout.offset(line, k)
                memory[at:at + element] = CODES[kind](value)
    for thread in range(128):
        for i in range(4 * per):
            register, lane = i // per, thread % 32
            row = thread // 32 * 16 + lane // 4 + register % 2 * 8
            fragments += CODES[kind](a[row][register // 2 * 4 * per + lane % 4 * per + i % per])
    results = ", ".join(f"%x{i}" for i in range(n // 2))
    transposes = "" if element != 2 else (f", {int(not majors[1])}" if registers else f", {int(not majors[0])}, {int(not majors[1])}")
    body = (".reg .f32 %x<64>;\nmov.u32 %r0, %tid.x; mov.u32 %r1, dyn; mov.u32 %r2, %r0;\n"
            "COPY: shl.b32 %r3, %r2, 4; cvt.u64.u32 %rd8, %r3; add.u64 %rd8, %rd8, %rd0; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd8]; add.u32 %r8, %r1, %r3;\n"
            "st.shared.v4.u32 [%r8], {%r4,%r5,%r6,%r7}; add.u32 %r2, %r2, 128; setp.lt.u32 %p1, %r2, 2048; @%p1 bra COPY;\n"
            "mul.wide.u32 %rd9, %r0, 16; add.u64 %rd9, %rd9, %rd1; ld.global.v4.u32 {%r10,%r11,%r12,%r13}, [%rd9];\n"
            + "".join(f"mov.f32 %x{i}, 0f00000000;\n" for i in range(n // 2))
            + f"fence.proxy.async; bar.sync 0; shr.u32 %r20, %r1, 4; cvt.u64.u32 %rd12, %r20; add.u64 %rd14, %rd12, {area // 16};\n"
            f"or.b64 %rd13, %rd12, {sides[0].descriptor()}; or.b64 %rd14, %rd14, {sides[1].descriptor()};\nwgmma.fence.sync.aligned;\n"
            f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.f32.{kind}.{kind} {{{results}}}, "
            + ("{%r10,%r11,%r12,%r13}" if registers else "%rd13") + f", %rd14, 1, 1, 1{transposes};\n"
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
            f"mul.wide.u32 %rd10, %r0, {2 * n}; add.u64 %rd11, %rd10, %rd2;\n"
            + "".join(f"st.global.f32 [%rd11+{4 * i}], %x{i};\n" for i in range(n // 2)))
    want = []
    for thread in range(128):
        for i in range(n // 2):
            row, column = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8, i // 4 * 8 + thread % 4 * 2 + i % 2
            want.append(float(sum(x * y for x, y in zip(a[row], b[column]))))
    probe.argument("in FILE", bytes(memory))
    probe.argument("in FILE", bytes(fragments))
    if sums:
        probe.argument(f"out {4 * len(want)} fma ampere hopper")
    else:
        probe.argument(f"out {4 * len(want)} FILE", struct.pack(f"<{len(want)}f", *want))
    probe.done(kernel("sm_90a", "8.0", 3, body, ".extern .shared .align 1024 .b8 dyn[];\n"))


BOXES = [("f32", (40,), (16,), (8,)), ("f32", (40,), (16,), (-4,)), ("f32", (40,), (16,), (28,)), ("f32", (24, 10), (8, 4), (-4, 8)),
               ("f32", (12, 5, 4), (8, 3, 2), (8, -1, 3)), ("f32", (4, 3, 2, 3, 2), (4, 2, 2, 2, 2), (0, 2, 1, -1, 1)), ("bf16", (40,), (16,), (-8,)),
               ("bf16", (24, 10), (16, 4), (16, 8))]


def box_kernel(rank, coordinates, bytes, store=False):
    """A box to shared memory and out again; or zeros to the box."""
    text = HEAD.format("8.0", "sm_90") + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 p1)\n{\n" + REGISTERS
    text += f".shared .align 128 .b8 s[{bytes}]; .shared .align 8 .b64 bar;\n"
    text += ("mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar; ld.param.u64 %rd1, [p1]; cvta.to.global.u64 %rd1, %rd1;\n"
             f"mov.b64 %rd2, map; cvta.param.u64 %rd2, %rd2; setp.eq.u32 %p0, %r0, 0; shl.b32 %r3, %r0, 2; setp.ge.u32 %p3, %r3, {bytes};\n")
    walk = f"@%p3 bra OVER;\nWALK: cvt.u64.u32 %rd3, %r3; add.u64 %rd4, %rd1, %rd3; add.u32 %r4, %r1, %r3; "
    again = f"add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, {bytes}; @%p1 bra WALK;\nOVER: "
    if store:
        return text + (f"{walk}mov.u32 %r5, 0; st.shared.u32 [%r4], %r5;\n{again}fence.proxy.async; bar.sync 0; @!%p0 bra END;\n"
                       f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group [%rd2, {{{coordinates}}}], [%r1];\n"
                       "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: ret;\n}\n")
    return text + ("@%p0 mbarrier.init.shared.b64 [%r2], 1; @%p0 fence.mbarrier_init.release.cluster; bar.sync 0;\n"
                   f"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {bytes};\n"
                   f"@%p0 cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, {{{coordinates}}}], [%r2];\n"
                   "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;\n"
                   f"{walk}ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd4], %r5;\n{again}ret;\n}}\n")


def tiles():
    """Point 2: boxes that reach beyond the tensor; the wait ends only if their bytes count."""
    for number, (kind, size, box, at) in enumerate(BOXES):
        rank, count, total = len(size), 1, 1
        for side, extent in zip(box, size):
            count, total = count * side, total * extent
        want = b""
        for i in range(count):
            rest, index, stride, inside = i, 0, 1, True
            for d in range(rank):
                x = at[d] + rest % box[d]
                rest //= box[d]
                inside, index, stride = inside and 0 <= x < size[d], index + x * stride, stride * size[d]
            want += CODES[kind](float(index + 1) if inside else 0.0)
        probe = Probe(f"tma-outside-{number}", 2, "sm_90", "8.0", 32)
        probe.argument(f"map {kind} FILE {rank} {' '.join(map(str, size))} {' '.join(map(str, box))}", b"".join(CODES[kind](float(i + 1)) for i in range(total)))
        probe.argument(f"out {len(want)} FILE", want)
        probe.done(box_kernel(rank, ", ".join(map(str, at)), len(want)))


def unaligned():
    """Point 2: a box that begins in a row at no multiple of 16 bytes is an illegal instruction, wherever it lies."""
    for name, kind, size, box, at, store in (("4", "f32", (40,), (16,), (1,), False), ("8", "f32", (24, 10), (8, 4), (2, 3), False),
                                             ("before", "f32", (40,), (16,), (-3,), False), ("bf16", "bf16", (40,), (16,), (1,), False),
                                             ("store", "f32", (40,), (16,), (1,), True)):
        rank, bytes, total = len(size), len(CODES[kind](0.0)), 1
        for extent in size:
            total *= extent
        for side in box:
            bytes *= side
        probe = Probe(f"tma-unaligned-{name}", 2, "sm_90", "8.0", 32)
        probe.lines.append("fails 715")
        probe.argument(f"map {kind} FILE {rank} {' '.join(map(str, size))} {' '.join(map(str, box))}", b"".join(CODES[kind](float(i + 1)) for i in range(total)))
        probe.argument(f"out {bytes}")
        probe.done(box_kernel(rank, ", ".join(map(str, at)), bytes, store))


def narrow_and_wide():
    """Point 6."""
    draw = random.Random(6)
    for name, k, target, version, (na, nb), kind in (("mma-e4m3-k16", 16, "sm_89", "8.7", (2, 1), "e4m3"), ("mma-f64-m16", 4, "sm_90", "7.8", (2, 1), "f64")):
        a = [[draw.randint(-3, 3) for _ in range(k)] for _ in range(16)]
        b = [[draw.randint(-3, 3) for _ in range(k)] for _ in range(8)]
        first, second, want = b"", b"", []
        for lane in range(32):
            group, place = lane // 4, lane % 4
            if kind == "f64":
                first += struct.pack("<2d", a[group][place], a[group + 8][place])
                second += struct.pack("<d", b[group][place])
            else:
                first += b"".join(e4m3(a[group + 8 * (i // 4)][place * 4 + i % 4]) for i in range(8))
                second += b"".join(e4m3(b[group][place * 4 + i]) for i in range(4))
            want += [float(sum(x * y for x, y in zip(a[group + 8 * (i // 2)], b[place * 2 + i % 2]))) for i in range(4)]
        probe = Probe(name, 6, target, version, 32)
        probe.argument("in FILE", first)
        probe.argument("in FILE", second)
        if kind == "f64":
            body = ("mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 16; add.u64 %rd8, %rd8, %rd0; ld.global.v2.f64 {%fd0,%fd1}, [%rd8];\n"
                    "mul.wide.u32 %rd9, %r0, 8; add.u64 %rd9, %rd9, %rd1; ld.global.f64 %fd2, [%rd9]; mov.f64 %fd3, 0d0000000000000000;\n"
                    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd4,%fd5,%fd6,%fd7}, {%fd0,%fd1}, {%fd2}, {%fd3,%fd3,%fd3,%fd3};\n"
                    "mul.wide.u32 %rd10, %r0, 32; add.u64 %rd10, %rd10, %rd2; st.global.v2.f64 [%rd10], {%fd4,%fd5}; st.global.v2.f64 [%rd10+16], {%fd6,%fd7};\n")
            probe.argument(f"out {8 * len(want)} FILE", struct.pack(f"<{len(want)}d", *want))
        else:
            body = ("mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 8; add.u64 %rd8, %rd8, %rd0; ld.global.v2.u32 {%r1,%r2}, [%rd8];\n"
                    "mul.wide.u32 %rd9, %r0, 4; add.u64 %rd9, %rd9, %rd1; ld.global.u32 %r3, [%rd9]; mov.f32 %f0, 0f00000000;\n"
                    "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f0,%f0,%f0,%f0};\n"
                    "mul.wide.u32 %rd10, %r0, 16; add.u64 %rd10, %rd10, %rd2; st.global.v4.f32 [%rd10], {%f1,%f2,%f3,%f4};\n")
            probe.argument(f"out {4 * len(want)} FILE", struct.pack(f"<{len(want)}f", *want))
        probe.done(kernel(target, version, 3, body))


def mma(name, kind, first, second, start):
    """Point 9: a product m16n8k16 by a warp, with its fragments as they lie in registers."""
    probe = Probe(name, 9, "sm_80", "7.1", 32)
    for data in (first, second, start):
        probe.argument("in FILE", data)
    probe.argument("out 512 fma ampere hopper")
    probe.done(kernel("sm_80", "7.1", 4,
                      "mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 16; add.u64 %rd9, %rd8, %rd0; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd9];\n"
                      "mul.wide.u32 %rd10, %r0, 8; add.u64 %rd10, %rd10, %rd1; ld.global.v2.u32 {%r5,%r6}, [%rd10];\n"
                      "add.u64 %rd11, %rd8, %rd2; ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd11];\n"
                      f"mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 {{%f4,%f5,%f6,%f7}}, {{%r1,%r2,%r3,%r4}}, {{%r5,%r6}}, {{%f0,%f1,%f2,%f3}};\n"
                      "add.u64 %rd12, %rd8, %rd3; st.global.v4.f32 [%rd12], {%f4,%f5,%f6,%f7};\n"))


def depth_of(lane, element):
    """The point of k of an element of a lane, of A; those of B are the elements 0, 1, 4 and 5."""
    return lane % 4 * 2 + element % 2 + element // 4 * 8


def sums():
    """Point 9: which arithmetic a tensor core has."""
    for kind in ("bf16", "f16"):
        draw = random.Random(9)
        first, second = (b"".join(CODES[kind](wide(draw)) for _ in range(count)) for count in (32 * 8, 32 * 4))
        mma(f"mma-{kind}-sums", kind, first, second, struct.pack("<128f", *[draw.uniform(-1, 1) * 2.0 ** draw.randint(-8, 16) for _ in range(128)]))
    # A product 0 * large beside small products: the small products are cut off if the zero product counts for the largest exponent.
    beside("mma-f16-zeros", "f16", 0.0, 2.0**15, (-13, -10))
    beside("mma-bf16-zeros", "bf16", 0.0, 2.0**100, (-24, -20))
    # Smallest number times a large number: exponent -9, or 1 if subnormal numbers count as 2^-14.
    beside("mma-f16-subnormals", "f16", 2.0**-24, 2.0**15, (-12, -8))


def beside(name, kind, least, large, exponents):
    """In each sum one product of `least` and what is at least `large`, and 15 of factors with these exponents."""
    draw, place = random.Random(name), 5
    small = lambda: draw.choice([1, -1]) * draw.uniform(1, 2) * 2.0 ** draw.randint(*exponents)
    line = [[least if k == place else small() for k in range(16)] for _ in range(16)]
    column = [[draw.uniform(1, 1.9) * large if k == place else small() for k in range(16)] for _ in range(8)]
    first = b"".join(CODES[kind](line[lane // 4 + i // 2 % 2 * 8][depth_of(lane, i)]) for lane in range(32) for i in range(8))
    second = b"".join(CODES[kind](column[lane // 4][depth_of(lane, i)]) for lane in range(32) for i in (0, 1, 4, 5))
    mma(name, kind, first, second, struct.pack("<128f", *[0.0] * 128))


def flushed():
    """Point 11: products and sums around the smallest normal number, and the upper halves of approximate reciprocals."""
    draw = random.Random(11)
    least = 2.0**-126
    # Products and sums between 1 - 2^-24 of the smallest normal number, which has as many bits as a normal number, and the smallest normal number: with an
    # unbounded exponent the result rounds to either bound, while every such value is nearer to the smallest normal than to the largest subnormal number.
    rows = [(1 - 2.0**-24, least, 0.0), (1 - 2.0**-12, (1 + 2.0**-12) * least, 0.0), (31 * 601 / 2.0**15, 1801 / 2.0**10 * least, 0.0),
            (1 - 2.0**-13, (1 + 2.0**-13) * least, 0.0), (-1 + 2.0**-13, (1 + 2.0**-13) * least, 0.0), (1 - 2.0**-14, (1 + 2.0**-14) * least, 0.0)]
    rows += [(-(2.0**-76), part * 2.0**-76, least) for part in (4, 3, 2 + 2.0**-20, 2, 2 - 2.0**-20, 1, 2.0**-10)]
    rows += [(1 - 2.0**-23, least, 0.0), (least, -(2.0**-127), 0.0), (2.0**-140, 1.0, 0.0)]
    rows += [(2.0**-63 * draw.uniform(0.9999, 1.0001), 2.0**-63 * draw.uniform(0.9999, 1.0001), 2.0**-126 * draw.uniform(-2, 2)) for _ in range(32 - len(rows))]
    probe = Probe("ftz", 11, "sm_75", "6.5", 32)
    probe.argument("in FILE", b"".join(struct.pack("<4f", *row, 0.0) for row in rows))
    probe.argument("out 512 interpreter")
    probe.done(kernel("sm_75", "6.5", 2,
                      "mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 16; add.u64 %rd9, %rd8, %rd0; ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd9];\n"
                      "mul.rn.ftz.f32 %f4, %f0, %f1; add.rn.ftz.f32 %f5, %f0, %f1; fma.rn.ftz.f32 %f6, %f0, %f1, %f2;\n"
                      "cvt.f64.f32 %fd0, %f0; cvt.f64.f32 %fd1, %f1; mul.rn.f64 %fd2, %fd0, %fd1; cvt.rn.ftz.f32.f64 %f7, %fd2;\n"
                      "add.u64 %rd10, %rd8, %rd1; st.global.v4.f32 [%rd10], {%f4,%f5,%f6,%f7};\n"))
    probe = Probe("reciprocals", 11, "sm_75", "6.5", 512)
    probe.argument("in FILE", struct.pack("<512d", *[draw.uniform(1, 2) * 2.0 ** draw.randint(-40, 40) for _ in range(512)]))
    probe.argument("out 8192 interpreter")
    probe.done(kernel("sm_75", "6.5", 2,
                      "mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 8; add.u64 %rd8, %rd8, %rd0; ld.global.f64 %fd0, [%rd8];\n"
                      "rcp.approx.ftz.f64 %fd1, %fd0; rsqrt.approx.ftz.f64 %fd2, %fd0;\n"
                      "mul.wide.u32 %rd9, %r0, 16; add.u64 %rd9, %rd9, %rd1; st.global.f64 [%rd9], %fd1; st.global.f64 [%rd9+8], %fd2;\n"))


def exponentials():
    """Point 15: what flash attention takes exponentials with."""
    draw = random.Random(15)
    probe = Probe("exponentials", 15, "sm_75", "6.5", 1024)
    probe.argument("in FILE", struct.pack("<1024f", *[-20 + 21 * (i + draw.random()) / 1024 for i in range(1024)]))
    probe.argument("out 4096 interpreter")
    probe.done(kernel("sm_75", "6.5", 2,
                      "mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 4; add.u64 %rd9, %rd8, %rd0; ld.global.f32 %f0, [%rd9];\n"
                      "ex2.approx.ftz.f32 %f1, %f0; add.u64 %rd10, %rd8, %rd1; st.global.f32 [%rd10], %f1;\n"))


os.makedirs(FOLDER, exist_ok=True)
parity()
matrices()
for swizzle in (16, 32, 64, 128):
    for majors in ((True, True), (True, False), (False, True), (False, False)):
        wgmma("f16", swizzle, majors, False, 1)
for kind in ("f16", "bf16", "tf32", "e4m3"):
    wgmma(kind, 128, (True, True), True, 5)
for kind in ("f16", "bf16"):
    wgmma(kind, 128, (True, True), False, 9, sums=True)
tiles()
unaligned()
narrow_and_wide()
sums()
flushed()
exponentials()
