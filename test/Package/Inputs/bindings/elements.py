"""Values of every type through the Python interface of elements.mlir, called std."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import std

model = std.Model(threads=1)
for rows in (4, 3):
    given = {
        "flag": np.arange(3 * rows).reshape(rows, 3) % 2 == 0,
        "tiny": np.arange(-2, 2 * rows - 2, dtype=np.int8).reshape(rows, 2),
        "small": np.array([-32768, 32767, 1, 2], np.int16)[:rows],
        "word": np.array([-(2**31), 2**31 - 1, 3, 4], np.int32)[:rows],
        "wide": 2**62 + np.arange(2 * rows).reshape(rows, 2),
        "half": np.linspace(-65504, 65504, 3 * rows).astype(np.float16).reshape(rows, 3),
        "exact": np.pi * np.arange(1, 2 * rows + 1).reshape(rows, 2),
        "number": np.float64(1) / 3,
        "deep": np.arange(16 * rows, dtype=np.float32).reshape(rows, 2, 1, 2, 1, 2, 1, 2),
        "byte": np.arange(248, 248 + 2 * rows, dtype=np.uint8).reshape(rows, 2),
    }
    result = model.echo(**given)
    for (name, value), got in zip(given.items(), result.values()):
        if name == "byte":
            value = value.astype(np.int16)
        expected = value.ravel() if name == "wide" else value
        assert got.dtype == value.dtype and np.array_equal(got, expected), (name, got, value)

for wrong in ("flag", "half"):
    try:
        model.echo(**{**given, wrong: np.full((3, 3), 70000)})
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")

assert model.an_export_whose_name_has_fifty_letters_and_no_input() == 1
model["scale"], model["count"], model["on"] = 2.5, 2**40, [True, False, True]
assert model["scale"] == 2.5 and model["count"] == 2**40 and type(model["count"]) == np.int64
assert model["on"].dtype == bool and model["on"].tolist() == [True, False, True]
assert model.an_export_whose_name_has_fifty_letters_and_no_input() == 2.5
