# Steps with everything that has a state: the same bits with any number of threads, and from a checkpoint at any place.
# state-cases.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import math
import random
import struct

from trained import FOLDER, Trained, array, build, expect, failures

# Large enough for sums of a dozen tasks, which three threads share evenly and eight do not.
ROWS, FEATURES, HIDDEN, CLASSES, TABLE, WIDTH = 384, 48, 512, 24, 700, 16


def tensor(*shape, kind="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


def everything():
    """A scale that two steps share; rows of a table, batch norm, dropout, clipping, averages, a schedule, moments in bf16."""
    x, i, y = tensor(ROWS, FEATURES), tensor(ROWS, kind="i32"), tensor(ROWS, CLASSES)
    h, e, w0, w1, t = tensor(ROWS, HIDDEN), tensor(ROWS, WIDTH), tensor(FEATURES + WIDTH, HIDDEN), tensor(HIDDEN, CLASSES), tensor(TABLE, WIDTH)
    joined, line, w2 = tensor(ROWS, FEATURES + WIDTH), tensor(HIDDEN), tensor(FEATURES, CLASSES)
    return f"""train.model @everything {{
  amp.scaler @s = #amp.scaling<initial = 1024.0, interval = 2, hysteresis = 2>
  train.param @t : {t} = #train.normal<std = 0.1>
  train.param @w0 : {w0} = #train.kaiming_uniform
  train.param @w1 : {w1} = #train.kaiming_uniform
  train.param @w2 : {w2} = #train.kaiming_uniform
  train.param @gamma : {line} = #train.ones
  train.param @beta : {line} = #train.zeros
  train.buffer @mean : {line} = #train.zeros
  train.buffer @variance : {line} = #train.ones
  train.func @loss(%x: {x}, %i: {i}, %y: {y}) -> tensor<f32> {{
    %t = train.read @t : {t}
    %w0 = train.read @w0 : {w0}
    %w1 = train.read @w1 : {w1}
    %gamma = train.read @gamma : {line}
    %beta = train.read @beta : {line}
    %e = train.embedding %t at %i : {t}, {i}
    %0 = train.concat %x, %e along 1 : {x}, {e}
    %1 = train.matmul %0, %w0 : ({joined}, {w0}) -> {h}
    %2 = train.batch_norm %1, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : {h}, {line}, {line}
    %3 = train.relu %2 : {h}
    %4 = train.dropout %3 rate 0.25 : {h}
    %5 = train.matmul %4, %w1 : ({h}, {w1}) -> {y}
    %6 = train.mse %5, %y : {y}, {y}
    train.return %6 : tensor<f32>
  }}
  train.func @other(%x: {x}, %y: {y}) -> tensor<f32> {{
    %w2 = train.read @w2 : {w2}
    %0 = train.matmul %x, %w2 : ({x}, {w2}) -> {y}
    %1 = train.mse %0, %y : {y}, {y}
    train.return %1 : tensor<f32>
  }}
  train.step @a minimize @loss over [@t, @w0, @w1, @gamma, @beta] with #train.adamw<lr = 0.01, lazy = true, moments = bf16>
    schedule #train.cosine<steps = 20, warmup = 3> {{amp.scaler = @s, clip_norm = 0.5, ema_decay = 0.9}}
  train.step @b minimize @other over [@w2] with #train.sgd<lr = 0.01, momentum = 0.9, moments = bf16> {{amp.scaler = @s}}
}}
"""


@functools.cache
def data(number, bad):
    """Features, rows of the table and targets; a bad target overflows f16."""
    numbers = random.Random(number)
    real = lambda count: array("f32", [numbers.gauss(0, 1) for _ in range(count)])
    x, i, y = real(ROWS * FEATURES), array("i32", [numbers.randrange(TABLE // 2) for _ in range(ROWS)]), real(ROWS * CLASSES)
    if bad:
        y[ROWS * CLASSES - 1] = 1.0e9
    return x, i, y


class Run(Trained):
    """Rounds of both steps."""

    def half(self, name, number, bad):
        x, i, y = data(number, bad)
        return self.given([x, i, y] if name == "a" else [x, y], f"{name}_train_step")

    def halves(self, kinds, first=0):
        """`kinds`: of steps a, b, a, b, ... a letter: g or B."""
        return [self.half("ab"[n % 2], n, kind == "B") for n, kind in enumerate(kinds, first)]

    def kept(self):
        """All but gradients, which a checkpoint leaves out."""
        return {name: data for name, data in self.bytes().items() if ".gradient." not in name and ".rows." not in name}

    def file(self, name):
        path = f"{FOLDER}/{name}.safetensors"
        self.check(self.call("save", self.state, path.encode()), "save")
        return path

    def load(self, path):
        self.check(self.call("load", self.state, path.encode(), 0), "load")


def differing(one, other):
    return [name for name in one if one[name] != other[name]]


KINDS = "gggggBggBBgggggg"


def threads(built):
    """Sums are cut at the same places, and no thread's flag is lost."""
    first = None
    for count in (1, 2, 3, 8):
        model = Run(*built, threads=count)
        seen = model.halves(KINDS)
        found = [(struct.pack("ffd", out.grad_norm, out.loss_scale, out.loss_double), out.skipped) for out in seen]
        first = first or (found, model.kept())
        expect(f"{count} threads: reports that differ", [n for n, (a, b) in enumerate(zip(first[0], found)) if a != b], [])
        expect(f"{count} threads: tensors that differ", differing(first[1], model.kept()), [])
        expect(f"{count} threads: skipped", "".join("gB"[out.skipped] for out in seen), KINDS)
        for name, size in (("t", ROWS * WIDTH), ("w0", (FEATURES + WIDTH) * HIDDEN), ("beta", HIDDEN)):
            for place in (0, size // 3, size // 2 + 1, size - 1):
                lone_infinity(model, name, size, place, f"{count} threads: infinity at {place} of {name}")


def lone_infinity(model, name, size, place, what):
    """A single infinity among stored gradients skips the step, at any position."""
    model.given(data(99, False), "a_grad")
    before = model.kept()
    model.tensor(f"a.gradient.{name}", size)[place] = math.inf
    out = model.given([], "a_apply")
    changed = [n for n in differing(before, model.kept()) if not n.startswith("s.")]
    expect(what, (out.skipped, changed), (1, []))


def checkpoints(built):
    """Checkpoints after any step, skipped steps and first steps of a round included, loaded over the state of another run."""
    whole = Run(*built, threads=2)
    states, files = [], []
    for n, kind in enumerate(KINDS):
        whole.halves(kind, n)
        states.append(whole.kept())
        files.append(whole.file(f"after{n}"))
    for n, path in enumerate(files):
        rest = Run(*built, threads=1 + n % 3, seed=77)
        rest.halves("gBBgg")
        rest.load(path)
        expect(f"loaded after {n}: tensors that differ", differing(states[n], rest.kept()), [])
        with open(path, "rb") as one, open(rest.file("again"), "rb") as other:
            expect(f"saved again after {n}", one.read() == other.read(), True)
        rest.halves(KINDS[n + 1:n + 4], n + 1)
        expect(f"three steps from {n}: tensors that differ", differing(states[min(n + 3, len(KINDS) - 1)], rest.kept()), [])


def single(bits):
    return struct.unpack("f", struct.pack("I", bits))[0]


def low(x):
    """Position of x between the two neighbours in bf16: 0 at the lower neighbour, below 1 at the upper."""
    return (struct.unpack("I", struct.pack("f", x))[0] & 0xFFFF) / 65536


def draws():
    """Without decays a moment is the gradient, or the square of the gradient, rounded to bf16: every element, moment and step draws anew."""
    count = 2048
    text = f"""train.model @draws {{
  train.param @p : {tensor(1, count)} = #train.zeros
  train.param @q : {tensor(1, count)} = #train.zeros
  train.func @loss(%x: {tensor(1, count)}) -> tensor<f32> {{
    %p = train.read @p : {tensor(1, count)}
    %q = train.read @q : {tensor(1, count)}
    %0 = train.add %p, %q : {tensor(1, count)}, {tensor(1, count)}
    %1 = train.mul %0, %x : {tensor(1, count)}, {tensor(1, count)}
    %2 = train.reduce_sum %1 over [0, 1] : {tensor(1, count)}
    train.return %2 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@p, @q] with #train.adam<lr = 0.0, beta1 = 0.0, beta2 = 0.0, moments = bf16>
}}
"""
    numbers, x = random.Random(1), []
    while len(x) < count:  # numbers whose value and square are near the middle between two neighbours
        g = single(0x3F800000 | numbers.randrange(1 << 23))
        if abs(low(g) - 0.5) < 0.1 and abs(low(g * g) - 0.5) < 0.1:
            x.append(g)
    model, given, up = Run(*build("draws", text)), array("f32", x), {}
    for step in range(3):
        model.given([given], "train_step")
        for name in ("m.p", "m.q", "v.p", "v.q"):
            exact = x if name[0] == "m" else [struct.unpack("f", struct.pack("f", g * g))[0] for g in x]
            halves = memoryview(model.bytes()["fit." + name]).cast("H")
            steps = [(bits << 16) - struct.unpack("I", struct.pack("f", g))[0] for bits, g in zip(halves, exact)]
            expect(f"{name}: no neighbour", [s for s in steps if not -65536 < s <= 65536], [])
            up[name, step] = [s > 0 for s in steps]
            share, wanted = sum(up[name, step]) / count, sum(map(low, exact)) / count
            expect(f"{name}, step {step}: {share} rounded up, of {wanted}", abs(share - wanted) < 2.5 / math.sqrt(count), True)
    keys = list(up)
    for k, one in enumerate(keys):
        for other in keys[k + 1:]:
            agree = sum(a == b for a, b in zip(up[one], up[other])) / count
            expect(f"{one} and {other}: {agree} of the draws agree", abs(agree - 0.5) < 2.5 / math.sqrt(count), True)


built = build("everything", everything(), "--precision=f16")
threads(built)
print("threads done")
checkpoints(built)
print("checkpoints done")
draws()
print("draws done")
print(f"{len(failures)} failures")
