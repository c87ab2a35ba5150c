# Compiled loss scaling: scales over good and bad steps, and state that a skipped step leaves unchanged.
# scaler-cases.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import itertools
import random

from trained import FOLDER, Trained, TrainOut, array, build, expect, failures, pointer_struct
from closeness import distance


def batch(seed, bad=False):
    """8 x 8 features and targets; a bad batch has a target of 1e7, whose gradient f16 cannot hold."""
    numbers = random.Random(seed)
    x = [numbers.gauss(0, 1) for _ in range(64)]
    y = [numbers.gauss(0, 1) for _ in range(64)]
    if bad:
        y[40] = 1.0e7
    return [x, y]


def layers(first, second):
    """Two linear layers, as in torch's tests."""
    return f"""
    %w{first} = train.read @w{first} : tensor<8x8xf32>
    %w{second} = train.read @w{second} : tensor<8x8xf32>
    %0 = train.matmul %x, %w{first} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.matmul %0, %w{second} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>"""


def declarations(count):
    return "\n".join(f"  train.param @w{i} : tensor<8x8xf32> = #train.kaiming_uniform" for i in range(count))


def plain(name, scaling, step="", rows=8):
    """A model with a single step; `step`: further attributes of the step."""
    return f"""train.model @{name} {{
  amp.scaler @s = {scaling}
{declarations(2)}
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {{{layers(0, 1)}
    %2 = train.mse %1, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %2 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w0, @w1] with #train.sgd<lr = 0.1> {{amp.scaler = @s{step}}}
}}
"""


def scales(model, kinds, seed=0):
    """The scale after each step."""
    result = []
    for i, kind in enumerate(kinds):
        out = model.step(batch(seed + i, kind == "bad"))
        expect(f"{model.name}, step {i} skipped", out.skipped, int(kind == "bad"))
        result.append(model.scalar("s.scale"))
    return result


def constants():
    good, bad = "good", "bad"
    cases = [
        ("update", "#amp.scaling<initial = 4.0, backoff = 0.25, interval = 2>", [good, good, bad], [4.0, 8.0, 2.0]),
        ("patience", "#amp.scaling<initial = 64.0, hysteresis = 2, interval = 100>", [bad, bad, good, bad, bad],
         [64.0, 32.0, 32.0, 32.0, 16.0]),
        ("bounds", "#amp.scaling<initial = 2.0, floor = 1.0, cap = 2.0, interval = 1>", [good, bad, bad, good], [2.0, 1.0, 1.0, 2.0]),
        # Growth 4 from 3 would give 12, backing off 2: both end at the limit.
        ("limits", "#amp.scaling<initial = 3.0, growth = 4.0, floor = 3.0, cap = 8.0, interval = 1>", [good, good, bad, bad, bad],
         [8.0, 8.0, 4.0, 3.0, 3.0]),
        ("fixed", "#amp.scaling<dynamic = false, initial = 128.0>", [good, bad, good], [128.0, 128.0, 128.0]),
    ]
    for name, scaling, kinds, want in cases:
        expect(name, scales(Trained(*build(name, plain(name, scaling), "--precision=f16")), kinds), want)
    for preset, first, interval in (("torch", 65536.0, 2000), ("tf", 32768.0, 2000), ("apex", 65536.0, 2000), ("paddle", 32768.0, 1000)):
        built = build(preset, plain(preset, preset), "--precision=f16")
        model, easy = Trained(*built), [[0.0] * 64, [0.0] * 64]
        for _ in range(interval - 1):
            model.step(easy)
        expect(f"{preset}: before it grows", model.scalar("s.scale"), first)
        model.step(easy)
        expect(f"{preset}: after {interval} good steps", model.scalar("s.scale"), 2 * first)
        model = Trained(*built)
        expect(preset, scales(model, [bad, bad]), [first / 2, first / 4])
        expect(f"{preset}: updates", model.scalar("fit.step", ctypes.c_int64), 0)


