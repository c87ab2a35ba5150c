# Failing steps leave the state of a compiled model unchanged: bad-steps.py LIBRARY.so FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data
from model import Model, array, pointer_struct

E_ARG, E_NONFINITE_LOSS = -1, -8
library, folder = sys.argv[1:3]
model = Model(library, "softmax_regression", threads=2)
x, y = data.make_data()
x, y = x[:data.BATCH * data.FEATURES], y[:data.BATCH]


def step(features, labels, valid=0, program="train_step"):
    """Status and last message."""
    head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
            ("workspace", ctypes.c_void_p)]
    inputs = [array("f32", features), array("i32", labels)]
    given = pointer_struct(head, (valid, 0.0, 0, None), inputs)
    status = model.call(program, model.state, ctypes.byref(given), None)
    return status, model.call("last_error", model.state, restype=ctypes.c_char_p).decode()


def state():
    """Every tensor of the state, by name."""
    path = os.path.join(folder, "state.safetensors")
    model.check(model.call("save", model.state, path.encode()), "save")
    return data.read_tensors(path)


def expect(before, status, message, wanted, text, counted=0):
    after = state()
    changed = [name for name in after if after[name] != before[name]]
    assert status == wanted and text in message, (status, message)
    assert changed == (["random.state"] if counted else []), changed
    if counted:  # seed, counter
        seed, counter = (int.from_bytes(before["random.state"][i:i + 8], "little") for i in (0, 8))
        assert after["random.state"] == (seed).to_bytes(8, "little") + (counter + counted).to_bytes(8, "little")


for _ in range(3):
    assert step(x, y) == (0, "")
before = state()
assert len(before) >= 5 and "random.state" in before and "fit.m.w" in before, list(before)
for program in ["train_step", "grad"]:
    expect(before, *step(x, y[:-1] + [3], program=program), E_ARG, "input 'y': expected a value in [0, 3), but got 3 in row 11")
    expect(before, *step(x, [-1] + y[1:], program=program), E_ARG, "expected a value in [0, 3), but got -1 in row 0")
    expect(before, *step(x, y, valid=13, program=program), E_ARG, "expected in->valid in [0, 12], but got 13")
# A label that does not count may be anything.
assert step(x, y[:-1] + [3], valid=11) == (0, "")
before = state()
for bad in [math.nan, math.inf]:  # a whole row, of which dropout leaves something
    expect(before, *step([bad] * data.FEATURES + x[data.FEATURES:], y), E_NONFINITE_LOSS, "the loss is not finite; nothing was updated", counted=1)
    before = state()
assert step(x, y) == (0, "")
assert state()["w"] != before["w"]
print("nothing was updated")
