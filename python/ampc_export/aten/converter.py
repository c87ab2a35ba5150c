# Interface of converters to an op: arguments as values, and the results.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch

from ampc_export.errors import ExportError, NotAFormula, Unsupported
from ampc_export.graph import kind_of
from ampc_export.sizes import Size, hint


class Held:
    """What a node holds: a value, with channels last or as PyTorch has them, or a tensor known now."""

    __slots__ = ("value", "last", "known", "other")

    def __init__(self, value=None, last=False, known=None):
        self.value, self.last, self.known, self.other = value, last, known, None


def last_order(rank):
    """(N, C, ...) to (N, ..., C)"""
    return [0, *range(2, rank), 1]


def first_order(rank):
    return [0, rank - 1, *range(1, rank - 1)]


def array_of(tensor):
    tensor = tensor.detach().cpu()
    if tensor.dtype in (torch.bfloat16, torch.float16, torch.float64):
        tensor = tensor.float()
    return tensor.contiguous().numpy()


def kind_of_torch(dtype):
    if dtype.is_complex:
        raise Unsupported("complex numbers")
    return "f32" if dtype.is_floating_point else "i1" if dtype == torch.bool else "i32"


def value_of(g, held, kind=None):
    """What a node holds, as PyTorch has it."""
    if held.value is None:
        array = array_of(held.known)
        value = g.scalar(array.item(), kind or kind_of(array.dtype)) if array.ndim == 0 else g.constant(array)
    elif held.last:
        if held.other is None:
            held.other = g.transpose(held.value, first_order(held.value.rank))
        value = held.other
    else:
        value = held.value
    return g.cast(value, kind) if kind else value


class Converter:
    """One node. `c[name]` is an argument as it stands in the graph; value, image and known give what it holds."""

    def __init__(self, front, node):
        self.front, self.node, self.graph = front, node, front.graph
        schema = node.target._schema
        self.arguments = {}
        for at, argument in enumerate(schema.arguments):
            if at < len(node.args):
                self.arguments[argument.name] = node.args[at]
            elif argument.name in node.kwargs:
                self.arguments[argument.name] = node.kwargs[argument.name]
            elif argument.has_default_value():
                self.arguments[argument.name] = argument.default_value
        self.names = list(self.arguments)

    def __getitem__(self, name):
        argument = self.arguments.get(name)
        return self.front.plain(argument) if isinstance(argument, (list, tuple, torch.fx.Node)) else argument

    def held(self, argument):
        """Of a node of the graph."""
        held = self.front.held[argument]
        if isinstance(held, (list, tuple)):
            raise Unsupported("a tuple of tensors as an operand")
        return held

    def is_known(self, name):
        argument = self.arguments.get(name)
        return not isinstance(argument, torch.fx.Node) or self.held(argument).known is not None

    def known(self, name):
        """A tensor or number that does not depend on inputs."""
        argument = self.arguments[name]
        if not isinstance(argument, torch.fx.Node):
            return argument
        if self.held(argument).known is None:
            raise Unsupported(f"{name} that depends on inputs")
        return self.held(argument).known

    def value_of(self, argument, kind=None):
        """As PyTorch has it; a number becomes a constant."""
        if isinstance(argument, (int, float, bool)):
            return self.graph.scalar(argument, kind or ("f32" if isinstance(argument, float) else "i32"))
        return value_of(self.graph, self.held(argument), kind)

    def value(self, name, kind=None):
        argument = self.arguments.get(name)
        return None if argument is None else self.value_of(argument, kind)

    def is_image(self, argument):
        return isinstance(argument, torch.fx.Node) and self.held(argument).last

    def image_of(self, argument):
        """(N, ..., C)"""
        held = self.held(argument)
        if held.last:
            return held.value
        value = self.value_of(argument)
        if held.value is None:
            return self.graph.transpose(value, last_order(value.rank))
        if held.other is None:
            held.other = self.graph.transpose(value, last_order(value.rank))
        return held.other

    def image(self, name):
        return self.image_of(self.arguments[name])

    def values(self, name):
        return [self.value_of(argument) for argument in self.arguments[name]]

    def shape(self, name):
        """As PyTorch has it."""
        return self.front.shape_of(self.arguments[name])

    @property
    def result(self):
        return self.node.meta["val"]

    @property
    def result_shape(self):
        return self.front.sizes(self.result.shape)

    @property
    def result_kind(self):
        return kind_of_torch(self.result.dtype)

    def sizes(self, name):
        """A list of sizes or one of them."""
        given = self[name]
        return self.front.sizes(given if isinstance(given, (list, tuple)) else [given])

    def numbers(self, name, length=None):
        """A list of numbers; one stands for all of them."""
        given = self[name]
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        numbers = [hint(size) if isinstance(size, Size) else int(size) for size in given]
        return numbers * length if length and len(numbers) == 1 else numbers

    def dims(self, name, rank):
        given = self[name]
        if given is None or isinstance(given, (list, tuple)) and not given:
            return list(range(rank))
        return sorted(int(d) % rank for d in (given if isinstance(given, (list, tuple)) else [given]))

    def give(self, value, last=False):
        """The only result. What was known to PyTorch is checked."""
        order = first_order(value.rank) if last else range(value.rank)
        self.front.count(self.result.shape, [hint(value.shape[i]) for i in order])
        wanted = self.result_shape
        if tuple(value.shape[i] for i in order) != tuple(wanted):
            if any(isinstance(size, Size) for size in (*wanted, *value.shape)):
                raise NotAFormula(f"{self.node}: {value.shape} for {wanted}")
            raise ExportError(f"{self.node}: expected a result of shape {list(wanted)}, but wrote {list(value.shape)}")
        return Held(self.graph.cast(value, self.result_kind), last)

    def give_all(self, values, last=False):
        return [Held(value, last) if value is not None else None for value in values]
