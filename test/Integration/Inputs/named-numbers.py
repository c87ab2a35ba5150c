# Named results of a loss function, computed beside in Python.
# named-numbers.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math

from trained import SKIPPED, TrainOut, Trained, array, build, expect, failures

MODEL = """train.model @termsPARTS(batch = ROWS) {
  train.param @w : f32[1, 1] = #train.fill<0.5>
  train.func @loss(%x: f32[batch, 1], %y: f32[batch, 1]) {
    %p = train.matmul %x, %w
    %fit = train.mse %p, %y
    %square = train.mul %w, %w
    %penalty = train.reduce_sum %square over [0, 1]
    %total = train.add %fit, %penalty
    train.return %total, %fit as "fit", %penalty as "largest"
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.125> {micro_batches = PARTS, nonfinite = "skip"}
}
"""
HEAD = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)]


class Out(TrainOut):
    _fields_ = [("numbers", ctypes.POINTER(ctypes.c_double))]


def run(model, program, arrays, out, valid=0):
    kind = type("In", (ctypes.Structure,), {"_fields_": HEAD + [(f"p{i}", ctypes.c_void_p) for i in range(len(arrays))]})
    given = kind(ctypes.sizeof(kind), valid, 0.0, 0, None, *map(ctypes.addressof, arrays))
    return model.call(program, model.state, ctypes.byref(given), ctypes.byref(out))


def step(model, x, y, valid=0):
    out = Out(size=ctypes.sizeof(Out))
    return run(model, "train_step", [array("f32", x), array("f32", y)], out, valid), out


def close(what, got, want, share):
    if not abs(got - want) <= share * abs(want):
        expect(what, got, want)


X, Y = [1.0, 2.0, -3.0, 0.5], [2.0, -1.0, 0.25, 4.0]
for folder, parts, precision, share in ("whole", 1, "f32", 1e-6), ("parts", 2, "f32", 1e-6), ("bf16", 1, "bf16", 1e-2), ("f16", 2, "f16", 2e-3):
    library, name = build(folder, MODEL.replace("PARTS", str(parts)).replace("ROWS", str(4 // parts)), f"--precision={precision}")
    model, w = Trained(library, name), 0.5
    for valid in 0, 3, 1, 0:
        rows = valid or 4
        fit, slope = sum((w * x - y)**2 for x, y in zip(X[:rows], Y)) / rows, sum(2 * x * (w * x - y) for x, y in zip(X[:rows], Y)) / rows
        status, out = step(model, X, Y, valid)
        while status == SKIPPED and precision == "f16":  # until the loss scale fits
            close(f"{folder}: fit of a step that is skipped", out.numbers[0], fit, share)
            status, out = step(model, X, Y, valid)
        expect(f"{folder}: status", status, 0)
        for what, got, want in ("loss", out.loss, fit + w * w), ("fit", out.numbers[0], fit), ("largest", out.numbers[1], w * w):
            close(f"{folder}: {what} of {rows} rows", got, want, share)
        w = model.reals("w")[0] if share > 1e-5 else w - 0.125 * (slope + 2 * w)
    expect(f"{folder}: w", abs(model.reals("w")[0] - w) <= share, True)
    results = type("Results", (ctypes.Structure,), {"_fields_": [("size", ctypes.c_uint32), ("reserved", ctypes.c_uint32)] + [(n, ctypes.c_void_p) for n in ("loss", "fit", "largest")]})
    values = [array("f32", [0.0]) for _ in range(3)]
    evaluated = results(ctypes.sizeof(results), 0, *map(ctypes.addressof, values))
    expect(f"{folder}: evaluation", run(model, "eval", [array("f32", X), array("f32", Y)], evaluated), 0)
    close(f"{folder}: its fit", values[1][0], sum((w * x - y)**2 for x, y in zip(X[:4 // parts], Y)) / (4 // parts), share)
    close(f"{folder}: its sum", values[1][0] + values[2][0], values[0][0], share)
    # A short struct of a program that was compiled before has no numbers, and is not written beyond.
    old = TrainOut(size=ctypes.sizeof(TrainOut))
    expect(f"{folder}: the short struct", run(model, "train_step", [array("f32", X), array("f32", Y)], old), 0)
    status, out = step(model, [math.inf] + X[1:], Y)
    expect(f"{folder}: a loss that is not finite", (status != 0, math.isnan(out.numbers[0]), math.isnan(out.numbers[1])), (True, True, True))
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
