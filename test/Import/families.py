# Nodes by family, with NumPy's values.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections

import numpy as np

Case = collections.namedtuple("Case", "op operands expected attributes")
random = np.random.default_rng(7)


def real(*shape):
    return random.normal(size=shape).astype(np.float32)


def case(op, operands, expected, **attributes):
    return Case(op, operands, expected, attributes)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def pointwise(opset):
    x = np.concatenate([real(2, 5), np.float32([[-2.5, -0.5, 0.5, 1.5, 2.5], [0.25, -1.75, 3.25, -7, 6.5]])])
    y = np.abs(real(4, 5)) + np.float32(0.5)
    k = np.array([[7, -7, 3, -3, 5]] * 4)
    below = np.minimum(x, 0).astype(np.float64)
    hard = np.clip(x / 6 + 0.5, 0, 1)
    flag = np.array([True, False, True, True, False])
    u, v = np.tanh(x), y + 1
    rows, label, weight = np.arange(4), np.array([0, 3, 2, 4]), np.float32([0.5, 1, 2, 3, 0.25])
    losses = np.log(np.exp(x).sum(1)) - x[rows, label]
    return {"x": x, "y": y, "k": k, "u": u, "v": v}, [
        case("Elu", ["x"], np.where(x > 0, x, 2 * np.expm1(below)), alpha=2.0),
        case("Celu", ["x"], np.maximum(x, 0) + np.minimum(0, 2 * np.expm1(below / 2)), alpha=2.0),
        case("Selu", ["x"], 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(below))),
        case("HardSigmoid", ["x"], np.clip(0.2 * x + 0.5, 0, 1)),
        case("HardSwish", ["x"], x * hard),
        case("LeakyRelu", ["x"], np.where(x > 0, x, 0.01 * x)),
        case("ThresholdedRelu", ["x"], np.where(x > 1, x, 0)),
        case("Softsign", ["x"], x / (1 + np.abs(x))),
        case("Mish", ["x"], x * np.tanh(np.log1p(np.exp(x)))),
        case("Sign", ["x"], np.sign(x)),
        case("Round", ["x"], np.round(x)),
        case("Ceil", ["x"], np.ceil(x)),
        case("Tan", ["y"], np.tan(y)),
        case("Reciprocal", ["y"], 1 / y),
        case("Asin", ["u"], np.arcsin(u)),
        case("Acos", ["u"], np.arccos(u)),
        case("Atan", ["x"], np.arctan(x)),
        case("Sinh", ["x"], np.sinh(x)),
        case("Cosh", ["x"], np.cosh(x)),
        case("Asinh", ["x"], np.arcsinh(x)),
        case("Acosh", ["v"], np.arccosh(v)),
        case("Atanh", ["u"], np.arctanh(u)),
        case("Sign", ["k"], np.sign(k)),
        case("PRelu", ["x", np.float32([[0.1, 0.2, 0.3, 0.4, 0.5]])], np.where(x > 0, x, x * np.float32([0.1, 0.2, 0.3, 0.4, 0.5]))),
        case("Mod", ["x", "y"], np.fmod(x, y), fmod=1),
        case("Mod", ["k", np.array(4)], k % 4),
        case("Mod", ["k", np.array(4)], np.fmod(k, 4), fmod=1),
        case("Pow", ["y", "x"], y ** x),
        case("Pow", ["x", np.float32(3)], x ** 3),
        case("Max", ["x", "y", np.float32(1)], np.maximum(np.maximum(x, y), 1)),
        case("Mean", ["x", "y"], (x + y) / 2),
        case("Where", [flag, "x", "y"], np.where(flag, x, y)),
        case("Cast", ["x"], x.astype(np.int32), to=7),
        case("Clip", ["x", np.float32(-1), np.float32(2)] if opset >= 11 else ["x"], np.clip(x, -1, 2), **({} if opset >= 11 else {"min": -1.0, "max": 2.0})),
        case("NegativeLogLikelihoodLoss", ["x", label], -x[rows, label], reduction="none"),
        case("SoftmaxCrossEntropyLoss", ["x", label, weight], (losses * weight[label]).sum() / weight[label].sum()),
        case("SoftmaxCrossEntropyLoss", ["x", label, weight], np.where(label == 3, 0, losses * weight[label]), reduction="none", ignore_index=3),
        case("Gelu", ["x"], 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3))), approximate="tanh"),
    ]


