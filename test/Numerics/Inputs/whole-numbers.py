"""Casts to integers, truth values and bounds of random numbers beside NumPy and by hand.

    whole-numbers.py model          the model
    whole-numbers.py run FOLDER     with the library and binding in FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

SIZES = [1, 5, 21, 64]  # less than a vector, and vectors with and without a rest
REALS = ["f32", "f64", "f16", "bf16"]
WHOLE = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
NUMBERS = [0.0, -0.0, 0.5, -0.5, 2.5, 2.0, 1e-40, -1e-7, 127.0, 127.5, 128.0, -128.9, -129.0, 255.9, 300.0, -300.0, 32767.5, -32769.0, 2.0**31,
           -2.0**31, 2.0**31 - 128, 3e9, -3e9, 2.0**62, 2.0**63, -2.0**63, 1e30, -1e30, np.inf, -np.inf, np.nan]
INTEGERS = [0, 1, 2, -1, 127, 128, -129, 256, 2**15, 2**31 - 1, -2**31, 2**32, 2**40 + 1, -2**63, 2**63 - 1]
# Results for two truth values, in the order 00, 01, 10, 11.
TRUTHS = {"maximum %a, %b": "0111", "minimum %a, %b": "0001", "compare lt %a, %b": "0100", "compare le %a, %b": "1101", "compare gt %a, %b": "0010",
          "compare ge %a, %b": "1011", "compare eq %a, %b": "1001", "compare ne %a, %b": "0110", "add %a, %b": "0110", "sub %a, %b": "0110",
          "mul %a, %b": "0001", "div %a, %b": "0001", "neg %a": "0011", "abs %a": "0011"}
DRAWS = 1 << 18
# Bounds for which a draw plus the lower bound rounds to the upper bound.
UNIFORM = [("f32", 100.0, 101.0), ("f32", -1.0, 1.0), ("bf16", 0.0, 1.0), ("f16", 0.0, 1.0), ("bf16", 100.0, 101.0), ("f16", -3.0, -2.0),
           ("f64", 0.0, 1.0), ("f32", 5.0, 5.0), ("f32", -3.4e38, 3.4e38)]


def print_model():
    print("train.model @whole {")

    def export(name, arguments, ops):
        body, results = "", []
        for number, op in enumerate(ops):
            body += f"    %y{number} = train.{op}\n"
            results.append(f"%y{number}")
        print(f'  train.func @{name}({arguments}) {{\n{body}    train.return {", ".join(results)}\n  }}\n  train.export @{name} as "{name}"')

    for number, (kind, low, high) in enumerate(UNIFORM[:7]):
        print(f"  train.buffer @first_{number} : {kind}[{DRAWS}] = #train.uniform<low = {low}, high = {high}>")
    print("""  train.buffer @filled : i8[3] = #train.fill<300.0>
  train.buffer @truth : i1[3] = #train.fill<2.5>""")
    for n in SIZES:
        for real in REALS:
            export(f"cast_{real}_{n}", f"%x: {real}[{n}]", [f"cast %x to {whole}" for whole in WHOLE])
        # Inputs that do not fit are refused, computed numbers are not.
        export(f"narrow_{n}", f"%x: i64[{n}]", [f"cast %y0 to {whole}" if whole else "neg %x" for whole in ["", *WHOLE] if whole != "i64"])
        export(f"truths_{n}", f"%a: i1[{n}], %b: i1[{n}]", TRUTHS)
    for number, (kind, low, high) in enumerate(UNIFORM):
        print(f"""  train.func @uniform_{number}() {{
    %u = train.random_uniform from {low} to {high} : {kind}[{DRAWS}]
    %r = train.cast %u to f64
    %least = train.reduce_min %r over [0]
    %most = train.reduce_max %r over [0]
    train.return %least as "least", %most as "most"
  }}
  train.export @uniform_{number} as "uniform_{number}\"""")
    print(f"""  train.func @others() {{
    %none = train.random_bernoulli 0.0 : f32[{DRAWS}]
    %all = train.random_bernoulli 1.0 : f32[{DRAWS}]
    %normal = train.random_normal mean 0.0 std 1.0 : f32[{DRAWS}]
    %size = train.abs %normal
    %u = train.random_uniform from 0.0 to 1.0 : f32[{DRAWS}]
    %one = train.constant dense<1.0> : tensor<f32>
    %rest = train.sub %one, %u
    %log = train.log %rest
    %a = train.reduce_max %none over [0]
    %b = train.reduce_min %all over [0]
    %c = train.reduce_max %size over [0]
    %d = train.reduce_min %log over [0]
    train.return %a as "none", %b as "all", %c as "normal", %d as "log"
  }}
  train.export @others as "others"
}}""")


