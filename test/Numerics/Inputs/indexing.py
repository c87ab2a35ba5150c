# Elements along a dimension by number and in order beside numpy's: indexing.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

random = np.random.default_rng(5)
X = random.integers(-9, 10, (3, 5, 4)).astype("f4") / 4  # some are equal
L = random.normal(size=(2, 200)).astype("f4")  # longer than rows whose elements are compared in pairs
L[0, 3] = L[1, 7] = L[1, 190] = np.nan
L[0, 9], L[0, 60], L[0, 61], L[1, 5], L[1, 90] = 0.0, -0.0, 0.0, np.inf, -np.inf
K = random.integers(-5, 6, (2, 150)).astype("i4")
K[0, 3], K[1, 4] = -2**31, 2**31 - 1
D = random.normal(size=(150,)).astype("f8")
W = (random.integers(-5, 6, (3, 140)) * 2**33 + random.integers(0, 3, (3, 140))).astype("i8")
S = np.float32([[1, np.nan, -0.0, 0.0, -np.inf, np.inf, np.nan, 1]])
U = random.normal(size=(3, 7, 4)).astype("f4")
I = random.integers(0, 5, (3, 7, 4)).astype("i4")  # of seven updates some meet
J = random.integers(-3, 3, (2, 5, 4)).astype("i8")
V = random.normal(size=(2, 5, 4)).astype("f4")
T = random.normal(size=(6, 4)).astype("f4")
B = random.integers(0, 6, (5, 3)).astype("i4")
B[2] = 1  # the padding
C = random.integers(0, 6, 11).astype("i4")
G = random.integers(0, 5, 11).astype("i4")  # of five bags
H = random.integers(-1, 6, 11).astype("i4")  # some labels are invalid: no caller may pass these, but a model may compute them
Q = random.normal(size=(2, 50)).astype("f4")
P = random.normal(size=(2, 140)).astype("f4")
N = random.integers(0, 50, (2, 140)).astype("i4")
M = random.normal(size=(5, 3)).astype("f4")


def argsort(x, axis=-1, descending=False):
    """NaN counts as greater than any number."""
    if not descending:
        return np.argsort(x, axis, kind="stable").astype("i4")
    # Ties keep the order of positions: argsort of the opposite, from the other end.
    back = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - back, axis).astype("i4")


def ordered(x, axis, k=None, descending=False):
    places = np.take(argsort(x, axis, descending), range(k or x.shape[axis]), axis)
    return np.take_along_axis(x, places, axis), places


