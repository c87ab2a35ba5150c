# Whether a model's loops stay loops, and give what the loops written out give: run.py MODEL FOLDER ROUNDS...
# Comments of the model: `Integers below: NAME LIMIT, ...` of inputs; `Unrolled: N loops`, expected remarks; `Bound: X` in place of 1e-12; `Steps: N` in place of 4.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import json
import re
import struct
import subprocess
import sys

import numpy as np

MODEL, FOLDER, *ROUNDS = sys.argv[1:]
ROWS = 14  # batches of 4 and of 12, and a short one
text = open(MODEL).read()
limits = dict(re.findall(r"(\w+) (\d+)", re.search(r"Integers below: ([^.]*)", text).group(1))) if "Integers below" in text else {}
unrolled = re.search(r"Unrolled: (\d+)", text)
bound = re.search(r"Bound: ([0-9.e-]+)\.", text)
BOUND = float(bound.group(1)) if bound else 1e-12  # of the largest number
steps = re.search(r"Steps: (\d+)", text)
TYPES = {"f32": "f4", "i32": "i4", "i64": "i8", "ui8": "u1"}
PRECISION = "f32" if bound else "f64"


def ampc(*arguments):
    done = subprocess.run(["ampc", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout, done.stderr


def inputs(rounds):
    random = np.random.default_rng(7)
    sizes = {name: int(size) for name, size in re.findall(r"(\w+) = (\d+)", re.search(r"train.model @\w+\((.*)\)", text).group(1))}
    sizes["time"] = rounds
    for name, element, dims in re.findall(r"%(\w+): (\w+)\[([^\]]*)\]", re.search(r"train.func @loss\((.*)\)", text).group(1)):
        shape = [ROWS] + [sizes[dim.strip()] for dim in dims.split(",") if dim.strip() != "batch"]
        ignored = -1 if "ignore -1" in text and name == "y" else 0
        values = random.normal(size=shape) if element == "f32" else random.integers(ignored, int(limits[name]), size=shape)
        path = f"{FOLDER}/{name}.npy"
        np.save(path, values.astype(TYPES[element]))
        yield f"--data={name}={path}"


def numbers(data, dtype):
    if dtype == "BF16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, {"F32": np.float32, "F64": np.float64}[dtype])


def tensors(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    bytes_of = lambda at: data[start + at["data_offsets"][0]:start + at["data_offsets"][1]]
    return {name: numbers(bytes_of(at), at["dtype"]) for name, at in json.loads(data[8:start]).items() if at.get("dtype") in ("F32", "F64", "BF16")}


def scores_of(log):
    """Losses and metrics of the last validation."""
    rows = list(csv.DictReader(open(log)))
    return [float(rows[-1][name]) for name in rows[-1] if name.startswith("val_")]


def arguments_of(mlir):
    """What programs require of their inputs."""
    return re.findall(r"#train.input<[^>]*>+", mlir)


for rounds in map(int, ROUNDS):
    common = [MODEL, "--set", f"time={rounds}"]
    open_form, said = ampc("compile", *common, "--compile-to=simplify")
    closed_form, _ = ampc("compile", *common, "--compile-to=simplify", "--loops=unroll")
    assert "train.scan" not in closed_form
    assert arguments_of(open_form) == arguments_of(closed_form), "other limits of inputs"
    loss = open_form[open_form.index("train.func @fit.loss"):]
    loops = loss[:loss.index("train.return")].count("train.scan")
    remarks = len(set(re.findall(r".*the loop .*is unrolled before differentiation", said)))
    expected = int(unrolled.group(1)) if unrolled else 0
    assert remarks == expected, f"{remarks} remarks, expected {expected}:\n{said}"
    assert loops > 0 or expected, "no loop"
    data = list(inputs(rounds))
    results = {}
    for mode in ("unroll", "merge", "keep") if rounds == int(ROUNDS[-1]) else ("unroll", "merge"):
        out = f"{FOLDER}/{mode}.safetensors"
        # Validation evaluates on all rows behind the last step, so that one compilation serves training and evaluation.
        validation = [word.replace("--data=", "--validate=") for word in data]
        log = f"{FOLDER}/{mode}.csv"
        ampc("train", *common, f"--precision={PRECISION}", f"--loops={mode}", *data, *validation, f"--steps={steps.group(1) if steps else 4}", "--quiet",
             "--out", out, "--log", log)
        results[mode] = tensors(out), scores_of(log)
    expected, scores = results.pop("unroll")
    for mode, (found, others) in results.items():
        assert expected and expected.keys() == found.keys()
        for name, value in expected.items():
            apart = np.abs(value - found[name]).max() / max(1, np.abs(value).max())
            assert apart <= BOUND, f"{mode}, {rounds} rounds, {name}: {apart} apart"
        assert scores and len(scores) == len(others)
        assert np.allclose(scores, others, rtol=1e-2 if bound else 1e-9, atol=0), f"{mode}, {rounds} rounds: {scores} and {others}"
    print(f"{rounds} rounds: {loops} loops, equal")
