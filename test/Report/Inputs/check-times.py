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
    if len(kernels) == len(rows):  # else some run a program of their own
        for kernel, row in zip(kernels, rows):
            assert row["name"] in kernel["name"].split(" + ") + [kernel["kernel"]], (kernel, row)
            assert kernel["nanoseconds"] == row["median_nanoseconds"], (kernel, row)
others = [s for s in report["steps"] if s is not step]
assert all("times" not in s and all("nanoseconds" not in k for k in s["memory"]["mixed"]["kernels"]) for s in others)
print(len(benches), "benches are in the report")
