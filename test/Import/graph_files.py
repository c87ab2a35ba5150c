# Files of ONNX from nodes and arrays, by protobuf's text form: tests need no package of ONNX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float64": 11}
FIELDS = {"float32": "float_data", "int64": "int64_data", "float64": "double_data"}


def tensor(name, array, kind="initializer", code=None):
    """The array as a tensor; `code` is a type that NumPy lacks, with the array in int32_data."""
    array = np.asarray(array)
    sizes = " ".join(f"dims: {size}" for size in array.shape)
    field = FIELDS.get(array.dtype.name, "int32_data")
    numbers = ", ".join(repr(x) for x in (array.astype(int) if field == "int32_data" else array).ravel().tolist())
    return f'{kind} {{ name: "{name}" data_type: {code or TYPES[array.dtype.name]} {sizes} {field}: [{numbers}] }}'


def raw(name, array, kind="initializer"):
    """The array in bytes, for large tensors."""
    array = np.asarray(array)
    sizes = " ".join(f"dims: {size}" for size in array.shape)
    return f'{kind} {{ name: "{name}" data_type: {TYPES[array.dtype.name]} {sizes} raw_data: "{"".join(chr(92) + f"{b:03o}" for b in array.tobytes())}" }}'


def attribute(name, value):
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return f'attribute {{ name: "{name}" type: GRAPH g {value} }}'
    if isinstance(value, (np.ndarray, np.generic)):
        return f'attribute {{ name: "{name}" type: TENSOR {tensor("", value, "t")} }}'
    if isinstance(value, str):
        return f'attribute {{ name: "{name}" type: STRING s: "{value}" }}'
    if isinstance(value, float):
        return f'attribute {{ name: "{name}" type: FLOAT f: {value!r} }}'
    if isinstance(value, int):
        return f'attribute {{ name: "{name}" type: INT i: {value} }}'
    return f'attribute {{ name: "{name}" type: INTS ints: {list(value)} }}'


def node(op, inputs, outputs, domain="", **attributes):
    names = " ".join(f'input: "{name}"' for name in inputs.split(",")) if inputs else ""
    names += " " + " ".join(f'output: "{name}"' for name in outputs.split(","))
    return f'node {{ op_type: "{op}" domain: "{domain}" {names} {" ".join(attribute(*each) for each in attributes.items())} }}'


def value(kind, name, dims, code=1):
    """A size is a number, a name, or None for a dimension without either."""
    sizes = " ".join("dim { }" if size is None else f'dim {{ dim_param: "{size}" }}' if isinstance(size, str) else f"dim {{ dim_value: {size} }}" for size in dims)
    return f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: {code} shape {{ {sizes} }} }} }} }}'


def write(path, lines, outputs, opset=17, producer=""):
    lines = [f'producer_name: "{producer}"', f'opset_import {{ domain: "" version: {opset} }}', 'opset_import { domain: "com.microsoft" version: 1 }',
             "graph {", 'name: "g"', *lines, *(f'output {{ name: "{name}" }}' for name in outputs), "}"]
    done = subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], input="\n".join(lines).encode(),
                          stdout=subprocess.PIPE, check=True)
    with open(path, "wb") as file:
        file.write(done.stdout)
