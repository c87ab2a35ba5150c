# Records PyTorch's values and gradients of ops on small data, and the equivalent models.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python3 test/Oracle/ops.py            (needs torch; writes test/Oracle/Inputs/*.{mlir,json})
#
# The recorded files are in the tree, so that the tests need no PyTorch. A case has operands (real operands are parameters, to have
# gradients; other operands are inputs), an op in ampc's syntax, and the PyTorch equivalent. Gradients are of sum(result * weight).
import json
import pathlib

import torch
import torch.nn.functional as F

torch.manual_seed(17)
torch.set_default_dtype(torch.float64)
groups = {}


def normal(*shape):
    return torch.randn(*shape)


def positive(*shape):
    return torch.rand(*shape) + 0.5


def labels(limit, *shape):
    return torch.randint(0, limit, shape, dtype=torch.int32)


def element_of(tensor):
    return {torch.float64: "f32", torch.int32: "i32", torch.int64: "i64", torch.bool: "i1"}[tensor.dtype]


def type_of(tensor):
    element = element_of(tensor)
    return "tensor<" + "".join(f"{size}x" for size in tensor.shape) + element + ">"


def case(group, name, operands, op, compute, gradient=True, buffers=None):
    """`buffers` are @CASE.NAME in the op; `compute` gets and changes the buffers, and gets whether the op trains."""
    groups.setdefault(group, []).append((name, operands, op, compute, gradient, buffers or {}))


def unary(name, compute, x=None):
    x = normal(3, 7) if x is None else x
    case("pointwise", name.split()[0], {"x": x}, f"train.{name.split()[0]} %x{name[len(name.split()[0]):]} : {type_of(x)}", compute)


