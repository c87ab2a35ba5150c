# Bytes kept for the backward pass in bf16 and f16, against f32, from the plans: memory.py MODEL[=SIZES]...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys


def bytes_of(model, precision):
    path, _, sizes = model.partition("=")
    text = subprocess.run(["ampc", "compile", path, *([f"--set={sizes}"] if sizes else []), f"--precision={precision}", "--compile-to=plan"], check=True, capture_output=True,
                          text=True).stdout
    program = next(line for line in text.splitlines() if "kernel.program @fit.train" in line)
    state = int(re.search(r"kernel.state_bytes = (\d+)", text).group(1))
    return (int(re.search(r"saved_bytes = (\d+)", program).group(1)),
            int(re.search(r"arena_bytes = (\d+)", program).group(1)) + state)


failures = 0
for model in sys.argv[1:]:
    full = bytes_of(model, "f32")
    for precision in ("bf16", "f16"):
        mixed = bytes_of(model, precision)
        saved, whole = mixed[0] / full[0], mixed[1] / full[1]
        good = saved <= 0.55 and whole < 1
        failures += not good
        print(f"{os.path.basename(model.partition('=')[0])} {precision}: saved {mixed[0]} of {full[0]} ({saved:.3f}), with arena and state {mixed[1]} of "
              f"{full[1]} ({whole:.3f}){'' if good else ' TOO MUCH'}")
print(f"{failures} above the bar")
