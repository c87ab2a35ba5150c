# Bytes kept for the backward pass of a model with a chunked loss: by value, by budget, by plan, and in a report: saved-parts.py FOLDER
# MODEL
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import subprocess
import sys

folder, model = sys.argv[1:]
ROWS, WIDTH, WORDS = 4 * 24, 21, 253


def numbers(*options):
    text = subprocess.run(["ampc", "compile", model, *options, "--compile-to=plan"], check=True, capture_output=True, text=True).stdout
    program = next(line for line in text.splitlines() if "kernel.program @fit.train(" in line)
    return {name: int(re.search(rf"[ {{]{re.escape(name)} = (\d+)", program)[1]) for name in ("amp.saved_bytes", "saved_bytes", "held_without") if name in program}


def report(*options):
    path = f"{folder}/report.json"
    subprocess.run(["ampc", "report", model, *options, "-o", f"{folder}/report.html", f"--json={path}"], check=True, capture_output=True)
    step = json.load(open(path))["steps"][0]
    rows = sum(row.get("saved_bytes", 0) for row in step["operations"] + step["casts"])
    assert rows == step["totals"]["saved_value_bytes"]["mixed"], (rows, step["totals"])
    return rows


for precision in ("f32", "bf16"):
    how = f"--precision={precision}", "--activation-budget=100%"
    whole, parts = numbers(*how, "--chunked-losses=off"), numbers(*how, "--chunked-losses=16")
    print(precision, "all rows:", whole, "parts:", parts)
    for name in whole:
        assert whole[name] - parts[name] >= ROWS * WORDS * 4, f"{name}: expected less by all scores, but got {parts[name]} in place of {whole[name]}"
    # The plan merges some of the remaining values, and aligns each to 64 bytes.
    assert parts["amp.saved_bytes"] <= parts["saved_bytes"] + 1024 and parts["saved_bytes"] <= parts["amp.saved_bytes"] + 1024, parts
    assert report(f"--precision={precision}", "--chunked-losses=16") + ROWS * WORDS * 4 <= report(f"--precision={precision}", "--chunked-losses=off")