def random_sequence():
    """Good and bad steps in random order, against a second implementation of the rule (apex, update_scale_hysteresis)."""
    for number, (growth, backoff, interval, patience) in enumerate([(4.0, 0.25, 3, 3), (2.0, 0.5, 2, 1)]):
        name = f"random{number}"
        scaling = (f"#amp.scaling<initial = 64.0, growth = {growth}, backoff = {backoff}, interval = {interval}, "
                   f"hysteresis = {patience}>")
        model, numbers = Trained(*build(name, plain(name, scaling), "--precision=f16")), random.Random(number)
        scale, good, left = 64.0, 0, patience
        for i in range(60):
            # A scale grown too far makes good data overflow as well, as the step reports.
            skipped = model.step(batch(i, numbers.random() < 0.4)).skipped
            if skipped:
                left, good = max(left - 1, 0), 0
                scale = scale * backoff if left == 0 else scale
            else:
                left, good = patience, good + 1
                if good == interval:
                    scale, good = scale * growth, 0
            state = (model.scalar("s.scale"), model.scalar("s.good_steps", ctypes.c_int32))
            expect(f"{name}, step {i}: scale and good steps", state, (scale, good))


def after_grid(state, constants, skipped):
    """(scale, good steps, patience left) after a step, as in Apex's kernel update_scale_hysteresis."""
    (scale, good, left), (_, growth, backoff, interval, patience) = state, constants
    if skipped:
        left, good = max(left - 1, 0), 0
        return (ctypes.c_float(scale * backoff).value if left == 0 else scale, good, left)
    good += 1
    if good < interval:
        return (scale, good, patience)
    return (scale * growth if scale * growth <= 2.0**126 else scale, 0, patience)


def grid():
    """Apex's test of update_scale_hysteresis with all constants of that test: 72 scalers, each with a separate step."""
    cases = list(itertools.product((1.0, 1024.0, 65536.0), (1.0, 2.0, 4.0), (0.5, 0.25), (10, 100), (10, 100)))
    lines = ["train.model @grid {", "  train.param @w : tensor<4x1xf32> = #train.ones"]
    for i, (initial, growth, backoff, interval, patience) in enumerate(cases):
        lines.append(f"  amp.scaler @s{i} = #amp.scaling<initial = {initial}, growth = {growth}, backoff = {backoff}, "
                     f"interval = {interval}, hysteresis = {patience}>")
    lines.append("""  train.func @loss(%x: tensor<4x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x1xf32>
    %0 = train.matmul %x, %w : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<4x1xf32>
    train.return %1 : tensor<f32>
  }""")
    lines += [f"  train.step @f{i} minimize @loss over [@w] with #train.sgd<lr = 1.0e-9> {{amp.scaler = @s{i}}}" for i in range(len(cases))]
    model = Trained(*build("grid", "\n".join(lines + ["}", ""]), "--precision=f16"))
    data = {False: array("f32", [0.0] * 16), True: array("f32", [0.0] * 15 + [float("inf")])}
    head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
            ("workspace", ctypes.c_void_p)]
    inputs = {bad: pointer_struct(head, (0, 0.0, 0, None), [x]) for bad, x in data.items()}
    numbers, sequence = random.Random(3), []
    while len(sequence) < 900:  # runs as long as the longest patience and interval
        sequence += [len(sequence) % 2 == 1] * numbers.choice((1, 3, 12, 25, 105, 130))
    moved, out = set(), TrainOut(size=ctypes.sizeof(TrainOut))
    for i, constants in enumerate(cases):
        state = (constants[0], 0, constants[4])
        for number, bad in enumerate(sequence):
            assert model.call(f"f{i}_train_step", model.state, ctypes.byref(inputs[bad]), ctypes.byref(out)) >= 0
            before, state = state, after_grid(state, constants, out.skipped)
            if state[0] != before[0]:
                moved.add((i, state[0] > before[0]))
            got = (model.scalar(f"s{i}.scale"), model.scalar(f"s{i}.good_steps", ctypes.c_int32))
            # A scale beyond f16 makes any step bad; so does a scale of 0.
            if got != state[:2] or (bad and not out.skipped):
                expect(f"grid {constants}, step {number}, bad {bad}", (out.skipped, *got), (out.skipped, *state[:2]))
                break
    # 48 of 72 have a growth; at 65536, times a cotangent of 1, f16 overflows at once.
    grown, fallen = (sum(up == way for _, up in moved) for way in (True, False))
    expect(f"scales that grew ({grown}) and fell ({fallen})", (grown >= 32, fallen), (True, 72))


