# Runs a compiled model beside recorded results: compare.py LIBRARY.so MODEL_NAME RECORDED.json
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import math
import sys

from model import Model, array

# f32 beside f64: some roundings of the largest intermediate value.
ABSOLUTE, RELATIVE = 2e-6, 5e-6

library, name, recorded = sys.argv[1:4]
model = Model(library, name)
failed = count = 0


def compare(what, got, want):
    global worst, failed, count
    for i, (x, y) in enumerate(zip(got, want, strict=True)):
        count += 1
        share = abs(x - y) / (ABSOLUTE + RELATIVE * abs(y)) if x != y else 0.0
        if not share <= 1.0:
            print(f"{what}[{i}]: expected {y}, but got {x}")
            failed += 1
        worst = max(worst, share if not math.isnan(share) else math.inf)


with open(recorded) as file:
    cases = json.load(file)
for case, data in cases.items():
    worst = 0.0
    for k, values in (data["params"] | data["buffers"]).items():
        model.set(f"{case}.{k}", values)
    inputs = [array(data["kinds"][k], v) for k, v in data["inputs"].items()]
    result = array(data["kind"], [0] * len(data["result"]))
    model.run(case, inputs, [result])
    compare(case, result, data["result"])
    if "weight" in data:
        model.run(f"{case}_fit_grad", inputs + [array("f32", data["weight"])])
        for k, want in data["gradients"].items():
            compare(f"{case} gradient of {k}", model.tensor(f"{case}.fit.gradient.{case}.{k}", len(want)), want)
        for k, want in data["buffers_after"].items():
            compare(f"{case} new {k}", model.tensor(f"{case}.{k}", len(want)), want)
    print(f"{case}: {worst:.2g} of the tolerance")
print(f"{len(cases)} cases, {count} numbers, {failed} differ")
sys.exit(1 if failed else 0)