def cast(x, bits):
    """Cast of a real number: saturated, NaN -> 0, and to i1 whether the number is not 0. Cast of an integer: the lower bits."""
    if bits == 1:
        return x != 0
    if isinstance(x, int):
        return (x + 2**(bits - 1)) % 2**bits - 2**(bits - 1)
    if np.isnan(x):
        return 0
    low, high = -2**(bits - 1), 2**(bits - 1) - 1
    return int(np.clip(np.trunc(x), low, high)) if abs(x) < 2**(bits - 1) else high if x > 0 else low


class Count:
    def __init__(self):
        self.right = self.wrong = 0

    def same(self, what, got, want):
        if np.array_equal(got, want):
            self.right += 1
        else:
            self.wrong += 1
            print(f"{what}: expected {want}, but got {got}")


def check_casts(model, count):
    random = np.random.default_rng(3)
    types = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.float32}
    with np.errstate(all="ignore"):
        values = {real: np.array(NUMBERS, dtype) for real, dtype in types.items()}
    # The numbers that bf16 holds: the upper half of the bits.
    values["bf16"] = (values["bf16"].view(np.uint32) & 0xffff0000).view(np.float32)
    for n in SIZES:
        for name, numbers in [*((f"cast_{real}_{n}", values[real]) for real in REALS), (f"narrow_{n}", np.array(INTEGERS))]:
            # All elements equal, and all kinds mixed.
            for x in [*(np.full(n, number) for number in numbers), random.choice(numbers, n)]:
                got = getattr(model, name)(x)
                isWhole = x.dtype.kind == "i"
                for place, (whole, bits) in enumerate(list(WHOLE.items())[:len(got) - isWhole]):
                    want = [cast(cast(-number.item(), 64) if isWhole else number.item(), bits) for number in x]
                    count.same(f"{name} of {x} to {whole}", got[f"out{place + isWhole}"].tolist(), want)


def check_truths(model, count):
    for n in SIZES:
        sides = np.arange(n) % 4
        got = getattr(model, f"truths_{n}")(sides >= 2, sides % 2 == 1)
        for place, (op, table) in enumerate(TRUTHS.items()):
            count.same(f"{op}, {n}", got[f"out{place}"].astype(int).tolist(), [int(table[side]) for side in sides])


def check_draws(models, count):
    with np.errstate(all="ignore"):
        for number, (kind, low, high) in enumerate(UNIFORM):
            for model in models:
                drawn = getattr(model, f"uniform_{number}")()
                lies = low <= drawn["least"] + 1e-6 * abs(low) and (drawn["most"] < high or low == high == drawn["most"])
                count.same(f"[{low}, {high}) in {kind}: {drawn}", bool(lies), True)
    drawn = models[0].others()
    count.same("bernoulli 0 and 1", [drawn["none"], drawn["all"]], [0, 1])
    count.same("normal", bool(3 < drawn["normal"] < 6), True)
    count.same("log(1 - u)", bool(np.isfinite(drawn["log"])), True)


def check_first_values(model, count):
    for number, (kind, low, high) in enumerate(UNIFORM[:7]):
        x = model[f"first_{number}"].astype("f8")
        count.same(f"first values of {kind} in [{low}, {high}): {x.min()} to {x.max()}", bool(low - 1e-6 <= x.min() and x.max() < high), True)
    count.same("an integer of 300", model["filled"].tolist(), [127] * 3)
    count.same("a truth of 2.5", model["truth"].astype(int).tolist(), [1] * 3)


def run(folder):
    sys.path.insert(0, folder)
    import whole
    model, count = whole.Model(), Count()
    check_casts(model, count)
    check_truths(model, count)
    check_draws([whole.Model(seed=seed) for seed in range(4)], count)
    check_first_values(model, count)
    print(f"{count.right} right, {count.wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
