# Steps with non-finite gradients and finite losses: every mode, precision and kind of update, on two tiers.
# nonfinite-cases.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import os
import random

from trained import Trained, TrainOut, array, build, expect, failures, pointer_struct

OK, SKIPPED, FAILED = 0, 1, -9
MODES = {"allow": OK, "skip": SKIPPED, "fail": FAILED}
ALL = [*MODES, "default"]
# Kinds of updates: rule, options, micro-batches, and the modes, each of which is a step.
UPDATES = {
    "plain": ("#train.sgd<lr = 0.01, momentum = 0.9>", "", 1, ALL),
    "norm": ("#train.adamw<lr = 0.01>", "clip_norm = 1.0", 1, ALL),
    "parts": ("#train.lamb<lr = 0.01>", "micro_batches = 2", 2, ALL),
    "value": ("#train.adam<lr = 0.01, moments = bf16>", "clip_value = 0.5", 1, ["default"]),
    "average": ("#train.adagrad<lr = 0.01> groups [#train.group<params = [@v, @beta], optimizer = #train.rmsprop<lr = 0.01>>]"
                " schedule #train.cosine<steps = 20, warmup = 3>", "ema_decay = 0.9", 1, ["allow", "skip"]),
}
TABLES = {
    "rows": ("#train.adam<lr = 0.01, lazy = true>", "", 1, ["allow", "skip"]),
    "every": ("#train.sgd<lr = 0.01, momentum = 0.9> groups [#train.group<params = [@table], optimizer = #train.rowwise_adagrad<lr = 0.01>>]",
              "micro_batches = 2", 2, ["default", "skip"]),
}
KINDS = {**UPDATES, **TABLES}
ROWS, WIDTH, BAD_COLUMNS = 8, 40, (3, 17, 39)


def steps(kinds, loss, params, scaler):
    """The name says kind and mode."""
    for kind, (rule, options, _, modes) in kinds.items():
        for mode in modes:
            given = ", ".join(part for part in (options, scaler, "" if mode == "default" else f'nonfinite = "{mode}"') if part)
            yield f"  train.step @{kind}_{mode} minimize @{loss} over [{params}] with {rule} {{{given}}}"


def model(name, scaler):
    """A product with 1 / x, selected where x is positive: at 0 the gradient is 0 * infinity = NaN, although the loss is finite."""
    x = f"tensor<{ROWS}x{WIDTH}xf32>"
    return f"""train.model @{name} {{
  amp.scaler @scale = #amp.scaling<dynamic = false, initial = 8.0>
  train.param @w : tensor<{WIDTH}x24xf32> = #train.kaiming_uniform
  train.param @gamma : tensor<24xf32> = #train.ones
  train.param @beta : tensor<24xf32> = #train.zeros
  train.param @v : tensor<{WIDTH}xf32> = #train.ones
  train.param @table : tensor<50x{WIDTH}xf32> = #train.ones
  train.buffer @mean : tensor<24xf32> = #train.zeros
  train.buffer @variance : tensor<24xf32> = #train.ones
  train.func @logs(%x: {x}, %v: {x}) -> tensor<f32> {{
    %0 = train.mul %x, %v : {x}, {x}
    %1 = train.constant dense<0.0> : tensor<f32>
    %2 = train.compare gt %0, %1 : {x}, tensor<f32>
    %fixed = train.stop_gradient %0 : {x}
    %inverse = train.reciprocal %fixed : {x}
    %3 = train.mul %0, %inverse : {x}, {x}
    %4 = train.select %2, %3, %1 : tensor<{ROWS}x{WIDTH}xi1>, {x}, tensor<f32>
    %5 = train.reduce_mean %4 over [0, 1] : {x}
    train.return %5 : tensor<f32>
  }}
  train.func @loss(%x: {x}, %z: {x}) -> tensor<f32> {{
    %w = train.read @w : tensor<{WIDTH}x24xf32>
    %gamma = train.read @gamma : tensor<24xf32>
    %beta = train.read @beta : tensor<24xf32>
    %v = train.read @v : tensor<{WIDTH}xf32>
    %0 = train.matmul %x, %w : ({x}, tensor<{WIDTH}x24xf32>) -> tensor<{ROWS}x24xf32>
    %1 = train.batch_norm %0, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : tensor<{ROWS}x24xf32>, tensor<24xf32>, tensor<24xf32>
    %2 = train.square %1 : tensor<{ROWS}x24xf32>
    %3 = train.reduce_mean %2 over [0, 1] : tensor<{ROWS}x24xf32>
    %4 = train.broadcast_to %v : tensor<{WIDTH}xf32> to {x}
    %5 = train.call @logs(%z, %4) : ({x}, {x}) -> tensor<f32>
    %6 = train.add %3, %5 : tensor<f32>, tensor<f32>
    train.return %6 : tensor<f32>
  }}
  train.func @rows(%i: tensor<{ROWS}xi32>, %x: {x}) -> tensor<f32> {{
    %v = train.read @v : tensor<{WIDTH}xf32>
    %table = train.read @table : tensor<50x{WIDTH}xf32>
    %0 = train.embedding %table at %i : tensor<50x{WIDTH}xf32>, tensor<{ROWS}xi32>
    %1 = train.call @logs(%x, %0) : ({x}, {x}) -> tensor<f32>
    %2 = train.square %v : tensor<{WIDTH}xf32>
    %3 = train.reduce_mean %2 over [0] : tensor<{WIDTH}xf32>
    %4 = train.add %1, %3 : tensor<f32>, tensor<f32>
    %w = train.read @w : tensor<{WIDTH}x24xf32>
    %5 = train.matmul %0, %w : ({x}, tensor<{WIDTH}x24xf32>) -> tensor<{ROWS}x24xf32>
    %6 = train.reduce_mean %5 over [0, 1] : tensor<{ROWS}x24xf32>
    %7 = train.add %4, %6 : tensor<f32>, tensor<f32>
    train.return %7 : tensor<f32>
  }}
{chr(10).join(steps(UPDATES, "loss", "@w, @gamma, @beta, @v", scaler))}
{chr(10).join(steps(TABLES, "rows", "@table, @v", scaler))}
}}
"""


