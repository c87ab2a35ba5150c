# Facts on ptxas's code for the kernels of forms.py: registers, memory, blocks per multiprocessor, matrix instructions.
# machine-code.py PAGE.md [--update] [--chips=sm_80,...] [--kernels=REGEX]: compares with the table in the page, or writes it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
from forms import kernels
from page_table import PageTable, row_of

PTXAS = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
HEAD = ["kernel", "chip", "form", "launch", "threads", "registers", "spilled bytes", "shared bytes", "blocks per multiprocessor",
        "matrix instructions, PTX and machine code", "barriers"]

# Per multiprocessor: warps, blocks, shared memory in KiB, KiB reserved per block (CUDA C++ Programming Guide, table of technical
# specifications).
LIMITS = {"sm_75": (32, 16, 64, 0), "sm_80": (64, 32, 164, 1), "sm_86": (48, 16, 100, 1), "sm_89": (48, 24, 100, 1),
          "sm_90a": (64, 32, 228, 1), "sm_100": (64, 32, 228, 1), "sm_120": (48, 24, 100, 1)}
# Low 12 bits of an instruction's first word.
HMMA, HGMMA = 0x23C, 0x1F0  # the latter without three bits that tell where operands are
LOCAL = {0x387, 0x983}

Launch = collections.namedtuple("Launch", "name form part threads shared")


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


def launches(names, module):
    """Function -> launch."""
    rows = re.findall(r'\{form = "([^"]*)", launches = \[(.*?)\], name = "(\w+)"', module)
    if len(rows) != len(names):
        raise SystemExit(f"expected {len(names)} kernels, but got {len(rows)}")
    found = {}
    for name, (form, parts, _) in zip(names, rows):
        parts = re.findall(r'#kernel\.launch<"(\w+)", grid = [^]]*\], block = \[(\d+), (\d+), (\d+)\][^>]*?shared = (\d+)', parts)
        for number, (function, x, y, z, shared) in enumerate(parts):
            found[function] = Launch(name, form, f"{number + 1} of {len(parts)}", int(x) * int(y) * int(z), int(shared))
    return found


def code_sections(binary):
    """Name to the machine code of a function, from the sections of an ELF file."""
    table, = struct.unpack_from("<Q", binary, 0x28)
    size, count, names = struct.unpack_from("<HHH", binary, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", binary, table + i * size) for i in range(count)]
    for section in sections:
        at = sections[names][4] + section[0]
        name = binary[at:binary.index(b"\0", at)].decode()
        if name.startswith(".text."):
            yield name[6:], binary[section[4]:section[4] + section[5]]


def opcodes(code):
    return collections.Counter(struct.unpack_from("<H", code, at)[0] & 0xFFF for at in range(0, len(code), 16))


def blocks(chip, launch, registers):
    warps, most, kilobytes, reserved = LIMITS[chip]
    of_block = -(-launch.threads // 32)
    per_warp = -(-registers * 32 // 256) * 256
    shared = -(-launch.shared // 1024) + reserved
    limits = [most, warps // of_block, 65536 // per_warp // of_block]
    return min(limits + ([kilobytes // shared] if shared else []))


def functions_of(ptx):
    for part in re.split(r"(?m)^\.visible \.entry ", ptx)[1:]:
        yield part[:part.index("(")], part


def rows(chip, wanted):
    """Rows of the table; raises an error for serialised wgmma, for missing products and for local memory without spills."""
    given = list(kernels(wanted))
    text = "\n".join(kernel for _, kernel in given)
    module = run("ampc-kernel-run", f"--target={chip}", "--emit=nvvm", "-", text=text).stdout
    ptx = run("ampc-kernel-run", f"--target={chip}", "--emit=ptx", "-", text=text).stdout
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/kernels.ptx", "w") as out:
            out.write(ptx)
        said = run(PTXAS, "-v", f"-arch={chip}", f"{folder}/kernels.ptx", "-o", f"{folder}/kernels.cubin").stderr
        with open(f"{folder}/kernels.cubin", "rb") as file:
            code = dict(code_sections(file.read()))
    if "C75" in said:
        raise SystemExit(f"{chip}: ptxas serialises wgmma\n" + "\n".join(line for line in said.splitlines() if "C75" in line))
    notes = {function: rest for function, rest in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling|\Z)", said, re.S)}
    text_of = dict(functions_of(ptx))
    for function, launch in launches([name for name, _ in given], module).items():
        note, source, counts = notes[function], text_of[function], opcodes(code[function])
        registers = int(re.search(r"Used (\d+) registers", note).group(1))
        spilled = sum(map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", note).groups()))
        products = len(re.findall(r"^\s*(?:@\S+ )?(?:mma\.sync|wgmma\.mma_async)", source, re.M))
        machine = sum(number for op, number in counts.items() if op == HMMA or op & 0x1FF == HGMMA)
        if bool(products) != bool(machine) or machine < products:
            raise SystemExit(f"{chip} {launch.name}: {products} products of matrices in PTX, {machine} in machine code")
        if not spilled and any(counts[op] for op in LOCAL):
            raise SystemExit(f"{chip} {launch.name}: local memory in machine code")
        fields = [launch.name, chip, launch.form, launch.part, launch.threads, registers, spilled, launch.shared,
                  blocks(chip, launch, registers), f"{products}, {machine}", len(re.findall(r"\bbar(?:rier)?\.sync|barrier\.cta\.sync", source))]
        yield row_of(fields)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--chips", default=",".join(LIMITS))
    parser.add_argument("--kernels", default="")
    args = parser.parse_args()
    table = PageTable(args.page, "machine code")
    version = re.search(r"release (\S+),", run(PTXAS, "--version").stdout).group(1)
    title = f"ptxas {version}:"
    if not args.update and title not in table.lines:
        print(f"the table is that of another ptxas: here {version}")
        return 0
    chips = args.chips.split(",")
    now = [row for chip in chips for row in rows(chip, args.kernels)]
    if args.update:
        table.write(HEAD, now, [title, ""])
        return 0

    def is_wanted(row):
        name, chip = row.split(" | ")[:2]
        return chip in chips and bool(re.search(args.kernels, name.removeprefix("| ")))

    return table.differs(now, "launches", is_wanted)


if __name__ == "__main__":
    raise SystemExit(main())
