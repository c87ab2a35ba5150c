# Program to be written: ops on values, and the state that the ops read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import numpy as np

from ampc_export.errors import ExportError, NotAFormula
from ampc_export.sizes import broadcast, count, hint, listed


class State:
    """A parameter or buffer. `array` is its first value, in the layout of the model; files have its dimensions in `order`."""

    def __init__(self, name, array, is_param, frozen=False, order=None):
        self.name, self.array, self.is_param, self.frozen, self.order = name, array, is_param, frozen, order
        self.value = Value(array.shape, kind_of(array.dtype), name)
        self.value.state = self


class Value:
    __slots__ = ("shape", "kind", "hint", "state", "op")

    def __init__(self, shape, kind, hint_of_name=""):
        self.shape, self.kind, self.hint, self.state, self.op = tuple(shape), kind, hint_of_name, None, None

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        return f"{self.kind}{listed(self.shape)}"

    @property
    def tensor_type(self):
        """As MLIR writes it, where the language has no shorter form."""
        for size in self.shape:
            if not isinstance(size, int):
                raise NotAFormula(f"{size} in a type")
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.kind + ">"


class Region:
    """One `with torch.autocast(...)` of the source: "disabled", or the type that it computes in."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind


class Op:
    """`form` is the text with {0} for operand 0, and @{0} for the name of state 0 of `symbols`; `regions` are those around the op, the
    outermost first; `block` is the round of a loop."""

    __slots__ = ("form", "operands", "results", "path", "symbols", "label", "regions", "block")

    def __init__(self, form, operands, results, path, label, symbols=(), regions=()):
        self.form, self.operands, self.results, self.path = form, list(operands), results, path
        self.label, self.symbols, self.regions, self.block = label, list(symbols), tuple(regions), None
        for result in results:
            result.op = self


class Block:
    """One round of a loop: arguments (the number of the row, carried values, rows), ops, the carried values of the next round (`following`) and
    the values that are kept of every round (`each`)."""

    __slots__ = ("index", "carried", "rows", "ops", "following", "each")

    def __init__(self, inits, sequences):
        self.index = Value((), "i32", "i")
        self.carried = [Value(v.shape, v.kind, v.hint or "carried") for v in inits]
        self.rows = [Value(v.shape[1:], v.kind, "row") for v in sequences]
        self.ops, self.following, self.each = [], [], []

    def finish(self):
        """Removes ops without use. Returns the values from outside, and whether the number of the row is read."""
        results = [*self.following, *self.each]
        self.ops, read = needed(self.ops, results)
        inside = {*self.carried, *self.rows, self.index, *(result for op in self.ops for result in op.results)}
        order = dict.fromkeys([v for op in self.ops for v in op.operands] + results)
        return [v for v in order if v not in inside], self.index in read


def needed(ops, results):
    """Ops that the results depend on, in order, and all values on the way."""
    wanted, kept = set(results), []
    for op in reversed(ops):
        if wanted & set(op.results):
            kept.append(op)
            wanted |= set(op.operands)
    return kept[::-1], wanted


def nested(ops):
    """All ops, those of loops included."""
    for op in ops:
        yield op
        if op.block is not None:
            yield from nested(op.block.ops)


def kind_of(dtype):
    name = np.dtype(dtype).name
    if name.startswith(("float", "bfloat")):
        return "f32"
    if name == "bool":
        return "i1"
    if name.startswith(("int", "uint")):
        return "i32"
    raise ExportError(f"expected real numbers, integers or truth values, but got {name}")


def number(value, kind):
    """A number as MLIR reads it."""
    if kind == "i1":
        return "true" if value else "false"
    if kind != "f32":
        return str(int(value))
    value = float(value)
    narrow = np.float32(value)
    if not np.isfinite(narrow):
        if np.isnan(narrow):
            return "0x7FC00000"
        return "0x7F800000" if narrow > 0 else "0xFF800000"
    # Shortest decimal number whose nearest f32 is the value. Example: 0.1f -> 0.1, not 0.10000000149.
    short = repr(float(str(narrow)))
    text = short if np.float32(value) == np.float64(value) else repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text


def literal(array, kind):
    if array.ndim == 0:
        return number(array.item(), kind)
    return "[" + ", ".join(literal(part, kind) for part in array) + "]"


def _spread_vector(value, shape):
    """The vector that `value` repeats in every row of a tensor of that shape; None if it is another."""
    while value.op is not None and value.op.form.startswith(("train.reshape ", "train.broadcast_to ")):
        inner = value.op.operands[0]
        if not value.shape or inner.shape[-1:] != value.shape[-1:] or count(inner.shape[:-1]) != 1:
            return None
        value = inner
    return value if value.rank == 1 and value.shape == tuple(shape[-1:]) and len(shape) > 1 else None


class Graph:
    """Adds ops one after the other; `path` is the module of the framework that they come from."""

    LARGEST_LITERAL = 1 << 14  # elements; what is larger becomes a buffer

    def __init__(self):
        self.states, self.inputs, self.ops, self.writes = {}, [], [], []
        self.path, self.label, self.regions = (), "", ()

    def emit(self, form, operands, shape, kind, symbols=()):
        return self.emit_several(form, operands, [(shape, kind)], symbols)[0]

    def emit_several(self, form, operands, types, symbols=()):
        results = [Value(shape, kind, self.label) for shape, kind in types]
        self.ops.append(Op(form, operands, results, self.path, self.label, symbols, self.regions))
        return results

    def input(self, name, shape, kind):
        self.inputs.append(Value(shape, kind, name))
        return self.inputs[-1]

    def state(self, name, array, is_param, frozen=False, order=None):
        if name not in self.states:
            self.states[name] = State(name, array, is_param, frozen, order)
        return self.states[name]

    # ---- Loops ----

    def scan(self, inits, sequences, rounds, make, reverse=False, checkpoint=False):
        """A loop of `rounds` rounds. `make(block)` writes a round and returns the next carried values and the values to keep.
        Returns the last carried values, then every kept value as [rounds, ...]."""
        block, outside = Block(inits, sequences), self.ops
        self.ops = block.ops
        try:
            block.following, block.each = make(block)
        finally:
            self.ops = outside
        if not inits and not block.each:
            return []
        captured, is_indexed = block.finish()
        form = "train.scan" + (f" times {rounds}" if not sequences else "") + " reverse" * reverse + " index" * is_indexed
        types = [(v.shape, v.kind) for v in inits] + [((rounds, *v.shape), v.kind) for v in block.each]
        results = self.emit_several(form + " checkpoint" * checkpoint, [*inits, *sequences, *captured], types)
        self.ops[-1].block = block
        return results

    # ---- Constants ----

    def scalar(self, value, kind="f32"):
        return self.emit(f"train.constant dense<{number(value, kind)}> : tensor<{kind}>", [], (), kind)

    def constant(self, array):
        """An array; a large one becomes a buffer, whose value is in the file of weights."""
        array = np.asarray(array)
        kind = kind_of(array.dtype)
        value = Value(array.shape, kind)
        if array.size and (array == array.flat[0]).all():
            text = number(array.flat[0], kind)
        elif array.size <= self.LARGEST_LITERAL:
            steps = self.iota(array)
            if steps is not None:
                return steps
            text = literal(array, kind)
        else:
            taken = sum(name.startswith("constant.") for name in self.states)
            narrow = array.astype(np.float32 if kind == "f32" else np.int32)
            read = self.state(f"constant.{taken}", narrow, False).value
            return self.binary("compare ne", read, self.scalar(0, "i32")) if kind == "i1" else read
        return self.emit(f"train.constant dense<{text}> : {value.tensor_type}", [], array.shape, kind)

    def iota(self, array):
        """0, 1, 2, ... along one dimension, if it is that."""
        if array.dtype.kind not in "iu" or array.size < 3:
            return None
        for along, size in enumerate(array.shape):
            shape = [1] * array.ndim
            shape[along] = size
            if size > 2 and (array == np.arange(size).reshape(shape)).all():
                return self.emit(f"train.iota along {along} : i32{listed(array.shape)}", [], array.shape, "i32")
        return None

    # ---- Pointwise ----

    def unary(self, name, x, attributes=""):
        return self.emit(f"train.{name} {{0}}{attributes}", [x], x.shape, x.kind)

    def binary(self, name, x, y, kind=None):
        kind = "i1" if name.startswith("compare") else kind or x.kind
        return self.emit(f"train.{name} {{0}}, {{1}}", [x, y], broadcast(x.shape, y.shape), kind)

    def select(self, condition, x, y):
        shape = broadcast(condition.shape, x.shape, y.shape)
        return self.emit("train.select {0}, {1}, {2}", [condition, x, y], shape, x.kind)

    def cast(self, x, kind):
        if x.kind == kind:
            return x
        if kind == "i1":
            return self.binary("compare ne", x, self.scalar(0, x.kind))
        return self.emit(f"train.cast {{0}} to {kind}", [x], x.shape, kind)

    # ---- Shapes ----

    def reshape(self, x, shape):
        if x.op is not None and x.op.form.startswith("train.reshape "):
            x = x.op.operands[0]  # of two, the last one counts
        if tuple(shape) == x.shape:
            return x
        return self.emit(f"train.reshape {{0}} to {listed(shape)}", [x], shape, x.kind)

    def broadcast_to(self, x, shape):
        if tuple(shape) == x.shape:
            return x
        return self.emit(f"train.broadcast_to {{0}} to {listed(shape)}", [x], shape, x.kind)

    def transpose(self, x, order):
        if list(order) == list(range(x.rank)):
            return x
        # Two transposes in a row become a single transpose.
        if x.op is not None and (match := re.fullmatch(r"train\.transpose \{0\} \[([\d, ]+)\]", x.op.form)):
            first = [int(i) for i in match[1].split(", ")]
            return self.transpose(x.op.operands[0], [first[i] for i in order])
        moved = [x.shape[i] for i in order]
        # A transpose that moves only dimensions of size 1 is a reshape. Example: [4, 1, 5] -> [1, 4, 5].
        if [i for i in order if x.shape[i] != 1] == [i for i in range(x.rank) if x.shape[i] != 1]:
            return self.reshape(x, moved)
        return self.emit(f"train.transpose {{0}} {listed(order)}", [x], moved, x.kind)

    def slice(self, x, begin, sizes, strides=None):
        strides = strides or [1] * x.rank
        if tuple(sizes) == x.shape:
            return x
        return self.emit(f"train.slice {{0}} from {listed(begin)} sizes {listed(sizes)} strides {listed(strides)}",
                         [x], sizes, x.kind)

    def part(self, x, along, begin, size, stride=1):
        """Some elements along one dimension."""
        begins, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        begins[along], sizes[along], strides[along] = begin, size, stride
        return self.slice(x, begins, sizes, strides)

    def concat(self, parts, along):
        if len(parts) == 1:
            return parts[0]
        shape = list(parts[0].shape)
        shape[along] = sum((part.shape[along] for part in parts[1:]), parts[0].shape[along])
        names = ", ".join(f"{{{i}}}" for i in range(len(parts)))
        return self.emit(f"train.concat {names} along {along}", parts, shape, parts[0].kind)

    def split(self, x, sizes, along):
        if len(sizes) == 1:
            return [x]
        types = [((*x.shape[:along], size, *x.shape[along + 1:]), x.kind) for size in sizes]
        return self.emit_several(f"train.split {{0}} into {listed(sizes)} along {along}", [x], types)

    def pad(self, x, low, high, value=0.0, interior=None):
        interior = interior or [0] * x.rank
        shape = [size + a + b + (size - 1) * c for size, a, b, c in zip(x.shape, low, high, interior)]
        return self.emit(f"train.pad {{0}} value {number(value, 'f32')} low {listed(low)} high {listed(high)} "
                         f"interior {listed(interior)}", [x], shape, x.kind)

    # ---- Reductions and products ----

    def reduce(self, name, x, dims, keep=False):
        dims = sorted(d % x.rank for d in dims) if dims else list(range(x.rank))
        if not dims:
            return x
        shape = [size for i, size in enumerate(x.shape) if i not in dims]
        y = self.emit(f"train.{name} {{0}} over {listed(dims)}", [x], shape, x.kind)
        return self.reshape(y, [1 if i in dims else size for i, size in enumerate(x.shape)]) if keep else y

    def matmul(self, x, y, transpose_lhs=False, transpose_rhs=False):
        """Leading dimensions as NumPy broadcasts them."""
        batch = broadcast(x.shape[:-2], y.shape[:-2])
        if x.rank > 2 and y.rank > 2 or transpose_lhs and x.rank > 2:
            x, y = (self.broadcast_to(v, (*batch, *v.shape[-2:])) for v in (x, y))
        shape = (*batch, x.shape[-1 if transpose_lhs else -2], y.shape[-2 if transpose_rhs else -1])
        flags = " transpose_lhs" * transpose_lhs + " transpose_rhs" * transpose_rhs
        return self.emit(f"train.matmul {{0}}, {{1}}{flags}", [x, y], shape, "f32")

    def linear(self, x, weight, bias=None, transpose_weight=False):
        """x [..., in] times a matrix, and a vector that is added to every row: one op, as autocast rounds the layer and not its sum."""
        weight = self.transpose(weight, [1, 0]) if transpose_weight else weight
        operands = [x, weight] if bias is None else [x, weight, bias]
        form = "train.linear " + ", ".join(f"{{{i}}}" for i in range(len(operands)))
        return self.emit(form, operands, (*x.shape[:-1], weight.shape[1]), "f32")

    def biased(self, product, bias):
        """A sum; of rows times a matrix, which may have been reshaped, and a vector that was spread over them, a linear layer."""
        matmul = product
        while matmul.op is not None and matmul.op.form.startswith("train.reshape ") and matmul.shape[-1:] == matmul.op.operands[0].shape[-1:]:
            matmul = matmul.op.operands[0]
        vector = _spread_vector(bias, product.shape)
        if vector is None or matmul.op is None or matmul.op.form != "train.matmul {0}, {1}" or matmul.op.operands[1].rank != 2:
            return None
        return self.reshape(self.linear(*matmul.op.operands, vector), product.shape)

    def along_last(self, x, dim, make):
        """What `make` does with the last dimension, done with `dim`; the result has as many dimensions."""
        dim %= x.rank
        order = [i for i in range(x.rank) if i != dim] + [dim]
        y = make(self.transpose(x, order))
        return self.transpose(y, [order.index(i) for i in range(x.rank)])

    def flat_rows(self, x):
        """[..., width] as [rows, width]."""
        return self.reshape(x, (count(x.shape[:-1]), x.shape[-1]))

    # ---- Images: [N, H, W, C] and filters [O, H, W, I / groups] ----

    def conv(self, x, filters, strides, padding, dilations, groups=1):
        """Of one to three dimensions; padding: two numbers per dimension."""
        rank = len(strides)
        reach = [(size - 1) * dilation + 1 for size, dilation in zip(filters.shape[1:-1], dilations)]
        sizes = [(hint(x.shape[1 + i]) + padding[2 * i] + padding[2 * i + 1] - reach[i]) // strides[i] + 1 for i in range(rank)]
        form = f"train.conv{rank}d {{0}}, {{1}}{self._windows(strides, padding, dilations)}" + (f" groups {groups}" if groups != 1 else "")
        return self.emit(form, [x, filters], (x.shape[0], *sizes, filters.shape[0]), "f32")

    def conv_transpose(self, x, filters, strides, padding, dilations, groups, extra, sizes):
        """`extra` is the padding of the result; `sizes` are those of the result."""
        form = f"train.conv_transpose {{0}}, {{1}}{self._windows(strides, padding, dilations)}" + (f" groups {groups}" if groups != 1 else "")
        if any(extra):
            form += f" output_padding {listed(extra)}"
        return self.emit(form, [x, filters], (x.shape[0], *sizes, filters.shape[-1] * groups), "f32")

    @staticmethod
    def _windows(strides, padding, dilations):
        text = f" strides {listed(strides)} padding {listed(padding)}"
        return text + (f" dilations {listed(dilations)}" if any(d != 1 for d in dilations) else "")

    def pool(self, mode, x, window, strides, padding, dilations, sizes, flags=""):
        """Of any number of dimensions; `sizes` are those of the result."""
        form = f"train.pool {mode} {{0}} window {listed(window)}{self._windows(strides, padding, dilations)}{flags}"
        return self.emit(form, [x], (x.shape[0], *sizes, x.shape[-1]), "f32")