special = torch.tensor([[-2.0, -0.0, 0.0, 1.0, 2.0], [-9.0, 9.0, -30.0, 30.0, 0.5]])
unary("neg", torch.neg)
unary("abs", torch.abs, special)
unary("square", torch.square)
unary("sqrt", torch.sqrt, positive(3, 7))
unary("rsqrt", torch.rsqrt, positive(3, 7))
unary("reciprocal", torch.reciprocal, positive(3, 7))
unary("exp", torch.exp)
unary("log", torch.log, positive(3, 7))
unary("log1p", torch.log1p, positive(3, 7))
unary("sin", torch.sin)
unary("cos", torch.cos)
unary("erf", torch.erf, special / 4)
unary("tanh", torch.tanh, special)
unary("sigmoid", torch.sigmoid, special)
unary("relu", torch.relu, special)
unary("leaky_relu slope 0.1", lambda x: F.leaky_relu(x, 0.1), special)
unary("clamp from -1.5 to 2.0", lambda x: torch.clamp(x, -1.5, 2.0), special)
unary("gelu", F.gelu, special)
unary("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), special)
unary("silu", F.silu, special)
unary("softplus", F.softplus, special / 2)
unary("softmax", lambda x: F.softmax(x, -1), special)
unary("log_softmax", lambda x: F.log_softmax(x, -1), special)
case("pointwise", "floor", {"x": normal(3, 7)}, "train.floor %x : tensor<3x7xf32>", torch.floor, gradient=False)


def binary(name, compute, a, b):
    case("pointwise", name, {"a": a, "b": b}, f"train.{name} %a, %b : {type_of(a)}, {type_of(b)}", compute)


tied = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
binary("add", torch.add, normal(4, 3, 5), normal(3, 1))
binary("sub", torch.sub, normal(4, 3, 5), normal(3, 1))
binary("mul", torch.mul, normal(4, 3, 5), normal(3, 1))
binary("div", torch.div, normal(4, 3, 5), positive(3, 1))
binary("pow", torch.pow, positive(4, 3, 5), normal(3, 1))
binary("maximum", torch.maximum, tied, torch.tensor([2.0, 2.0, 2.0]))
binary("minimum", torch.minimum, tied, torch.tensor([2.0, 2.0, 2.0]))
case("pointwise", "select", {"c": torch.rand(4, 5) > 0.5, "a": normal(4, 5), "b": normal(5)},
     "train.select %c, %a, %b : tensor<4x5xi1>, tensor<4x5xf32>, tensor<5xf32>", torch.where)

x = normal(4, 7, 5)
for name, compute in {"reduce_sum": torch.sum, "reduce_mean": torch.mean, "reduce_max": torch.amax,
                      "reduce_min": torch.amin, "logsumexp": torch.logsumexp}.items():
    for dims in [(0, 2), (1,), (2,)]:
        case("shapes", name + "_" + "".join(map(str, dims)), {"x": x},
             f"train.{name} %x over {list(dims)} : tensor<4x7x5xf32>", lambda x, f=compute, d=dims: f(x, dim=d))
case("shapes", "argmax", {"x": x}, "train.argmax %x : tensor<4x7x5xf32>", lambda x: x.argmax(-1).to(torch.int32), gradient=False)
case("shapes", "one_hot", {"l": labels(6, 4, 3)}, "train.one_hot %l : tensor<4x3xi32> to tensor<4x3x6xf32>",
     lambda l: F.one_hot(l.long(), 6).double(), gradient=False)
for dim in range(3):
    case("shapes", f"iota_{dim}", {}, f"train.iota along {dim} : tensor<2x3x5xi32>",
         lambda d=dim: torch.arange((2, 3, 5)[d], dtype=torch.int32).reshape([-1 if i == d else 1 for i in range(3)]).expand(2, 3, 5),
         gradient=False)
case("shapes", "cast", {"i": labels(9, 5)}, "train.cast %i : tensor<5xi32> to tensor<5xf32>", lambda i: i.double(), gradient=False)
case("shapes", "compare", {"a": tied, "b": torch.tensor([2.0, 2.0, 2.0])}, "train.compare le %a, %b : tensor<2x3xf32>, tensor<3xf32>",
     torch.le, gradient=False)
case("shapes", "transpose", {"x": x}, "train.transpose %x [2, 0, 1] : tensor<4x7x5xf32>", lambda x: x.permute(2, 0, 1))
case("shapes", "reshape", {"x": x}, "train.reshape %x : tensor<4x7x5xf32> to tensor<20x7xf32>", lambda x: x.reshape(20, 7))
case("shapes", "broadcast_to", {"x": normal(3, 1)}, "train.broadcast_to %x : tensor<3x1xf32> to tensor<2x3x5xf32>",
     lambda x: x.expand(2, 3, 5))
case("shapes", "slice", {"x": normal(5, 9)}, "train.slice %x from [1, 2] sizes [3, 3] strides [1, 3] : tensor<5x9xf32>",
     lambda x: x[1:4, 2:9:3])
case("shapes", "pad", {"x": normal(3, 4)}, "train.pad %x value 0.5 low [1, 0] high [2, 1] interior [0, 0] : tensor<3x4xf32>",
     lambda x: F.pad(x, (0, 1, 1, 2), value=0.5))
case("shapes", "concat", {"a": normal(2, 3, 4), "b": normal(2, 1, 4)},
     "train.concat %a, %b along 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>", lambda a, b: torch.cat([a, b], 1))
case("shapes", "gather", {"t": normal(7, 5), "i": labels(7, 4, 3)}, "train.gather %t at %i : tensor<7x5xf32>, tensor<4x3xi32>",
     lambda t, i: t[i.long()])
case("shapes", "embedding", {"t": normal(7, 5), "i": labels(4, 13)},
     "train.embedding %t at %i padding 2 : tensor<7x5xf32>, tensor<13xi32>", lambda t, i: F.embedding(i.long(), t, padding_idx=2))
case("shapes", "scatter_add", {"u": normal(9, 5), "i": labels(4, 9)},
     "train.scatter_add %u at %i : tensor<9x5xf32>, tensor<9xi32> to tensor<4x5xf32>",
     lambda u, i: torch.zeros(4, 5).index_add(0, i.long(), u))
case("shapes", "matmul", {"a": normal(2, 3, 5), "b": normal(2, 7, 5)},
     "train.matmul %a, %b transpose_rhs : (tensor<2x3x5xf32>, tensor<2x7x5xf32>) -> tensor<2x3x7xf32>", lambda a, b: a @ b.mT)
case("shapes", "linear", {"x": normal(2, 3, 5), "w": normal(5, 7), "b": normal(7)},
     "train.linear %x, %w, %b : tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<7xf32>", lambda x, w, b: F.linear(x, w.T, b))

y = normal(2, 3, 7)
case("layers", "layer_norm", {"x": y, "g": normal(7), "b": normal(7)},
     "train.layer_norm %x, %g, %b eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>, tensor<7xf32>",
     lambda x, g, b: F.layer_norm(x, (7,), g, b, 1e-3))
case("layers", "rms_norm", {"x": y, "g": normal(7)}, "train.rms_norm %x, %g eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>",
     lambda x, g: F.rms_norm(x, (7,), g, 1e-3))


def nchw(f):
    return lambda x: f(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


image, ties = normal(2, 7, 6, 3), torch.randint(0, 3, (2, 7, 6, 3)).double()
pool = "window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>"
for name, data in {"max_pool": image, "max_pool_ties": ties}.items():
    case("layers", name, {"x": data}, f"train.max_pool %x {pool}", nchw(lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 1))))
