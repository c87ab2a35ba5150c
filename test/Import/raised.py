# Layers that exporters write as several nodes: each becomes a single op, with equal values.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""raised.py FOLDER: writes FOLDER/raised.txt in protobuf's text form, and compares every output with NumPy's, in f64."""
import importlib
import math
import subprocess
import sys

import numpy as np

import nodes

ROWS, WIDTH, HEADS = 5, 8, 2
RNG = np.random.default_rng(1)
CONSTANTS = {}  # arrays by name
NODES = []


def constant(value, dtype=np.float64):
    name = f"/constant_{len(CONSTANTS)}"  # a name that exporters make up, so that it is no parameter
    CONSTANTS[name] = np.asarray(value, dtype)
    return name


def weight(name, *shape):
    CONSTANTS[name] = RNG.standard_normal(shape)
    return name


def node(op, *inputs, name=None, **attributes):
    name = name or f"{op}_{len(NODES)}"
    NODES.append((op, inputs, name, attributes))
    return name


def power(x, exponent):
    return node("Pow", x, constant(exponent))


# ---- Norms ----

def layer_norm(x, name):
    """PyTorch before opset 17."""
    centred = node("Sub", x, node("ReduceMean", x, axes=[-1]))
    variance = node("ReduceMean", power(centred, 2.0), axes=[-1])
    scaled = node("Div", centred, node("Sqrt", node("Add", variance, constant(1e-5))))
    return node("Add", node("Mul", scaled, weight(name + ".gamma", WIDTH)), weight(name + ".beta", WIDTH), name=name)


def layer_norm_twice(x, name):
    """Layer norm as in TensorFlow: the difference written twice, the square as a product, and a reciprocal root."""
    mean = node("ReduceMean", x, axes=[-1])
    first, second = node("Sub", x, mean), node("Sub", x, mean)
    variance = node("ReduceMean", node("Mul", first, first), axes=[-1])
    scaled = node("Mul", second, node("Reciprocal", node("Sqrt", node("Add", constant(1e-6), variance))))
    return node("Add", weight(name + ".beta", WIDTH), node("Mul", weight(name + ".gamma", WIDTH), scaled), name=name)


def rms_norm(x, name):
    """Of transformers: weight * (x * rsqrt(mean(x^2) + eps))."""
    mean = node("ReduceMean", power(x, 2.0), axes=[-1])
    scaled = node("Mul", x, node("Div", constant(1.0), node("Sqrt", node("Add", mean, constant(1e-6)))))
    return node("Mul", weight(name + ".gamma", WIDTH), scaled, name=name)


def expected_norm(x, name, epsilon, centred=True):
    if centred:
        x = x - x.mean(-1, keepdims=True)
    y = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * CONSTANTS[name + ".gamma"]
    return y + CONSTANTS[name + ".beta"] if centred else y


# ---- Activations ----

def gelu(x, name, root=math.sqrt(2)):
    inside = node("Add", node("Erf", node("Div", x, constant(root))), constant(1.0))
    return node("Mul", node("Mul", x, inside), constant(0.5), name=name)


def gelu_tanh(x, name):
    cube = node("Mul", power(x, 3.0), constant(0.044715))
    inside = node("Tanh", node("Mul", node("Add", x, cube), constant(math.sqrt(2 / math.pi))))
    return node("Mul", node("Mul", constant(0.5), x), node("Add", constant(1.0), inside), name=name)


def silu(x, name):
    return node("Mul", x, node("Sigmoid", x), name=name)


def hardswish(x, name):
    """PyTorch before opset 14."""
    inside = node("Clip", node("Add", x, constant(3.0)), constant(0.0), constant(6.0))
    return node("Div", node("Mul", x, inside), constant(6.0), name=name)


# ---- Losses, and rows of tables ----

def bce_of_logs(x, t, name):
    """torch.onnx before PyTorch 2.5."""
    one = constant(1.0)
    p = node("Sigmoid", x)
    yes, no = node("Mul", t, node("Log", p)), node("Mul", node("Sub", one, t), node("Log", node("Sub", one, p)))
    return node("ReduceMean", node("Neg", node("Add", yes, no)), keepdims=0, name=name)


def bce_of_bounded_logs(x, t, name):
    """Of PyTorch's loss of probabilities, whose logarithms are at least -100."""
    p, least = node("Sigmoid", node("Mul", x, constant(80.0))), constant(-100.0)
    no = node("Mul", node("Sub", t, constant(1.0)), node("Max", node("Log", node("Add", node("Neg", p), constant(1.0))), least))
    return node("Sub", no, node("Mul", t, node("Max", node("Log", p), least)), name=name)


def bce_of_one_log(x, t, name):
    """Binary cross entropy as torch.export decomposes the loss."""
    line = node("Mul", node("Sub", constant(1.0), t), x)
    return node("Sub", line, node("Log", node("Sigmoid", x)), name=name)


def expected_bce(x, t):
    return np.log1p(np.exp(x)) - t * x


