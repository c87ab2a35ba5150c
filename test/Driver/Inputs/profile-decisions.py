# Decisions from a profile, just inside and just outside of each limit: profile-decisions.py write FOLDER; profile-decisions.py check FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from optimizers import write_npy

MODEL = os.path.join(os.path.dirname(__file__), "profile-decisions.mlir")
command, folder = sys.argv[1:3]


def write():
    """Three elements of t are 0; c moves by 0.75 of half a unit in the last place of f16, except for 1 element."""
    write_npy(f"{folder}/x.npy", "f", (8, 8), [0.125] * 64)
    write_npy(f"{folder}/t.npy", "f", (8, 8), [0.0] * 3 + [1.0] * 61)
    write_npy(f"{folder}/u.npy", "f", (8,), [0.0] + [-0.75 * 2**-11] * 7)
    model("initial = 64.0", "model")


def model(scaling, name):
    with open(MODEL) as file, open(f"{folder}/{name}.mlir", "w") as out:
        out.write(file.read().replace("SCALING", scaling))


def value(counts, zeros=0, nonfinite=0, largest=None, **more):
    """A line of a profile: numbers of elements by exponent."""
    first = min(counts)
    row = {"elements": sum(counts.values()) + zeros + nonfinite, "zeros": zeros, "nonfinite": nonfinite, "first": first,
           "max": 1.5 * 2.0 ** max(counts) if largest is None else largest,
           "counts": [counts.get(e, 0) for e in range(first, max(counts) + 1)]}
    return {**row, **more}