def sparse():
    """Rows 16, 32, 64 at a scale of 4 (torch, test_grad_scaling_unscale_sparse); an infinity or a NaN in a row skips the step."""
    built = build("sparse", """train.model @sparse {
  amp.scaler @s = #amp.scaling<initial = 4.0>
  train.param @t : tensor<6x1xf32> = #train.zeros
  train.func @loss(%i: tensor<3xi32>, %x: tensor<1x3xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<6x1xf32>
    %r = train.embedding %t at %i : tensor<6x1xf32>, tensor<3xi32>
    %0 = train.matmul %x, %r : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<1x1xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.sgd<lr = 1.0> {amp.scaler = @s}
}
""", "--precision=f16")
    given = [array("i32", [2, 3, 5]), array("f32", [4.0, 8.0, 16.0])]
    model = Trained(*built)
    model.run("grad", given)
    expect("rows", list(model.tensor("fit.gradient.t", 3)), [4.0, 8.0, 16.0])
    head = pointer_struct([("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float),
                           ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)], (0, 0.0, 0, None), [])
    for value, want, scale in [(8.0, [0.0, 0.0, -4.0, -8.0, 0.0, -16.0], 4.0), (float("inf"), [0.0] * 6, 2.0), (float("nan"), [0.0] * 6, 2.0)]:
        model = Trained(*built)
        model.run("grad", given)
        model.tensor("fit.gradient.t", 3)[1] = value
        out = TrainOut(size=ctypes.sizeof(TrainOut))
        assert model.call("apply", model.state, ctypes.byref(head), ctypes.byref(out)) >= 0
        expect(f"sparse, {value}", (out.found_inf, out.skipped, list(model.tensor("t", 6)), model.scalar("s.scale")),
               (int(scale == 2.0), int(scale == 2.0), want, scale))


def checkpoints():
    """A checkpoint holds the scale and the counter of good steps; the constants belong to the program."""
    first = build("kept", plain("kept", "#amp.scaling<initial = 4.0, interval = 3>"), "--precision=f16")
    model, path = Trained(*first), f"{FOLDER}/kept.safetensors".encode()
    for i in range(4):
        model.step(batch(i))
    model.check(model.call("save", model.state, path), "save")
    other = Trained(*first)
    other.check(other.call("load", other.state, path, 0), "load")
    expect("loaded", (other.scalar("s.scale"), other.scalar("s.good_steps", ctypes.c_int32)), (8.0, 1))


def clipping():
    """Three good steps and a bad step, clipped: the parameters of f32 without the bad step."""
    scaling = "#amp.scaling<initial = 128.0, interval = 1>"
    scaled = Trained(*build("clipped", plain("clipped", scaling, ", clip_norm = 0.2"), "--precision=f16"))
    control = Trained(*build("control", plain("control", scaling, ", clip_norm = 0.2")))
    expect("scale after clipped steps", scales(scaled, ["good", "good", "bad", "good"])[-1], 512.0)
    for i in (0, 1, 3):
        control.step(batch(i))
    for name in ("w0", "w1"):
        worst = distance(scaled.tensor(name, 64), control.tensor(name, 64))
        expect(f"{name} within 1e-3 of f32 ({worst:.2g})", worst < 1e-3, True)
    norm, exact = scaled.step(batch(4)).grad_norm, control.step(batch(4)).grad_norm
    expect(f"norm {norm:.4g} without the scale, as in f32: {exact:.4g}", 0.2 < exact and abs(norm - exact) < 0.01 * exact, True)


def accumulation():
    scaling = "#amp.scaling<initial = 128.0, interval = 1>"
    text = plain("parts", scaling, ", micro_batches = 2")
    model = Trained(*build("parts", text, "--precision=f16"))
    for i in range(2):
        model.step([a + b for a, b in zip(batch(2 * i), batch(2 * i + 1))])
    expect("scale after two steps of two parts", model.scalar("s.scale"), 512.0)
    # A bad micro-batch skips the whole step.
    out = model.step([a + b for a, b in zip(batch(4), batch(5, bad=True))])
    expect("a bad part skips", (out.skipped, model.scalar("s.scale")), (1, 256.0))
    # A static scale: two micro-batches equal the whole batch, and a bad micro-batch skips the step all the same.
    scaling = "#amp.scaling<dynamic = false, initial = 128.0>"
    parts = Trained(*build("still", plain("still", scaling, ", micro_batches = 2"), "--precision=f16"))
    rows = [a + b for a, b in zip(batch(0), batch(1))]
    before = parts.reals("w0")
    parts.step(rows)
    control = Trained(*build("still32", plain("still32", scaling, ", micro_batches = 2"), "--precision=f32"))
    control.step(rows)
    moved = distance(parts.reals("w0"), before)
    worst = distance(parts.reals("w0"), control.reals("w0"))
    expect(f"moved {moved:.2g}, {worst:.2g} from f32", moved > 1e-2 and worst < 1e-3, True)
    kept = parts.reals("w0")
    out = parts.step([a + b for a, b in zip(batch(4), batch(5, bad=True))])
    expect("a bad part skips, static", (out.skipped, parts.scalar("s.scale"), parts.reals("w0") == kept), (1, 128.0, True))