def moves(opset):
    x, m, s = real(2, 3, 4), real(2, 8, 2, 2), real(2, 1, 4)
    axes = (lambda numbers: ([np.array(numbers)], {})) if opset >= 13 else (lambda numbers: ([], {"axes": numbers}))
    (one, one_attr), (two, two_attr) = axes([0, 3]), axes([1])
    pad = np.array([0, 1, 2, 0, 0, 1])
    wide = [(0, 0), (1, 0), (2, 1)]
    shuffled = m.reshape(2, 2, 2, 2, 2, 2)
    return {"x": x, "m": m, "s": s}, [
        case("Reshape", ["x", np.array([0, -1])], x.reshape(2, -1)),
        case("Flatten", ["x"], x.reshape(6, 4), axis=2),
        case("Unsqueeze", ["x", *one], x[None, :, :, None], **one_attr),
        case("Squeeze", [np.ones((2, 1, 3), np.float32), *two], np.ones((2, 3)), **two_attr),
        case("Transpose", ["x"], x.T),
        case("Concat", ["x", "x"], np.concatenate([x, x], -1), axis=-1),
        case("Slice", ["x", np.array([-1, 1]), np.array([-100, 2 ** 62]), np.array([2, 1]), np.array([-2, 1])], x[:, 1:, ::-2]),
        case("Tile", ["x", np.array([1, 2, 3])], np.tile(x, (1, 2, 3))),
        case("Expand", [np.float32([[1], [2]]), np.array([3, 1, 4])], np.broadcast_to(np.float32([[1], [2]]), (3, 2, 4))),
        case("Trilu", ["x", np.array(1)], np.triu(x, 1)),
        case("Trilu", ["x"], np.tril(x), upper=0),
        case("Pad", ["x", pad, np.float32(2)], np.pad(x, wide, constant_values=2)),
        case("Pad", ["x", pad], np.pad(x, wide, mode="reflect"), mode="reflect"),
        case("Pad", ["x", pad], np.pad(x, wide, mode="edge"), mode="edge"),
        case("Pad", ["x", pad], np.pad(x, wide, mode="wrap"), mode="wrap"),
        case("Pad", ["x", np.array([0, 0, -1, 0, 1, -1])], np.pad(x[:, :, 1:-1], [(0, 0), (0, 1), (0, 0)])),
        case("DepthToSpace", ["m"], shuffled.transpose(0, 3, 4, 1, 5, 2).reshape(2, 2, 4, 4), blocksize=2),
        case("DepthToSpace", ["m"], shuffled.transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 4, 4), blocksize=2, mode="CRD"),
        case("SpaceToDepth", ["m"], m.reshape(2, 8, 1, 2, 1, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 32, 1, 1), blocksize=2),
        case("Einsum", ["x", "m"], np.einsum("bij,bkll->bjk", x, m), equation="bij,bkll->bjk"),
        case("Einsum", ["x", "x", "s"], np.einsum("bij,bkj,bcj->bik", x, x, s), equation="bij,bkj,bcj->bik"),
        case("MatMul", ["x", np.float32([1, -1, 2, 0.5])], x @ np.float32([1, -1, 2, 0.5])),
        case("MatMul", [np.float32([1, 2, -1]), "x"], np.float32([1, 2, -1]) @ x),
    ]