case("layers", "avg_pool", {"x": image}, f"train.avg_pool %x {pool}", nchw(lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 1))))
case("layers", "global_avg_pool", {"x": image}, "train.global_avg_pool %x : tensor<2x7x6x3xf32>", lambda x: x.mean((1, 2)))

for name, shape in {"batch_norm": (5, 2, 3, 3), "batch_norm_rows": (7, 3)}.items():
    channels = "tensor<3xf32>, tensor<3xf32>"
    case("layers", name, {"x": normal(*shape) * 2 + 1, "g": normal(3), "b": normal(3)},
         f"train.batch_norm %x, %g, %b running @{name}.mean, @{name}.variance momentum 0.2 eps 1.0e-3"
         f" : {type_of(torch.empty(*shape))}, {channels}",
         lambda x, g, b, mean, variance, training: F.batch_norm(x.movedim(-1, 1), mean, variance, g, b, training, 0.2, 1e-3).movedim(1, -1),
         buffers={"mean": normal(3), "variance": positive(3)})

logits, classes, soft = normal(6, 5) * 3, labels(5, 6), F.softmax(normal(6, 5), -1)
sparse, dense = "tensor<6x5xf32>, tensor<6xi32>", "tensor<6x5xf32>, tensor<6x5xf32>"
for reduction in ["mean", "sum", "none"]:
    case("losses", f"cross_entropy_{reduction}", {"x": logits, "l": classes},
         f"train.softmax_cross_entropy %x, %l reduce {reduction} ignore 2 smoothing 0.1 : {sparse}",
         lambda x, l, r=reduction: F.cross_entropy(x, l.long(), reduction=r, ignore_index=2, label_smoothing=0.1))
    case("losses", f"cross_entropy_dense_{reduction}", {"x": logits, "t": soft},
         f"train.softmax_cross_entropy %x, %t reduce {reduction} smoothing 0.2 : {dense}",
         lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r, label_smoothing=0.2))
    for name, attributes, compute in [("mse", "", F.mse_loss), ("l1", "", F.l1_loss),
                                      ("bce_with_logits", "", F.binary_cross_entropy_with_logits),
                                      ("smooth_l1", "beta 0.7 ", lambda x, t, reduction: F.smooth_l1_loss(x, t, reduction=reduction, beta=0.7))]:
        case("losses", f"{name}_{reduction}", {"x": logits, "t": soft},
             f"train.{name} %x, %t {attributes}reduce {reduction} : {dense}",
             lambda x, t, f=compute, r=reduction: f(x, t, reduction=r))


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011) on lists of 32-bit words."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# The authors' known answers.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def draws(state, key, shape, word):
    """Uniform on [0, 1) from a word per element."""
    seed, counter = (int(v) & 0xFFFFFFFFFFFFFFFF for v in state)
    halves = lambda v: [v & 0xFFFFFFFF, v >> 32]
    count = torch.empty(shape).numel()
    words = [philox([i, key & 0xFFFFFFFF] + halves(counter), halves(seed))[word] for i in range(count)]
    return torch.tensor([(w >> 8) / 2**24 for w in words]).reshape(shape)


state, shape = torch.tensor([-1234567890123456789, 5000000000]), (5, 7)
case("random", "uniform", {"s": state}, "train.random_uniform from -1.0 to 2.0 state(%s, %s) key 7 : tensor<5x7xf32>",
     lambda s: draws(s, 7, shape, 0) * 3 - 1, gradient=False)
case("random", "bernoulli", {"s": state}, "train.random_bernoulli 0.4 state(%s, %s) key -7 : tensor<5x7xf32>",
     lambda s: (draws(s, -7, shape, 0) < 0.4).double(), gradient=False)
case("random", "normal", {"s": state}, "train.random_normal mean 0.5 std 2.0 state(%s, %s) key 1 : tensor<5x7xf32>",
     lambda s: 0.5 + 2 * torch.sqrt(-2 * torch.log(1 - draws(s, 1, shape, 0))) * torch.cos(2 * torch.pi * draws(s, 1, shape, 1)),
     gradient=False)


own = torch.Generator().manual_seed(18)  # separate generator: cases added here keep the data of other cases