def reals(seed, parts, bad):
    """Positive numbers; in a bad batch row 5 of the last part has zeros in BAD_COLUMNS."""
    numbers = random.Random(seed)
    values = [0.5 + numbers.random() for _ in range(parts * ROWS * WIDTH)]
    for column in BAD_COLUMNS if bad else ():
        values[((parts - 1) * ROWS + 5) * WIDTH + column] = 0.0
    return array("f32", values)


def batch(kind, seed, bad):
    """Inputs of a step. A bad batch makes elements of gradients not finite: columns of @v, or of a single row of @table."""
    parts = KINDS[kind][2]
    if kind in UPDATES:
        return [reals(seed + 1000, parts, False), reals(seed, parts, bad)]
    return [array("i32", [7 * i % 50 for i in range(parts * ROWS)]), reals(seed, parts, bad)]


def run(model, program, inputs):
    head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
            ("workspace", ctypes.c_void_p)]
    out = TrainOut(size=ctypes.sizeof(TrainOut))
    status = model.call(program, model.state, ctypes.byref(pointer_struct(head, (0, 0.0, 0, None), inputs)), ctypes.byref(out))
    return status, out


def kept(model):
    """State that a refused step may not touch."""
    return {name: data for name, data in model.bytes().items()
            if "gradient" not in name and ".rows." not in name and "random" not in name and not name.startswith("scale.")}


def count(data):
    return sum(not math.isfinite(value) for value in memoryview(data).cast("f"))


def stored(model, step):
    return sum(count(data) for name, data in model.bytes().items() if name.startswith(f"{step}.gradient."))


def refused(what, model, program, inputs, status, bad):
    before = kept(model)
    got, out = run(model, program, inputs)
    message = model.call("last_error", model.state, restype=ctypes.c_char_p).decode()
    expect(f"{what}: status, found, skipped, count", (got, out.found_inf, out.skipped, out.nonfinite), (status, 1, 1, bad))
    expect(f"{what}: loss is finite", math.isfinite(out.loss), True)
    expect(f"{what}: message", (f"{bad} elements" in message and "--track-nonfinite" in message), status == FAILED)
    after = kept(model)
    expect(f"{what}: changed", [name for name in before if before[name] != after[name]], [])


def allowed(what, model, step, inputs, bad):
    before, updates = kept(model), model.scalar(f"{step}.step", ctypes.c_int64)
    status, out = run(model, f"{step}_train_step", inputs)
    expect(f"{what}: status, found, skipped, count", (status, out.found_inf, out.skipped, out.nonfinite), (OK, 1, 0, bad))
    after = kept(model)
    expect(f"{what}: updates", model.scalar(f"{step}.step", ctypes.c_int64), updates + 1)
    expect(f"{what}: not finite", sum(count(after[name]) for name in ("v", "table")) >= bad, True)
    expect(f"{what}: the others", before["v"] != after["v"], True)