def scattered(mode, u, i, x, axis):
    result = np.array(x)
    combine = {"set": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[mode]
    for at in np.ndindex(*u.shape):
        to = at[:axis] + (i[at],) + at[axis + 1:]
        result[to] = combine(result[to], u[at])
    return result


def bag(mode, index, bags=None, count=5, weights=None, padding=None):
    bags = np.repeat(range(len(index)), index.shape[-1]) if bags is None else bags
    weights = np.ones(index.shape) if weights is None else weights
    result = np.zeros((count, T.shape[1]), "f4")
    for b in range(count):
        rows = [w * T[i] for i, w, at in zip(index.flat, weights.flat, bags) if at == b and i != padding]
        if rows:
            result[b] = getattr(np, mode)(rows, axis=0)
    return [result]


# Op on the named arrays, and the results.
CASES = {
    "take": ("take_along_axis %x at %i along 1", [np.take_along_axis(X, I, 1)]),
    "take_rows": ("take_along_axis %x at %j along 0 from_end", [np.take_along_axis(X, J, 0)]),
    "long_rows": ("argsort %l", [argsort(L)]),
    "long_rows_down": ("argsort %l descending", [argsort(L, descending=True)]),
    "whole": ("argsort %k", [argsort(K)]),
    "whole_down": ("argsort %k descending", [argsort(K, descending=True)]),
    "wide": ("argsort %w", [argsort(W)]),
    "wide_down": ("argsort %w descending", [argsort(W, descending=True)]),
    "doubles": ("argsort %d", [argsort(D)]),
    "brief": ("argsort %s", [argsort(S)]),
    "brief_down": ("argsort %s descending", [argsort(S, descending=True)]),
    "sort": ("sort %x along 1", ordered(X, 1)),
    "sort_rows": ("sort %x along 0 descending", ordered(X, 0, descending=True)),
    "sort_long": ("sort %l along 1 descending", ordered(L, 1, descending=True)),
    "top": ("top_k %l of 7 along 1", ordered(L, 1, 7, True)),
    "least": ("top_k %x of 2 along 1 smallest", ordered(X, 1, 2)),
} | {
    f"{mode}_{axis}": (f"scatter {mode} %{u} at %{i} into %x along {axis}{' from_end' * (axis == 0)}", [scattered(mode, a, b, X, axis)])
    for mode in ("set", "add", "mul", "max", "min") for axis, u, i, a, b in ((0, "v", "j", V, J), (1, "u", "i", U, I))
} | {
    f"long_{mode}": (f"scatter {mode} %p at %n into %q along 1", [scattered(mode, P, N, Q, 1)]) for mode in ("set", "mul", "max", "min")
} | {
    f"bags_{mode}": (f"embedding_bag {mode} %t at %b padding 1", bag(mode, B, padding=1)) for mode in ("sum", "mean", "max")
} | {
    f"listed_{mode}": (f"embedding_bag {mode} %t at %c bags %g of 5", bag(mode, C, G)) for mode in ("sum", "mean", "max")
} | {
    f"computed_{mode}": (f"embedding_bag {mode} %t at %c bags %own of 5", bag(mode, C, H)) for mode in ("sum", "mean", "max")
} | {
    f"pad_{mode}": (f"pad_mode {mode} %x low [0, 6, -1] high [4, 1, 2]", [np.pad(X, ((0, 4), (6, 1), (0, 2)), mode)[:, :, 1:]])
    for mode in ("edge", "reflect")
} | {
    "pad_wrap": ("pad_mode wrap %x low [0, 6, -1] high [4, 1, 2]",
                 [X[np.ix_(np.arange(7) % 3, np.arange(-6, 6) % 5, np.arange(1, 6) % 4)]]),
    "pad_value": ("pad_mode constant %x low [0, -1, 2] high [1, -2, 0] value 0.5", [np.pad(X[:, 1:3], ((0, 1), (0, 0), (2, 0)), constant_values=0.5)]),
    "backwards": ("strided_slice %x from [2, 4, 1] sizes [3, 3, 3] strides [-1, -2, 1]", [X[::-1, 4::-2, 1:]]),
    "weighted": ("embedding_bag sum %t at %b weights %m padding 1", bag("sum", B, weights=M, padding=1)),
}
INPUTS = {"x": X, "l": L, "k": K, "d": D, "w": W, "s": S, "u": U, "i": I, "j": J, "v": V, "t": T, "b": B, "c": C, "g": G, "h": -H, "q": Q, "p": P, "n": N,
          "m": M}


def inputs_of(op):
    return [key for key in INPUTS if f"%{key}" in op or key == "h" and "%own" in op]


def print_model():
    print("train.model @indexing {")
    for name, (op, want) in CASES.items():
        used, own = inputs_of(op), "    %own = train.neg %h\n" * ("%own" in op)
        kind = lambda a: f"{a.dtype.kind}{8 * a.dtype.itemsize}[{', '.join(map(str, a.shape))}]"
        results = ", ".join(f"%y{i}" for i in range(len(want)))
        print(f"  train.func @{name}({', '.join(f'%{key}: {kind(INPUTS[key])}' for key in used)}) {{\n{own}    {results} = train.{op}")
        print(f'    train.return {results}\n  }}\n  train.export @{name} as "{name}"')
    print("}")


def run(folder):
    sys.path.insert(0, folder)
    import indexing
    model, wrong = indexing.Model(), 0
    for name, (op, wants) in CASES.items():
        got = getattr(model, name)(*(INPUTS[key] for key in inputs_of(op)))
        got = [got] if len(wants) == 1 else [got[f"out{i}"] for i in range(len(wants))]
        for have, want in zip(got, wants):
            # Sums and products of several updates are rounded in another order.
            loose = name.startswith(("add", "mul", "long_mul", "bags", "listed", "computed", "weighted"))
            right = np.allclose(have, want, 1e-6, 1e-6) if loose else np.array_equal(have, want, equal_nan=want.dtype.kind == "f")
            if have.shape != want.shape or not right:
                wrong += 1
                print(f"{name}: expected\n{want}\nbut got\n{have}")
    print(f"{len(CASES)} arrays, {wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
