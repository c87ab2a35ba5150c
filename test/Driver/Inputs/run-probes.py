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
    output = re.search(r"^out \d+(.*)$", text, re.M).group(1).split()
    if output and not output[0].endswith(".bin"):
        labels[name] = output
assert sorted(points) == [1, 2, 3, 4, 5, 6, 9, 11, 15], sorted(points)

# Derived answers, also in race mode; lazy and eager copies give the same.
for point, names in points.items():
    for name in names:
        if name not in labels:
            for mode in ({"PTXSIM_RACE": "1"}, {"PTXSIM_ASYNC": "eager"}):
                answer = ask(name, **mode)
                said = r"ptxsim: <image>:\d+: illegal instruction: TMA needs .*" if "unaligned" in name else ""
                assert re.fullmatch(f"ok point {point}: {name}{said}", answer, re.S), answer

# Recorded arithmetic: each tensor-core model agrees with itself only, except where the models coincide.
for name in points[9]:
    for label in labels[name]:
        assert ask(name, f"--record={label}", PTXSIM_TENSOR=label) == ""
    for label in labels[name]:
        answer = ask(name, PTXSIM_TENSOR=label)
        alike = "ampere, hopper" if name == "mma-bf16-zeros" and label != "fma" else label
        assert answer == f"agrees with {alike} point 9: {name}", answer
assert ask("mma-bf16-sums", PTXSIM_TENSOR="volta", capability="8.0") == "differs point 9: mma-bf16-sums"
for point in (11, 15):
    for name in points[point]:
        assert ask(name, "--record=interpreter") == ""
        assert ask(name) == f"agrees with interpreter point {point}: {name}"

# Probes beyond the chip are skipped; an answer that differs from the interpreter's is reported.
assert ask("tma-outside-1", capability="8.0") == "skipped point 2: tma-outside-1 is for sm_90", ask("tma-outside-1", capability="8.0")
assert ask("wgmma-f16-128-mn", capability="12.0").startswith("skipped"), "wgmma"
with open(folder + "/tma-outside-1.2.bin", "r+b") as file:
    file.seek(60)
    file.write(b"\1\2\3\4")
answer = ask("tma-outside-1")
assert re.fullmatch(r"differs point 2: tma-outside-1: 1 of 16 words, the first is 15: [0-9a-f]{8}", answer), answer
for name, code, answer in (("tma-unaligned-4", 700, "differs point 2: tma-unaligned-4: code 715"), ("tma-outside-0", 715, "differs point 2: tma-outside-0: code 0")):
    with open(f"{folder}/{name}.probe", "r+") as file:
        text = file.read().replace("fails 715\n", "").replace("shared 0\n", f"shared 0\nfails {code}\n")
        file.seek(0)
        file.write(text)
    assert ask(name).startswith(answer), ask(name)
assert "cannot read" in ask("none"), ask("none")
print("ok")
