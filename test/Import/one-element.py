# Every kind of node with tensors of one element, of each rank, as values, images, known numbers and weights.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""one-element.py FOLDER: writes FOLDER/one-element.onnx, whose import may name faults, but has to end; prints the number of nodes, and of nodes without a
fault. The kinds of nodes are those of docs/onnx.md."""
import re
import subprocess
import sys

import numpy as np

from graph_files import node, tensor, value, write

page = open(f"{sys.argv[2]}/docs/onnx.md", encoding="utf-8").read()
table = page[page.index("| pointwise |"):page.index("Values that an exporter writes as a number")]
kinds = sorted(set(re.findall(r"\b[A-Z][A-Za-z0-9]+\b", re.sub(r"\([^)]*\)|activations.*", "", table))) - {"Constant", "If", "Loop", "Scan"})
lines, outputs, sources = [], [], []
for rank in range(6):
    shape = [1] * rank
    lines += [value("input", f"x{rank}", shape), tensor(f"/c{rank}", np.ones(shape, np.float32)), tensor(f"layer{rank}.weight", np.ones(shape, np.float32)),
              tensor(f"/n{rank}", np.zeros(shape, np.int64))]
    sources += [f"x{rank}", f"/c{rank}", f"layer{rank}.weight", f"/n{rank}"]
    if rank > 2:
        lines += [tensor(f"filter{rank}.weight", np.ones(shape, np.float32)), node("Conv", f"x{rank},filter{rank}.weight", f"image{rank}")]
        sources.append(f"image{rank}")
for kind in kinds:
    for source in sources:
        for others in ("", f",{source}", f",{source},{source}", ",x1", ",/n1", ",/n0"):
            outputs.append(f"y{len(outputs)}")
            lines.append(node(kind, source + others, outputs[-1]))
write(f"{sys.argv[1]}/one-element.onnx", lines, outputs, opset=20)
image = [value("input", "x", [1, 8, 1]), tensor("w", np.ones((1, 8, 1), np.float32)), node("Conv", "x,w", "c"), node("Sigmoid", "c", "s"), node("Add", "s,c", "y")]
write(f"{sys.argv[1]}/one-image.onnx", image, ["y"])
done = subprocess.run(["ampc", "import", f"{sys.argv[1]}/one-element.onnx", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
if done.returncode not in (0, 1):
    sys.exit(f"ampc import ended with {done.returncode}\n{done.stderr[-2000:]}")
faults = int(re.search(r"(\d+) faults", done.stderr)[1])
print(f"{len(kinds)} kinds, {len(outputs)} nodes, {len(outputs) - faults} without a fault")
