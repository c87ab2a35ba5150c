# A graph of many small nodes, imported, compiled and run against NumPy.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nodes.py FAMILY OPSET FOLDER: writes FOLDER/FAMILY.txt in protobuf's text form, and compares every output."""
import importlib
import subprocess
import sys

import numpy as np

import families
import recurrent_layers

FAMILIES = families.FAMILIES | {"recurrent": recurrent_layers.cases}
TYPES = {"float32": 1, "int32": 6, "int64": 7, "bool": 9, "float64": 11}


def dims(array):
    return " ".join(f"dim {{ dim_value: {size} }}" for size in array.shape)


def info(kind, name, array):
    return f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: {TYPES[array.dtype.name]} shape {{ {dims(array)} }} }} }} }}'


def attribute(name, value):
    if isinstance(value, str):
        return f'attribute {{ name: "{name}" type: STRING s: "{value}" }}'
    if isinstance(value, float):
        return f'attribute {{ name: "{name}" type: FLOAT f: {value!r} }}'
    if isinstance(value, int):
        return f'attribute {{ name: "{name}" type: INT i: {value} }}'
    if isinstance(value[0], str):
        return f'attribute {{ name: "{name}" type: STRINGS ' + " ".join(f'strings: "{text}"' for text in value) + " }"
    if isinstance(value[0], float):
        return f'attribute {{ name: "{name}" type: FLOATS floats: {list(value)} }}'
    return f'attribute {{ name: "{name}" type: INTS ints: {list(value)} }}'


def outputs(i, case):
    """Names of a node's outputs: several for a tuple of arrays."""
    return [f"y{i}_{k}" for k in range(len(case.expected))] if isinstance(case.expected, tuple) else [f"y{i}"]


def initializer(name, array):
    sizes = " ".join(f"dims: {size}" for size in array.shape)
    field = {"float32": "float_data", "int64": "int64_data", "bool": "int32_data", "float64": "double_data"}[array.dtype.name]
    numbers = ", ".join(repr(x) for x in (array.astype(int) if array.dtype == bool else array).ravel().tolist())
    return f'initializer {{ name: "{name}" data_type: {TYPES[array.dtype.name]} {sizes} {field}: [{numbers}] }}'


def graph(cases, inputs, opset):
    """Arrays among a case's operands become initializers, names are inputs of the graph."""
    lines = [f'opset_import {{ domain: "" version: {opset} }}', "graph {", 'name: "nodes"', 'node { op_type: "Neg" input: "rows" output: "used" }']
    for i, case in enumerate(cases):
        names = []
        for k, operand in enumerate(case.operands):
            if isinstance(operand, str):
                names.append(operand)
            else:
                names.append(f"/c{i}_{k}")
                lines.append(initializer(names[-1], np.asarray(operand)))
        lines.append("node { " + f'op_type: "{case.op}" name: "{case.op}_{i}" ' + " ".join(f'input: "{name}"' for name in names)
                     + " ".join(f' output: "{name}" ' for name in outputs(i, case)) + " ".join(attribute(*each) for each in case.attributes.items()) + " }")
    lines += [info("input", name, array) for name, array in inputs.items()]
    lines += [f'output {{ name: "{name}" }}' for name in ("used", *(name for i, case in enumerate(cases) for name in outputs(i, case)))]
    return "\n".join(lines + ["}"])


def main():
    family, opset, folder = sys.argv[1:4]
    inputs, cases = FAMILIES[family](int(opset))
    # The first input's leading dimension is the batch, which leads the results: a size that no case has.
    inputs = {"rows": np.zeros(977, np.float32), **inputs}
    with open(f"{folder}/{family}.txt", "w") as file:
        file.write(graph(cases, inputs, opset))
    with open(f"{folder}/{family}.txt") as text, open(f"{folder}/{family}.onnx", "wb") as binary:
        subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], stdin=text, stdout=binary, check=True)
    subprocess.run(["ampc", "compile", f"{folder}/{family}.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, folder)
    model = importlib.import_module(family).Model(threads=1)
    # Real constants are state of the model.
    for i, case in enumerate(cases):
        for k, operand in enumerate(case.operands):
            if f"/c{i}_{k}" in model.tensors:
                model[f"/c{i}_{k}"] = operand
    results = model.predict(*inputs.values())
    wrong, wanted = 0, []
    for case in cases:
        wanted += [(case, np.asarray(want)) for want in (case.expected if isinstance(case.expected, tuple) else [case.expected])]
    for (case, want), got in zip(wanted, list(results.values())[1:], strict=True):
        bar = 1e-12 if got.dtype == np.float64 else 1e-5
        if got.shape != want.shape or not np.all(np.abs(got - want) <= bar + bar * np.abs(want)):
            wrong += 1
            print(f"{case.op}: expected {want.shape}\n{want}\nbut got {got.shape}\n{got}")
    print(f"{family}: {len(cases)} nodes, {wrong} wrong")


if __name__ == "__main__":
    main()
