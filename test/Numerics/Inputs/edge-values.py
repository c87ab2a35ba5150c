# Values and gradients of ops where formulas break down, against exact values: edge-values.py model MODEL.mlir | run LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from model import Model, array

INF, NAN, TINY = math.inf, math.nan, 2.0**-149


def single(x):
    return array("f32", [x])[0]


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def bce(x, t):
    return max(x, 0) - x * t + math.log1p(math.exp(-abs(x))) if t not in (0, 1) else math.log1p(math.exp(x if t == 0 else -x))


def bce_slope(x, t):
    return sigmoid(x) if t == 0 else -sigmoid(-x) if t == 1 else sigmoid(x) - t


def gelu_slope(x):
    return 0.5 + 0.5 * math.erf(x / math.sqrt(2)) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def tanh_slope(x):
    return 1 / math.cosh(x)**2 if abs(x) < 1 else None  # 1 - y^2 of a rounded y


# Op on %a (and %b), operand shapes and elements, result shape and elements, and gradients of the sum of the finite results; None: not
# compared.
LOGITS = [(x, t) for x in (-30.0, -15.0, -5.5, -0.25, 0.0, 0.5, 4.0, 15.0, 30.0) for t in (0.0, 0.25, 1.0)]
CURVE = [-1.0e4, -100.0, -20.0, -9.02, -3.5, -0.3, -1.0e-5, -0.0, 1.0e-5, 0.3, 3.5, 9.02, 20.0, 100.0, 1.0e4, INF, -INF, NAN]
POWERS = [-INF, -1.0e9, -104.0, -103.9, -103.0, -95.5, -88.0, -87.4, -87.3, -80.0, -0.0, 1.0, 88.0, 88.72283, 88.73, INF, NAN]
ROWS = [[-INF, -INF, -INF], [INF, 1.0, -2.0], [-INF, 0.5, 0.5], [INF, -INF, 0.0], [80.0, 95.0, 95.0], [1.0, NAN, 2.0]]
ROW_SUMS = [-INF, INF, 0.5 + math.log(2), INF, 95 + math.log(2 + math.exp(-15)), NAN]
ROW_SHARES = [0.0] * 6 + [0.0, 0.5, 0.5] + [0.0] * 3 + [None] * 3 + [0.0] * 3  # sums that are not finite have a cotangent of 0
FAR = [[x] * 3 for x in (-65504.0, 1.0e6, -1.0e9, 1.0e9, -3.4e38)]  # beside which f32 holds no log(3)
CASES = {
    "bce": ("train.bce_with_logits %a, %b reduce none", {"a": ([27], [x for x, _ in LOGITS]), "b": ([27], [t for _, t in LOGITS])},
            [27], [bce(x, t) for x, t in LOGITS], {"a": [bce_slope(x, t) for x, t in LOGITS], "b": [-x for x, _ in LOGITS]}),
    "exp": ("train.exp %a", {"a": ([17], POWERS)}, [17], [math.exp(single(x)) for x in POWERS[:-3]] + [INF, INF, NAN], {}),
    "tanh": ("train.tanh %a", {"a": ([18], CURVE)}, [18], [math.tanh(x) for x in CURVE], {"a": [tanh_slope(x) for x in CURVE]}),
    "gelu_tanh": ("train.gelu_tanh %a", {"a": ([3], [-1.0e4, -60.0, 1.0e4])}, [3], [0.0, 0.0, 1.0e4], {"a": [0.0, 0.0, 1.0]}),
    "logsumexp": ("train.logsumexp %a over [1]", {"a": ([6, 3], sum(ROWS, []))}, [6], ROW_SUMS, {"a": ROW_SHARES}),
    "far_rows": ("train.logsumexp %a over [1]", {"a": ([5, 3], sum(FAR, []))}, [5], [x + math.log(3) for x, _, _ in FAR], {"a": [1 / 3] * 15}),
    "far_columns": ("train.logsumexp %a over [0]", {"a": ([3, 5], sum(map(list, zip(*FAR)), []))}, [5], [x + math.log(3) for x, _, _ in FAR],
                    {"a": [1 / 3] * 15}),
    "far_entropies": ("train.softmax_cross_entropy %a, %b reduce none", {"a": ([5, 3], sum(FAR, [])), "b": ([5, 3], [1.0, 0.0, 0.0] * 5)},
                      [5], [math.log(3)] * 5, {"a": [1 / 3 - 1, 1 / 3, 1 / 3] * 5}),
    "far_logarithms": ("train.log_softmax %a", {"a": ([5, 3], sum(FAR, []))}, [5, 3], [-math.log(3)] * 15, {}),
    "columns": ("train.logsumexp %a over [0]", {"a": ([3, 6], sum(map(list, zip(*ROWS)), []))}, [6], ROW_SUMS, {}),
    # NaN if all elements, or a single element, are infinite, as in PyTorch; elements of -inf are left out.
    "softmax": ("train.softmax %a", {"a": ([3, 3], sum(ROWS[:3], []))}, [3, 3], [NAN] * 6 + [0.0, 0.5, 0.5], {}),
    "log_softmax": ("train.log_softmax %a", {"a": ([3, 3], sum(ROWS[:3], []))}, [3, 3],
                    [NAN] * 3 + [NAN, NAN, NAN] + [-INF, -math.log(2), -math.log(2)], {}),
    "div": ("train.div %a, %b", {"a": ([4], [0.0, 1.0, 6.0, 0.0]), "b": ([4], [1.0e-39, 4.0, -3.0, TINY])},
            [4], [0.0, 0.25, -2.0, 0.0], {"a": [INF, 0.25, -1 / 3, INF], "b": [0.0, -1 / 16, -2 / 3, 0.0]}),
    "floor": ("train.floor %a", {"a": ([3], [0.5, -0.5, 2.0])}, [3], [0.0, -1.0, 2.0], {"a": [0.0] * 3}),
    "clamp": ("train.clamp %a from -1.0 to 0.1", {"a": ([6], [-2.0, -1.0, -0.5, 0.1, 0.5, NAN])}, [6], [-1.0, -1.0, -0.5, 0.1, 0.1, NAN],
              {"a": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}),
}
# Operands representable in bf16: a gradient is rounded once, numbers inside an adjoint are not.
HALVES = [-3.0, -1.25, -0.5, 0.3125, 0.75, 2.5]
BASES, EXPONENTS = [0.25, 1024.0, 2.0**40, 2.0**100], [0.01239013671875, 0.01239013671875, 0.10009765625, -0.0634765625]
NARROW = {
    "pow_bf16": ("train.pow %a, %b", {"a": ([4], BASES), "b": ([4], EXPONENTS)}, [4], [a**b for a, b in zip(BASES, EXPONENTS)],
                 {"a": [b * a**(b - 1) for a, b in zip(BASES, EXPONENTS)]}),
    "gelu_bf16": ("train.gelu %a", {"a": ([6], HALVES)}, [6], [x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in HALVES],
                  {"a": [gelu_slope(x) for x in HALVES]}),
    "square_bf16": ("train.square %a", {"a": ([6], HALVES)}, [6], [x * x for x in HALVES], {"a": [2 * x for x in HALVES]}),
}

