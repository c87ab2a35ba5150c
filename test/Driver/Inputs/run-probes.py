# Asks every probe of bench/gpu on the interpreter of PTX, and expects the answers of our reading of the ISA.
# run-probes.py GPU-PROBE FOLDER DRIVER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import re
import subprocess
import sys

program, folder, driver = sys.argv[1:]


def ask(name, *options, capability="9.0", **environment):
    done = subprocess.run([program, *options, folder, name], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": driver, "PTXSIM_CAPABILITY": capability, **environment})
    return done.stdout.strip() + done.stderr.strip()


points, labels = {}, {}
for path in sorted(glob.glob(folder + "/*.probe")):
    name = os.path.basename(path)[:-len(".probe")]
    text = open(path).read()
    points.setdefault(int(re.search(r"point (\d+)", text).group(1)), []).append(name)
    output = re.search(r"^out \d+ (.*)$", text, re.M).group(1).split()
    if not output[0].endswith(".bin"):
        labels[name] = output
assert sorted(points) == [1, 2, 3, 4, 5, 6, 9, 11], sorted(points)

# Answers that are derived, in race mode, too; lazy copies and those that come at once give the same.
for point, names in points.items():
    for name in names:
        if name not in labels:
            for mode in ({"PTXSIM_RACE": "1"}, {"PTXSIM_ASYNC": "eager"}):
                answer = ask(name, **mode)
                assert answer == f"ok point {point}: {name}", answer

# Arithmetic that is recorded: each model of tensor cores agrees with itself alone.
for label in labels["mma-bf16-sums"]:
    assert ask("mma-bf16-sums", f"--record={label}", PTXSIM_TENSOR=label) == ""
for label in labels["mma-bf16-sums"]:
    answer = ask("mma-bf16-sums", PTXSIM_TENSOR=label)
    assert answer == f"agrees with {label} point 9: mma-bf16-sums", answer
assert ask("mma-bf16-sums", PTXSIM_TENSOR="volta", capability="8.0") == "differs point 9: mma-bf16-sums"
for name in ("ftz", "reciprocals"):
    assert ask(name, "--record=interpreter") == ""
    assert ask(name) == f"agrees with interpreter point 11: {name}"

# What a chip cannot run is skipped; an answer that is not ours is told.
assert ask("tma-outside-1", capability="8.0") == "skipped point 2: tma-outside-1 is for sm_90", ask("tma-outside-1", capability="8.0")
assert ask("wgmma-f16-128-mn", capability="12.0").startswith("skipped"), "wgmma"
with open(folder + "/tma-outside-1.2.bin", "r+b") as file:
    file.seek(60)
    file.write(b"\1\2\3\4")
answer = ask("tma-outside-1")
assert re.fullmatch(r"differs point 2: tma-outside-1: 1 of 16 words, the first is 15: [0-9a-f]{8}", answer), answer
assert "cannot read" in ask("none"), ask("none")
print("ok")