def factor():
    """The caller's factor on the learning rate: from zeros, a factor of 0.5 moves exactly half as far."""
    text = """train.model @factor {
  train.param @w : tensor<8x8xf32> = #train.zeros
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x8xf32>
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.mse %0, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
"""
    built = build("factor", text, "--precision=f16")
    weights = []
    for given in (0.0, 1.0, 0.5):
        model = Trained(*built)
        while model.step(batch(0), factor=given).skipped:
            pass
        weights.append(model.reals("w"))
    expect("0 means 1", weights[0] == weights[1], True)
    expect("half as far", any(weights[0]) and weights[0] == [2 * w for w in weights[2]], True)


def shared():
    """Two losses over two models; only the second overflows, in the third round (torch, test_grad_scaling_multiple)."""
    text = f"""train.model @pair {{
  amp.scaler @s = #amp.scaling<initial = 128.0, interval = 1>
{declarations(4)}
  train.func @first(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {{{layers(0, 1)}
    %2 = train.mse %1, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %2 : tensor<f32>
  }}
  train.func @second(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {{{layers(2, 3)}
    %2 = train.mse %1, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %2 : tensor<f32>
  }}
  train.step @a minimize @first over [@w0, @w1] with #train.sgd<lr = 0.1> {{amp.scaler = @s}}
  train.step @b minimize @second over [@w2, @w3] with #train.sgd<lr = 0.1> {{amp.scaler = @s}}
}}
"""
    model = Trained(*build("pair", text, "--precision=f16"))
    seen = []
    for i in range(4):
        a = model.step(batch(i), "a_train_step")
        seen.append(model.scalar("s.scale"))
        b = model.step(batch(i, bad=i == 2), "b_train_step")
        seen.append(model.scalar("s.scale"))
        expect(f"round {i}: scales of both steps", a.loss_scale, b.loss_scale)
    expect("scales", seen, [128.0, 256.0, 256.0, 512.0, 512.0, 256.0, 256.0, 512.0])
    expect("updates", (model.scalar("a.step", ctypes.c_int64), model.scalar("b.step", ctypes.c_int64)), (4, 3))
    # The first step of a round overflows, the second does not: the round counts as bad all the same, but only the first is skipped.
    a = model.step(batch(9, bad=True), "a_train_step")
    b = model.step(batch(9), "b_train_step")
    expect("who is skipped", (a.skipped, a.found_inf, b.skipped, b.found_inf), (1, 1, 0, 0))
    expect("first of a round overflows", model.scalar("s.scale"), 256.0)
    expect("updates", (model.scalar("a.step", ctypes.c_int64), model.scalar("b.step", ctypes.c_int64)), (4, 4))


def three():
    """A bad first step of a round still counts after a good second step."""
    steps = "".join(f"""
  train.func @loss{i}(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {{{layers(2 * i, 2 * i + 1)}
    %2 = train.mse %1, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %2 : tensor<f32>
  }}
  train.step @{name} minimize @loss{i} over [@w{2 * i}, @w{2 * i + 1}] with #train.sgd<lr = 0.1> {{amp.scaler = @s}}""" for i, name in enumerate("abc"))
    text = f"train.model @three {{\n  amp.scaler @s = #amp.scaling<initial = 128.0, interval = 1>\n{declarations(6)}{steps}\n}}\n"
    model, seen = Trained(*build("three", text, "--precision=f16")), []
    for worst in "abc ":
        for name in "abc":
            out = model.step(batch(1, bad=name == worst), f"{name}_train_step")
            expect(f"{name} of a round with a bad {worst}: skipped", out.skipped, int(name == worst))
        seen.append(model.scalar("s.scale"))
    expect("scales of rounds of three", seen, [64.0, 32.0, 16.0, 32.0])


