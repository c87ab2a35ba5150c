# Graphs with faults, in protobuf's text form, as files.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys


def value(kind, name, *sizes):
    dims = " ".join(f'dim {{ dim_param: "{size}" }}' if isinstance(size, str) else f"dim {{ dim_value: {size} }}" for size in sizes)
    return f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: 1 shape {{ {dims} }} }} }} }}'


def node(op, inputs, output, name="", more=""):
    return f'node {{ op_type: "{op}" name: "{name}" {" ".join(f"input: {i!r}" for i in inputs)} output: "{output}" {more} }}'


X, Y = value("input", "x", 2, 3), 'output { name: "y" }'
SHAPE = 'initializer { name: "shape" data_type: 7 dims: 2 int64_data: [2, 4] }'
EXTERNAL = ('initializer {{ name: "w" data_type: 1 dims: 2 dims: 3 data_location: EXTERNAL external_data {{ key: "location" value: "{}" }} }}')
# Two numbers of 1.
RAW = 'initializer {{ name: "w" data_type: 1 dims: {} dims: 1 raw_data: "' + "\\000\\000\\200\\077" * 2 + '" }}'
ALL = 'attribute { name: "keepdims" type: INT i: 0 }'
GRAPHS = {
    "nodes": [X, SHAPE, node("Unique", ["x"], "a", "sorted"), node("Swish", ["x"], "b", more='domain: "com.example"'),
              node("Reshape", ["x", "shape"], "c", "flat"), 'initializer { name: "four" data_type: 1 dims: 4 float_data: [1, 2, 3, 4] }',
              node("Add", ["x", "four"], "d", "sum"), node("Relu", ["c"], "e"), *(f'output {{ name: "{name}" }}' for name in "abcde")],
    "cycle": [X, Y, node("Add", ["x", "b"], "a", "first"), node("Relu", ["a"], "b"), node("Neg", ["b"], "y")],
    "missing": [X, Y, node("Relu", ["nowhere"], "y", "n")],
    "external": [X, Y, EXTERNAL.format("weights.bin"), node("Add", ["x", "w"], "y")],
    "outside": [X, Y, EXTERNAL.format("../secret"), node("Add", ["x", "w"], "y")],
    "linked": [X, Y, EXTERNAL.format("link.bin"), node("Add", ["x", "w"], "y")],
    "huge": [X, Y, 'initializer { name: "w" data_type: 1 dims: 4611686018427387904 dims: 4 }', node("Add", ["x", "w"], "y")],
    "loss": [X, Y, node("Tanh", ["x"], "y"), 'initializer { name: "weights" data_type: 1 dims: 3 float_data: [1, 2, 3] }'],
    "terms": [X, value("input", "t", 2, 3), node("Tanh", ["x"], "y"), node("Sub", ["y", "t"], "d"), node("Mul", ["d", "d"], "squares"),
              node("Abs", ["d"], "sizes"), node("ReduceMean", ["squares"], "mean", more=ALL), node("ReduceMax", ["sizes"], "largest", more=ALL),
              'output { name: "y" } output { name: "mean" } output { name: "largest" }'],
    "joined": [X, Y, RAW.format(2), node("Mul", ["x", "w"], "a"), node("Div", ["a", "w"], "y")],
    "cut": [X, Y, RAW.format(3), node("Mul", ["x", "w"], "y")],
    "pipe": [X, Y, EXTERNAL.format("pipe"), node("Add", ["x", "w"], "y")],
    "twice": [X, Y, node("Relu", ["x"], "y", "first"), node("Tanh", ["x"], "y", "second")],
    "numbers": [X, value("input", "image", 1, 4, 4, 4), node("Split", ["x"], "a", "parts", 'attribute { name: "num_outputs" type: INT i: 4611686018427387904 }'),
                node("DepthToSpace", ["image"], "b", "blocks", 'attribute { name: "blocksize" type: INT i: 4294967296 }'), 'output { name: "a" } output { name: "b" }'],
    # A hundred thousand nodes: time that grows faster than their number would be minutes.
    "many": [X, *(node("Mul", [f"a{i}" if i else "x", "x"], f"a{i + 1}") for i in range(50000)),
             *(node("Add", [f"b{i}" if i else "x", f"w{i}"], f"b{i + 1}") for i in range(50000)),
             *(f'initializer {{ name: "w{i}" data_type: 1 dims: 3 float_data: [1, 2, 3] }}' for i in range(50000)),
             *(f'output {{ name: "{name}{i}" }}' for name in "ab" for i in range(1, 50001))],
    "open": [value("input", "x", "N", "T"), Y, node("Tanh", ["x"], "y")],
    "one": [value("input", "x", "N", 3), Y, node("Unique", ["x"], "y", "sorted")],
    "rows": [value("input", "x", "N", 3), Y, SHAPE, node("Reshape", ["x", "shape"], "y", "flat")],
}
for name, lines in GRAPHS.items():
    text = "\n".join(['opset_import { domain: "" version: 17 }', "graph {", *lines, "}"])
    binary = subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], input=text.encode(),
                            stdout=subprocess.PIPE, check=True).stdout
    with open(f"{sys.argv[1]}/{name}.onnx", "wb") as file:
        file.write(binary)
