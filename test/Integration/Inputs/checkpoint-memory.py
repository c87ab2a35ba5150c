# Arena and kept bytes of a deep model's plan with and without checkpoints, whose cost is at most a quarter of the operations:
# checkpoint-memory.py MODEL
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys


def plan(text, precision):
    out = subprocess.run(["ampc", "compile", "-", "--set", "depth=8,batch=2048", f"--precision={precision}", "--compile-to=plan"],
                         input=text, capture_output=True, text=True, check=True).stdout
    program = re.search(r"kernel.program @fit.train.*", out).group(0)

    def number(key):
        found = re.search(rf"(?<![.\w]){key} = (\d+)", program)
        return int(found.group(1)) if found else None
    return {key: number(key) for key in ("arena_bytes", "amp.saved_bytes", "saved_bytes", "saved_bytes_without", "flops", "flops_again")}


text = open(sys.argv[1]).read()
for precision in ("f32", "bf16"):
    inside, whole = plan(text, precision), plan(text.replace(" checkpoint\n", "\n"), precision)
    print(precision, inside, whole)
    assert 2 * inside["arena_bytes"] < whole["arena_bytes"], "expected an arena of less than half"
    assert 3 * inside["saved_bytes"] < whole["saved_bytes"], "expected less than a third to be kept"
    assert inside["saved_bytes_without"] == whole["amp.saved_bytes"], "expected the bytes of the model without checkpoints"
    assert whole["flops"] is None and 0.1 < inside["flops_again"] / inside["flops"] < 0.25, "expected a share of the operations"
print("less memory")
