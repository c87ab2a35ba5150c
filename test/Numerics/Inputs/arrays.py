# Remainders, scans, moves and products of arrays beside numpy's: arrays.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys

import numpy as np

random = np.random.default_rng(3)
X = random.normal(size=(3, 6)).astype("f4")
X[1, 2] = X[2, 0] = X[2, 4] = 0  # zeros in products: one in a row, two in another
K = random.integers(-9, 10, (3, 6)).astype("i4")
A = np.float32([7, -7, 7, -7, 0.3, 1e6, -1e6, 5, -5, 3, -0.0, math.inf, 2, 6, -6, 1e30, -1e-20, 0.1])
B = np.float32([3, 3, -3, -3, 0.1, 0.7, 0.7, math.inf, math.inf, 0, 2, 3, math.nan, 3, 3, 1e30, 1, 0.1])
I = np.int32([7, -7, 7, -7, 0, 5, -5, -2**31, -2**31, 2**31 - 1])
J = np.int32([3, 3, -3, -3, 4, 0, 0, -1, 3, -2])


def python_mod(a, b):
    """Of reals exact, rounded once at the end; the sign is the divisor's."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return a % b


def c_fmod(a, b):
    return math.nan if math.isnan(b) or math.isinf(a) or b == 0 else math.fmod(a, b)


def integers(f):
    """By 0 the dividend."""
    return [int(a) if b == 0 else f(int(a), int(b)) for a, b in zip(I, J)]


def scanned(f, x, axis, exclusive=False, reverse=False):
    neutral = 0 if f is np.cumsum else 1
    x = np.flip(x, axis) if reverse else x
    if exclusive:
        x = np.concatenate([np.full_like(np.take(x, [0], axis), neutral), np.delete(x, -1, axis)], axis)
    y = f(x, axis, dtype=x.dtype)
    return np.flip(y, axis) if reverse else y


# Op on the named arrays, and the result.
CASES = {
    "mod": ("mod %a, %b", [python_mod(float(a), float(b)) for a, b in zip(A, B)]),
    "fmod": ("fmod %a, %b", [c_fmod(float(a), float(b)) for a, b in zip(A, B)]),
    "whole_mod": ("mod %i, %j", integers(lambda a, b: a % b)),
    "whole_fmod": ("fmod %i, %j", integers(lambda a, b: int(math.fmod(a, b)))),
    "reverse": ("reverse %x over [0, 1]", X[::-1, ::-1]),
    "whole_reverse": ("reverse %k over [1]", K[:, ::-1]),
    "roll": ("roll %x by -8 along 1", np.roll(X, -8, 1)),
    "roll_rows": ("roll %k by 1 along 0", np.roll(K, 1, 0)),
    "tile": ("tile %k times [2, 3]", np.tile(K, (2, 3))),
    "tril": ("trilu %x diagonal 1", np.tril(X, 1)),
    "triu": ("trilu %k upper diagonal -1", np.triu(K, -1)),
    "sign": ("sign %k", np.sign(K)),
    "prod": ("reduce_prod %x over [1]", X.prod(1)),
    "whole_prod": ("reduce_prod %k over [0]", K.prod(0, dtype="i4")),
    "all_prod": ("reduce_prod %x over [0, 1]", X.prod()),
    "l1": ("reduce_l1 %x over [0]", np.abs(X).sum(0)),
    "l2": ("reduce_l2 %x over [1]", np.sqrt((X * X).sum(1))),
} | {
    f"{name}_{kind}_{axis}_{exclusive:d}{reverse:d}":
        (f"{name} %{kind} along {axis}{' exclusive' * exclusive}{' reverse' * reverse}", scanned(f, x, axis, exclusive, reverse))
    for name, f in (("cumsum", np.cumsum), ("cumprod", np.cumprod)) for kind, x in (("x", X), ("k", K)) for axis in (0, 1)
    for exclusive in (False, True) for reverse in (False, True)
}
INPUTS = {"x": X, "k": K, "a": A, "b": B, "i": I, "j": J}


def print_model():
    print("train.model @arrays {")
    for name, (op, want) in CASES.items():
        used = [key for key in INPUTS if f"%{key}" in op]
        arguments = ", ".join(f"%{key}: {INPUTS[key].dtype.kind}32[{', '.join(map(str, INPUTS[key].shape))}]" for key in used)
        print(f'  train.func @{name}({arguments}) {{\n    %y = train.{op}\n    train.return %y\n  }}\n  train.export @{name} as "{name}"')
    # The derivative of a product is the product of the other factors, even if 0.
    print("  train.func @slopes(%x: f32[3, 6]) {\n    %p = train.reduce_prod %x over [1]\n    %s = train.reduce_sum %p over [0]")
    print("    %c = train.cumprod %x along 1\n    %t = train.reduce_sum %c over [0, 1]")
    print('    %g = train.grad %s wrt %x\n    %h = train.grad %t wrt %x\n    train.return %g, %h\n  }\n  train.export @slopes as "slopes"\n}')


def product_slopes(x):
    """Derivatives of the sum of running products: for each element, the sum of the products that contain the element, without that factor."""
    others, running = np.empty_like(x), np.zeros_like(x)
    for row in range(x.shape[0]):
        for at in range(x.shape[1]):
            others[row, at] = np.delete(x[row], at).prod()
            running[row, at] = sum(np.delete(x[row, :end], at).prod() for end in range(at + 1, x.shape[1] + 1))
    return others, running


def run(folder):
    sys.path.insert(0, folder)
    import arrays
    model, wrong = arrays.Model(), 0

    def check(name, got, want):
        nonlocal wrong
        want = np.asarray(want)
        exact = got.dtype.kind == "i"
        right = got.shape == want.shape and (np.array_equal(got, want) if exact else np.allclose(got, want, 2e-6, 1e-37, equal_nan=True))
        if not right:
            wrong += 1
            print(f"{name}: expected\n{want}\nbut got\n{got}")

    for name, (op, want) in CASES.items():
        check(name, getattr(model, name)(*(INPUTS[key] for key in INPUTS if f"%{key}" in op)), want)
    results = model.slopes(X)
    for i, want in enumerate(product_slopes(X.astype("f8"))):
        check(f"slopes {i}", results[f"out{i}"], want)
    print(f"{len(CASES) + 2} arrays, {wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
