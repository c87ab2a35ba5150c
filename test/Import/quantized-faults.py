# Quantized graphs that have no form in f32.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantized-faults.py FOLDER"""
import sys

import numpy as np

from graph_files import node, tensor, value, write

Q = [value("input", "x", [2, 3], 2), tensor("w", np.ones((3, 4), np.uint8)), tensor("s", np.float32(0.1)), tensor("z", np.uint8(0))]
write(f"{sys.argv[1]}/operator.onnx", [*Q, node("QLinearMatMul", "x,s,z,w,s,z,s,z", "y")], ["y"], opset=21)
# Integers of the product are a result.
write(f"{sys.argv[1]}/half.onnx", [value("input", "x", [2, 3]), *Q[1:], node("DynamicQuantizeLinear", "x", "xq,xs,xz"), node("MatMulInteger", "xq,w,xz,z", "y")],
      ["y"], opset=21)