def stateful():
    """Batch norm, dropout, moments, a schedule and averages."""
    return f"""train.model @stateful {{
  amp.scaler @s = #amp.scaling<initial = 128.0, interval = 3>
{declarations(2)}
  train.param @gamma : tensor<8xf32> = #train.ones
  train.param @beta : tensor<8xf32> = #train.zeros
  train.buffer @mean : tensor<8xf32> = #train.zeros
  train.buffer @variance : tensor<8xf32> = #train.ones
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {{
    %w0 = train.read @w0 : tensor<8x8xf32>
    %w1 = train.read @w1 : tensor<8x8xf32>
    %gamma = train.read @gamma : tensor<8xf32>
    %beta = train.read @beta : tensor<8xf32>
    %0 = train.matmul %x, %w0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.batch_norm %0, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
    %2 = train.dropout %1 rate 0.25 : tensor<8x8xf32>
    %3 = train.matmul %2, %w1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = train.mse %3, %y : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %4 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w0, @w1, @gamma, @beta] with #train.adamw<lr = 0.01>
    schedule #train.cosine<steps = 20, warmup = 3> {{amp.scaler = @s, clip_norm = 1.0, ema_decay = 0.9}}
}}
"""


def skipped_state():
    built = build("stateful", stateful(), "--precision=f16")
    model = Trained(*built)
    for i in range(3):
        model.step(batch(i))
    before, out, after = model.bytes(), model.step(batch(9, bad=True)), model.bytes()
    expect("skipped", (out.skipped, out.found_inf), (1, 1))
    changed = sorted(name for name in before if before[name] != after[name] and "gradient" not in name)
    moving = sorted(name for name in changed if not name.startswith("s.") and "random" not in name)
    expect("state that a skipped step changed", moving, [])
    expect("the scale moved", "s.scale" in changed, True)
    expect("the next masks differ", [name for name in changed if "random" in name] != [], True)
    x, y = batch(9)
    y[40] = 1.0e30
    before, out, after = model.bytes(), model.step([x, y]), model.bytes()
    expect("an infinite loss is skipped", (out.loss, out.skipped, before["w0"] == after["w0"]), (float("inf"), 1, True))
    model.step(batch(4))
    good = [name for name in before if model.bytes()[name] != after[name]]
    for name in ("w0", "gamma", "mean", "variance", "fit.m.w0", "fit.v.w0", "fit.ema.w0", "fit.step"):
        expect(f"a good step changes {name}", name in good, True)

    # A resumed run, and a run with another number of threads, have equal bits.
    kinds = [False, False, True, False, False, False, True, False]
    results = []
    for threads in (1, 2):
        whole = Trained(*built, threads=threads)
        for i, bad in enumerate(kinds):
            whole.step(batch(i, bad))
        results.append(whole.bytes())
        half, path = Trained(*built, threads=threads), f"{FOLDER}/half.safetensors".encode()
        for i, bad in enumerate(kinds[:4]):
            half.step(batch(i, bad))
        expect("good steps before the checkpoint", half.scalar("s.good_steps", ctypes.c_int32), 1)
        half.check(half.call("save", half.state, path), "save")
        rest = Trained(*built, threads=3 - threads)
        rest.check(rest.call("load", rest.state, path, 0), "load")
        for i, bad in enumerate(kinds[4:]):
            rest.step(batch(4 + i, bad))
        results.append(rest.bytes())
    for other in results[1:]:
        expect("tensors that differ", [n for n in other if other[n] != results[0][n] and "gradient" not in n], [])


def separate():
    """Between grad and apply a caller may put any values into the gradients; apply checks all gradients again."""
    built = build("apart", plain("apart", "#amp.scaling<initial = 128.0, interval = 1>"), "--precision=f16")
    model = Trained(*built)
    given = [array("f32", values) for values in batch(0)]
    model.run("grad", given)
    gradient = list(model.tensor("fit.gradient.w0", 64))
    other = Trained(*built)
    other.step(batch(0))
    lr = [w - 0.1 * g for w, g in zip(model.tensor("w0", 64), gradient)]
    worst = distance(lr, other.tensor("w0", 64))
    expect(f"stored gradients are unscaled ({worst:.2g})", worst < 1e-6, True)
    for value, name in [(v, n) for v in (float("inf"), -float("inf"), float("nan")) for n in ("w0", "w1")]:
        model.run("grad", given)
        model.tensor(f"fit.gradient.{name}", 64)[7] = value
        before = model.bytes()
        out = TrainOut(size=ctypes.sizeof(TrainOut))
        head = pointer_struct([("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float),
                               ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)], (0, 0.0, 0, None), [])
        assert model.call("apply", model.state, ctypes.byref(head), ctypes.byref(out)) >= 0
        after = model.bytes()
        expect(f"apply with {value} for {name}", (out.skipped, [n for n in ("w0", "w1") if before[n] != after[n]]), (1, []))


for case in (constants, random_sequence, grid, sparse, checkpoints, clipping, accumulation, factor, shared, three, skipped_state, separate):
    case()
    print(f"{case.__name__} done")
print(f"{len(failures)} failures")
