# The times of a report equal the benches' times, kernel by kernel: REPORT MIXED [F32].
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys

report, benches = json.load(open(sys.argv[1])), [json.load(open(path)) for path in sys.argv[2:]]
step = next(s for s in report["steps"] if s["name"] == benches[0]["step"])
assert set(step["times"]) == {"mixed", "f32"} if len(benches) == 2 else {"mixed"}, step["times"]
for side, bench in zip(("mixed", "f32"), benches):
    kernels, rows = step["memory"][side]["kernels"], bench["kernels"]
    assert step["times"][side]["nanoseconds"] == bench["median_nanoseconds"] >= bench["least_nanoseconds"] > 0
    assert step["times"][side]["tier"] == bench["tier"] and step["times"][side]["runs"] == bench["runs"]
    assert sum(k["nanoseconds"] for k in kernels) == sum(row["median_nanoseconds"] for row in rows) > 0
    for kernel in kernels:
        assert kernel["bytes"] > 0 and kernel["nanoseconds"] >= 0, kernel
    next_row = 0
    for kernel in kernels:  # a loop runs the kernels of its body once per round
        runs = rows[next_row:next_row + kernel.get("runs", 1)]
        next_row += len(runs)
        assert kernel["nanoseconds"] == sum(row["median_nanoseconds"] for row in runs), kernel
        a_round = len(runs) // kernel.get("rounds", 1)
        for i, row in enumerate(runs):
            assert all(row[key] == runs[i % a_round][key] for key in ("name", "kind", "shape")), (kernel, row)
        assert kernel["part"] == runs[0]["stage"].replace("update", "optimizer"), (kernel, runs[0])
    assert next_row == len(rows)
    if len(kernels) == len(rows):  # else some run a program of their own
        for kernel, row in zip(kernels, rows):
            assert row["name"] in kernel["name"].split(" + ") + [kernel["kernel"]], (kernel, row)
            assert kernel["nanoseconds"] == row["median_nanoseconds"], (kernel, row)
others = [s for s in report["steps"] if s is not step]
assert all("times" not in s and all("nanoseconds" not in k for k in s["memory"]["mixed"]["kernels"]) for s in others)
print(sum("rounds" in k for k in step["memory"]["mixed"]["kernels"]), "loops;", len(benches), "benches are in the report")
