# Prints kernel.attention and kernel.attention_grad ops over sizes, layouts, types and options, for ampc-kernel-run; with "small" only ops
# whose scores take at most 200 thousand products.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

number = 0


def tensor(shape, element):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def affine(rank, results):
    names = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({names}) -> ({', '.join(results)})>"


class Layouts:
    """Tensors and maps of (b, h, row, column): `fused` reads queries, keys and values as parts of [b, row, 3 * h * column]
    and writes heads side by side; `turned` has rows and columns exchanged; `shared` has one key and value for all heads; `plain` is
    row-major."""

    def __init__(self, layout, batch, heads, queries, keys, width):
        self.layout, self.batch, self.heads, self.queries, self.keys, self.width = layout, batch, heads, queries, keys, width

    def side(self, rows, element, part=None):
        b, h, d = self.batch, self.heads, self.width
        if self.layout == "fused" and part is not None:
            return tensor([b, rows, 3 * h * d], element), affine(4, ["d0", "d2", f"d1 * {d} + d3 + {part * h * d}"])
        if self.layout == "fused":
            return tensor([b, rows, h, d], element), affine(4, ["d0", "d2", "d1", "d3"])
        if self.layout == "shared" and part:
            return tensor([b, rows, d], element), affine(4, ["d0", "d2", "d3"])
        if self.layout == "turned":
            return tensor([b, h, d, rows], element), affine(4, ["d0", "d1", "d3", "d2"])
        return tensor([b, h, rows, d], element), affine(4, ["d0", "d1", "d2", "d3"])

    def lse(self, element):
        return tensor([self.batch, self.heads, 2, self.queries], element), affine(4, ["d0", "d1", "d2", "d3"])

    def bias(self, kind, element):  # of a head, or of a whole row of keys
        if kind == "head":
            return tensor([self.heads, self.queries, self.keys], element), affine(4, ["d1", "d2", "d3"])
        return tensor([self.batch, 1, self.keys], element), affine(4, ["d0", "0", "d3"])

    def scores(self, element):
        return (tensor([self.batch, self.heads, self.queries, self.keys], element),
                affine(4, ["d0", "d1", "d2", "d3"]))


def emit(op, operands, results, layouts, acc, causal, bias, options):
    global number
    number += 1
    names = [f"%a{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n, (t, _) in zip(names, operands))
    outs = ", ".join(t for t, _ in results)
    left = ", ".join(f"%r{i}" for i in range(len(results)))
    scale = 1 / layouts.width ** 0.5
    print(f"kernel.program @p{number}({arguments}) -> ({outs}) {{")
    print(f"  {left} = kernel.{op}({', '.join(names)} : {', '.join(t for t, _ in operands)}) acc {acc}"
          f" batch [{layouts.batch}, {layouts.heads}] queries {layouts.queries} keys {layouts.keys} width {layouts.width}"
          f" scale {scale:.9f}{' causal' if causal else ''}{' biased' if bias else ''}"
          f" maps [{', '.join(m for _, m in operands)}] -> [{', '.join(m for _, m in results)}]"
          f" {{test.low = -1.0, test.high = 1.0{f', {options}' if options else ''}}} : {outs}")
    print(f"  kernel.return {left} : {outs}\n}}")


def attention(queries, keys, width, layout="plain", element="f32", result=None, causal=False, bias=None, batch=2, heads=2,
              sole=False, parts=None):
    if sys.argv[1:] == ["small"] and queries * keys * width * batch * heads > 2e5:
        return
    acc = "f64" if element == "f64" else "f32"
    result = result or acc
    layouts = Layouts(layout, batch, heads, queries, keys, width)
    sides = [layouts.side(queries, element, 0), layouts.side(keys, element, 1), layouts.side(keys, element, 2)]
    if bias:
        sides.append(layouts.bias(bias, acc))
    options = (layouts, acc, causal, bias)
    unit = 2.0**-11 if element == "f16" else 2.0**-8
    # Means of values below 1: products of 16 bits round their weights.
    tolerance = f"test.rounded_tolerance = {unit + 2e-6:e}" if element in ("bf16", "f16") and result == "f32" else None
    emit("attention", sides, [layouts.side(queries, result), layouts.lse(acc)], *options, tolerance)
    if sole:  # nobody reads the logsumexp
        emit("attention", sides, [layouts.side(queries, result)], *options, tolerance)
    given = [layouts.side(queries, element), layouts.lse(acc), layouts.side(queries, element)]
    # Sums of up to 200 terms of size 10, in any order. With 16-bit products a factor of each term (a weight, or the cotangent of a score)
    # is rounded to 16 bits, and the other factor is 16-bit already; sums are f32, and the result is rounded again: with u = 2^-8 (f16:
    # 2^-11) the error is at most u (sum of |terms| (1 + u) + |result|), plus f32 rounding. CPUs have such products for bf16, GPUs for both;
    # f16's loss below 2^-14 is less than the f32 rounding of 200 terms.
    pairs = unit * (1 + unit) + 2e-5
    tolerance = {"f64": "test.tolerance = 1.0e-13", "f32": "test.tolerance = 2.0e-05", "bf16": f"test.pairs_tolerance = {pairs:e}"}.get(result)
    if element in ("bf16", "f16"):
        tolerance = f"{tolerance + ', ' if tolerance else ''}test.rounded_tolerance = {pairs:e}"
    if parts:  # slices of the sums over keys
        bytes_of_row = -(-width // 16) * 16 * (8 if acc == "f64" else 4)
        chosen = f"parts = {parts} : i64, workspace_bytes = {batch * heads * parts * queries * bytes_of_row} : i64"
        tolerance = f"{tolerance}, {chosen}" if tolerance else chosen
    results = [layouts.side(queries, result), layouts.side(keys, result), layouts.side(keys, result)]
    emit("attention_grad", sides + given, results, *options, tolerance)
    if bias == "head":
        emit("attention_grad", sides + given, results + [layouts.scores(acc)], *options, tolerance)


attention(5, 9, 7, sole=True)
attention(1, 1, 1)
attention(64, 64, 64, layout="fused", causal=True, batch=1)
attention(130, 130, 20, layout="fused", causal=True)
attention(70, 199, 16, causal=True, bias="head")
attention(100, 65, 33, bias="row", layout="turned")
attention(17, 33, 8, element="f64", causal=True, bias="head")
attention(66, 70, 12, element="f64", layout="fused")
attention(67, 80, 24, element="bf16", result="bf16", bias="head", batch=1)
attention(70, 131, 7, element="bf16", layout="turned", result="bf16", causal=True, batch=1)
attention(40, 67, 24, element="f16", result="f16", layout="fused", causal=True, bias="row")
attention(70, 33, 8, layout="fused", causal=True, batch=1)
attention(37, 70, 7, element="f64", batch=1)
attention(6, 9, 130, causal=True, bias="head")
attention(6, 9, 130, element="bf16", result="bf16", batch=1)  # tiles of AMX of two short shapes
attention(130, 128, 64, element="bf16", layout="turned", result="bf16", batch=1, heads=1)  # queries far apart in k
attention(65, 65, 400, batch=1, heads=1)  # more channels than a block of a product
if sys.argv[1:] != ["small"]:  # as CPUs cut the gradient for more threads
    attention(130, 199, 20, layout="fused", causal=True, batch=1, parts=2)
    attention(70, 192, 24, causal=True, bias="head", batch=1, parts=3)
    attention(130, 200, 24, element="bf16", result="bf16", causal=True, batch=1, parts=4)
    attention(66, 130, 7, element="f64", layout="turned", batch=1, parts=2)