def attention(name, queries, keys, options, bias=None, **torch_options):
    q, k, v = (torch.randn(1, 2, positions, 4, generator=own) for positions in (queries, keys, keys))
    operands = {"q": q, "k": k, "v": v} | ({} if bias is None else {"m": bias})
    types = ", ".join(type_of(x) for x in operands.values())
    case("attention", name, operands, f"train.attention %q, %k, %v {'' if bias is None else 'bias %m '}{options}: {types}",
         lambda q, k, v, m=None: F.scaled_dot_product_attention(q, k, v, attn_mask=m, **torch_options))


# Several tiles of queries and keys.
attention("causal", 70, 70, "causal ", is_causal=True)
attention("biased", 5, 9, "scale 0.25 ", bias=torch.randn(2, 5, 9, generator=own), scale=0.25)
attention("masked", 70, 67, "", bias=torch.zeros(67).masked_fill(torch.rand(67, generator=own) < 0.3, -1e9))


def numbers(tensor):
    flat = tensor.detach().reshape(-1).tolist()
    return [float(f"{v:.9g}") if isinstance(v, float) else int(v) for v in flat]


own = normal(2, 3, 5)  # with itself, turned
case("shapes", "matmul_own_rows", {"x": own}, "train.matmul %x, %x transpose_rhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x3xf32>",
     lambda x: x @ x.mT)
case("shapes", "matmul_own_columns", {"x": own}, "train.matmul %x, %x transpose_lhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>",
     lambda x: x.mT @ x)


def record(name, operands, op, compute, gradient, buffers):
    """Lines of the model, and the expected results. Data are rounded to f32 first: both sides read the same numbers."""
    operands = {k: v.float().double() if v.is_floating_point() else v for k, v in operands.items()}
    params = {k: v.requires_grad_(gradient) for k, v in operands.items() if v.is_floating_point()}
    inputs = {k: v for k, v in operands.items() if k not in params}
    before = {k: v.float().double() for k, v in buffers.items()}
    after = {k: v.clone() for k, v in before.items()}
    if buffers:  # an export is in inference mode, a step in training mode
        result = compute(*operands.values(), *before.values(), False)
        trained = compute(*operands.values(), *after.values(), True)
    else:
        result = trained = compute(*operands.values())
    expected = {"inputs": {k: numbers(v) for k, v in inputs.items()}, "params": {k: numbers(v) for k, v in params.items()},
                "result": numbers(result), "kind": element_of(result)}
    expected |= {"kinds": {k: element_of(v) for k, v in inputs.items()}, "buffers": {k: numbers(v) for k, v in before.items()},
                 "buffers_after": {k: numbers(v) for k, v in after.items()}}
    state = [f"  train.buffer @{name}.{k} : {type_of(v)} = #train.zeros" for k, v in before.items()]
    state += [f"  train.param @{name}.{k} : {type_of(v)} = #train.zeros" + ("" if gradient else " {frozen}") for k, v in params.items()]
    arguments = [f"%{k}: {type_of(v)}" for k, v in inputs.items()]
    reads = [f"    %{k} = train.read @{name}.{k} : {type_of(v)}" for k, v in params.items()]
    extra = ", %where" if "max_pool" in op else ""
    body = reads + [f"    %r{extra} = {op}"]
    kind = type_of(result)
    lines = state + [f"  train.func @{name}({', '.join(arguments)}) -> {kind} {{"] + body + [f"    train.return %r : {kind}", "  }",
                     f'  train.export @{name} as "{name}"']
    if gradient:
        weight = torch.randn(result.shape).float().double()
        (trained * weight).sum().backward()
        expected["weight"] = numbers(weight)
        expected["gradients"] = {k: numbers(v.grad) for k, v in params.items()}
        dims = list(range(result.dim()))
        lines += [f"  train.func @{name}.loss({', '.join(arguments + ['%weight: ' + kind])}) -> tensor<f32> {{"] + body
        lines += [f"    %p = train.mul %r, %weight : {kind}, {kind}"]
        lines += [f"    %s = train.reduce_sum %p over {dims} : {kind}"] if dims else []
        lines += [f"    train.return %{'s' if dims else 'p'} : tensor<f32>", "  }",
                  f"  train.step @{name}.fit minimize @{name}.loss over [{', '.join(f'@{name}.{k}' for k in params)}] with #train.sgd<lr = 1.0>"]
    return lines, expected


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "Inputs"
    for group, cases in groups.items():
        lines, expected = ["// Recorded by ops.py.", "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"train.model @{group} {{"], {}
        for name, *rest in cases:
            model, data = record(name, *rest)
            lines += model
            expected[name] = data
        (folder / f"{group}.mlir").write_text("\n".join(lines + ["}"]) + "\n")
        (folder / f"{group}.json").write_text(json.dumps(expected, indent=None, separators=(",", ":")).replace('},"', '},\n"') + "\n")
