# Loss trajectories of optimizers, clipping and schedules: recorded from PyTorch, compared with `ampc train`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax regression from zero weights, 48 rows in batches of 12, 24 steps.

    optimizers.py record > optimizers.json      # needs PyTorch
    optimizers.py compare optimizers.json FOLDER # runs ampc, compares every loss
"""
import csv
import json
import math
import os
import struct
import subprocess
import sys

ROWS, BATCH, FEATURES, CLASSES, STEPS = 48, 12, 5, 3, 24

# Name: (ampc optimizer and attributes, torch optimizer, arguments, clip norm, factor of a step counted from 1)
CASES = {
    "sgd": ("#train.sgd<lr = 0.5>", "SGD", {"lr": 0.5}, None, None),
    "momentum": ("#train.sgd<lr = 0.1, momentum = 0.9, weight_decay = 0.01>", "SGD",
                 {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}, None, None),
    "nesterov": ("#train.sgd<lr = 0.1, momentum = 0.9, nesterov = true>", "SGD",
                 {"lr": 0.1, "momentum": 0.9, "nesterov": True}, None, None),
    "adam": ("#train.adam<lr = 0.05, weight_decay = 0.02>", "Adam", {"lr": 0.05, "weight_decay": 0.02}, None, None),
    "adamw": ("#train.adamw<lr = 0.05, beta1 = 0.8, beta2 = 0.9, weight_decay = 0.1>", "AdamW",
              {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1}, None, None),
    "adagrad": ("#train.adagrad<lr = 0.2, initial_accumulator = 0.1>", "Adagrad",
                {"lr": 0.2, "initial_accumulator_value": 0.1}, None, None),
    "rmsprop": ("#train.rmsprop<lr = 0.01, momentum = 0.5>", "RMSprop", {"lr": 0.01, "momentum": 0.5}, None, None),
    "clipped": ("#train.sgd<lr = 0.5> {clip_norm = 0.2}", "SGD", {"lr": 0.5}, 0.2, None),
    "warmup": ("#train.sgd<lr = 0.5> schedule #train.linear_warmup<warmup = 10>", "SGD", {"lr": 0.5}, None,
               lambda step: min(step / 10, 1.0)),
    "cosine": ("#train.sgd<lr = 0.5> schedule #train.cosine<steps = 20, warmup = 5, floor = 0.1>", "SGD", {"lr": 0.5}, None,
               lambda step: min(step / 5, 1.0) * (0.1 + 0.9 * 0.5 * (1 + math.cos(
                   math.pi * min(max((step - 5) / 15, 0.0), 1.0))))),
    "decay": ("#train.sgd<lr = 0.5> schedule #train.step_decay<every = 8, gamma = 0.5>", "SGD", {"lr": 0.5}, None,
              lambda step: 0.5 ** ((step - 1) // 8)),
}


def make_data():
    """The same numbers everywhere: a linear congruential generator."""
    state, x = 12345, []
    for _ in range(ROWS * FEATURES):
        state = (1103515245 * state + 12345) % 2**31
        x.append(struct.unpack("f", struct.pack("f", state / 2**30 - 1))[0])
    y = [int(sum(x[FEATURES * r:FEATURES * r + 2]) * 3) % CLASSES for r in range(ROWS)]
    return x, y


def record():
    import torch
    x, y = make_data()
    features, labels = torch.tensor(x).view(ROWS, FEATURES), torch.tensor(y)
    result = {"torch": torch.__version__}
    for name, (_, kind, arguments, clip, factor) in CASES.items():
        weight = torch.zeros(FEATURES, CLASSES, requires_grad=True)
        optimizer = getattr(torch.optim, kind)([weight], **arguments)
        losses = []
        for step in range(STEPS):
            rows = slice(step * BATCH % ROWS, step * BATCH % ROWS + BATCH)
            loss = torch.nn.functional.cross_entropy(features[rows] @ weight, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            if clip:
                torch.nn.utils.clip_grad_norm_([weight], clip)
            if factor:
                optimizer.param_groups[0]["lr"] = arguments["lr"] * factor(step + 1)
            optimizer.step()
            losses.append(loss.item())
        result[name] = losses
    print(json.dumps(result, indent=0))


def write_npy(path, kind, shape, values):
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack(f"<{len(values)}{'f' if kind == 'f' else 'i'}", *values))


def model(optimizer):
    return f"""train.model @softmax_regression {{
  train.param @w : tensor<{FEATURES}x{CLASSES}xf32> = #train.zeros
  train.func @loss(%x: tensor<{BATCH}x{FEATURES}xf32>, %y: tensor<{BATCH}xi32>) -> tensor<f32> {{
    %w = train.read @w : tensor<{FEATURES}x{CLASSES}xf32>
    %0 = train.matmul %x, %w : (tensor<{BATCH}x{FEATURES}xf32>, tensor<{FEATURES}x{CLASSES}xf32>) -> tensor<{BATCH}x{CLASSES}xf32>
    %1 = train.softmax_cross_entropy %0, %y : tensor<{BATCH}x{CLASSES}xf32>, tensor<{BATCH}xi32>
    train.return %1 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with {optimizer}
}}
"""


def compare(recorded, folder):
    with open(recorded) as file:
        expected = json.load(file)
    os.makedirs(folder, exist_ok=True)
    x, y = make_data()
    write_npy(f"{folder}/x.npy", "f", (ROWS, FEATURES), x)
    write_npy(f"{folder}/y.npy", "i", (ROWS,), y)
    failures = 0
    for name, case in CASES.items():
        path = f"{folder}/{name}.mlir"
        with open(path, "w") as out:
            out.write(model(case[0]))
        subprocess.run(["ampc", "train", path, "--data", f"x={folder}/x.npy", "--data", f"y={folder}/y.npy", "--shuffle=false",
                        "--steps", str(STEPS), "--log", f"{folder}/{name}.csv"], check=True, stderr=subprocess.DEVNULL)
        with open(f"{folder}/{name}.csv") as file:
            losses = [float(row["loss"]) for row in csv.DictReader(file)]
        assert len(losses) == len(expected[name]) == STEPS
        worst = max(abs(a - b) / (1e-6 + 1e-5 * abs(b)) for a, b in zip(losses, expected[name]))
        good = worst <= 1 and losses[-1] < losses[0]
        failures += not good
        print(f"{name}: {worst:.2g} of the tolerance, loss {losses[0]:.4f} to {losses[-1]:.4f}{'' if good else ' WRONG'}")
    print(f"{len(CASES)} trajectories, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(record() if sys.argv[1] == "record" else compare(sys.argv[2], sys.argv[3]))
