# Nodes of known inputs and of inputs of the graph beside ONNX's reference evaluator.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""known.py FOLDER: every case of Inputs/known.json twice in one graph per opset, its operands once as constants and once as inputs.
known.py --record: writes that file, with the Python package onnx."""
import importlib
import json
import os
import subprocess
import sys

import numpy as np

import nodes

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "known.json")
INF, NAN = float("inf"), float("nan")


def real(*values):
    return np.array(values, np.float32)


def whole(*values):
    return np.array(values, np.int64)


def truth(*values):
    return np.array(values, bool)


def cases():
    """(opset, op, operands, attributes, which): settings, such as axes, are constants in both graphs, and so is all of a case that is
    `only` known."""
    x = np.float32([[[1.5, -2, 3, 0.5], [4, -5, 6, -0.25]], [[7, 8, -9, 2], [0, 1, -1, 2.5]]])
    k = np.array([[[3, -7, 2], [5, 5, -1]], [[0, 9, -4], [8, -2, 6]]])
    found = []

    def add(op, *operands, settings=(), only=False, opset=18, **attributes):
        found.append((opset, op, [np.asarray(each) for each in operands], attributes, list(settings), only))

    pointwise(add, x, k)
    moves(add, x, k)
    reductions(add, x, k)
    others(add, x, k)
    return found


def pointwise(add, x, k):
    odd = real(-2.5, -1, -0.5, 0, 0.5, 1.5, 2.5, 7)
    for op in ("Abs", "Neg", "Ceil", "Floor", "Exp"):
        add(op, odd)
    for op in ("Abs", "Neg"):
        add(op, k)
    for op in ("Log", "Sqrt", "Reciprocal"):
        add(op, real(0.25, 1, 3, 1e6))
    for op in ("Add", "Sub", "Mul", "Div"):
        add(op, x, real([2, -0.5, 3, 0.1]))
        add(op, k, whole([2], [-3]))
    add("Sum", x, x[:1], real(1, 2, 3, 4))
    for op in ("Max", "Min"):
        add(op, x, real(1, -1, NAN, 0.5))
        add(op, real(1, NAN, 2), real(0, 1, NAN), real(0.5))
        add(op, k, whole(2))
        add(op, x)
    for fmod in (0, 1):
        add("Mod", whole(7, -7, 3, -3, 5, -8, 16777217), whole(4, 4, -4, -4, 5, 4, 16777216), fmod=fmod)
    add("Mod", real(-4.3, 7.2, 5, 4.3, -7.2, 8), real(2.1, -3.4, 8, -2.1, 3.4, 5), fmod=1)
    add("Pow", real(0, 0.5, 2, 9), real(2, 3, -1, 0.5))
    for power in (1, 2, 0.5):
        add("Pow", np.abs(odd), real(power), settings=[1])
    add("Pow", odd, real(3), settings=[1])
    for power in (whole(0), whole(1), whole(2), whole(5), real(3)):
        add("Pow", k, power, settings=[1])
    add("Pow", k + 10, real(0.5))
    add("Pow", whole(7), whole(11))
    add("Pow", whole(3, -2, 5, 0, -1, 2, -1, 1, 7), whole(4, 7, 0, 0, 31, 30, 0, 9, 3))
    add("Pow", whole(3, -2, 16, 8, 100, 27), real(4, 3, 0.5, 1.5, 0.25, 0))
    near = whole(16777216, 16777217, -5), whole(16777217, 16777217, 5)
    for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
        add(op, real(1, 2, NAN, INF), real(2, 2, NAN, INF))
        add(op, *near)
    add("Equal", whole(2 ** 53), whole(2 ** 53 + 1), only=True)
    add("Equal", truth(True, False), truth(True, True))
    for op in ("And", "Or", "Xor"):
        add(op, truth([True], [False]), truth(True, False, True))
    add("Not", truth(True, False))
    add("Where", truth([True], [False]), x[0], real(9))
    add("Where", truth(True, False, True), k, whole(7))
    for source, to in ((odd, 7), (odd, 9), (odd, 6), (k, 1), (k, 9), (truth(True, False), 1), (truth(True, False), 7)):
        add("Cast", source, to=to)
    add("CastLike", odd, whole(1), settings=[1])
    add("Identity", k)


def moves(add, x, k):
    add("Concat", x, x + 1, axis=-1)
    add("Concat", k, k, k, axis=0)
    add("Expand", real([1], [2]), whole(3, 1, 4), settings=[1])
    add("Expand", x, whole(1), settings=[1])
    for axis in (0, 1, -1):
        add("Gather", x, whole(-1, 0), axis=axis)
        add("Gather", k, whole([0, 1], [-2, -1]), axis=axis)
    add("Gather", x, np.array(1), axis=2, settings=[1])
    add("Transpose", x)
    add("Transpose", k, perm=[1, 0, 2])
    for diagonal in (-1, 0, 1):
        for upper in (0, 1):
            add("Trilu", x, np.array(diagonal), upper=upper, settings=[1])
    add("Trilu", k)
    add("Reshape", k, whole(0, -1), settings=[1])
    add("Flatten", x, axis=2)
    add("Squeeze", x[:, :1], whole(1), settings=[1])
    add("Unsqueeze", k, whole(0, -1), settings=[1])
    add("Slice", x, whole(-1, 1), whole(-100, 2 ** 62), whole(2, 1), whole(-2, 1), settings=[1, 2, 3, 4])
    add("Slice", k, whole(1), whole(-1), whole(2), settings=[1, 2, 3])
    add("Shape", x, only=True)
    add("Shape", x, start=-2, end=100, only=True)
    add("Size", x, only=True)
    add("ConstantOfShape", whole(2, 3), only=True)
    add("Range", np.array(10), np.array(-3), np.array(-4), only=True)
    add("Range", np.float32(1), np.float32(3), np.float32(0.75), only=True)
    add("NonZero", k, only=True)
    steps = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    for lengths in (whole(4, 4, 4), whole(1, 4, 2), whole(3, 2, 4)):
        add("ReverseSequence", steps, lengths, time_axis=1, batch_axis=0)
        add("ReverseSequence", steps.transpose(1, 0, 2), lengths, time_axis=0, batch_axis=1)
    add("ReverseSequence", k[0].T, whole(3, 1), time_axis=0, batch_axis=1)
    for how in ("none", "add", "max"):
        add("ScatterElements", k[0], whole([2, 0], [1, -1]), whole([16777217, -5], [-16777219, 4]), axis=1, reduction=how)


def reductions(add, x, k):
    for op in ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"):
        for keep in (0, 1):
            for axes in ([0], [-1], [0, -1], [1]):
                add(op, x if keep else k, np.array(axes), keepdims=keep, settings=[1])
            for noop in (0, 1):
                add(op, x, keepdims=keep, noop_with_empty_axes=noop)
                add(op, k, np.zeros(0, np.int64), keepdims=keep, noop_with_empty_axes=noop, settings=[1])
            if op != "ReduceSum":
                add(op, x, axes=[0, 2], keepdims=keep, opset=11)
        add(op, real([1, NAN], [2, 3]), whole(1), settings=[1])
    add("ReduceProd", np.zeros(0, np.int64), only=True)
    add("ReduceSum", np.zeros((2, 0), np.float32), whole(1), only=True)
    for op in ("ReduceL1", "ReduceSumSquare", "ReduceLogSumExp", "ReduceL2"):
        for noop in (0, 1):
            add(op, x, np.zeros(0, np.int64), noop_with_empty_axes=noop, settings=[1])


def others(add, x, k):
    """Nodes that the importer does not evaluate even if all inputs are known."""
    wide = real(-INF, -3, -1, 0, 0.5, 2, 100, INF, NAN)
    for bounds in ((0, INF), (-INF, 2), (-INF, INF), (-1, 2), (3, -2), (-1, NAN), (NAN, 1), (0, 0)):
        add("Clip", wide, np.float32(bounds[0]), np.float32(bounds[1]), settings=[1, 2])
    add("Clip", wide, np.float32(-2), settings=[1])
    add("Clip", wide)
    for bounds in ((-2, 5), (5, -2)):
        add("Clip", k, np.array(bounds[0]), np.array(bounds[1]), settings=[1, 2])
        add("Clip", x, np.float32(bounds[0]), np.float32(bounds[1]))
    add("Clip", k, np.array(1), settings=[1])
    add("Clip", wide, opset=6, min=-1.0, max=2.0)
    add("Clip", x, opset=6, min=0.0)
    small = np.float32([[[[1, 2], [3, 5]], [[-1, 0], [4, 2]]]]) * np.float32(1e-5)
    add("MeanVarianceNormalization", small, opset=13)
    add("MeanVarianceNormalization", small * 1e5, axes=[0, 1, 2, 3], opset=13)
    big = whole([16777216, 16777217, 16777217, 3], [-5, -16777217, 7, 7])
    for op in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            add(op, big, axis=1, keepdims=last, select_last_index=last)
            add(op, x, axis=-1, keepdims=last, select_last_index=last)
            add(op, k, axis=0, select_last_index=last)
    add("OneHot", whole(1, -1, 2, -3, 0), np.array(3), real(2, 5), axis=-1, settings=[1, 2], only=True)


# ---- The file ----

def record():
    import onnx
    from onnx.reference import ReferenceEvaluator
    written = []
    for opset, op, operands, attributes, settings, only in cases():
        names = [f"x{i}" for i in range(len(operands))]
        infos = [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in zip(names, operands)]
        graph = onnx.helper.make_graph([onnx.helper.make_node(op, names, ["y"], **attributes)], "g", infos, [onnx.helper.make_empty_tensor_value_info("y")])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
        with np.errstate(all="ignore"):
            result = np.asarray(ReferenceEvaluator(model).run(None, dict(zip(names, operands)))[0])
        written.append({"opset": opset, "op": op, "operands": [packed(a) for a in operands], "attributes": attributes, "settings": settings,
                        "only": only, "result": packed(result)})
    with open(FILE, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(each) for each in written) + "\n]\n")
    print(f"{len(written)} cases")


def packed(array):
    return {"type": array.dtype.name, "shape": list(array.shape), "values": array.ravel().tolist()}


def unpacked(entry):
    return np.array(entry["values"], entry["type"]).reshape(entry["shape"])


# ---- The graphs ----

def number(value):
    return str(value).lower() if isinstance(value, float) and not np.isfinite(value) else repr(value)


def constant(name, array):
    field = {"float32": "float_data", "int64": "int64_data", "bool": "int32_data"}[array.dtype.name]
    values = ", ".join(number(each) for each in (array.astype(int) if array.dtype == bool else array).ravel().tolist())
    sizes = " ".join(f"dims: {size}" for size in array.shape)
    return (f'node {{ op_type: "Constant" output: "{name}" attribute {{ name: "value" type: TENSOR t {{ data_type: {nodes.TYPES[array.dtype.name]} '
            f"{sizes} {field}: [{values}] }} }} }}")


def write(opset, listed, path):
    """(inputs of the graph by name, (case, whether the operands are inputs) of every output)"""
    lines, outputs = [], []
    inputs = {"rows": np.zeros(977, np.float32)}
    for at, case in listed:
        for given in (False, True)[:1 if case["only"] else 2]:
            names = []
            for i, operand in enumerate(map(unpacked, case["operands"])):
                names.append(f"{'i' if given else 'c'}{at}_{i}")
                if given and i not in case["settings"]:
                    inputs[names[-1]] = operand
                else:
                    lines.append(constant(names[-1], operand))
            result = f"y{len(outputs)}"
            lines.append(f'node {{ op_type: "{case["op"]}" ' + " ".join(f'input: "{name}"' for name in names) + f' output: "{result}" '
                         + " ".join(nodes.attribute(*each) for each in case["attributes"].items()) + " }")
            outputs.append((case, given))
    ends = [nodes.info("input", *each) for each in inputs.items()]
    ends += [f'output {{ name: "{name}" }}' for name in ("used", *(f"y{i}" for i in range(len(outputs))))]
    first = [f'opset_import {{ domain: "" version: {opset} }}', "graph {", 'name: "known"', 'node { op_type: "Neg" input: "rows" output: "used" }']
    with open(path + ".txt", "w") as file:
        file.write("\n".join(first + lines + ends + ["}"]))
    with open(path + ".txt") as text, open(path + ".onnx", "wb") as binary:
        subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], stdin=text, stdout=binary, check=True)
    return inputs, outputs


def is_near(got, want):
    if got.shape != want.shape:
        return False
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return bool(np.all((got == want) | (np.abs(got - want) <= 1e-6 * np.abs(want)) | (np.isnan(got) & np.isnan(want))))


def main():
    folder = sys.argv[1]
    with open(FILE) as file:
        found = list(enumerate(json.load(file)))
    sys.path.insert(0, folder)
    for opset in sorted({case["opset"] for _, case in found}):
        name = f"known_{opset}"
        inputs, outputs = write(opset, [(at, case) for at, case in found if case["opset"] == opset], f"{folder}/{name}")
        subprocess.run(["ampc", "compile", f"{folder}/{name}.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        results = list(importlib.import_module(name).Model(threads=1).predict(*inputs.values()).values())[1:]
        wrong = 0
        for (case, given), got in zip(outputs, results, strict=True):
            want = unpacked(case["result"])
            if not is_near(np.asarray(got), want):
                wrong += 1
                print(f"{case['op']} {case['attributes']} {[each['values'] for each in case['operands']]} as {'inputs' if given else 'constants'}: "
                      f"expected {want.shape} {want.ravel().tolist()}\nbut got {np.shape(got)} {np.ravel(got).tolist()}")
        print(f"opset {opset}: {len(outputs)} nodes, {wrong} wrong")


if __name__ == "__main__":
    record() if sys.argv[1] == "--record" else main()