def indices(opset):
    x = real(3, 4, 5)
    rows = np.array([[2, 0], [1, 1]])
    each = random.integers(0, 4, (3, 2, 5))
    updates = real(3, 1, 5)
    once = random.integers(0, 4, (3, 1, 5))
    added, placed = x.copy(), x.copy()
    for i in range(3):
        for j in range(5):
            added[i, once[i, 0, j], j] += updates[i, 0, j]
            placed[i, once[i, 0, j], j] = updates[i, 0, j]
    points = np.array([[0, -1], [2, 1]])
    at = x.copy()
    at[[0, 2], [3, 1]] = real_rows = real(2, 5)
    labels = np.array([1, 3, 0])
    return {"x": x, "each": each, "once": once, "labels": labels}, [
        case("Gather", ["x", rows], x[:, rows], axis=1),
        case("Gather", ["x", np.array(-1)], x[:, :, -1], axis=2),
        case("Gather", ["x", np.array([-1, 0, 2])], x[[-1, 0, 2]]),
        case("GatherElements", ["x", "each"], np.take_along_axis(x, each, 1), axis=1),
        case("GatherElements", ["x", each - 4], np.take_along_axis(x, each, 1), axis=1),
        case("ScatterElements", ["x", "once", updates], added, axis=1, reduction="add"),
        case("ScatterElements", ["x", "once", updates], placed, axis=1),
        case("GatherND", ["x", points], x[points[:, 0], points[:, 1]]),
        case("ScatterND", ["x", points, real_rows], at),
        case("OneHot", ["labels", np.array(4), np.float32([2, 5])], np.where(np.eye(4)[labels] > 0, 5, 2)),
        case("OneHot", ["labels", np.array(4), np.float32([0, 1])], np.eye(4)[labels].T, axis=0),
        case("CumSum", ["x", np.array(1)], np.cumsum(x, 1)),
        case("CumSum", ["x", np.array(2)], np.cumsum(x[:, :, ::-1], 2)[:, :, ::-1] - x, exclusive=1, reverse=1),
        case("ArgMax", ["x"], x.argmax(1), axis=1, keepdims=0),
        case("ArgMin", ["x"], x.argmin(2)[:, :, None], axis=2),
    ]


def reductions(opset):
    x = real(2, 4, 3, 3)
    scale, shift = real(4), real(4)
    column = (slice(None), None, None)
    spread = x - x.mean((2, 3), keepdims=True)
    grouped = x.reshape(2, 2, -1)
    normal = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(grouped.var(2, keepdims=True) + 1e-5)
    axes = [1, -1]
    old = opset < 18
    over = ([], {"axes": axes}) if old else ([np.array(axes)], {})

    def reduce(op, expected):
        return case(op, ["x", *over[0]], expected, keepdims=0, **over[1])
    return {"x": x}, [
        reduce("ReduceL1", np.abs(x).sum((1, 3))),
        reduce("ReduceProd", x.prod((1, 3))),
        reduce("ReduceL2", np.sqrt((x * x).sum((1, 3)))),
        reduce("ReduceLogSumExp", np.log(np.exp(x).sum((1, 3)))),
        reduce("ReduceMax", x.max((1, 3))),
        reduce("ReduceMean", x.mean((1, 3))),
        reduce("ReduceMin", x.min((1, 3))),
        reduce("ReduceSumSquare", (x * x).sum((1, 3))),
        case("Softmax", ["x"], softmax(x.reshape(2, -1), 1).reshape(x.shape) if opset < 13 else softmax(x, 1), axis=1),
        case("LogSoftmax", ["x"], np.log(softmax(x.reshape(2, 4, -1), 2).reshape(x.shape) if opset < 13 else softmax(x, 2)), axis=2),
        case("LpNormalization", ["x"], x / np.sqrt((x * x).sum(1, keepdims=True)), axis=1),
        case("InstanceNormalization", ["x", scale, shift],
             spread / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5) * scale[column] + shift[column]),
        case("GroupNormalization", ["x", scale, shift], normal.reshape(x.shape) * scale[column] + shift[column], num_groups=2),
        case("BatchNormalization", ["x", scale, shift, np.zeros(4, np.float32), np.ones(4, np.float32)],
             x / np.sqrt(1 + 1e-5) * scale[column] + shift[column]),
    ]


