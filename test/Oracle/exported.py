# PyTorch's exported models: gradients in f64 and f32, trajectories in f32 and bf16, against PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder per model: model.mlir, params, inputs, grads and data in safetensors, trajectory.json and meta.json.

    exported.py FOLDER... --out=DIR      # compiles and runs each, prints a line per model, ! where it is beyond a bar

Columns: the largest relative error of a gradient in f64 and in f32, the largest error of a loss in f32 over 20 steps of every optimizer,
and the drift in bf16, which is the largest distance of a trajectory's losses from PyTorch's in f32, beside that of PyTorch's own.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import re
import struct
import subprocess
import sys

import model as compiled
from closeness import distance

F64_BAR = 1e-9
F64_BAR_OF_ROUNDED_CONSTANTS = 1e-7  # PyTorch had 1e-5 in f64 where the file has it in f32
F32_STEP_BAR = 1e-4
DRIFT_BAR = 2.0
KINDS = {"F32": ("f", 4), "F64": ("d", 8), "I64": ("q", 8), "I32": ("i", 4), "BOOL": ("?", 1), "U8": ("B", 1)}
C_KINDS = {**compiled.KINDS, "f64": ctypes.c_double}
STEPS = re.compile(r"^  train\.step @(\w+) .*$", re.MULTILINE)


class TrainOut(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("loss", ctypes.c_float), ("grad_norm", ctypes.c_float), ("loss_scale", ctypes.c_float),
                ("flags", ctypes.c_uint8 * 4), ("learning_rate", ctypes.c_float), ("step", ctypes.c_uint64), ("loss_double", ctypes.c_double)]


def read_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            letter, width = KINDS[entry["dtype"]]
            begin, end = entry["data_offsets"]
            tensors[name] = (entry["shape"], struct.unpack(f"<{(end - begin) // width}{letter}", data[8 + size + begin:8 + size + end]))
    return tensors


class Case:
    def __init__(self, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        self.text = open(f"{folder}/model.mlir").read()
        self.meta = json.load(open(f"{folder}/meta.json"))
        self.runs = json.load(open(f"{folder}/trajectory.json"))["runs"]
        self.params = read_tensors(f"{folder}/params.safetensors")
        self.data = read_tensors(f"{folder}/data.safetensors")
        self.inputs = read_tensors(f"{folder}/inputs.safetensors")
        self.grads = read_tensors(f"{folder}/grads.safetensors") if os.path.exists(f"{folder}/grads.safetensors") else {}
        signature = re.search(r"train\.func @loss\((.*?)\) ->", self.text).group(1)
        self.arguments = re.findall(r"%(\w+): tensor<(?:\d+x)*(\w+)>", signature)

    def rounds_constants(self):
        """Whether the file has a number of f32 where PyTorch had the decimal number next to it: 2.00000002980232239e-01 for 0.2."""
        body = STEPS.sub("", self.text)
        return any(is_rounded_decimal(float(text)) for text in re.findall(r"-?\d+\.\d+(?:e[-+]\d+)?", body))


def is_rounded_decimal(number):
    """A file has at least ten digits of a number in f32."""
    def in_f32(x):
        return struct.unpack("f", struct.pack("f", x))[0]

    def differ(a, b):
        return abs(a - b) > 1e-9 * abs(b)
    if abs(number) > 3e38 or differ(in_f32(number), number):
        return False
    narrow = in_f32(number)
    shortest = next(short for short in (float(f"{narrow:.{digits}g}") for digits in range(1, 10)) if in_f32(short) == narrow)
    return differ(shortest, number)


def compile_model(case, precision, steps, arguments, options=()):
    """(path of a shared library with some of the steps, name of the model, prefix of the programs)"""
    folder = f"{arguments.out}/{case.name}.{precision}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(STEPS.sub(lambda match: match.group(0) if match.group(1) in steps else "", case.text))
    subprocess.run(["ampc", "compile", f"{folder}/model.mlir", f"--precision={precision}", "-o", folder, *options], check=True,
                   stdout=subprocess.DEVNULL)
    archive = re.search(r"train\.model @(\w+)", case.text).group(1)
    library = f"{folder}/{archive}.so"
    subprocess.run([arguments.cc, "-shared", "-o", library, "-Wl,--whole-archive", f"{folder}/lib{archive}.a", "-Wl,--no-whole-archive", "-pthread"],
                   check=True)
    return library, archive, {step: f"{step}_" if len(steps) > 1 else "" for step in steps}


class Run:
    """A state of a compiled model with the exported parameters."""

    def __init__(self, case, built, precision):
        self.case, self.real = case, "f64" if precision == "f64" else "f32"
        self.net, self.prefix = compiled.Model(*built[:2]), built[2]
        for name, (_, values) in case.params.items():
            if self.net.call("find_tensor", name.encode()) >= 0:
                self.net.copy("set", name, (C_KINDS[self.real] * len(values))(*values))
        self.net.check(self.net.call("refresh", self.net.state), "refresh")

    def tensor(self, name, count, kind=None):
        """A copy, in the order of the text wherever the elements lie."""
        values = (C_KINDS[kind or self.real] * count)()
        self.net.copy("get", name, values)
        return values

    def step(self, program, tensors, batch=0):
        head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
                ("workspace", ctypes.c_void_p)]
        arrays = []
        for name, kind in self.case.arguments:
            shape, values = tensors[name]
            count = 1
            for size in self.case.inputs[name][0]:
                count *= size
            kind = self.real if kind == "f32" else kind
            arrays.append((C_KINDS[kind] * count)(*values[batch * count:(batch + 1) * count]))
        given = compiled.pointer_struct(head, (0, 0.0, 0, None), arrays)
        out = TrainOut(size=ctypes.sizeof(TrainOut))
        status = self.net.call(program, self.net.state, ctypes.byref(given), ctypes.byref(out))
        if status == -8:  # the loss is not finite, which comparisons see
            return float("nan")
        self.net.check(status, program)
        return out.loss_double if self.real == "f64" else out.loss

    def gradient(self, step, name):
        shape, values = self.case.grads[name]
        number = self.net.call("find_tensor", f"{step}.rows.{name}".encode())
        if number < 0:
            return list(self.tensor(f"{step}.gradient.{name}", len(values)))
        dense, width = [0.0] * len(values), len(values) // shape[0]  # rows of a table
        limit = re.search(rf"{re.escape(step)}\.rows\.{re.escape(name)}  i32 \[(\d+)\]", self.header()).group(1)
        rows = self.tensor(f"{step}.rows.{name}", int(limit), "i32")
        part = self.tensor(f"{step}.gradient.{name}", int(limit) * width)
        for at, row in enumerate(rows):
            if 0 <= row < shape[0]:
                for i in range(width):
                    dense[row * width + i] += part[at * width + i]
        return dense

    def header(self):
        return open(os.path.splitext(self.net.lib._name)[0] + ".h").read()