def cross_entropy_of_rows(x, label, name):
    """-log_softmax(x).gather(label).mean()."""
    index = node("Unsqueeze", label, constant([-1], np.int64))
    return node("Neg", node("ReduceMean", node("GatherElements", node("LogSoftmax", x, axis=-1), index, axis=-1), keepdims=0), name=name)


def cross_entropy_of_one_hot(x, label, name):
    """A product with the logarithm of a softmax, summed up."""
    hot = node("OneHot", label, constant([WIDTH], np.int64), constant([0.0, 1.0]))
    product = node("Mul", hot, node("Log", node("Softmax", x, axis=-1)))
    return node("Neg", node("ReduceSum", product, constant([-1], np.int64), keepdims=0), name=name)


def cross_entropy_of_distribution(x, t, name):
    product = node("Mul", t, node("LogSoftmax", x, axis=-1))
    return node("Neg", node("ReduceMean", node("ReduceSum", product, constant([-1], np.int64), keepdims=0), keepdims=0), name=name)


def rows(label, name):
    """A table's rows as a product with ones."""
    hot = node("OneHot", label, constant([WIDTH], np.int64), constant([0.0, 1.0]))
    return node("MatMul", hot, weight("table", WIDTH, 3), name=name)


# ---- Attention ----

def heads(x, order):
    return node("Transpose", node("Reshape", x, constant([1, ROWS, HEADS, WIDTH // HEADS], np.int64)), perm=order)


def attention(x, name, mask=None, hidden=None, fill=-np.finfo(np.float32).max):
    """Queries, keys and values are `x`; a mask is added, or scores are hidden where `hidden` does not hold."""
    query, key, value = heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 3, 1]), heads(x, [0, 2, 1, 3])
    scores = node("Div", node("MatMul", query, key), constant(math.sqrt(WIDTH // HEADS)))
    if mask is not None:
        scores = node("Add", scores, mask)
    if hidden is not None:
        scores = node("Where", hidden, scores, constant(fill))
    return node("MatMul", node("Softmax", scores, axis=-1), value, name=name)


def attention_scaled_before(x, name):
    """PyTorch's scaled_dot_product_attention: the root of the scale in both operands."""
    root = constant((WIDTH // HEADS) ** -0.25)
    query, key, value = heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 1, 3])
    key = node("Transpose", key, perm=[0, 1, 3, 2])
    return node("MatMul", node("Softmax", node("MatMul", node("Mul", query, root), node("Mul", key, root)), axis=-1), value, name=name)


def attention_guarded(x, name, mask):
    """Attention of PyTorch's newer exporter: heads and batch are a single dimension while keys are transposed, and a query without visible
    keys gets 0."""
    root, width = constant((WIDTH // HEADS) ** -0.25), WIDTH // HEADS
    query, key, value = heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 1, 3])
    key = node("Transpose", node("Reshape", key, constant([HEADS, ROWS, width], np.int64)), perm=[0, 2, 1])
    key = node("Reshape", key, constant([1, HEADS, width, ROWS], np.int64))
    scores = node("Add", node("MatMul", node("Mul", query, root), node("Mul", key, root)), mask)
    weights = node("Softmax", scores, axis=-1)
    weights = node("Where", node("IsNaN", weights), constant(0.0), weights)
    return node("MatMul", weights, value, name=name)


def expected_attention(x, mask=0.0, blind=0.0):
    """`blind` is the share of every value where a query sees no key."""
    parts = x.reshape(1, ROWS, HEADS, -1).transpose(0, 2, 1, 3)
    scores = parts @ parts.transpose(0, 1, 3, 2) / math.sqrt(parts.shape[-1]) + mask
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(most), most, 0))
    return np.where(np.isfinite(most), weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300), blind) @ parts


def text():
    lines = ['opset_import { domain: "" version: 17 }', "graph {", 'name: "raised"']
    lines += [nodes.initializer(name, array) for name, array in CONSTANTS.items()]
    for op, inputs, name, attributes in NODES:
        lines.append("node { " + f'op_type: "{op}" name: "{name}" ' + " ".join(f'input: "{each}"' for each in inputs) + f' output: "{name}" '
                     + " ".join(nodes.attribute(*each) for each in attributes.items()) + " }")
    return lines


def main():
    folder = sys.argv[1]
    x = RNG.standard_normal((1, ROWS, WIDTH))
    mask = RNG.standard_normal((ROWS, ROWS))
    sees = np.tril(np.ones((ROWS, ROWS), bool))
    causal = np.where(sees, 0.0, -np.inf)
    want = {}
    layer_norm("x", "norm")
    layer_norm_twice("x", "norm2")
    rms_norm("x", "rms")
    want["norm"], want["norm2"] = expected_norm(x, "norm", 1e-5), expected_norm(x, "norm2", 1e-6)
    want["rms"] = expected_norm(x, "rms", 1e-6, centred=False)
    rounded = float(np.float32(math.sqrt(2)))  # sqrt(2) of an exporter that writes f32: a different function, which stays unraised
    gelu("x", "rounded", rounded), gelu("x", "gelu"), gelu_tanh("x", "gelu_tanh"), silu("x", "silu")
    want["gelu"], want["rounded"] = (0.5 * x * (1 + np.vectorize(math.erf)(x / root)) for root in (math.sqrt(2), rounded))
    want["gelu_tanh"] = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    want["silu"] = x / (1 + np.exp(-x))
    attention("x", "plain"), attention("x", "masked", mask=weight("mask", ROWS, ROWS)), attention_scaled_before("x", "before")
    CONSTANTS["mask"] = mask
    attention("x", "hidden", hidden=constant(sees, bool)), attention("x", "causal", mask=node("Where", constant(np.tile(sees, (1, HEADS, 1, 1)), bool), constant(0.0), constant(-np.inf)))
    want["plain"] = want["before"] = expected_attention(x)
    want["masked"], want["hidden"], want["causal"] = expected_attention(x, mask), expected_attention(x, causal), expected_attention(x, causal)
    t, label = RNG.random((1, ROWS, WIDTH)), RNG.integers(0, WIDTH, (1, ROWS))
    far = np.where(np.arange(ROWS) == 2, WIDTH, label)  # a class that is none
    logs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    picked = -np.take_along_axis(logs, label[..., None], -1)[..., 0]
    hardswish("x", "hardswish"), bce_of_logs("x", "t", "bce"), bce_of_one_log("x", "t", "bce2"), bce_of_bounded_logs("x", "t", "bce3"), cross_entropy_of_rows("x", "label", "picked")
    cross_entropy_of_one_hot("x", "far", "hot"), cross_entropy_of_distribution("x", "t", "soft"), rows("label", "rows")
    want["hardswish"] = x * np.clip(x + 3, 0, 6) / 6
    want["bce"], want["bce2"], want["bce3"] = expected_bce(x, t).mean(), expected_bce(x, t), expected_bce(np.clip(x * 80, -100, 100), t)
    want["picked"], want["hot"], want["soft"], want["rows"] = picked.mean(), np.where(far == WIDTH, 0, picked), -(t * logs).sum(-1).mean(), CONSTANTS["table"][label]
    blind = np.where(np.arange(ROWS)[:, None] == 1, -np.inf, mask)
    attention_guarded("x", "guarded", constant(blind))
    want["guarded"] = expected_attention(x, blind)
    # A query that sees no key: the mean of all values if the fill is finite, NaN if minus infinity.
    some, whole = constant(np.isfinite(blind), bool), np.where(np.isfinite(blind), 0.0, -np.inf)
    attention("x", "blind", hidden=some), attention("x", "least", mask=node("Where", some, constant(0.0), constant(np.finfo(np.float32).min)))
    attention("x", "nan", mask=constant(blind)), attention("x", "none", hidden=some, fill=-np.inf)
    attention("x", "given", mask="given_mask"), attention("x", "beside", mask=constant(mask), hidden=some)
    want["blind"] = want["least"] = expected_attention(x, whole, blind=1 / ROWS)
    want["nan"], want["none"], want["given"] = expected_attention(x, blind, blind=np.nan), expected_attention(x, whole, blind=np.nan), expected_attention(x, blind, blind=np.nan)
    want["beside"] = expected_attention(x, blind, blind=1 / ROWS)
    order = ["norm", "norm2", "rms", "rounded", "gelu", "gelu_tanh", "silu", "plain", "masked", "before", "hidden", "causal",
             "hardswish", "bce", "bce2", "bce3", "picked", "hot", "soft", "rows", "guarded", "blind", "least", "nan", "none", "given",
             "beside"]
    lines = text() + [nodes.info("input", "x", x), nodes.info("input", "t", t), nodes.info("input", "label", label), nodes.info("input", "far", far), nodes.info("input", "given_mask", blind)] + [f'output {{ name: "{name}" }}' for name in order] + ["}"]
    with open(f"{folder}/raised.txt", "w") as file:
        file.write("\n".join(lines))
    with open(f"{folder}/raised.txt") as file, open(f"{folder}/raised.onnx", "wb") as binary:
        subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], stdin=file, stdout=binary, check=True)
    subprocess.run(["ampc", "compile", f"{folder}/raised.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, folder)
    model = importlib.import_module("raised").Model(threads=1)
    for name in model.tensors:
        model[name] = CONSTANTS[name]
    wrong = 0
    for name, got in zip(order, model.predict(x, t, label, far, blind).values(), strict=True):
        same = np.isnan(got) & np.isnan(want[name])
        share = np.max(np.where(same, 0, np.abs(got - want[name]) / (1e-12 * np.maximum(np.abs(want[name]), 1))))
        if not share <= 1:
            wrong += 1
            print(f"{name}: {share:.3g} times the bar\n{want[name]}\nbut got\n{got}")
    print(f"{len(order)} layers, {wrong} wrong")


main()
