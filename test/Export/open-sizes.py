# Files with open sizes beside the number of rows, round the compiler and back, by ONNX Runtime on two sizes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-sizes.py: in the current folder. The exported file takes other lengths than the number of --dim, and has the values of the first file."""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Import"))
from graph_files import node, tensor, value, write  # noqa: E402

I64, F32 = np.int64, np.float32
RANDOM = np.random.default_rng(2)


def weight(*dims):
    return RANDOM.standard_normal(dims).astype(F32)


def attention():
    """Self-attention of two heads by shapes that the graph computes, a mean over the positions, and a table of positions by Range."""
    lines = [tensor("scale", F32(0.5))]
    for name, numbers in (("batch_at", [0]), ("length_at", [1]), ("heads", [2, 4]), ("width", [8]), ("zero", 0), ("one", 1), ("last", [-1])):
        lines.append(tensor(name, np.array(numbers, I64)))
    for name in ("q", "k", "v"):
        lines += [tensor(f"w.{name}", weight(8, 8)), node("MatMul", f"x,w.{name}", f"{name}.flat"), node("Reshape", f"{name}.flat,split", f"{name}.split"),
                  node("Transpose", f"{name}.split", name, perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])]
    lines = [tensor("rates", weight(8)), node("Shape", "x", "sizes"), node("Gather", "sizes,batch_at", "rows"), node("Gather", "sizes,length_at", "length"),
             node("Concat", "rows,length,heads", "split", axis=0), node("Concat", "rows,length,width", "whole", axis=0), *lines,
             node("MatMul", "q,k", "raw"), node("Mul", "raw,scale", "scores"), node("Softmax", "scores", "seen", axis=-1), node("MatMul", "seen,v", "mixed"),
             node("Transpose", "mixed", "back", perm=[0, 2, 1, 3]), node("Reshape", "back,whole", "h"),
             node("Squeeze", "length", "count"), node("Range", "zero,count,one", "at"), node("Cast", "at", "at.real", to=1),
             node("Unsqueeze", "at.real,last", "column"), node("Mul", "column,rates", "angles"), node("Sin", "angles", "waves"),
             node("Add", "h,waves", "y"), node("ReduceMean", "y", "mean", axes=[1], keepdims=0), value("input", "x", ["N", "length", 8])]
    return lines, ["y", "mean"], {"length": (6, 9)}


def pairs():
    """A product of two open sizes in a Reshape, and twice a size in a Concat."""
    lines = [tensor("w", weight(4, 3)), tensor("none", np.array([-1, 3], I64)), node("Unsqueeze", "a,at2", "column"), node("Unsqueeze", "b,at1", "row"),
             tensor("at2", np.array([1], I64)), tensor("at1", np.array([0], I64)), node("Add", "column,row", "both"), node("MatMul", "both,w", "h"),
             node("Reshape", "h,none", "flat"), node("Concat", "a,a", "twice", axis=0), node("Tanh", "twice", "z"),
             value("input", "a", ["atoms", 4]), value("input", "b", ["bonds", 4])]
    return lines, ["flat", "z"], {"atoms": (5, 7), "bonds": (6, 2)}




def signal():
    """A convolution with stride 2: the number of results, half the length rounded up, is a -1 of Reshape."""
    lines = [tensor("w", weight(4, 3, 3)), node("Conv", "x,w", "c", strides=[2], pads=[1, 1], kernel_shape=[3]), node("Relu", "c", "y"),
             node("ReduceMax", "y", "most", axes=[2], keepdims=0), value("input", "x", ["N", 3, "length"])]
    return lines, ["y", "most"], {"length": (8, 13)}


def strided():
    """A constant per second position, whose number is no whole multiple of the length: the length stays a number."""
    one = np.array([1], I64)
    lines = [tensor("from", 0 * one), tensor("to", 99 * one), tensor("axis", one), tensor("step", 2 * one), node("Slice", "x,from,to,axis,step", "half"),
             node("Shape", "half", "sizes"), node("Gather", "sizes,axis", "count"), node("Squeeze", "count", "end"), tensor("zero", I64(0)),
             tensor("one", I64(1)), node("Range", "zero,end,one", "at"), node("Cast", "at", "at.real", to=1), node("Add", "half,at.real", "y"),
             value("input", "x", [3, "length"])]
    return lines, ["y"], {"length": (6, 9)}


def image():
    """A filter on an image whose height and width have no names."""
    lines = [tensor("w", weight(3, 3, 3, 3)), node("Conv", "x,w", "c", pads=[1, 1, 1, 1], kernel_shape=[3, 3]), node("Relu", "c", "y"),
             node("ReduceMax", "y", "most", axes=[2, 3], keepdims=0), value("input", "x", ["N", 3, None, None])]
    return lines, ["y", "most"], {"x_2": (6, 9), "x_3": (8, 5)}


def halved():
    """A convolution of stride 2, and its result beside the image at twice its size: height and width have to be even."""
    lines = [tensor("w", weight(3, 3, 3, 3)), node("Conv", "x,w", "half", strides=[2, 2], pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
             tensor("twice", np.array([1, 1, 2, 2], F32)), node("Resize", "half,,twice", "whole", mode="nearest", nearest_mode="floor",
                                                              coordinate_transformation_mode="asymmetric"),
             node("Add", "whole,x", "y"), node("ReduceMax", "y", "most", axes=[2, 3], keepdims=0), value("input", "x", ["N", 3, None, None])]
    return lines, ["y", "most"], {"x_2": (6, 10), "x_3": (8, 4)}


def run(path, feed):
    file = onnx.load(path)
    file.ir_version = 8
    for output in file.graph.output:  # of the first file, which has names alone
        output.type.tensor_type.elem_type = 1
    return onnxruntime.InferenceSession(file.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)


def check(name, make):
    lines, outputs, sizes = make()
    write(f"{name}.onnx", lines, outputs, 17)
    dims = [f"--dim={size}={numbers[0]}" for size, numbers in sizes.items()]
    if name in ("image", "halved"):
        dims = ["--shape=x=?,3," + ",".join(str(numbers[0]) for numbers in sizes.values())]
    done = subprocess.run(["ampc", "export", f"{name}.onnx", *dims, "-o", f"{name}.out.onnx"], check=True, capture_output=True, text=True)
    print(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    graph = onnx.load(f"{name}.out.onnx").graph
    shapes = {each.name: [dim.dim_param or dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in [*graph.input, *graph.output]}
    print(f"{name}: {shapes}")
    is_open = all(any(size in shape for shape in shapes.values()) for size in sizes)
    for number in range(1 + is_open):
        for rows in (2, 5):
            of = {size: numbers[number] for size, numbers in sizes.items()}
            feed = {each.name: weight(*(dim.dim_value or of.get(dim.dim_param or f"{each.name}_{axis}", rows)
                                        for axis, dim in enumerate(each.type.tensor_type.shape.dim)))
                    for each in onnx.load(f"{name}.onnx").graph.input}
            apart = max(np.abs(a - b).max() for a, b in zip(run(f"{name}.onnx", feed), run(f"{name}.out.onnx", feed), strict=True))
            print(f"{name} {of}, {rows} rows: {'equal' if apart < 1e-5 else apart}")


for given in sys.argv[1:]:
    check(given, globals()[given])
