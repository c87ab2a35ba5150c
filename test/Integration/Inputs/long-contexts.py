# The arenas of a small GPT with contexts of 2048, 4096 and 8192: long-contexts.py MODEL.mlir
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys


def arena(target, precision, context):
    sizes = f"batch=1,context={context},depth=2,width=64,heads=2,vocabulary=256"
    plan = subprocess.run(["ampc", "compile", sys.argv[1], "--set", sizes, f"--target={target}", f"--precision={precision}", "--compile-to=plan"],
                          check=True, capture_output=True, text=True).stdout
    return int(re.search(r"kernel\.program @fit\.train\(.* arena_bytes = (\d+)", plan)[1])


for target in ("cpu", "sm_80"):
    for precision in ("f32", "bf16"):
        bytes = [arena(target, precision, context) for context in (2048, 4096, 8192)]
        # Parts independent of the context make the total less than double.
        isLinear = all(more <= 2.01 * less for less, more in zip(bytes, bytes[1:]))
        print(f"{target} {precision}: {'linear' if isLinear else 'more'} {bytes}")
