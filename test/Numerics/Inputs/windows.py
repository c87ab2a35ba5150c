# Convolutions, pools and einsum beside numpy's: windows.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import math
import sys

import numpy as np

random = np.random.default_rng(7)


def normal(*shape):
    return random.normal(size=shape).astype("f4")


def places(i, strides, low, dilations, tap):
    return tuple(at * s - p + t * d for at, s, p, t, d in zip(i, strides, low, tap, dilations))


def inside(place, shape):
    return all(0 <= at < size for at, size in zip(place, shape))


def counts(shape, kernel, strides, padding, dilations, ceil=False):
    result = []
    for i, size in enumerate(shape):
        low, high = padding[2 * i:2 * i + 2]
        room = size + low + high - (kernel[i] - 1) * dilations[i] - 1
        count = (math.ceil if ceil else math.floor)(room / strides[i]) + 1
        result.append(count - (ceil and (count - 1) * strides[i] >= size + low))
    return result


def convolve(x, w, strides, padding, dilations=None, groups=1):
    """(N, ..., C) and (O, ..., I), in f64."""
    rank = x.ndim - 2
    dilations = dilations or [1] * rank
    out = counts(x.shape[1:-1], w.shape[1:-1], strides, padding, dilations)
    y = np.zeros((len(x), *out, len(w)))
    inner, outer = w.shape[-1], len(w) // groups
    for i in np.ndindex(*out):
        for tap in np.ndindex(*w.shape[1:-1]):
            place = places(i, strides, padding[::2], dilations, tap)
            if inside(place, x.shape[1:-1]):
                for g in range(groups):
                    rows = slice(g * outer, (g + 1) * outer)
                    y[(slice(None), *i, rows)] += x[(slice(None), *place)][:, g * inner:(g + 1) * inner] @ w[(rows, *tap)].T.astype("f8")
    return y


def transpose(x, w, strides, padding, dilations=None, groups=1, more=None):
    """Transposed convolution, which scatters where convolve gathers."""
    rank = x.ndim - 2
    dilations, more = dilations or [1] * rank, more or [0] * rank
    size = [(x.shape[1 + i] - 1) * strides[i] - padding[2 * i] - padding[2 * i + 1] + (w.shape[1 + i] - 1) * dilations[i] + 1 + more[i]
            for i in range(rank)]
    inner, outer = w.shape[-1], len(w) // groups
    y = np.zeros((len(x), *size, inner * groups))
    for i in np.ndindex(*x.shape[1:-1]):
        for tap in np.ndindex(*w.shape[1:-1]):
            place = places(i, strides, padding[::2], dilations, tap)
            if inside(place, size):
                for g in range(groups):
                    rows = slice(g * outer, (g + 1) * outer)
                    y[(slice(None), *place)][:, g * inner:(g + 1) * inner] += x[(slice(None), *i)][:, rows] @ w[(rows, *tap)].astype("f8")
    return y


def pool(mode, x, window, strides, padding, dilations=None, ceil=False, exclude=False):
    dilations = dilations or [1] * len(window)
    shape = x.shape[1:-1]
    out = counts(shape, window, strides, padding, dilations, ceil)
    y = np.zeros((len(x), *out, x.shape[-1]))
    for i in np.ndindex(*out):
        taps = [places(i, strides, padding[::2], dilations, tap) for tap in np.ndindex(*window)]
        seen = [x[(slice(None), *place)].astype("f8") for place in taps if inside(place, shape)]
        padded = [p for p in taps if all(-padding[2 * d] <= p[d] < shape[d] + padding[2 * d + 1] for d in range(len(p)))]
        y[(slice(None), *i)] = np.max(seen, 0) if mode == "max" else sum(seen) / (1 if mode == "sum" else len(seen if exclude else padded))
    return y