def compiled(name, values, *options, precision="f16", scaling="initial = 64.0", edit=None, policy="mincut"):
    """Remarks and warnings of the model compiled with the profile, in which all gradients are about 2^-4 and all else about 1, but for `values`."""
    profile = copy.deepcopy(plain)
    for step in profile["profiles"]:
        for row in step["values"]:
            row.update(value({0 if row["kind"] == "forward" else -4: 64}))
            row.update(values.get(row["name"], {}))
    if edit:
        edit(profile)
    with open(f"{folder}/{name}.json", "w") as out:
        json.dump(profile, out)
    model(scaling, name)
    done = subprocess.run(["ampc", "compile", f"{folder}/{name}.mlir", f"--precision={precision}", f"--policy={policy}", "--explain-precision",
                           f"--precision-profile={folder}/{name}.json", "--compile-to=loss-scale", *options],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.stderr


def kept(text):
    """Why ops compute in f32 by the profile, by name."""
    return dict(re.findall(r"remark: (\S+): train\.\w+ computes in 'f32' \(profile\): (.*)", text))


def scale(text):
    (start,) = re.findall(r"the loss scale of s starts at (\d+):", text)
    return int(start)


def expect(name, got, want):
    assert got == want, f"{name}: expected {want}, but got {got}"


def limits_of_values():
    """f16 has no number below 2^-24 and none above 65504, a fourth of which is 16376."""
    flushed = lambda share: f"in the profile f16 would flush {share} % of the elements to 0"
    margin = "in the profile the value reaches 1.638e+04, within a factor of 4 of the end of f16, 65504"
    for name, row, why in (
        ("edge", value({-24: 100}), None), ("below", value({-25: 100}), flushed(100)),
        ("five", value({-25: 5, 0: 95}), None), ("six", value({-25: 6, 0: 94}), flushed(6)),
        ("zeros", value({-25: 6, 0: 94}, zeros=900), flushed(6)), ("one", value({-25: 1, 0: 9}), flushed(10)),
        ("margin", value({13: 1}, largest=16376.0), None), ("beyond", value({13: 1}, largest=16384.0), margin),
        ("infinite", value({0: 99}, nonfinite=1), "the profile has 1 infinite or NaN elements of the value"),
    ):
        expect(name, kept(compiled(name, {"second/mul#0": row})), {"second/mul#0": why} if why else {})
    low = {"first/mul#1": value({-133: 100}), "second/mul#0": value({-134: 100})}
    expect("bf16", list(kept(compiled("bf16", low, precision="bf16"))), ["second/mul#0"])
    # A contraction with an operand that does not fit f16 computes in f32, unless the user fixes the type.
    wide = {"first/add#0": value({14: 1}, largest=20000.0)}
    text = compiled("operand", wide)
    expect("operand", "first/matmul#1: train.matmul computes in 'f32'" in text and "an operand does not fit f16: in the profile the value reaches 2e+04" in text, True)
    text = compiled("fixed", wide, "--precision-override", "^first/matmul#1$=f16")
    expect("fixed", "first/matmul#1: train.matmul computes in 'f16' (override)" in text, True)


def scales():
    """Gradients of about 2^-4: 1.5 * 2^-4 * 2^17 = 12288."""
    grad = "first/mul#0.grad"
    expect("all", scale(compiled("all", {})), 1 << 17)
    for name, row, want in (("equal", value({3: 1}, largest=16376 / 1024), 1024), ("more", value({4: 1}, largest=16.0), 512),
                            ("statistic", value({13: 1}, largest=16000.0, statistic=True), 1 << 17),
                            ("misfit", value({14: 1}, largest=20000.0), 1 << 17)):
        expect(name, scale(compiled(name, {grad: row})), want)
    small = {name: value({-30: 64}) for name in (row["name"] for step in plain["profiles"] for row in step["values"]) if name.endswith(("grad", ":2", ":3"))}
    expect("most", scale(compiled("most", small)), 1 << 24)
    # Steps that share a scaler start with the smallest scale within the scaler's limits, which judges all values.
    shared = {"second/mul#0.grad": value({1: 64}), grad: value({-37: 64}), "first/matmul#0.grad": value({-36: 64})}
    text = compiled("shared", shared)
    expect("shared", (scale(text), grad in kept(text), "first/matmul#0.grad" in kept(text)), (4096, True, False))
    expect("floor", scale(compiled("floor", shared, scaling="initial = 5000.0, floor = 5000.0")), 5000)
    expect("cap", scale(compiled("cap", shared, scaling="initial = 64.0, cap = 2048.0")), 2048)
    # Judged with the scale within the limits: 3 * 8192 is too large; at 2048 values below 2^-35 are flushed.
    high = compiled("high", shared, scaling="initial = 8192.0, floor = 8192.0")
    expect("high", "the value reaches 2.458e+04," in kept(high).get("second/mul#0.grad", ""), True)
    capped = compiled("capped", {grad: value({-36: 64}), "first/matmul#0.grad": value({-35: 64})}, scaling="initial = 64.0, cap = 2048.0")
    expect("capped", (grad in kept(capped), "first/matmul#0.grad" in kept(capped)), (True, False))
    # Only `autocast` rounds gradients of parameters.
    weights = {"a.gradient": value({9: 64}, largest=1000.0)}
    expect("mincut", scale(compiled("mincut", weights)), 1 << 17)
    small = lambda exponent: compiled("weights", {"a.gradient": value({exponent: 64})}, policy="autocast")
    expect("weights", (kept(small(-41)), len(kept(small(-42)))), ({}, 1))  # 2^-24 / 2^17
    weights[grad] = value({-29: 64})  # below 2^-28 at a scale of 16
    text = compiled("autocast", weights, policy="autocast")
    expect("autocast", (scale(text), grad in kept(text)), (16, True))


def cancelling():
    """An operand of a sum in f16 (bf16) may be 256 (32) times as large as the sum: mul#0 is the first operand of `sub`, sub#0 the second
    of `add`."""
    for name, precision, exponent, zeros, want in (("f16", "f16", 9, 0, True), ("enough", "f16", 8, 0, False), ("bf16", "bf16", 6, 0, True),
                                                   ("little", "bf16", 5, 0, False), ("thin", "bf16", 6, 300, False)):
        row = value({exponent: 100}, zeros=zeros)
        found = kept(compiled("cancel-" + name, {"first/mul#0": row}, precision=precision))
        expect(f"first operand, {name}", "first/sub#0, a sum with this value" in found.get("first/mul#0", ""), want)
        found = kept(compiled("second-" + name, {"first/sub#0": row, "first/mul#0": row}, precision=precision))
        expect(f"second operand, {name}", "first/add#0, a sum with this value" in found.get("first/sub#0", ""), want)
    row = value({9: 100}, statistic=True)
    expect("statistic", kept(compiled("cancel-statistic", {"first/mul#0": row})), {})


def updates():
    """Counts of the run, and the share of lost updates from which on the compiler warns."""
    rows = {row["name"]: row for step in plain["profiles"] for row in step["parameters"]}
    expect("c", rows["c"], {"name": "c", "updates": 7, "lost_in_f16": 7, "lost_in_bf16": 7})
    expect("a", rows["a"], {"name": "a", "updates": 64, "lost_in_f16": 0, "lost_in_bf16": 0})
    (log,) = (row for step in plain["profiles"] for row in step["values"] if row["name"] == "first/log#0")
    expect("log", (log["elements"], log["zeros"], log["nonfinite"]), (64, 61, 3))

    def lose(count):
        def edit(profile):
            profile["profiles"][0]["parameters"][0].update(updates=100, lost_in_f16=count, lost_in_bf16=0)
            profile["profiles"][0]["parameters"][1].update(updates=100, lost_in_f16=0, lost_in_bf16=100)
        return edit

    for count, want in ((5, []), (6, [("6.0", "a")])):
        text = compiled(f"lost{count}", {}, "--master-weights=false", edit=lose(count))
        expect(f"{count} of 100 lost", re.findall(r"'f16' loses (\S+) % of the updates that the profile has of @(\w+)", text), want)


def stale():
    """A profile of a model that has changed since."""
    def row(profile, step, name):
        return next(row for row in profile["profiles"][step]["values"] if row["name"] == name)

    def rename(profile):
        row(profile, 1, "second/mul#0")["name"] = "second/mul#1"

    def more(profile):
        profile["profiles"][1]["values"].append({**row(profile, 1, "second/mul#0"), "name": "second/mul#1"})

    def less(profile):
        profile["profiles"][0]["values"].remove(row(profile, 0, "first/sub#0"))

    def parameter(profile):
        profile["profiles"][0]["parameters"][0]["name"] = "d"

    for edit, want in ((rename, "the profile lacks the model's value 'second/mul#0'"), (more, "the model lacks the profile's value 'second/mul#1'"),
                       (less, "the profile lacks the model's value 'first/sub#0'"), (parameter, "the model lacks the profile's parameter @d")):
        text = compiled(edit.__name__, {}, edit=edit)
        expect(edit.__name__, re.findall("error: expected a profile of this model in .*, but (.*)", text), [want])


if command == "write":
    write()
else:
    with open(f"{folder}/profile.json") as file:
        plain = json.load(file)
    for case in (limits_of_values, scales, cancelling, updates, stale):
        case()
        print(case.__name__, "done")
