# Updates by dedicated kernels against updates by the equivalent ops: update.py LIBRARY.so WRITTEN_OUT.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Oracle"))
from model import Model, array

count = 33 * 7
results = {"adam": 3, "adamw": 6, "rounded": 3, "narrow": 2, "rmsprop": 3, "lamb": 3, "lion": 2, "muon": 2,
           "rounded_products": 2, "momentum": 3, "skipped": 2}
numbers = random.Random(0)
given = [array("f32", [numbers.gauss(0, 1) for _ in range(count)]) for _ in range(3)]
given.append(array("f32", [numbers.uniform(0, 1) for _ in range(count)]))  # a moment of squares
given.append(array("f32", [0.125]))


def run(library, export):
    model, made = Model(library, "update"), [array("f32", [0] * count) for _ in range(results[export])]
    model.run(export, given, made)
    return [bytes(tensor) for tensor in made]


failed = total = 0
made = {}
for export in results:
    first, second = (run(library, export) for library in sys.argv[1:3])
    if export == "skipped":
        second += [bytes(given[0]), bytes(given[3])]
        first += first[:2]
    elif bytes(given[0]) in first:
        sys.exit(f"expected {export} to change the parameter")
    made[export] = first
    total += len(first)
    failed += sum(a != b for a, b in zip(first, second))
for export, other in ("rounded_products", "muon"), ("momentum", "adam"):
    if made[export][0] == made[other][0]:
        sys.exit(f"expected {export} to be another step than {other}")
print(f"{failed} of {total} results differ")