def windows(x, size, stride, low, high, value):
    """[n, c, h, w, size, size] of a padded image."""
    padded = np.pad(x, [(0, 0), (0, 0), (low, high), (low, high)], constant_values=value)
    return np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))[:, :, ::stride, ::stride]


def images(opset):
    x, signal = real(2, 3, 5, 5), real(2, 3, 7)
    filter, depthwise, narrow = real(4, 3, 3, 3), real(3, 1, 3, 3), real(2, 3, 3)
    average = windows(x, 3, 2, 1, 1, 0).sum((4, 5)) / windows(np.ones_like(x), 3, 2, 1, 1, 0).sum((4, 5))
    line = np.lib.stride_tricks.sliding_window_view(signal, 3, 2)
    place = np.array([(i + 0.5) / 2 - 0.5 for i in range(10)])
    doubled = np.stack([np.interp(place, np.arange(5), row) for row in x.reshape(-1, 5)]).reshape(2, 3, 5, 10)
    corners = np.stack([np.interp(np.linspace(0, 4, 8), np.arange(5), row) for row in x.reshape(-1, 5)]).reshape(2, 3, 5, 8)
    none = np.zeros(0, np.float32)
    # From 0.5 to 1.25 of 5 elements: the last place is outside.
    region, outside = np.float32([0, 0, 0, 0.5, 1, 1, 1, 1.25]), np.full((2, 3, 5, 1), 7, np.float32)
    cropped = np.concatenate([x[..., 2:5], outside], 3)
    mixed = np.concatenate([x[..., 2:3], (x[..., 3:4] + x[..., 4:]) / 2, outside], 3)
    return {"x": x, "signal": signal}, [
        case("Conv", ["x", filter], np.einsum("nchwij,ocij->nohw", windows(x, 3, 2, 1, 1, 0), filter), strides=[2, 2], auto_pad="SAME_UPPER"),
        case("Conv", ["x", depthwise], np.einsum("nchwij,cij->nchw", windows(x, 3, 1, 1, 1, 0), depthwise[:, 0]), pads=[1, 1, 1, 1], group=3),
        case("Conv", ["signal", narrow], np.einsum("ncli,oci->nol", line, narrow)),
        case("MaxPool", ["x"], windows(x, 2, 2, 0, 1, -np.inf).max((4, 5)), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        case("AveragePool", ["x"], average, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        case("AveragePool", ["x"], windows(x, 3, 2, 1, 1, 0).mean((4, 5)), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1),
        case("GlobalAveragePool", ["x"], x.mean((2, 3), keepdims=True)),
        case("GlobalMaxPool", ["signal"], signal.max(2, keepdims=True)),
        case("Resize", ["x", none, np.float32([1, 1, 2, 2])], x.repeat(2, 2).repeat(2, 3), coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        case("Resize", ["x", none, np.float32([1, 1, 1, 2])], doubled, mode="linear"),
        case("Resize", ["x", region, none, np.array([2, 3, 5, 4])], cropped, coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.0),
        case("Resize", ["x", region, none, np.array([2, 3, 5, 3])], mixed, mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
             extrapolation_value=7.0),
        case("Resize", ["x", none, np.float32([1, 1, 2, 1.1])], x.repeat(2, 2)[..., [0, 0, 1, 2, 3]], coordinate_transformation_mode="asymmetric",
             nearest_mode="floor"),
        case("Resize", ["x", none, none, np.array([2, 3, 5, 8])], corners, mode="linear", coordinate_transformation_mode="align_corners"),
    ]


FAMILIES = {"pointwise": pointwise, "moves": moves, "indices": indices, "reductions": reductions, "images": images}
