# Four valid rows of seven beside a model of four rows: short-batch.py LONG.so EXACT.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import random
import sys

from model import Model, array

random.seed(5)
long, exact = (Model(path, "partial") for path in sys.argv[1:3])
numbers = lambda count: [random.gauss(0, 1) for _ in range(count)]
failed = count = 0
for name, size in {"w": 20, "g": 4, "b": 4}.items():
    values = numbers(size)
    long.set(name, values)
    exact.set(name, values)

x, y, label = numbers(4 * 15), numbers(4 * 12), [0, 1, 2, 3, 2, 1, 3, 3, 0, 2, 1, 0]
rest = 3  # rows, filled with NaN: nothing may depend on them
for step, given, more in [("one", array("i32", label), array("i32", label + [1] * 3 * rest)),
                          ("two", array("f32", y), array("f32", y + [math.nan] * 12 * rest))]:
    exact.run(f"{step}_grad", [array("f32", x), given])
    long.run(f"{step}_grad", [array("f32", x + [math.nan] * 15 * rest), more], valid=4)
    tensors = {f"{step}.gradient.{name}": size for name, size in {"w": 20, "g": 4, "b": 4}.items()} | {"mean": 4, "variance": 4}
    for name, size in tensors.items():
        for i, (a, b) in enumerate(zip(long.tensor(name, size), exact.tensor(name, size))):
            count += 1
            if not abs(a - b) <= 1e-6 + 1e-5 * abs(b):
                print(f"{step} {name}[{i}]: {a} with valid rows, {b} without others")
                failed += 1
    losses = []
    for model, inputs, valid in [(exact, [array("f32", x), given], 0), (long, [array("f32", x + [math.nan] * 15 * rest), more], 4)]:
        loss = array("f32", [0])
        model.run(f"{step}_eval", inputs, [loss], valid)
        losses.append(loss[0])
    count += 1
    if not abs(losses[0] - losses[1]) <= 1e-5 * abs(losses[0]):
        print(f"{step}: loss {losses[1]} with valid rows, {losses[0]} without others")
        failed += 1
print(f"{count} numbers, {failed} differ")
sys.exit(1 if failed else 0)
