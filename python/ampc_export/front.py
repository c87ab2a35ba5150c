# Conversion of a graph of torch.export to a Graph: the value of every node, and the source module.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import operator

import torch
from torch.export.graph_signature import InputKind

from ampc_export import aten
from ampc_export.aten.converter import Converter, Held, Unsupported, array_of, first_order, kind_of_torch, last_order, value_of
from ampc_export.errors import ExportError, NotAFormula
from ampc_export.graph import Graph, Region, Value
from ampc_export.sizes import Size

SKIPPED = {"_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range", "sym_constrain_range_for_size", "_assert_async"}
RANDOM = {"dropout", "dropout_", "rand", "randn", "rand_like", "randn_like", "bernoulli", "normal", "native_dropout"}
FILTER_OPS = {"conv1d", "conv2d", "convolution", "conv_transpose1d", "conv_transpose2d"}
CASTS = {"to", "_to_copy", "float", "type_as"}
MOVES = {"permute", "transpose", "view", "reshape", "flatten", "squeeze", "unsqueeze", "contiguous"}
COUNTER = "num_batches_tracked"
REGION = "ampc_region"  # annotation of nodes of an autocast region: its name and kind
ROOT = "model"  # of the module in the wrapper that pytorch.py exports


def short(target):
    """aten.add_.Tensor as add_; None for what is no op of ATen."""
    name = getattr(getattr(target, "_schema", None), "name", "")
    return name.removeprefix("aten::") if name.startswith("aten::") else None


def converter_of(target):
    name = short(target)
    if name is None:  # an op that another library has registered
        return aten.op.get(getattr(getattr(target, "_schema", None), "name", ""))
    return aten.op.get(name) or aten.op.get(name.removesuffix("_") if not name.endswith("__") else name)


def own_name(target):
    return target.removeprefix(ROOT + ".")


def modules_of(node):
    """Path, call and class of the submodules around a node, outermost first."""
    stack = []
    for key, (path, kind) in (node.meta.get("nn_module_stack") or {}).items():
        path = path.partition("@")[0]
        if path in ("", ROOT):
            continue
        stack.append((own_name(path), key, (kind if isinstance(kind, str) else kind.__name__).rpartition(".")[2]))
    return tuple(stack)


