# A graph of ONNX in PyTorch, in f64 and with gradients: an oracle that shares no code with ampc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""evaluate(model, feed, parameters, outputs, tied): values of the outputs. `parameters` are leaf tensors by name, which stand for initializers, or for
results of nodes that compute a weight, such as a dequantized one; the given value has to be the value of the file. `tied` maps initializers to parameters whose transposes they are."""
import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

REAL, WHOLE = torch.float64, torch.int64
TYPES = {1: REAL, 2: WHOLE, 3: WHOLE, 6: WHOLE, 7: WHOLE, 9: torch.bool, 10: REAL, 11: REAL, 16: REAL}


def tensor(array):
    array = np.asarray(array)
    return torch.tensor(array.astype(np.float64 if array.dtype.kind == "f" else bool if array.dtype == bool else np.int64))


def numbers(x):
    return [int(each) for each in x.reshape(-1)]


def conv(x, a, weight, bias=None):
    rank = x.dim() - 2
    assert a.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID")
    pads = a.get("pads", [0] * 2 * rank)
    x = F.pad(x, [pad for i in reversed(range(rank)) for pad in (pads[i], pads[i + rank])])
    call = {1: F.conv1d, 2: F.conv2d}[rank]
    return call(x, weight, bias, stride=a.get("strides", [1] * rank), dilation=a.get("dilations", [1] * rank), groups=a.get("group", 1))


def conv_transpose(x, a, weight, bias=None):
    assert not any(a.get("pads", []))
    return F.conv_transpose2d(x, weight, bias, stride=a["strides"], groups=a.get("group", 1))


def max_pool(x, a):
    assert not a.get("ceil_mode", 0)
    top, left, bottom, right = a.get("pads", [0] * 4)
    return F.max_pool2d(F.pad(x, (left, right, top, bottom), value=-np.inf), a["kernel_shape"], a.get("strides", [1, 1]))


def batch_norm(x, a, scale, bias, mean, variance):
    assert not a.get("training_mode", 0)
    shape = [1, -1] + [1] * (x.dim() - 2)
    return (x - mean.reshape(shape)) / torch.sqrt(variance.reshape(shape) + a.get("epsilon", 1e-5)) * scale.reshape(shape) + bias.reshape(shape)


def softmax(x, a):
    if a["opset"] >= 13:
        return torch.softmax(x, a.get("axis", -1))
    return torch.softmax(x.reshape(*x.shape[:a.get("axis", 1)], -1), -1).reshape(x.shape)


def gemm(x, a, y, bias=0):
    x, y = x.T if a.get("transA") else x, y.T if a.get("transB") else y
    return a.get("alpha", 1.0) * (x @ y) + a.get("beta", 1.0) * bias


def clip(x, a, low=None, high=None):
    return torch.clamp(x, a.get("min") if low is None else low.item(), a.get("max") if high is None else high.item())


def axes(a, given):
    return a.get("axes") or (numbers(given[0]) if given else None)


def unsqueeze(x, a, *given):
    rank = x.dim() + len(axes(a, given))
    for axis in sorted(axis % rank for axis in axes(a, given)):
        x = x.unsqueeze(axis)
    return x


def squeeze(x, a, *given):
    return x.squeeze(tuple(axes(a, given))) if axes(a, given) else x.squeeze()


def gather(x, a, index):
    axis = a.get("axis", 0) % x.dim()
    index = index % x.shape[axis]
    return x.index_select(axis, index.reshape(-1)).reshape((*x.shape[:axis], *index.shape, *x.shape[axis + 1:]))


def gather_nd(x, a, index):
    assert not a.get("batch_dims", 0)
    return x[tuple(index[..., i] for i in range(index.shape[-1]))]


def take(x, a, *given):
    """Slice."""
    begins, ends = (a["starts"], a["ends"]) if "starts" in a else map(numbers, given[:2])
    along = a.get("axes") or (numbers(given[2]) if len(given) > 2 and given[2] is not None else range(len(begins)))
    steps = numbers(given[3]) if len(given) > 3 else [1] * len(begins)
    for begin, end, axis, step in zip(begins, ends, along, steps):
        x = x.index_select(axis, torch.tensor(list(range(*slice(begin, end, step).indices(x.shape[axis]))), dtype=WHOLE))
    return x


def split(x, a, sizes=None):
    axis = a.get("axis", 0)
    parts = a.get("split") or (numbers(sizes) if sizes is not None else -(-x.shape[axis] // a["outputs"]))
    return torch.split(x, parts, axis)


def resize(x, a, region=None, scales=None, sizes=None):
    """Whole factors of nearest pixels, for which all coordinate transformations but align_corners agree."""
    assert a.get("mode", b"nearest") == b"nearest" and a.get("coordinate_transformation_mode") != b"align_corners"
    factors = [to / of for to, of in zip(numbers(sizes), x.shape)] if sizes is not None else [float(each) for each in scales]
    for axis, factor in enumerate(factors):
        assert factor == int(factor)
        x = x.repeat_interleave(int(factor), axis)
    return x


def lstm(x, a, weights, states, biases=None, lengths=None, first=None, first_cell=None, peepholes=None):
    assert lengths is None and peepholes is None and not a.get("layout", 0) and "clip" not in a
    assert set(a.get("activations", [])) <= {b"Sigmoid", b"Tanh"}
    hidden, results = a["hidden_size"], []
    for way in range(weights.shape[0]):
        h, cell = (torch.zeros(x.shape[1], hidden, dtype=REAL) if each is None else each[way] for each in (first, first_cell))
        bias = 0 if biases is None else biases[way][:4 * hidden] + biases[way][4 * hidden:]
        rounds, rows = range(x.shape[0]), [None] * x.shape[0]
        for t in reversed(rounds) if way == 1 or a.get("direction") == b"reverse" else rounds:
            enter, leave, forget, new = (x[t] @ weights[way].T + h @ states[way].T + bias).split(hidden, -1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
            rows[t] = h = torch.sigmoid(leave) * torch.tanh(cell)
        results.append((torch.stack(rows), h, cell))
    rows, h, cell = zip(*results)
    return torch.stack(rows, 1), torch.stack(h), torch.stack(cell)


def divide(x, a, y):
    return x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc")


def normalized(x, a, scale, bias=None):
    return F.layer_norm(x, x.shape[a.get("axis", -1) % x.dim():], scale, bias, a.get("epsilon", 1e-5))


OPS = {
    "Add": lambda x, a, y: x + y, "And": lambda x, a, y: x & y, "BatchNormalization": batch_norm, "Cast": lambda x, a: x.to(TYPES[a["to"]]), "Clip": clip,
    "Concat": lambda x, a, *others: torch.cat([x, *others], a["axis"]), "Conv": conv, "ConvTranspose": conv_transpose, "Div": divide,
    "ConstantOfShape": lambda x, a: (tensor(numpy_helper.to_array(a["value"])) if "value" in a else torch.zeros(1, dtype=REAL)).reshape(()).expand(numbers(x)),
    "Erf": lambda x, a: torch.erf(x), "Expand": lambda x, a, shape: x.expand(torch.broadcast_shapes(tuple(x.shape), tuple(numbers(shape)))), "Gather": gather,
    "GatherND": gather_nd, "Gemm": gemm, "GlobalAveragePool": lambda x, a: x.mean(tuple(range(2, x.dim())), keepdim=True),
    "GreaterOrEqual": lambda x, a, y: x >= y, "HardSigmoid": lambda x, a: torch.clamp(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "Identity": lambda x, a: x, "IsNaN": lambda x, a: torch.isnan(x), "LSTM": lstm, "LayerNormalization": normalized, "MatMul": lambda x, a, y: x @ y,
    "Max": lambda x, a, y: torch.maximum(x, y), "MaxPool": max_pool, "Mul": lambda x, a, y: x * y,
    "Range": lambda x, a, end, step: torch.arange(x.item(), end.item(), step.item()), "Relu": lambda x, a: F.relu(x),
    "Reshape": lambda x, a, shape: x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(numbers(shape))]), "Resize": resize,
    "Shape": lambda x, a: torch.tensor(list(x.shape)[a.get("start", 0):a.get("end")]), "Sigmoid": lambda x, a: torch.sigmoid(x), "Slice": take,
    "Softmax": softmax, "Split": split, "Squeeze": squeeze, "Sub": lambda x, a, y: x - y, "Transpose": lambda x, a: x.permute(a["perm"]),
    "Unsqueeze": unsqueeze, "Where": lambda x, a, y, z: torch.where(x, y, z),
}


def needed(graph, outputs):
    names, nodes = set(outputs), []
    for node in reversed(graph.node):
        if names.intersection(node.output):
            names.update(node.input)
            nodes.insert(0, node)
    return nodes


def evaluate(model, feed, parameters, outputs, tied, checks=False):
    values, parameters = {}, parameters | {name: parameters[of].T for name, of in tied.items()}

    def bind(name, value):
        if name in parameters:
            if checks and not torch.allclose(value.reshape(parameters[name].shape).to(REAL), parameters[name].detach(), rtol=1e-5, atol=1e-6):
                raise ValueError(f"expected the parameter {name} to have the value of the file")
            value = parameters[name].reshape(value.shape)
        values[name] = value

    for initializer in model.graph.initializer:
        bind(initializer.name, tensor(numpy_helper.to_array(initializer)))
    for name, array in feed.items():
        values[name] = tensor(array)
    opset = next(each.version for each in model.opset_import if each.domain in ("", "ai.onnx"))
    for node in needed(model.graph, outputs):
        attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute} | {"opset": opset, "outputs": len(node.output)}
        if node.op_type == "Constant":
            value = node.attribute[0]
            results = tensor(numpy_helper.to_array(value.t) if value.name == "value" else onnx.helper.get_attribute_value(value))
        else:
            first, *others = [values[name] if name else None for name in node.input]
            results = OPS[node.op_type](first, attributes, *others)
        for name, result in zip(node.output, results if isinstance(results, tuple) else (results,)):
            if name:
                bind(name, result)
    return [values[name] for name in outputs]
