# A file with names as tf2onnx and JAX write them, round the compiler and back, by ONNX Runtime on two numbers of rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""file-names.py: in the current folder. The exported file has the names of inputs, outputs and weights of the first file, and the same values."""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Import"))
from graph_files import node, tensor, value, write  # noqa: E402


def main():
    random = np.random.default_rng(1)
    weight, bias = "jax/dense/kernel:0", "model/dense/bias/ReadVariableOp:0"
    write("first.onnx", [
        node("MatMul", f"serving_default_x:0,{weight}", "model/product:0"), node("Add", f"model/product:0,{bias}", "StatefulPartitionedCall:0"),
        node("Sigmoid", "StatefulPartitionedCall:0", "model/Sigmoid:0"), node("Mul", "model/Sigmoid:0,1", "2"),
        tensor(weight, random.standard_normal((8, 4)).astype(np.float32)), tensor(bias, random.standard_normal(4).astype(np.float32)),
        value("input", "serving_default_x:0", ["N", 8]), value("input", "1", ["N", 1])], ["StatefulPartitionedCall:0", "2"], 15, "tf2onnx")
    subprocess.run(["ampc", "import", "first.onnx", "--loss=mse(StatefulPartitionedCall:0,target:0)", "-o", "first.mlir"], check=True)
    subprocess.run(["ampc", "export", "first.onnx", "-o", "second.onnx"], check=True)
    graphs = [onnx.load(path).graph for path in ("first.onnx", "second.onnx")]
    for kind in ("input", "output", "initializer"):
        names = [sorted(each.name for each in getattr(graph, kind)) for graph in graphs]
        print(f"{kind}: {len(names[0])} names, {'the same' if names[0] == names[1] else names}")
    for rows in (32, 5):
        feed = {"serving_default_x:0": random.standard_normal((rows, 8)).astype(np.float32), "1": random.standard_normal((rows, 1)).astype(np.float32)}
        results = []
        for path in ("first.onnx", "second.onnx"):
            file = onnx.load(path)
            file.ir_version = 8
            for output in file.graph.output:  # of the first file, which has names alone
                output.type.tensor_type.elem_type = 1
            results.append(onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"]).run(["StatefulPartitionedCall:0", "2"], feed))
        apart = max(np.abs(a - b).max() for a, b in zip(*results, strict=True))
        print(f"{rows} rows: {'equal' if apart < 1e-6 else apart}")


main()
