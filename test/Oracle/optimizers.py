# Loss trajectories of optimizers, clipping, schedules and averages: recorded from PyTorch, compared with `ampc train`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax regression from zero weights, 48 rows in batches of 12, 24 steps.

LAMB, which PyTorch lacks, follows the paper in plain Python.

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

from closeness import share

ROWS, BATCH, FEATURES, CLASSES, STEPS = 48, 12, 5, 3, 24

# Name: (ampc optimizer and attributes, torch optimizer, arguments, clip norm, factor of a step counted from 1 or torch schedule and arguments)
EMA_DECAY, CLIP_VALUE = 0.8, 0.03
GROUPED = {"lr": 0.2, "weight_decay": 0.0}  # of the bias, which only the case "groups" has
LAMB = {"lr": 0.3, "beta1": 0.8, "beta2": 0.95, "eps": 1e-6, "weight_decay": 0.05}
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
    "adafactor": ("#train.adafactor<lr = 0.5, decay = 0.7, eps2 = 0.5, clip_threshold = 1.25, weight_decay = 0.01>", "Adafactor",
                  {"lr": 0.5, "beta2_decay": -0.7, "eps": (None, 0.5), "d": 1.25, "weight_decay": 0.01}, None, None),
    "clipped": ("#train.sgd<lr = 0.5> {clip_norm = 0.2}", "SGD", {"lr": 0.5}, 0.2, None),
    "clipped_value": (f"#train.sgd<lr = 0.5> {{clip_value = {CLIP_VALUE}}}", "SGD", {"lr": 0.5}, None, None),
    "ema": (f"#train.adam<lr = 0.05> {{ema_decay = {EMA_DECAY}}}", "Adam", {"lr": 0.05}, None, None),
    "groups": ("#train.adamw<lr = 0.05, weight_decay = 0.1> groups [#train.group<params = [@b], optimizer = #train.adamw<lr = 0.2, weight_decay = 0.0>>]"
               " schedule #train.linear_warmup<warmup = 10> {clip_norm = 0.2}", "AdamW", {"lr": 0.05, "weight_decay": 0.1}, 0.2,
               lambda step: min(step / 10, 1.0)),
    "lamb": ("#train.lamb<" + ", ".join(f"{key} = {value:.2e}" for key, value in LAMB.items()) + ">", "LAMB", {}, None, None),
    "warmup": ("#train.sgd<lr = 0.5> schedule #train.linear_warmup<warmup = 10>", "SGD", {"lr": 0.5}, None,
               lambda step: min(step / 10, 1.0)),
    "cosine": ("#train.sgd<lr = 0.5> schedule #train.cosine<steps = 20, warmup = 5, floor = 0.1>", "SGD", {"lr": 0.5}, None,
               lambda step: min(step / 5, 1.0) * (0.1 + 0.9 * 0.5 * (1 + math.cos(
                   math.pi * min(max((step - 5) / 15, 0.0), 1.0))))),
    "decay": ("#train.sgd<lr = 0.5> schedule #train.step_decay<every = 8, gamma = 0.5>", "SGD", {"lr": 0.5}, None,
              lambda step: 0.5 ** ((step - 1) // 8)),
    "linear": ("#train.sgd<lr = 0.5> schedule #train.linear<steps = 17, warmup = 1, start = 0.25, end = 1.0>", "SGD", {"lr": 0.5}, None,
               ("LinearLR", {"start_factor": 0.25, "end_factor": 1.0, "total_iters": 16})),
    "polynomial": ("#train.sgd<lr = 0.5> schedule #train.polynomial<steps = 21, warmup = 1, power = 1.5>", "SGD", {"lr": 0.5}, None,
                   ("PolynomialLR", {"total_iters": 20, "power": 1.5})),
    "multi_step": ("#train.sgd<lr = 0.5> schedule #train.multi_step<at = [4, 9], gamma = 0.5>", "SGD", {"lr": 0.5}, None,
                   ("MultiStepLR", {"milestones": [4, 9], "gamma": 0.5})),
    "one_cycle": ("#train.sgd<lr = 0.5> schedule #train.one_cycle<steps = 24, div_factor = 10.0, final_div_factor = 100.0>", "SGD", {"lr": 0.5},
                  None, ("OneCycleLR", {"max_lr": 0.5, "total_steps": 24, "div_factor": 10, "final_div_factor": 100, "cycle_momentum": False})),
    "three_phases": ("#train.sgd<lr = 0.5> schedule #train.one_cycle<steps = 24, pct_start = 0.4, linear = true, three_phase = true>", "SGD",
                     {"lr": 0.5}, None, ("OneCycleLR", {"max_lr": 0.5, "total_steps": 24, "pct_start": 0.4, "anneal_strategy": "linear",
                                                        "three_phase": True, "cycle_momentum": False})),
    "cycled_momentum": ("#train.sgd<lr = 0.5, momentum = 0.9> schedule #train.one_cycle<steps = 24, base_momentum = 0.6, max_momentum = 0.95>",
                        "SGD", {"lr": 0.5, "momentum": 0.9}, None,
                        ("OneCycleLR", {"max_lr": 0.5, "total_steps": 24, "base_momentum": 0.6, "max_momentum": 0.95})),
    "cycled_beta1": ("#train.adam<lr = 0.1> schedule #train.one_cycle<steps = 24, base_momentum = 0.6, max_momentum = 0.95>", "Adam",
                     {"lr": 0.1}, None, ("OneCycleLR", {"max_lr": 0.1, "total_steps": 24, "base_momentum": 0.6, "max_momentum": 0.95})),
}


def make_data():
    """The same numbers everywhere: a linear congruential generator."""
    state, x = 12345, []
    for _ in range(ROWS * FEATURES):
        state = (1103515245 * state + 12345) % 2**31
        x.append(struct.unpack("f", struct.pack("f", state / 2**30 - 1))[0])
    y = [int(sum(x[FEATURES * r:FEATURES * r + 2]) * 3) % CLASSES for r in range(ROWS)]
    return x, y


def batch_of(step):
    return range(step * BATCH % ROWS, step * BATCH % ROWS + BATCH)


def loss_and_gradient(x, y, weight, rows):
    """Mean cross entropy of softmax(x w) over rows, and the derivative by w, both in f64."""
    loss, gradient = 0.0, [0.0] * (FEATURES * CLASSES)
    for r in rows:
        features = x[FEATURES * r:FEATURES * (r + 1)]
        logits = [sum(f * weight[i * CLASSES + c] for i, f in enumerate(features)) for c in range(CLASSES)]
        total = sum(map(math.exp, logits))
        loss += (math.log(total) - logits[y[r]]) / len(rows)
        for c in range(CLASSES):
            slope = (math.exp(logits[c]) / total - (c == y[r])) / len(rows)
            for i, f in enumerate(features):
                gradient[i * CLASSES + c] += f * slope
    return loss, gradient


def lamb(x, y):
    """You et al. 2020, algorithm 2, with the identity as phi."""
    weight, m, v = ([0.0] * (FEATURES * CLASSES) for _ in range(3))
    length = lambda vector: math.sqrt(sum(value * value for value in vector))
    losses = []
    for step in range(1, STEPS + 1):
        loss, gradient = loss_and_gradient(x, y, weight, batch_of(step - 1))
        losses.append(loss)
        m = [LAMB["beta1"] * a + (1 - LAMB["beta1"]) * g for a, g in zip(m, gradient)]
        v = [LAMB["beta2"] * a + (1 - LAMB["beta2"]) * g * g for a, g in zip(v, gradient)]
        update = [a / (1 - LAMB["beta1"]**step) / (math.sqrt(b / (1 - LAMB["beta2"]**step)) + LAMB["eps"]) + LAMB["weight_decay"] * w
                  for a, b, w in zip(m, v, weight)]
        trust = length(weight) / length(update) if length(weight) and length(update) else 1.0
        weight = [w - LAMB["lr"] * trust * u for w, u in zip(weight, update)]
    return losses


def train_with_torch(torch, x, y, case, name):
    """Losses, and the moving average of the weights if the case asks for an average."""
    _, kind, arguments, clip, factor = case
    features, labels = torch.tensor(x).view(ROWS, FEATURES), torch.tensor(y)
    model = torch.nn.Linear(FEATURES, CLASSES, bias=name == "groups")
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    averaged = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(EMA_DECAY))
    groups = [{"params": [model.weight]}]
    if name == "groups":
        groups.append({"params": [model.bias], **GROUPED})
    optimizer = getattr(torch.optim, kind)(groups, **arguments)
    rates = [group["lr"] for group in optimizer.param_groups]
    schedule = None
    if isinstance(factor, tuple):
        schedule, factor = getattr(torch.optim.lr_scheduler, factor[0])(optimizer, **factor[1]), None
    losses = []
    for step in range(STEPS):
        rows = slice(batch_of(step).start, batch_of(step).stop)
        loss = torch.nn.functional.cross_entropy(model(features[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        if name == "clipped_value":
            torch.nn.utils.clip_grad_value_([model.weight], CLIP_VALUE)
        if factor:
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate * factor(step + 1)
        optimizer.step()
        if schedule:
            schedule.step()
        averaged.update_parameters(model)
        losses.append(loss.item())
    return losses, averaged.module.weight.T.flatten().tolist() if name == "ema" else None


def record():
    import torch
    x, y = make_data()
    result = {"torch": torch.__version__}
    for name, case in CASES.items():
        average = None
        if name == "lamb":
            result[name] = lamb(x, y)
        else:
            result[name], average = train_with_torch(torch, x, y, case, name)
        if average:
            result[name + " average"] = average
    print(json.dumps(result, indent=0))


def write_npy(path, kind, shape, values):
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack(f"<{len(values)}{'f' if kind == 'f' else 'i'}", *values))


def model(optimizer):
    logits, bias, params = "%0", "", "@w"
    if "@b" in optimizer:
        logits, params = "%2", "@w, @b"
        bias = f"""
    %b = train.read @b : tensor<{CLASSES}xf32>
    %2 = train.add %0, %b : tensor<{BATCH}x{CLASSES}xf32>, tensor<{CLASSES}xf32>"""
    return f"""train.model @softmax_regression {{
  train.param @w : tensor<{FEATURES}x{CLASSES}xf32> = #train.zeros
{f"  train.param @b : tensor<{CLASSES}xf32> = #train.zeros" if bias else ""}
  train.func @loss(%x: tensor<{BATCH}x{FEATURES}xf32>, %y: tensor<{BATCH}xi32>) -> tensor<f32> {{
    %w = train.read @w : tensor<{FEATURES}x{CLASSES}xf32>
    %0 = train.matmul %x, %w : (tensor<{BATCH}x{FEATURES}xf32>, tensor<{FEATURES}x{CLASSES}xf32>) -> tensor<{BATCH}x{CLASSES}xf32>{bias}
    %1 = train.softmax_cross_entropy {logits}, %y : tensor<{BATCH}x{CLASSES}xf32>, tensor<{BATCH}xi32>
    train.return %1 : tensor<f32>
  }}
  train.step @fit minimize @loss over [{params}] with {optimizer}
}}
"""


def read_tensors(path):
    """Bytes of the tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack_from("<Q", content)
    offsets = {name: entry["data_offsets"] for name, entry in json.loads(content[8:8 + length]).items() if name != "__metadata__"}
    return {name: content[8 + length + begin:8 + length + end] for name, (begin, end) in offsets.items()}


def read_tensor(path, name):
    """A tensor of f32."""
    content = read_tensors(path)[name]
    return struct.unpack(f"<{len(content) // 4}f", content)


def run(name, case, folder):
    """Losses of `ampc train`, which leaves a checkpoint."""
    path = f"{folder}/{name}"
    with open(path + ".mlir", "w") as out:
        out.write(model(case[0]))
    subprocess.run(["ampc", "train", path + ".mlir", "--data", f"x={folder}/x.npy", "--data", f"y={folder}/y.npy", "--shuffle=false",
                    "--steps", str(STEPS), "--log", path + ".csv", "--out", path + ".safetensors"], check=True, stderr=subprocess.DEVNULL)
    with open(path + ".csv") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def compare(recorded, folder):
    with open(recorded) as file:
        expected = json.load(file)
    os.makedirs(folder, exist_ok=True)
    x, y = make_data()
    write_npy(f"{folder}/x.npy", "f", (ROWS, FEATURES), x)
    write_npy(f"{folder}/y.npy", "i", (ROWS,), y)
    failures = 0
    for name, case in CASES.items():
        losses = run(name, case, folder)
        assert len(losses) == len(expected[name]) == STEPS
        found, wanted = list(losses), list(expected[name])
        if average := expected.get(name + " average"):
            found += read_tensor(f"{folder}/{name}.safetensors", "fit.ema.w")
            wanted += average
        worst = share(found, wanted, 1e-6, 1e-5)
        good = worst <= 1 and losses[-1] < losses[0]
        failures += not good
        print(f"{name}: {worst:.2g} of the tolerance, loss {losses[0]:.4f} to {losses[-1]:.4f}{'' if good else ' WRONG'}")
    print(f"{len(CASES)} trajectories, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(record() if sys.argv[1] == "record" else compare(sys.argv[2], sys.argv[3]))
