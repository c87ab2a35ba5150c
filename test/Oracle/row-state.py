# Truncated backpropagation through time with states per row of the batch: recorded from PyTorch, compared with ampc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A language model of one LSTM in f64, 14 rows in windows of 4: the fourth window is short, and the fifth begins with the first rows again.

    row-state.py record > row-state.json             # needs PyTorch
    row-state.py steps row-state.json LIBRARY.so     # losses, weights and states of seven windows
    row-state.py calls row-state.json CARRIED.so PASSED.so   # evaluations and exports
    row-state.py files row-state.json FOLDER         # data of `ampc eval` and `ampc predict`
    row-state.py predictions row-state.json FILE.npy # rows of `ampc predict`
"""
import ctypes
import json
import struct
import sys

import model as interface
from closeness import share

interface.KINDS["f64"] = ctypes.c_double
BATCH, TIME, WIDTH, WORDS, ROWS, WINDOWS = 4, 4, 5, 7, 14, 7
SIZES = {"table": WORDS * WIDTH, "wx": WIDTH * 4 * WIDTH, "wh": WIDTH * 4 * WIDTH, "b": 4 * WIDTH, "out": WIDTH * WORDS}
STATES = {"h": BATCH * WIDTH, "c": BATCH * WIDTH}
STARTS = {4, 9}  # rows whose sequence is a new one


def draws(count, seed):
    values = []
    for _ in range(count):
        seed = (1103515245 * seed + 12345) % 2**31
        values.append(seed)
    return values


TOKENS = [value // 1000 % WORDS for value in draws(ROWS * TIME, 1)]  # [row, time]
NEXT = [value // 1000 % WORDS for value in draws(ROWS * TIME, 2)]
START = [row in STARTS for row in range(ROWS)]
FIRST = {name: [value / 2**30 - 1 for value in draws(size, 3 + i)] for i, (name, size) in enumerate(SIZES.items())}


def windows(count, size=BATCH):
    """Rows of each window; a window at the end of the rows is short."""
    starts = list(range(0, ROWS, size))
    return [list(range(ROWS))[start:start + size] for start in (starts * count)[:count]]


def record():
    import torch
    from torch.nn.functional import cross_entropy
    shapes = {"table": (WORDS, WIDTH), "wx": (WIDTH, 4 * WIDTH), "wh": (WIDTH, 4 * WIDTH), "b": (4 * WIDTH,), "out": (WIDTH, WORDS)}
    tokens, targets = (torch.tensor(values).view(ROWS, TIME) for values in (TOKENS, NEXT))
    start = torch.tensor(START)
    weights = {name: torch.tensor(FIRST[name], dtype=torch.float64).view(shape).requires_grad_() for name, shape in shapes.items()}

    def run(rows, h, c):
        """Scores [row, time, word] and the states behind the rows."""
        lstm = torch.nn.LSTM(WIDTH, WIDTH, dtype=torch.float64)
        own = {"weight_ih_l0": weights["wx"].T, "weight_hh_l0": weights["wh"].T, "bias_ih_l0": weights["b"], "bias_hh_l0": torch.zeros(4 * WIDTH, dtype=torch.float64)}
        new = start[rows][:, None]
        h, c = (torch.where(new, torch.zeros_like(state), state) for state in (h, c))
        y, (h, c) = torch.func.functional_call(lstm, own, (weights["table"][tokens[rows]].transpose(0, 1), (h[None], c[None])))
        return (y @ weights["out"]).transpose(0, 1), h[0], c[0]

    def loss_of(rows, h, c):
        scores, h, c = run(rows, h, c)
        return cross_entropy(scores.reshape(-1, WORDS), targets[rows].reshape(-1)), h, c

    zeros = lambda rows: torch.zeros(rows, WIDTH, dtype=torch.float64)
    h, c, found = zeros(BATCH), zeros(BATCH), {"losses": []}
    for rows in windows(WINDOWS):
        n = len(rows)
        loss, h1, c1 = loss_of(rows, h[:n], c[:n])
        found["losses"].append(loss.item())
        gradients = torch.autograd.grad(loss, list(weights.values()))
        weights = {name: (w - 0.5 * g).detach().requires_grad_() for (name, w), g in zip(weights.items(), gradients)}
        h, c = (torch.cat([now.detach(), old[n:]]) for now, old in ((h1, h), (c1, c)))
    found["weights"] = {name: w.flatten().tolist() for name, w in weights.items()}
    found["states"] = {"h": h.flatten().tolist(), "c": c.flatten().tolist()}
    with torch.no_grad():
        found["first values"] = [loss_of(rows, zeros(len(rows)), zeros(len(rows)))[0].item() for rows in windows(4)]
        h, c, found["passed"], found["scores"] = zeros(BATCH), zeros(BATCH), [], []
        for rows in windows(4):
            n = len(rows)
            loss, h[:n], c[:n] = loss_of(rows, h[:n], c[:n])
            found["passed"].append(loss.item())
        h, c = zeros(1), zeros(1)
        for rows in windows(ROWS, 1):
            scores, h, c = run(rows, h, c)
            found["scores"] += scores.flatten().tolist()
    print(json.dumps(found, indent=1))


class Report(ctypes.Structure):
    """ampc_train_out, up to `loss_double`."""
    _fields_ = [("size", ctypes.c_uint32), ("numbers", ctypes.c_uint32 * 5), ("step", ctypes.c_uint64), ("loss", ctypes.c_double)]


class Model(interface.Model):
    def read(self, name, count):
        values = interface.array("f64", [0.0] * count)
        self.copy("get", name, values)
        return list(values)

    def write(self, name, values):
        self.copy("set", name, interface.array("f64", values))

    def inputs(self, rows, size):
        """Buffers of exactly `size` rows; rows behind the valid ones hold words that the table lacks."""
        rest = size - len(rows)
        pick = lambda values: [values[row * TIME + t] for row in rows for t in range(TIME)] + [77] * rest * TIME
        return {"token": interface.array("i32", pick(TOKENS)), "start": interface.array("i1", [START[row] for row in rows] + [0] * rest),
                "next": interface.array("i32", pick(NEXT))}

    def step(self, rows):
        fields = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)]
        given = self.inputs(rows, BATCH)
        out = Report(size=ctypes.sizeof(Report))
        self.check(self.call("train_step", self.state, ctypes.byref(interface.pointer_struct(fields, (len(rows), 0.0, 0, None), list(given.values()))),
                             ctypes.byref(out)), "train_step")
        return out.loss


def check_steps(wanted, library):
    model = Model(library, "lm")
    for name, values in FIRST.items():
        model.write(name, values)
    losses = [model.step(rows) for rows in windows(WINDOWS)]
    worst = share(losses, wanted["losses"], absolute=1e-10)
    for name, values in {**wanted["weights"], **wanted["states"]}.items():
        worst = max(worst, share(model.read(name, len(values)), values, absolute=1e-10))
    return worst


def trained(library, wanted):
    """A model with the recorded weights, and with states that no evaluation may read."""
    model = Model(library, "lm")
    for name, values in wanted["weights"].items():
        model.write(name, values)
    for name, size in STATES.items():
        model.write(name, [9.0] * size)
    return model


def run_rows(model, program, rows, size, states):
    """Outputs of a call; `states` are passed and replaced, if there are any."""
    given = model.inputs(rows, size)
    if program != "eval":
        del given["next"]
    result = interface.array("f64", [0.0] * (1 if program == "eval" else size * TIME * WORDS))
    new = [interface.array("f64", list(state)) for state in states]
    model.run(program, [*given.values(), *states], [result, *new], len(rows))
    states[:] = new
    return list(result)


def check_calls(wanted, carried, passed):
    model, worst = trained(carried, wanted), 0.0
    losses = [run_rows(model, "eval", rows, BATCH, [])[0] for rows in windows(4)]
    worst = max(worst, share(losses, wanted["first values"], absolute=1e-10))
    model, zeros = trained(passed, wanted), lambda rows: [interface.array("f64", [0.0] * rows * WIDTH) for _ in STATES]
    states = zeros(BATCH)
    losses = [run_rows(model, "eval", rows, BATCH, states)[0] for rows in windows(4)]
    worst = max(worst, share(losses, wanted["passed"], absolute=1e-10))
    states, scores = zeros(1), []
    for rows in windows(ROWS, 1):
        scores += run_rows(model, "one", rows, 1, states)
    worst = max(worst, share(scores, wanted["scores"], absolute=1e-10))
    for name, size in STATES.items():  # of training
        worst = max(worst, share(model.read(name, size), [9.0] * size))
    return worst


def write_npy(path, kind, shape, values):
    size = struct.calcsize(kind)
    header = f"{{'descr': '{'|b1' if kind == '?' else f'<{kind}{size}'}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{kind}", *values))


def write_files(wanted, folder):
    write_npy(f"{folder}/token.npy", "i", (ROWS, TIME), TOKENS)
    write_npy(f"{folder}/next.npy", "i", (ROWS, TIME), NEXT)
    write_npy(f"{folder}/start.npy", "?", (ROWS,), START)
    header, data = {}, b""
    shapes = {"table": [WORDS, WIDTH], "wx": [WIDTH, 4 * WIDTH], "wh": [WIDTH, 4 * WIDTH], "b": [4 * WIDTH], "out": [WIDTH, WORDS], "h": [BATCH, WIDTH], "c": [BATCH, WIDTH]}
    for name, values in {**wanted["weights"], **{name: [9.0] * size for name, size in STATES.items()}}.items():
        header[name] = {"dtype": "F64", "shape": shapes[name], "data_offsets": [len(data), len(data) + 8 * len(values)]}
        data += struct.pack(f"<{len(values)}d", *values)
    text = json.dumps(header).encode()
    with open(f"{folder}/weights.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)
    mean = lambda losses: sum(loss * len(rows) for loss, rows in zip(losses, windows(4))) / ROWS
    print(f"first values {mean(wanted['first values']):.9g}\npassed {mean(wanted['passed']):.9g}")
    return 0.0


def check_predictions(wanted, path):
    with open(path, "rb") as file:
        file.seek(8)
        size, = struct.unpack("<H", file.read(2))
        file.seek(10 + size)
        scores = struct.unpack(f"<{len(wanted['scores'])}d", file.read())
    return share(scores, wanted["scores"], absolute=1e-10)


if sys.argv[1] == "record":
    record()
else:
    with open(sys.argv[2]) as recorded:
        check = {"steps": check_steps, "calls": check_calls, "files": write_files, "predictions": check_predictions}[sys.argv[1]]
        worst = check(json.load(recorded), *sys.argv[3:])
    print("as PyTorch" if worst <= 1 else f"different: {worst} of the tolerance")