def label_of(node):
    """Layers of torch.nn give their names to what they make."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    if not stack:
        return ""
    path, kind = stack[-1]
    kind = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    name = path.partition("@")[0].rpartition(".")[2]
    return name if kind.startswith("torch.nn.modules") and name and not name.isdigit() and name != ROOT else ""


def becomes_real(node):
    """Whether a value is moved and then cast to real numbers, and nothing else."""
    def is_cast(user):
        return short(user.target) in CASTS and user.meta["val"].is_floating_point()
    users = [user for user in node.users if short(user.target) not in SKIPPED]
    return all(is_cast(user) or short(user.target) in MOVES and becomes_real(user) for user in users)


def kind_of_input(node, dtype):
    """Bytes that the model casts, as those of images, stay bytes."""
    if dtype == torch.uint8 and becomes_real(node):
        return "ui8"
    kind = kind_of_torch(dtype)
    return "i32" if kind == "i1" else kind


def is_counted(symbol):
    """Of a size that depends on data."""
    return symbol.name.startswith("u")


def is_autocast(target):
    return isinstance(target, torch._ops.HigherOrderOperator) and "autocast" in target.name()


def region_kind(node):
    """By the arguments of torch.autocast; without a type it takes that of the device."""
    device, dtype, enabled = node.args[:3]
    if not enabled:
        return "disabled"
    dtype = dtype or torch.get_autocast_dtype(device)
    kinds = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
    if dtype not in kinds:
        raise ExportError(f"torch.autocast: expected bfloat16, float16 or float32, but got {dtype}")
    return kinds[dtype]


class Front:
    def __init__(self, program, wrapper, input_names, batch):
        self.program, self.wrapper, self.batch = program, wrapper, batch
        self.graph, self.held, self.faults, self.states, self.written = Graph(), {}, {}, {}, {}
        self.input_names = input_names
        self.counted, self.noted = {}, {}

    # ---- Sizes ----

    def size(self, size):
        if not isinstance(size, torch.SymInt):
            return int(size)
        expression = size.node.expr.subs(self.counted)
        symbols = list(expression.free_symbols)
        if not symbols:
            return int(expression)
        if self.batch is None or len(symbols) != 1 or is_counted(symbols[0]):
            raise NotAFormula(str(expression))
        plus = expression.subs(symbols[0], 0)
        times = expression.subs(symbols[0], 1) - plus
        if not (plus.is_integer and times.is_integer) or (expression - times * symbols[0] - plus).simplify() != 0:
            raise NotAFormula(str(expression))
        return Size(int(times), int(plus), self.batch)

    def count(self, wanted, shape):
        """What a mask leaves has a size that PyTorch does not know, and that is known now."""
        for size, found in zip(wanted, shape):
            expression = size.node.expr.subs(self.counted) if isinstance(size, torch.SymInt) else None
            if getattr(expression, "is_Symbol", False) and is_counted(expression):
                self.counted[expression] = int(found)

    def sizes(self, shape):
        return tuple(self.size(size) if not isinstance(size, Size) else size for size in shape)

    def plain(self, argument):
        """Numbers of the graph as numbers; tensors stay nodes."""
        if isinstance(argument, (list, tuple)):
            return [self.plain(each) for each in argument]
        if isinstance(argument, torch.fx.Node):
            value = argument.meta.get("val")
            if isinstance(value, (torch.SymInt, int)):
                return self.size(value)
            if isinstance(value, float):
                return value
        return argument

    def shape_of(self, argument):
        return self.sizes(argument.meta["val"].shape)

    # ---- State and inputs ----

    def state_of(self, node):
        """The state that a node is, for ops that name one."""
        if node is None:
            return None
        state = self.states.get(node)
        if state is None:
            raise Unsupported("running statistics that are no buffers of the module")
        return state

    def _add_state(self, node, spec, names):
        tensor = self._tensor(spec.target)
        name = own_name(names.get(id(tensor), spec.target))
        is_param = spec.kind == InputKind.PARAMETER
        written = any(self._writes(user, node) for user in node.users) or node in self.written
        fixed = not is_param and not written and (not tensor.dtype.is_floating_point or not spec.persistent)
        if fixed or name.endswith(COUNTER):
            return Held(known=tensor)
        array = array_of(tensor)
        if array.dtype.kind in "iu":
            array = array.astype("int32")
        last = is_param and any(short(user.target) in FILTER_OPS and node is user.args[1] for user in node.users)
        order = first_order(array.ndim) if last else None
        if last:
            array = array.transpose(last_order(array.ndim)).copy()
        state = self.graph.state(name, array, is_param, is_param and not tensor.requires_grad, order)
        self.states[node] = state
        return Held(state.value, last)

    def _writes(self, user, node):
        name = short(user.target) or ""
        if "batch_norm" in name:
            return node in user.args[3:5]
        return name.endswith("_") and not name.endswith("__") and bool(user.args) and user.args[0] is node

    def _tensor(self, target):
        """Of a parameter or buffer, by its name in the wrapper."""
        owner = self.wrapper
        *path, last = target.split(".")
        for part in path:
            owner = getattr(owner, part)
        return getattr(owner, last)

    def _place(self):
        names = {id(p): n for n, p in list(self.wrapper.named_parameters())[::-1]}
        given = iter(self.input_names)
        signature = self.program.graph_signature
        mutated = getattr(signature, "buffers_to_mutate", {})
        nodes = {spec.arg.name: spec for spec in signature.input_specs}
        for node in self.program.graph.nodes:
            if node.op != "placeholder":
                continue
            spec = nodes[node.name]
            if spec.kind == InputKind.BUFFER and spec.target in mutated.values():
                self.written[node] = None
            if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER):
                self.held[node] = self._add_state(node, spec, names)
            elif spec.kind == InputKind.CONSTANT_TENSOR:
                self.held[node] = Held(known=self.program.constants[spec.target])
            elif spec.kind == InputKind.USER_INPUT:
                name, value = next(given), node.meta.get("val")
                if isinstance(value, torch.Tensor):
                    self.held[node] = Held(self.graph.input(name, self.shape_of(node), kind_of_input(node, value.dtype)))

    # ---- Nodes ----

    def run(self):
        """What the outputs hold."""
        self._place()
        output = self._nodes(self.program.graph, self.program.graph_module)
        if self.faults:
            lines = [f"  {name}: {reason}\n    in {', '.join(sorted(places))}" for (name, reason), places in sorted(self.faults.items())]
            raise ExportError(f"expected ops that can be written, but got {len(lines)} that cannot:\n" + "\n".join(lines))
        signature = self.program.graph_signature
        mutations = [s for s in signature.output_specs if s.kind.name == "BUFFER_MUTATION"]
        for held, spec in zip(output, mutations):
            node = next(n for n, s in zip((n for n in self.program.graph.nodes if n.op == "placeholder"), signature.input_specs)
                        if s.target == spec.target)
            self._write(node, held)
        return output[len(mutations):]

    def _write(self, node, held):
        state = self.states.get(node)
        if state is not None and held is not None and held.value is not None:
            self.graph.writes.append((state, held.value))

    def _nodes(self, graph, owner):
        for node in graph.nodes:
            if node.op == "placeholder":
                continue
            if node.op == "output":
                return [self.held[n] if isinstance(n, torch.fx.Node) else None for n in torch.utils._pytree.tree_leaves(node.args)]
            if node.op == "get_attr":
                attribute = getattr(owner, node.target)
                self.held[node] = Held(known=attribute) if isinstance(attribute, torch.Tensor) else attribute
                continue
            self.graph.path, self.graph.label = modules_of(node), label_of(node)
            if owner is self.program.graph_module:
                self.graph.regions = self._noted_region(node)
            self._node(node, owner)

    def _node(self, node, owner):
        if node.target is operator.getitem:
            self.held[node] = self.held[node.args[0]][node.args[1]]
        elif isinstance(node.target, torch._ops.HigherOrderOperator):
            self._inner(node, owner)
        elif short(node.target) in SKIPPED or not self._has_tensor(node):
            return
        elif self._is_known(node):
            self._fold(node)
        else:
            self._convert(node)

    def _has_tensor(self, node):
        value = node.meta.get("val")
        parts = value if isinstance(value, (list, tuple)) else [value]
        return any(isinstance(part, torch.Tensor) for part in parts)

    def _scan(self, node):
        """torch's own loop, over rows along dimension 0: a graph of carried values, rows and what it reads from outside."""
        graph, inits, sequences, outside = (self.held[node.args[0]], *node.args[1:4])
        inits, sequences = ([value_of(self.graph, self.held[each]) for each in values] for values in (inits, sequences))
        count = len(inits)

        def make(block):
            placeholders = [n for n in graph.graph.nodes if n.op == "placeholder"]
            # New Held objects: caches that a round fills, such as a tensor in the other order, are invalid outside.
            given = [Held(v) for v in (*block.carried, *block.rows)]
            given += [Held(h.value, h.last, h.known) if isinstance(h := self.held.get(each), Held) else h for each in outside]
            self.held |= dict(zip(placeholders, given))
            results = [value_of(self.graph, held) for held in self._nodes(graph.graph, graph)]
            return results[:count], results[count:]
        made = self.graph.scan(inits, sequences, self.size(node.args[2][0].meta["val"].shape[0]), make)
        self.held[node] = [Held(value) for value in made]

    def _inner(self, node, owner):
        """Loops, and blocks without gradients or with a type of their own: the ops in them."""
        if node.target.name() == "scan":
            self._scan(node)
            return
        at = next((i for i, a in enumerate(node.args) if isinstance(a, torch.fx.Node) and a.op == "get_attr"), None)
        if at is None or "wrap" not in node.target.name():
            self._fault(node.target.name(), "no converter for this op", node)
            return
        inner = self.held[node.args[at]]
        for placeholder, argument in zip((n for n in inner.graph.nodes if n.op == "placeholder"), node.args[at + 1:]):
            self.held[placeholder] = self.held.get(argument)
            if argument in self.states:
                self.states[placeholder] = self.states[argument]
        around = self.graph.regions
        if is_autocast(node.target):
            self.graph.regions = (*around, Region(region_kind(node)))
        self.held[node] = self._nodes(inner.graph, inner)
        self.graph.regions = around

    def _noted_region(self, node):
        """The region of a node whose decomposition has dissolved it."""
        noted = (node.meta.get("custom") or {}).get(REGION)
        if noted is None:
            return ()
        name, kind = noted
        return (self.noted.setdefault(name, Region(kind)),)

    def _inputs(self, node):
        found = []
        for argument in torch.utils._pytree.tree_leaves((node.args, node.kwargs)):
            if isinstance(argument, torch.fx.Node):
                found.append(argument)
        return found

    def _is_known(self, node):
        name = short(node.target)
        if name is None or name in RANDOM:
            return False
        for argument in self._inputs(node):
            held = self.held.get(argument)
            if held is None:
                if isinstance(argument.meta.get("val"), torch.SymInt):
                    return False
            elif isinstance(held, (list, tuple)) or held.known is None:
                return False
        return not any(isinstance(a, torch.SymInt) for a in torch.utils._pytree.tree_leaves((node.args, node.kwargs)))

    def _fold(self, node):
        """Computes what depends on no input."""
        def known(argument):
            if not isinstance(argument, torch.fx.Node):
                return argument
            held = self.held.get(argument)
            return held.known if held is not None else argument.meta["val"]
        arguments, options = torch.utils._pytree.tree_map(known, (node.args, node.kwargs))
        if "device" in options:
            options = {**options, "device": torch.device("cpu")}
        with torch.no_grad():
            name = short(node.target)
            if name.endswith("_") and not name.endswith("__"):
                arguments = (arguments[0].clone(), *arguments[1:])  # an in-place op must not change the module's tensor
            result = node.target(*arguments, **options)
        if isinstance(result, (list, tuple)):
            self.held[node] = [Held(known=part) for part in result]
        else:
            self.held[node] = Held(known=result)
            self.count(node.meta["val"].shape, result.shape)
        self._in_place(node)

    def _convert(self, node):
        convert = converter_of(node.target)
        name = str(node.target).removesuffix(".default")
        if convert is None:
            self._fault(name, "no converter for this op", node)
            return
        try:
            self.held[node] = convert(Converter(self, node))
            self._in_place(node)
        except Unsupported as reason:
            self._fault(name, f"expected something else than {reason}", node)

    def _in_place(self, node):
        """Who reads the operand afterwards reads the result."""
        name = short(node.target) or ""
        if not name.endswith("_") or name.endswith("__"):
            return
        target = node.args[0]
        self.held[target] = self.held[node]
        if target in self.states and not self.states[target].is_param:
            self._write(target, self.held[node])

    def _fault(self, name, reason, node):
        places = self.faults.setdefault((name, reason), set())
        stack = modules_of(node)
        places.add(stack[-1][0] if stack else "the module itself")
        value = node.meta.get("val")
        parts = value if isinstance(value, (list, tuple)) else [value]
        for part in parts:
            if isinstance(part, torch.Tensor):
                self.count(part.shape, [1] * part.ndim)
        held = [Held(Value(self.sizes(part.shape), "f32" if part.dtype.is_complex else kind_of_torch(part.dtype)))
                if isinstance(part, torch.Tensor) else None for part in parts]
        self.held[node] = held if isinstance(value, (list, tuple)) else held[0]
