# train.scatter_rows on an input and on a buffer that the same step replaces: scatter_rows.py LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Oracle"))
from closeness import distance
from model import Model, array

model = Model(sys.argv[1], "put")
rows = [100.0 + i for i in range(20)]
index = [8, -1, 0, 9]  # the second and the last go nowhere


def replaced(table):
    table = list(table)
    for k, row in enumerate(index):
        if 0 <= row < 9:
            table[5 * row:5 * row + 5] = rows[5 * k:5 * k + 5]
    return table


failed = 0
table = [float(i) for i in range(45)]
given, y, difference = array("f32", table), array("f32", [0] * 45), array("f32", [0] * 45)
model.run("input", [array("f32", rows), array("i32", index), given], [y, difference])
failed += list(y) != replaced(table)
failed += list(difference) != [a - b for a, b in zip(replaced(table), table)]
failed += list(given) != table

before = list(model.tensor("table", 45))
model.run("train_step", [array("f32", rows), array("i32", index)])
failed += list(model.tensor("table", 45)) != replaced(before)
want = [1 - (a + b) for a, b in zip(replaced(before), before)]
failed += not distance(model.tensor("w", 45), want) <= 1e-4
print(f"{failed} of 5 results differ")
