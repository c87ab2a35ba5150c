# Losses that divide by labels, classes' weights and masks, in micro-batches and in evaluations: recorded from PyTorch, compared with ampc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax regression from zero weights on 8 rows, three steps on all of them, in f64.

    part-weights.py record > part-weights.json         # needs PyTorch
    part-weights.py train part-weights.json FOLDER     # whole batches and parts
    part-weights.py evaluate part-weights.json FOLDER  # batches of every size, and with a rest
"""
import csv
import json
import os
import re
import struct
import subprocess
import sys

from closeness import share

ROWS, FEATURES, CLASSES, STEPS = 8, 3, 5, 3
WEIGHTS = [0.5, 3.0, 1.0, 0.25, 2.0]
FIRST = [1, -100, -100, -100, 0, 1, 2, -100]
SECOND = [2, 0, 2, 4, 2, 2, 2, 3]  # class 2 is ignored
THIRD = [1, 1, 0, 4, 3, 3, 3, 2]
MASK = [0.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]

LABELS = """%a = train.softmax_cross_entropy %z, %first ignore -100
    %b = train.softmax_cross_entropy %z, %second ignore 2
    %c = train.weighted_cross_entropy %z, %third, %weights
    %ab = train.add %a, %b
    %labels = train.add %ab, %c"""
BY_HAND = """
    %rows = train.softmax_cross_entropy %z, %third reduce none
    %counted = train.mul %rows, %mask
    %sum = train.reduce_sum %counted over [0]
    %number = train.reduce_sum %mask over [0]
    %mean = train.div %sum, %number
    %loss = train.add %labels, %mean"""
CASES = {"labels": (LABELS, "%labels"), "masked": (LABELS + BY_HAND, "%loss")}


def make_data():
    state, x = 12345, []
    for _ in range(ROWS * FEATURES):
        state = (1103515245 * state + 12345) % 2**31
        x.append(struct.unpack("f", struct.pack("f", state / 2**30 - 1))[0])
    return x


def record():
    import torch
    from torch.nn.functional import cross_entropy
    x = torch.tensor(make_data(), dtype=torch.float64).view(ROWS, FEATURES)
    first, second, third = map(torch.tensor, (FIRST, SECOND, THIRD))
    weights, mask = (torch.tensor(v, dtype=torch.float64) for v in (WEIGHTS, MASK))

    def loss_of(case, w):
        z = x @ w
        loss = cross_entropy(z, first, ignore_index=-100) + cross_entropy(z, second, ignore_index=2) + cross_entropy(z, third, weight=weights)
        return loss + ((cross_entropy(z, third, reduction="none") * mask).sum() / mask.sum() if case == "masked" else 0)

    found = {}
    for case in CASES:
        w = torch.zeros(FEATURES, CLASSES, dtype=torch.float64, requires_grad=True)
        losses = []
        for _ in range(STEPS):
            loss = loss_of(case, w)
            losses.append(loss.item())
            gradient, = torch.autograd.grad(loss, w)
            w = (w - gradient).detach().requires_grad_()
        found[case] = {"losses": losses, "w": w.flatten().tolist(), "trained": loss_of(case, w).item()}
    print(json.dumps(found, indent=1))


def write_npy(path, kind, shape, values):
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{kind}", *values))


def make_model(folder, case):
    """The sizes `batch` and `parts` are given by --set and by replacement."""
    body, loss = CASES[case]
    numbers = ", ".join(map(str, WEIGHTS))
    inputs = "%x: f32[batch, 3], %first: i32[batch], %second: i32[batch], %third: i32[batch]" + (", %mask: f32[batch]" if case == "masked" else "")
    with open(f"{folder}/{case}.mlir", "w") as file:
        file.write(f"""train.model @m(batch = 8) {{
  train.param @w : f32[{FEATURES}, {CLASSES}] = #train.zeros
  train.func @loss({inputs}) {{
    %z = train.linear %x, %w
    %weights = train.constant dense<[{numbers}]> : tensor<{CLASSES}xf32>
    {body}
    train.return {loss}
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0> {{micro_batches = 1}}
}}
""")


def make_files(folder, case):
    os.makedirs(folder, exist_ok=True)
    make_model(folder, case)
    write_npy(f"{folder}/x.npy", "f", (ROWS, FEATURES), make_data())
    given = ["x"]
    for name, values in {"first": FIRST, "second": SECOND, "third": THIRD}.items():
        write_npy(f"{folder}/{name}.npy", "i", (ROWS,), values)
        given.append(name)
    if case == "masked":
        write_npy(f"{folder}/mask.npy", "f", (ROWS,), MASK)
        given.append("mask")
    return given


def data_options(folder, given, option="data"):
    return [word for name in given for word in (f"--{option}", f"{name}={folder}/{name}.npy")]


def read_weights(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        begin, end = header["w"]["data_offsets"]
        file.seek(8 + size + begin)
        return struct.unpack(f"<{(end - begin) // 8}d", file.read(end - begin))


def train(folder, case, given, parts, *more, batch=None):
    text = open(f"{folder}/{case}.mlir").read().replace("micro_batches = 1", f"micro_batches = {parts}")
    path = f"{folder}/{case}{parts}"
    with open(path + ".mlir", "w") as file:
        file.write(text)
    subprocess.run(["ampc", "train", path + ".mlir", "--precision=f64", "--set", f"batch={batch or ROWS // parts}", *data_options(folder, given), "--shuffle=false",
                    "--steps", str(STEPS), "--log", path + ".csv", "--out", path + ".safetensors", *more], check=True, stderr=subprocess.DEVNULL)
    with open(path + ".csv") as file:
        return list(csv.DictReader(file)), read_weights(path + ".safetensors")


def check_training(wanted, folder):
    worst = 0.0
    # With three micro-batches of four rows the last has no valid row, with two of seven a single row.
    for case, parts, batch in [("labels", 1, 8), ("labels", 4, 2), ("labels", 3, 4), ("labels", 2, 7), ("masked", 1, 8), ("masked", 2, 4), ("masked", 8, 1)]:
        rows, w = train(folder, case, make_files(folder, case), parts, batch=batch)
        losses = share([float(row["loss"]) for row in rows], wanted[case]["losses"], relative=1e-7)  # of f32
        weights = share(w, wanted[case]["w"], absolute=1e-12)
        if not max(losses, weights) <= 1:
            print(f"{case} in {parts} parts: loss {[row['loss'] for row in rows]}, expected {wanted[case]['losses']}; weights {weights * 1e-12:.2g} off")
        worst = max(worst, losses, weights)
    return worst <= 1


def check_evaluation(wanted, folder):
    right = True
    for case, sizes in [("labels", [1, 2, 3, 4, 5, 8, 16]), ("masked", [1, 2, 4, 8])]:
        given = make_files(folder, case)
        if case == "labels":  # --validate selects the best state
            rows, _ = train(folder, case, given, 4, "--validate-every", "1", *data_options(folder, given, "validate"))
            validated = [float(row["val_loss"]) for row in rows]
            right &= share(validated, wanted[case]["losses"][1:] + [wanted[case]["trained"]], relative=1e-8) <= 1
        else:
            train(folder, case, given, 2)
        model = f"{folder}/{case}"
        for size in sizes:
            text = subprocess.run(["ampc", "eval", model + ".mlir", "--precision=f64", "--set", f"batch={size}", "--checkpoint",
                                   f"{model}{4 if case == 'labels' else 2}.safetensors", *data_options(folder, given)],
                                  check=True, capture_output=True, text=True).stdout
            loss = float(re.search(r"^loss (\S+)", text, re.M).group(1))
            if not share([loss], [wanted[case]["trained"]], relative=1e-8) <= 1:
                print(f"{case} in batches of {size}: loss {loss}, expected {wanted[case]['trained']}")
                right = False
    return right


if sys.argv[1] == "record":
    record()
else:
    with open(sys.argv[2]) as recorded:
        check = {"train": check_training, "evaluate": check_evaluation}[sys.argv[1]]
        print("as PyTorch" if check(json.load(recorded), sys.argv[3]) else "different")