# A step whose loss is not finite gives no gradients: the sum leaves such results out, with a cotangent of 0.
FINITE = """    %size = train.abs {2} : {0}
    %most = train.constant dense<3.4028234e38> : tensor<f32>
    %zero = train.constant dense<0.0> : tensor<f32>
    %finite = train.compare le %size, %most : {0}, tensor<f32>
    %s = train.select %finite, {2}, %zero : tensor<{1}xi1>, {0}, tensor<f32>"""


def tensor(shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def print_model():
    print("train.model @edges {")
    for name, (op, operands, shape, _, gradients) in (CASES | NARROW).items():
        op += " : " + ", ".join(tensor(size) for size, _ in operands.values())
        reads = "".join(f"    %{x} = train.read @{name}_{x} : {tensor(size)}\n" for x, (size, _) in operands.items())
        result, y = tensor(shape), "%y"
        if name in NARROW:
            reads = "".join(f"    %{x}.f32 = train.read @{name}_{x} : {tensor(size)}\n"
                            f"    %{x} = train.cast %{x}.f32 : {tensor(size)} to {tensor(size, 'bf16')}\n" for x, (size, _) in operands.items())
            op = op.replace("f32", "bf16") + f"\n    %y.f32 = train.cast %y : {tensor(shape, 'bf16')} to {result}"
            y = "%y.f32"
        for x, (size, _) in operands.items():
            print(f"  train.param @{name}_{x} : {tensor(size)} = #train.zeros{'' if gradients else ' {frozen}'}")
        print(f"  train.func @{name}() -> {result} {{\n{reads}    %y = {op}\n    train.return {y} : {result}\n  }}")
        print(f'  train.export @{name} as "{name}"')
        if gradients:
            print(f"  train.func @{name}_loss() -> tensor<f32> {{\n{reads}    %y = {op}\n{FINITE.format(result, 'x'.join(map(str, shape)), y)}")
            print(f"    %l = train.reduce_sum %s over {list(range(len(shape)))} : {result}\n    train.return %l : tensor<f32>\n  }}")
            over = ", ".join(f"@{name}_{x}" for x in operands)
            print(f"  train.step @{name}_step minimize @{name}_loss over [{over}] with #train.sgd<lr = 1.0>")
    print("}")


def agrees(got, expected, narrow):
    if expected is None or got == expected or (math.isnan(expected) and math.isnan(got)):
        return True
    if not math.isfinite(expected):
        return False
    ulp = max(2.0**-149, 2.0**(math.frexp(expected)[1] - (8 if narrow else 24)))
    return abs(got - expected) <= (0.51 if narrow else 6) * ulp


def run(library):
    model, count, failed = Model(library, "edges"), 0, 0
    for name, (_, operands, _, expected, gradients) in (CASES | NARROW).items():
        for x, (_, values) in operands.items():
            model.set(f"{name}_{x}", values)
        out = array("f32", [0.0] * len(expected))
        model.run(name, [], [out])
        results = {"value": (list(out), expected)}
        if gradients:
            model.run(f"{name}_step_grad", [])
            for x, of in gradients.items():
                results[f"gradient of {x}"] = (list(model.tensor(f"{name}_step.gradient.{name}_{x}", len(of))), of)
        for what, (got, wanted) in results.items():
            for i, (a, b) in enumerate(zip(got, wanted)):
                count += 1
                if not agrees(a, b if b is None else single(b), name in NARROW):
                    failed += 1
                    print(f"{name}, {what} {i} at {[values[i % len(values)] for _, values in operands.values()]}: expected {b}, but got {a}")
    print(f"{count} numbers, {failed} differ")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