def adaptive(mode, x, sizes):
    y = np.zeros((len(x), *sizes, x.shape[-1]))
    for i in np.ndindex(*sizes):
        part = tuple(slice(at * m // n, -(-(at + 1) * m // n)) for at, n, m in zip(i, sizes, x.shape[1:-1]))
        y[(slice(None), *i)] = getattr(x[(slice(None), *part)].astype("f8"), mode)(axis=tuple(range(1, x.ndim - 1)))
    return y


S, I, V = normal(2, 13, 6), normal(2, 7, 9, 4), normal(2, 5, 6, 7, 4)
A, B = normal(4, 3, 6), normal(6, 5, 2)
C, D, E, F = normal(5, 3, 2, 3, 4), normal(6, 2, 3, 1, 2), normal(3, 3, 1, 1, 4), normal(4, 3, 3, 3, 1)
G, H, J, K = normal(6, 3, 2), normal(4, 3, 2, 5), normal(4, 3, 2, 3, 3), normal(4, 3, 1, 1, 2)
M, N, P = normal(3, 4, 5), normal(3, 5, 2), normal(4, 4)


NAMES = {"groups": "groups", "dilations": "dilations", "output_padding": "more", "ceil": "ceil", "exclude_padding": "exclude"}


def case(op, function, operands, attributes):
    """(text of the op with ampc's names of attributes, result of `function` with Python's names)"""
    text = " ".join(key if value is True else f"{key} {value}" for key, value in attributes.items())
    listed = [value for key, value in attributes.items() if key not in NAMES]
    named = {NAMES[key]: value for key, value in attributes.items() if key in NAMES}
    return f"{op} {', '.join(f'%{key}' for key in operands)} {text}", function(*(INPUTS[key] for key in operands), *listed, **named)


INPUTS = dict(s=S, i=I, v=V, a=A, b=B, c=C, d=D, e=E, f=F, g=G, h=H, j=J, k=K, m=M, n=N, p=P)
CONVOLUTIONS = [
    ("conv1d", "sa", dict(strides=[1], padding=[1, 2])), ("conv1d", "sb", dict(strides=[3], padding=[4, 0], dilations=[2], groups=3)),
    ("conv3d", "vc", dict(strides=[1, 1, 1], padding=[1, 1, 0, 0, 1, 1])),
    ("conv3d", "vd", dict(strides=[2, 1, 3], padding=[2, 1, 1, 0, 0, 2], dilations=[3, 2, 1], groups=2)),
    ("conv3d", "ve", dict(strides=[2, 1, 1], padding=[1, 0, 0, 0, 0, 0])), ("conv3d", "ve", dict(strides=[1, 2, 2], padding=[1, 1, 0, 0, 0, 0])),
    ("conv3d", "vf", dict(strides=[1, 1, 1], padding=[1, 1, 1, 1, 1, 1], groups=4)),
]
TRANSPOSED = [
    ("sg", dict(strides=[3], padding=[1, 0], dilations=[2], groups=2)), ("ih", dict(strides=[2, 1], padding=[1, 1, 0, 0], output_padding=[1, 0])),
    ("vj", dict(strides=[2, 3, 1], padding=[0, 2, 1, 0, 0, 1], dilations=[2, 1, 2], groups=2, output_padding=[1, 1, 0])),
    ("vk", dict(strides=[2, 1, 1], padding=[1, 0, 0, 0, 0, 0])),
]
POOLS = [
    ("s", dict(window=[3], strides=[2], padding=[1, 1])), ("s", dict(window=[4], strides=[3], padding=[0, 2], ceil=True)),
    ("i", dict(window=[2, 3], strides=[2, 2], padding=[0, 0, 1, 1], dilations=[1, 2], ceil=True)),
    ("i", dict(window=[3, 2], strides=[4, 3], padding=[2, 1, 1, 0], dilations=[2, 3])),
    ("v", dict(window=[2, 3, 3], strides=[1, 2, 2], padding=[1, 0, 1, 1, 1, 0], ceil=True)), ("v", dict(window=[1, 1, 2], strides=[2, 1, 1], padding=[0] * 6)),
]
CASES = [case(op, convolve, operands, attributes) for op, operands, attributes in CONVOLUTIONS]
CASES += [case("conv_transpose", transpose, operands, attributes) for operands, attributes in TRANSPOSED]
for mode, (x, attributes) in itertools.product(("max", "mean", "sum"), POOLS):
    def run_pool(*arguments, mode=mode, **named): return pool(mode, *arguments, **named)
    CASES.append(case(f"pool {mode}", run_pool, x, attributes))
    if mode == "mean":
        CASES.append(case(f"pool {mode}", run_pool, x, attributes | {"exclude_padding": True}))
for mode, (x, sizes) in itertools.product(("max", "mean", "sum"), (("s", [5]), ("s", [1]), ("i", [7, 3]), ("i", [10, 2]), ("v", [2, 6, 3]))):
    def run_adaptive(*arguments, mode=mode): return adaptive(mode, *arguments)
    CASES.append(case(f"adaptive_pool {mode}", run_adaptive, x, {"to": sizes}))
# Callers have the batch first: the number is the dimension of the rows, which are the leading dimension of the first input, in the result.
for equation, operands, *rows in (("bij,bjk->bik", "mn"), ("bij,bjk->kib", "mn", 2), ("bij->jb", "m", 1), ("ii->i", "p"), ("ii", "p"), ("ij,kj", "pp"),
                           ("bij,bjk,ii->bk", "mnp"), ("...ij,...jk", "mn"), ("i...,k...->k...i", "pp"), ("i...,b...j->...ib", "pm", 2), ("bij,bkl->", "mn"), ("bij, bij -> bi", "mm"), ("i j, k l -> l i k j", "pp")):
    def run_einsum(*values, equation=equation, rows=rows):
        result = np.einsum(equation, *(v.astype("f8") for v in values))
        return np.moveaxis(result, *rows, 0) if rows else result
    CASES.append(case(f'einsum "{equation}"', run_einsum, operands, {}))


def print_model():
    print("train.model @windows {")
    for number, (op, _) in enumerate(CASES):
        used = [key for key in INPUTS if f"%{key}" in op]
        arguments = ", ".join(f"%{key}: f32[{', '.join(map(str, INPUTS[key].shape))}]" for key in used)
        print(f"  train.func @case{number}({arguments}) {{\n    %y = train.{op}")
        print(f'    train.return %y\n  }}\n  train.export @case{number} as "case{number}"')
    print("}")


def run(folder):
    sys.path.insert(0, folder)
    import windows
    model, wrong = windows.Model(), 0
    for number, (op, want) in enumerate(CASES):
        have = getattr(model, f"case{number}")(*(INPUTS[key] for key in INPUTS if f"%{key}" in op))
        if np.shape(have) != want.shape or not np.allclose(have, want, 2e-6, 2e-5):
            wrong += 1
            print(f"{op}: expected\n{want}\nbut got\n{have}")
    print(f"{len(CASES)} arrays, {wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
