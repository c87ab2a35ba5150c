# Checks that every tensor op, or every kernel, of a text's programs has a provenance.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: origins.py < TEXT"""
import re
import sys

structure = r"(model|func|param|buffer|step|export|return|constant|read|write|call)\b"
missing, found, inner = [], 0, False
for line in sys.stdin:
    op = re.match(r"\s*(%\S+(, %\S+)* = )?(train|amp|kernel)\.(\w+)", line)
    if not op or op[3] == "kernel" and op[4] in ("program", "return", "yield", "view", "constant") or \
            op[3] == "train" and re.match(structure, op[4]) or op[3] == "amp" and op[4] == "scaler":
        continue
    if op[3] == "kernel" and re.match(r"row_|linear_", op[4]):
        continue  # in a body
    if op[4] == "fused_reduction" or inner:  # attributes follow the regions, the first of which holds the kernel inside
        inner = op[4] == "fused_reduction"
        continue
    found += 1
    if "train.origin" not in line:
        missing.append(line.strip())
print(f"{found} ops, {len(missing)} without an origin")
for line in missing[:10]:
    print(line)
sys.exit(bool(missing) or not found)