def apart(what, model, step, kind, mode, bad):
    """grad and apply: both count, apply decides."""
    inputs = batch(kind, 3, True)
    status, out = run(model, f"{step}_grad", inputs)
    expect(f"{what}, grad: status, skipped, count", (status, out.skipped, out.nonfinite), (OK, 0, bad))
    expect(f"{what}, stored", stored(model, step), bad)
    if mode != "allow":
        return refused(f"{what}, apply", model, f"{step}_apply", [], MODES[mode], bad)
    status, out = run(model, f"{step}_apply", [])
    expect(f"{what}, apply: status, found, skipped, count", (status, out.found_inf, out.skipped, out.nonfinite), (OK, 1, 0, bad))


def one(built, precision, kind, mode):
    step = f"{kind}_{mode}"
    what = f"{os.environ.get('AMPC_ISA', 'best')}, {precision}, {step}"
    clips = "clip" in KINDS[kind][1]
    acts = mode if mode != "default" else "skip" if clips or precision == "f16" else "allow"
    model, bad = Trained(*built), len(BAD_COLUMNS)
    model.check(run(model, f"{step}_train_step", batch(kind, 1, False))[0], what)
    program, inputs = f"{step}_train_step", batch(kind, 2, True)
    if acts == "allow":
        allowed(what, model, step, inputs, bad)
    else:
        refused(what, model, program, inputs, MODES[acts], bad)
        status, out = run(model, program, batch(kind, 4, False))
        expect(f"{what}: a good step after it", (status, out.found_inf, out.skipped, out.nonfinite), (OK, 0, 0, 0))
    model = Trained(*built)
    model.check(run(model, f"{step}_train_step", batch(kind, 1, False))[0], what)
    apart(what, model, step, kind, acts, bad)


def same(built, precision, kind):
    """On finite gradients all modes train alike, to the bit."""
    results = []
    modes = [mode for mode in KINDS[kind][3] if mode != "default"]
    for mode in modes:
        model = Trained(*built)
        for seed in range(4):
            status, out = run(model, f"{kind}_{mode}_train_step", batch(kind, seed, False))
            expect(f"{precision}, {kind}_{mode}: status and count", (status, out.nonfinite), (OK, 0))
        results.append({name.replace(f"{kind}_{mode}.", ""): data for name, data in kept(model).items()
                        if name.startswith(f"{kind}_{mode}.") or "." not in name})
    for mode, other in zip(modes[1:], results[1:]):
        expect(f"{precision}, {kind}: {mode} and {modes[0]} differ", [name for name in other if other[name] != results[0].get(name)], [])


def bad_loss(built):
    """A loss that is not finite ends the step before any gradient."""
    for mode in ("allow", "skip", "fail"):
        model, inputs = Trained(*built), batch("plain", 1, False)
        inputs[1][5] = float("inf")
        before = kept(model)
        status, out = run(model, f"plain_{mode}_train_step", inputs)
        expect(f"loss, {mode}", (status, out.nonfinite, out.skipped), (-8, 0, 0))
        expect(f"loss, {mode}: changed", kept(model) == before, True)
    model, inputs = Trained(*built), batch("norm", 1, False)
    status, good = run(model, "norm_skip_train_step", inputs)
    inputs[1][5] = float("inf")
    status, out = run(model, "norm_skip_train_step", inputs)
    expect("norm of gradients that were not computed", (status, good.grad_norm > 0, out.grad_norm), (-8, True, 0))


def short_struct(built):
    """A caller compiled against a shorter report gets the members of that report, and nothing behind."""
    model, head = Trained(*built), [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float),
                                    ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)]
    out = TrainOut(size=TrainOut.nonfinite.offset, nonfinite=77)
    inputs = batch("plain", 2, True) # the struct only points there
    given = pointer_struct(head, (0, 0.0, 0, None), inputs)
    model.check(model.call("plain_allow_train_step", model.state, ctypes.byref(given), ctypes.byref(out)), "short")
    expect("short report", (out.found_inf, out.nonfinite), (1, 77))


for precision in ("f32", "bf16", "f16"):
    text = model(f"model_{precision}", "amp.scaler = @scale" if precision == "f16" else "")
    built = build(f"model_{precision}", text, f"--precision={precision}")
    for tier in ("plain", "best"):
        os.environ["AMPC_ISA"] = tier
        if tier == "best":
            del os.environ["AMPC_ISA"]
        for kind, (_, _, _, modes) in KINDS.items():
            for mode in modes:
                one(built, precision, kind, mode)
            same(built, precision, kind)
        if precision != "f16":
            bad_loss(built)
            short_struct(built)
    print(f"{precision} done")
print(f"{len(failures)} failures")
