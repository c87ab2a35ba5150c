# Data for the models of numerics-*.mlir, and the expected errors and exponents, computed in f64 and rounded by hand.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from closeness import distance
from optimizers import write_npy


def bf16(x):
    """Rounds to 8 binary digits, ties to even; Python's round does the same."""
    if x == 0:
        return 0.0
    exponent = math.frexp(x)[1]
    return math.ldexp(round(math.ldexp(x, 8 - exponent)), exponent - 8)


def cancel_x():
    random.seed(1)
    return [[random.randrange(-512, 512) / 256 for _ in range(8)] for _ in range(8)]


def exponents_t():
    return [(-1) ** i * 2.0 ** (-4 - i % 32) if i % 16 else 0.0 for i in range(64)]


def write(folder):
    def save(name, shape, values):
        write_npy(f"{folder}/{name}.npy", "f", shape, values)

    save("cancel-x", (8, 8), sum(cancel_x(), []))
    save("zeros", (8, 4), [0.0] * 32)
    large = [20000.0 if row == 2 else 1.0 for row in range(8) for _ in range(4)]
    save("large-x", (8, 4), large)
    save("small-x", (8, 4), [1.0] * 32)
    save("far-y", (8, 4), [-30000.0] * 32)
    save("zero-row-x", (8, 4), [0.0 if row == 6 else 1.0 for row in range(8) for _ in range(4)])
    save("nan-x", (8, 4), [float("nan") if i in (13, 22) else 1.0 for i in range(32)])
    save("short-nan-x", (11, 4), [float("nan") if i == 4 * 8 + 2 else 1.0 for i in range(44)])
    save("short-y", (11, 4), [0.0] * 44)
    random.seed(2)
    save("mixed-x", (30, 24), [random.gauss(0, 1) for _ in range(30 * 24)])
    write_npy(f"{folder}/mixed-y.npy", "i", (30,), [random.randrange(5) for _ in range(30)])
    save("ones-x", (8, 4), [1.0] * 32)
    save("large-s", (8, 1), [16.0] * 8)
    save("small-t", (8, 1), [2.0**-10] * 8)
    save("exponents-x", (8, 8), [2.0**-3] * 64)
    save("exponents-t", (8, 8), exponents_t())
    save("positions-p", (8, 1), [1000.0 + i for i in range(8)])


def norm_error(got, exact):
    return math.sqrt(sum((g - e) ** 2 for g, e in zip(got, exact)) / sum(e**2 for e in exact))


def max_error(got, exact):
    return distance(got, exact) / max(map(abs, exact))


def against(path):
    """All columns of w1 and of w2 are equal, so the elements of each row of a product are equal."""
    narrow, exact, near = {}, {}, {}
    same = lambda x: x
    for row in cancel_x():
        for values, of_input, rounded in ((narrow, bf16, bf16), (exact, same, same), (near, bf16, same)):
            h = rounded(sum(0.25 * of_input(x) for x in row))
            big = rounded(h + 256)
            small = rounded(big - 256)
            p = sum(0.125 * small for _ in range(16))  # read by the loss only
            for name, value in (("matmul#0", h), ("add#0", big), ("sub#0", small), ("matmul#1", p)):
                values.setdefault("loss/" + name, []).append(value)
    with open(path) as file:
        report = json.load(file)
    found = {value["name"]: value for value in report["values"]}
    for name in narrow:
        for key, error, values in (
            ("norm_error", norm_error, narrow),
            ("max_error", max_error, narrow),
            ("sensitivity", norm_error, near),  # all parameters are powers of 2: only x is rounded
        ):
            wanted, got = error(values[name], exact[name]), found[name][key]
            assert math.isclose(wanted, got, rel_tol=1e-5, abs_tol=1e-9), (name, key, wanted, got)
        assert found[name]["type"] == ("f32" if name == "loss/matmul#1" else "bf16"), found[name]
    assert report["first_divergence"] == "loss/sub#0" and not report["passed"], report
    wanted = sum(4 * p**2 for p in narrow["loss/matmul#1"]) / 32
    assert math.isclose(report["steps"][0]["loss"], wanted, rel_tol=1e-5), report["steps"]


def profile(path, steps):
    """x w = 1 everywhere, so the product is t, and the gradient of the mean is t / 64 and 2^-3 times a sum of that."""
    with open(path) as file:
        (step,) = json.load(file)["profiles"]
    values = {value["name"]: value for value in step["values"]}
    assert step["step"] == "fit" and step["steps"] == steps, step["step"]

    def check(name, kind, elements):
        counts, exponents = {}, [math.frexp(x)[1] - 1 for x in elements if x]
        for exponent in exponents:
            counts[exponent] = counts.get(exponent, 0) + steps
        value = values[name]
        got = {value["first"] + i: n for i, n in enumerate(value["counts"]) if n}
        assert got == counts, (name, got, counts)
        assert value["kind"] == kind and value["elements"] == steps * len(elements), value
        assert value["zeros"] == steps * (len(elements) - len(exponents)), value
        assert value["nonfinite"] == 0 and value["max"] == max(map(abs, elements)), value

    t = exponents_t()
    check("loss/matmul#0", "forward", [1.0] * 64)
    check("loss/mul#0", "forward", t)
    check("loss/mul#0.grad", "gradient", [x / 64 for x in t])
    column = [sum(t[8 * row + column] for row in range(8)) / 512 for column in range(8)]
    column = [struct.unpack("f", struct.pack("f", x))[0] for x in column]
    check("w.gradient", "weight-gradient", [round9(x) for x in column * 8])


def steps(path):
    """Gradients of h are 16 / 8 and 2^-10 / 8; gradients of the parameters are 8 times as large, so updates are 2^-6 from 1 and 2^-20 from
    1."""
    with open(path) as file:
        profile = json.load(file)
    first, second = profile["profiles"]
    assert profile["ampc_profile"] == 2 and (first["step"], second["step"]) == ("first", "second")
    for step, loss, gradient in ((first, "large", 2.0), (second, "small", 2.0**-13)):
        values = {value["name"]: value for value in step["values"]}
        assert step["steps"] == 3 and all(name.split("/")[0].endswith(loss) or "/" not in name for name in values), list(values)
        value = values[loss + "/mul#0.grad"]
        assert value["max"] == round9(gradient) and value["elements"] == 24, value
    assert first["parameters"] == [{"name": "a", "updates": 12, "lost_in_f16": 0, "lost_in_bf16": 0}], first["parameters"]
    assert second["parameters"] == [{"name": "b", "updates": 12, "lost_in_f16": 12, "lost_in_bf16": 12}], second["parameters"]


def round9(x):
    """The file gives the largest magnitude with 9 digits."""
    return float(f"{x:.9g}")


def losses(report, log):
    """Losses have the same bits with all values visible as without: the digits of the log distinguish neighbours in f32."""
    with open(report) as file:
        seen = [step["loss"] for step in json.load(file)["steps"]]
    with open(log) as file:
        plain = [float(line.split(",")[1]) for line in file.read().split()[1:]]
    to_bits = lambda xs: [struct.pack("f", x) for x in xs]
    assert len(seen) == len(plain) and len(set(plain)) > 1, (seen, plain)
    assert to_bits(seen) == to_bits(plain), (seen, plain)


command, arguments = sys.argv[1], sys.argv[2:]
if command == "profile":
    profile(arguments[0], int(arguments[1]))
else:
    {"write": write, "against": against, "losses": losses, "steps": steps}[command](*arguments)
