# Short batches in buffers of as many rows, each before a page that nobody may touch: exact-buffers.py LONG.so [PARTS.so OF-THAT-SIZE.so]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import mmap
import random
import sys

from model import KINDS, Model, array

ROWS, VALID = 32, 11
SIZES = {"table": 800, "w": 180, "g": 20, "b": 20, "out": 100}
WIDTHS = {"x": ("f32", 5), "word": ("i32", 3), "label": ("i32", 1)}
libc = ctypes.CDLL(None, use_errno=True)
pages = []  # kept as long as the program runs


def guarded(kind, count):
    """An array that ends where a page without access begins."""
    size = ctypes.sizeof(KINDS[kind]) * count
    room = (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE * mmap.PAGESIZE
    pages.append(mmap.mmap(-1, room + mmap.PAGESIZE))
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages[-1]))
    if libc.mprotect(ctypes.c_void_p(start + room), ctypes.c_size_t(mmap.PAGESIZE), 0):
        sys.exit("mprotect failed")
    return (KINDS[kind] * count).from_address(start + room - size)


def filled(kind, values):
    buffer = guarded(kind, len(values))
    buffer[:] = values
    return buffer


def bits(values):
    return bytes(values)


failures = []


def expect(what, good):
    if not good:
        failures.append(what)


def close(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-5 + 1e-4 * abs(y) for x, y in zip(a, b))


random.seed(3)
data = {"x": [random.uniform(0.3, 3) for _ in range(ROWS * 5)], "word": [random.randrange(20) for _ in range(ROWS * 3)],
        "label": [random.randrange(5) for _ in range(ROWS)]}
data["label"][0] = -1  # the row that fills the batch up need not count
start = {name: [random.gauss(0, 0.5) for _ in range(size)] for name, size in SIZES.items()}
REST = {"x": math.nan, "word": 1 << 30, "label": 77}  # padding that no call may read


def inputs(names, rows, make=filled, total=0):
    """`rows` rows of data, then garbage up to `total`."""
    return [make(WIDTHS[n][0], data[n][:rows * WIDTHS[n][1]] + [REST[n]] * max(0, total - rows) * WIDTHS[n][1]) for n in names]


def fresh(path):
    model = Model(path, "exact")
    for name, values in start.items():
        model.set(name, values)
    return model


def state(model, prefix=""):
    """The parameters, or the gradients except the table's: the rows of that gradient have no fixed order."""
    return {name: model.tensor(prefix + name, size) for name, size in SIZES.items() if not prefix or name != "table"}


def check_steps(path, twin):
    """Training, alone and in halves. `twin`: a model of as many rows, if that computes the same."""
    given, padded = inputs(WIDTHS, VALID), inputs(WIDTHS, VALID, array, ROWS)
    short, garbage = fresh(path), fresh(path)
    full = fresh(twin) if twin else None
    for step in range(4):
        split = step % 2
        for model, arrays, valid in [(short, given, VALID), (garbage, padded, VALID), (full, given, 0)]:
            for program in (["grad", "apply"] if split else ["train_step"]) if model else []:
                model.run(program, [] if program == "apply" else arrays, valid=0 if program == "apply" else valid)
        for prefix in ["", "fit.gradient."] if split else [""]:
            ours = state(short, prefix)
            for name, values in ours.items():
                expect(f"{path}: step {step}: {prefix}{name} is finite", all(map(math.isfinite, values)))
                expect(f"{path}: step {step}: {prefix}{name} as with other rows behind", bits(values) == bits(state(garbage, prefix)[name]))
                if full:
                    expect(f"{path}: step {step}: {prefix}{name} as in a model of that size", close(values, state(full, prefix)[name]))
    named = set(data["word"][:VALID * 3])
    for row in range(200):
        same = list(short.tensor("table", 800)[row * 4:row * 4 + 4]) == list(array("f32", start["table"][row * 4:row * 4 + 4]))
        expect(f"{path}: row {row} of the table changed only if named", same or row in named)


def check_functions(path, twin, rows):
    """Evaluation and exports, in the state's memory and in memory of the caller."""
    model, full = fresh(path), fresh(twin) if twin else None
    whole = {n: array(k, data[n][:rows * w]) for n, (k, w) in WIDTHS.items()}
    valid = min(VALID, rows - 3)
    losses = [guarded("f32", 1), guarded("f32", 1)]
    model.run("eval", inputs(WIDTHS, valid), [losses[0]], valid)
    model.run("eval", inputs(WIDTHS, valid, array, rows), [losses[1]], valid)
    expect(f"{path}: loss", bits(losses[0]) == bits(losses[1]) and math.isfinite(losses[0][0]))
    if full:
        full.run("eval", inputs(WIDTHS, VALID), [losses[1]])
        expect(f"{path}: loss as in a model of that size", close(losses[0], losses[1]))
    for program, names, widths, fixed in [("predict", ["x", "word"], 5, [25]), ("look_up", ["word"], 12, [])]:
        expected = [array("f32", [0] * size) for size in [rows * widths, *fixed]]
        model.run(program, [whole[n] for n in names], expected)
        for workspace in [None, filled("u8", [0] * model.call("workspace_bytes", restype=ctypes.c_size_t))]:
            if workspace and ctypes.addressof(workspace) % 64:
                sys.exit("the size of a workspace is no multiple of 64 bytes")
            got = [guarded("f32", size) for size in [valid * widths, *fixed]]
            model.run(program, inputs(names, valid), got, valid, workspace)
            expect(f"{path}: {program}: rows", bits(got[0]) == bits(expected[0])[:valid * widths * 4])
            expect(f"{path}: {program}: what has no rows", not fixed or bits(got[1]) == bits(expected[1]))
            behind = array("f32", [5.0] * rows * widths)
            model.run(program, inputs(names, valid, array, rows), [behind, *got[1:]], valid, workspace)
            expect(f"{path}: {program}: nothing written behind", list(behind[valid * widths:]) == [5.0] * (rows - valid) * widths)


long, parts, size = (sys.argv[1:] + [None, None])[:3]
check_steps(long, size)
check_functions(long, size, ROWS)
if parts:
    check_steps(parts, None)
    check_functions(parts, None, ROWS // 4)
# Full batches keep to their buffers as well.
model = fresh(long)
model.run("train_step", inputs(WIDTHS, ROWS))
model.run("predict", inputs(["x", "word"], ROWS), [guarded("f32", ROWS * 5), guarded("f32", 25)])
print(f"{model.call('tier', model.state, restype=ctypes.c_char_p).decode()}: {len(failures)} failures")
print("\n".join(failures[:20]))
sys.exit(1 if failures else 0)
