# Round trips of models with random weights: ampc import of the exported file, and ONNX Runtime, against ampc predict.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
    round_trip.py MODEL... --out=DIR [--runtime] [--external] [--opset N] [--function NAME] [--set NAME=NUMBER,...] [--weights FILE]
                  [--time-first] [--reference]

With --time-first the graph has the batch in the second dimension of its inputs, and ampc import takes numbers for it. With --runtime also checks the file by onnx.checker, and runs it with another number of rows than the model's;
with --reference, the evaluator of the Python package onnx does the same.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


def ampc(*words):
    return subprocess.run(["ampc", *words], check=True, capture_output=True, text=True).stdout


def parts(type):
    *dims, element = type.split("x")
    return [int(size) for size in dims], element


def signature(model, function, sizes):
    """Weights of the model and inputs of the export: name, shape, type and, per input, whether the first dimension is the batch, and the
    limit of indices."""
    text = ampc("compile", model, "--compile-to=simplify", "-o", "-", *sizes)
    programs = re.findall(r"train\.func @\"?export\.([^\"(]*)\"?\((.*)\) -> \(?(.*)", text)
    arguments = next(arguments for name, arguments, _ in programs if function in ("", name))
    inputs = []
    for type, name, facts in re.findall(r'%\w+: tensor<([^>]*)> \{train\.is = #train\.input<"([^"]*)"([^}]*)', arguments):
        limits = [int(limit) for limit in re.findall(r"limit = (\d+)", facts)]  # several, if columns are of several tables
        inputs.append((name, *parts(type), "batch = 0" in facts, min(limits, default=2)))
    states = re.findall(r'train\.(?:param|buffer) @"?([^ "]*)"? : tensor<([^>]*)> = (.*)', text)
    return [(name, *parts(type)) for name, type, rest in states if "> as " not in rest and "zeros as " not in rest], inputs


def write_safetensors(path, arrays):
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": {"f": "F", "i": "I"}[array.dtype.kind] + str(array.itemsize * 8), "shape": array.shape,
                        "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.tobytes())


def weight(random, name, dims, element):
    values = random.uniform(0.5, 1.5, dims) if "var" in name.lower() else random.normal(0, 0.3, dims)
    return np.ascontiguousarray(values.astype(TYPES[element]))


def batch(random, inputs, times):
    arrays = {}
    for name, dims, element, is_batched, limit in inputs:
        dims = [dims[0] * times, *dims[1:]] if is_batched else dims
        values = random.normal(0, 1, dims) if element[0] == "f" else random.integers(0, limit, dims)
        arrays[name] = values.astype(TYPES[element])
    return arrays


def differs(what, got, want):
    """Whether two results are apart; a line says how far."""
    worst = 0.0
    for name in want:
        if got[name].shape != want[name].shape:
            print(f"{what}: expected {name} of shape {want[name].shape}, but got {got[name].shape}")
            return True
        scale = max(np.abs(want[name]).max(), 1e-6)
        worst = max(worst, float(np.abs(got[name].astype(np.float64) - want[name]).max() / scale))
    print(f"{what}: {worst:.1e}")
    return not worst <= 1e-5


def predict(folder, model, weights, data, results, words):
    """Arrays of the model's results that `results` names, in that order."""
    files = [f"{folder}/{name}.npy" for name in data]
    for path, array in zip(files, data.values()):
        np.save(path, array)
    outs = {result: f"{folder}/result-{i}.npy" for i, result in enumerate(results)}
    checkpoint = ["--checkpoint", weights] if weights else []
    ampc("predict", model, *checkpoint, "--quiet", *words, *(f"--data={name}={path}" for name, path in zip(data, files)),
         *(f"--out={path if len(outs) == 1 else result + '=' + path}" for result, path in outs.items()))
    return [np.load(path) for path in outs.values()]


def run_onnx(path, data, names):
    import onnx
    import onnxruntime
    onnx.checker.check_model(path, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, data)))


def run_reference(path, data, names):
    import onnx
    from onnx.reference import ReferenceEvaluator
    onnx.checker.check_model(path, full_check=True)
    return dict(zip(names, ReferenceEvaluator(path).run(names, data)))


def outputs_of(path):
    """The names of the graph's outputs, read by protoc."""
    text = subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--decode=onnx.ModelProto", "onnx.proto"], check=True,
                          stdin=open(path, "rb"), capture_output=True).stdout.decode("utf-8", "replace")
    return re.findall(r'\n  output \{\n    name: "([^"]*)"', text), 'dim_param: "batch"' in text


def check(model, options):
    name = os.path.splitext(os.path.basename(model))[0]
    folder = os.path.join(options.out, f"{name}-{options.function}" if options.function else name)
    os.makedirs(folder, exist_ok=True)
    sizes = ["--set", options.set] if options.set else []
    states, inputs = signature(model, options.function, sizes)
    random = np.random.default_rng(7)
    weights = options.weights
    if not weights:
        weights = f"{folder}/weights.safetensors"
        write_safetensors(weights, {state: weight(random, state, dims, element) for state, dims, element in states})
    path = f"{folder}/model.onnx"
    words = ["--opset", str(options.opset)] + (["--external-data"] if options.external else [])
    ampc("export", model, "--checkpoint", weights, "-o", path, "--quiet", *sizes, *words,
         *(["--function", options.function] if options.function else []))
    results, is_symbolic = outputs_of(path)
    data = batch(random, inputs, 1)
    which = ["--export", options.function] if options.function else []
    want = dict(zip(results, predict(folder, model, weights, data, results, [*sizes, *which])))
    rows = [dims[0] for _, dims, _, is_batched, _ in inputs if is_batched]

    def of_graph(data):
        return {name: np.ascontiguousarray(array.swapaxes(0, 1)) for name, array in data.items()} if options.time_first else data

    def imported(data, times):
        size = ([f"--dim=batch={times * rows[0]}"] if options.time_first else ["--batch", str(times * rows[0])]) if is_symbolic else []
        ampc("import", path, "-o", f"{folder}/back.mlir", *size)
        return dict(zip(results, predict(folder, f"{folder}/back.mlir", None, of_graph(data), results, [])))  # contains the weights

    wrong = differs(f"{name} imported", imported(data, 1), want)
    if is_symbolic:
        more = batch(random, inputs, 3)
        expected = dict(zip(results, predict(folder, model, weights, more, results, [*sizes, *which])))
        wrong |= differs(f"{name} imported, three times the rows", imported(more, 3), expected)
    runs = [("ONNX Runtime", run_onnx)] * options.runtime + [("the reference evaluator", run_reference)] * options.reference
    for where, run in runs:
        wrong |= differs(f"{name} in {where}", run(path, of_graph(data), results), want)
        if is_symbolic:
            wrong |= differs(f"{name} in {where}, three times the rows", run(path, of_graph(more), results), expected)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--opset", type=int, default=17)
    for flag in ("--runtime", "--reference", "--external", "--time-first"):
        parser.add_argument(flag, action="store_true")
    for word in ("--function", "--set", "--weights"):
        parser.add_argument(word, default="")
    options = parser.parse_args()
    wrong = 0
    for model in options.models:
        try:
            wrong += check(model, options)
        except subprocess.CalledProcessError as error:
            print(f"{model}: {error.stderr}")
            wrong += 1
    print(f"{len(options.models)} models, {wrong} apart")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
