"""Calls the Python interface of names.mlir, rightly and wrongly."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

import numpy as np

import _Hard

random = np.random.default_rng(3)


def refused(call, *arguments):
    try:
        call(*arguments)
    except (Exception) as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("accepted")


model = _Hard.Model(seed=1, threads=1)
for rows in (8, 5, 1):
    x, bias, factor = random.normal(size=(rows, 4)), random.normal(size=3), np.float32(0.5)
    status = random.integers(-8, 8, (rows, 3)) / 4  # exact in bf16
    result = model.Model(x, bias, factor, status)
    expected = (x @ np.ones((4, 3)) + bias) * factor
    assert np.abs(result["scores"] - expected).max() < 1e-5, (result["scores"], expected)
    assert result["out0"].dtype == np.float32 and np.array_equal(result["out0"], status)
print("values agree")

# Numbers that bf16 does not have are rounded to nearest even; infinities and NaN stay.
inexact = np.array([1 + 2**-8, 1 + 3 * 2**-8, np.inf, -np.inf, np.nan, 3.0e38], np.float32)
print(model.Model(np.zeros((2, 4)), np.zeros(3), 1, inexact.reshape(2, 3))["out0"].ravel())

# Row-major and column-major arrays of the caller.
across = np.asfortranarray(inexact.reshape(2, 3))
assert np.array_equal(model.Model(np.zeros((4, 2)).T, np.zeros(6)[::2], 1, across)["out0"], model.Model(np.zeros((2, 4)), np.zeros(3), 1, across.copy("C"))["out0"], equal_nan=True)
bits = np.arange(6, dtype=np.uint16).reshape(3, 2).T
assert model.Model(np.zeros((2, 4)), np.zeros(3), 1, bits)["out0"].shape == (2, 3)
refused(model.Model, np.full((1, 4), 1e39), np.zeros(3), 1, [[1, 2, 3]])
refused(model.Model, np.zeros((1, 4)), np.zeros(3), 1, [[1, np.inf, 3.4e38]])

# Names that are words of the language, of the class, or private to either.
assert np.array_equal(model.Status(*[[i] for i in range(44)]), range(44))
for call in (model._run_, model._lock_, model._state_, model._find_, model.__init___, model.__del___, model.__dict___, model.Options, model.ampc_status):
    assert np.array_equal(call(), np.ones((4, 3)))

x, label = random.normal(size=(16, 4)), np.arange(16) % 3
first = model.train_step(x, label)
assert first.step == 1 and abs(first.loss - np.log(3)) < 1e-6, first
loss = model.eval(x, label)
assert np.float32 == type(loss) and loss < first.loss
half = model.train_step(x[:6], label[:6], lr_factor=0.5)
print(repr(half)[:40])
print(model.tensors["a.b"], model.tensors["narrow"])

model["narrow"] = [1, 2, 0.5]
assert np.array_equal(model["narrow"], np.float32([1, 2, 0.5]))
refused(model.train_step, x[:, :3], label)
refused(model.train_step, x, label[:5])
refused(model.train_step, x[:0], label[:0])
refused(model.train_step, np.zeros((17, 4)), np.zeros(17, int))
refused(model.train_step, x, label.astype(float))
refused(model.train_step, x, label + 2**32)
refused(model.train_step, x, label + 1)
for factor in (0, -0.5, float("nan"), 1e-50, 1e39):
    refused(model.train_step, x, label, factor)
refused(model.grad, x, label)
refused(model.__getitem__, "c")
refused(model.__setitem__, "a.b", np.ones((3, 4)))
refused(model.load, sys.argv[1] + "/none")
refused(lambda: _Hard.Model(device="tpu"))
refused(lambda: _Hard.Model(shares=2))
refused(lambda: _Hard.Model(denormals=2))
with _Hard.Model(seed=1, threads=2, shares=_Hard.AMPC_SHARES_DYNAMIC, pin_threads=len(os.sched_getaffinity(0)) > 1) as dynamic, _Hard.Model(seed=1, threads=1) as alone:
    for step in range(3):
        assert dynamic.train_step(x, label).loss == alone.train_step(x, label).loss
    assert np.array_equal(dynamic["a.b"], alone["a.b"])
model.close()
model.close()
refused(model.eval, x, label)
print(f"tier: {model.tier}.")
refused(lambda: _Hard.Model(sead=1))