def gradient_error(case, run, floor):
    run.step(run.prefix["sgd"] + "grad", case.inputs)
    worst, of = 0.0, ""
    for name, (_, want) in case.grads.items():
        if name in case.meta["zero_grads"]:
            continue
        error = distance(run.gradient("sgd", name), want) / (max(map(abs, want)) + floor * case.meta["max_abs_grad"])
        if not error <= worst:
            worst, of = error, name
    return worst, of


def trajectory(case, run, step):
    return [run.step(run.prefix[step] + "train_step", case.data, batch) for batch in range(len(case.runs[step]["f32"]["losses"]))]


class Report:
    def __init__(self):
        self.failed = 0

    def bar(self, value, bar):
        good = value <= bar  # false for NaN
        self.failed += not good
        return f"{value:9.1e}{' ' if good else '!'}"


def examine(case, arguments, report):
    """A line of the table."""
    checks = arguments.checks.split(",")
    line = f"{case.name:22}"
    advisory = case.meta.get("advisory")
    if "f64" in checks and case.grads:
        bar = F64_BAR_OF_ROUNDED_CONSTANTS if case.rounds_constants() else F64_BAR
        error, _ = gradient_error(case, Run(case, compile_model(case, "f64", ["sgd"], arguments), "f64"), 0.0)
        line += "  f64 " + report.bar(error, bar)
    if "f32" in checks:
        built = compile_model(case, "f32", list(case.runs), arguments)
        if case.grads:
            error, _ = gradient_error(case, Run(case, built, "f32"), 1e-3)
            line += "  f32 " + report.bar(error, float("inf") if advisory else case.meta["suggested_grad_tolerance_f32"])
        worst = max(distance(trajectory(case, Run(case, built, "f32"), step), runs["f32"]["losses"]) for step, runs in case.runs.items())
        line += "  steps " + report.bar(worst, F32_STEP_BAR)
    if "bf16" in checks:
        for step, runs in case.runs.items():
            if "bf16_autocast" in runs:
                run = Run(case, compile_model(case, "bf16", [step], arguments, arguments.options.split()), "bf16")
                losses, exact = trajectory(case, run, step), runs["f32"]["losses"]
                own, torch = distance(losses, exact), distance(runs["bf16_autocast"]["losses"], exact)
                line += f"  bf16 drift {own:8.1e} torch {torch:8.1e} ratio " + report.bar(own / torch, DRIFT_BAR)
    return line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", help="or their model.mlir")
    parser.add_argument("--out", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--checks", default="f64,f32,bf16")
    parser.add_argument("--options", default="", help="of the compilation in bf16")
    arguments = parser.parse_args()
    report = Report()
    cases = [Case(os.path.dirname(path) if path.endswith(".mlir") else path) for path in arguments.folders]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line in pool.map(lambda case: examine(case, arguments, report), cases):
            print(line, flush=True)
    print(f"{len(cases)} models, {report.failed} beyond their bars")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
