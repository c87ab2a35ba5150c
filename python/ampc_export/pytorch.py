# Models of PyTorch, by torch.export.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import inspect
import os
import re
import typing
import warnings

import torch

from ampc_export import rules, safetensors, text
from ampc_export.errors import ExportError, NotAFormula
from ampc_export.front import REGION, Front, converter_of, is_autocast, region_kind, short
from ampc_export.graph import Op
from ampc_export.programs import learned, programs

FUNCTIONS = torch.nn.functional
LOSSES = {"cross_entropy": FUNCTIONS.cross_entropy, "nll": FUNCTIONS.nll_loss, "mse": FUNCTIONS.mse_loss, "l1": FUNCTIONS.l1_loss,
          "smooth_l1": FUNCTIONS.smooth_l1_loss, "huber": FUNCTIONS.huber_loss,
          "bce_with_logits": FUNCTIONS.binary_cross_entropy_with_logits}
OF_CLASSES = (FUNCTIONS.cross_entropy, FUNCTIONS.nll_loss)
MODULES_OF_CLASSES = (torch.nn.CrossEntropyLoss, torch.nn.NLLLoss)
VIEWS = {"select", "slice", "view", "reshape", "transpose", "permute", "unbind", "split", "chunk", "squeeze", "unsqueeze", "t", "narrow",
         "expand", "diagonal", "flatten"}


class Exported(typing.NamedTuple):
    """What was written: two files, and names of parameters that stay as they are."""

    model: str
    weights: str
    frozen: list


class _Handed:
    """Outputs of the module of which the loss takes the first one; 0 without a loss."""

    count = 0


class _Wrapper(torch.nn.Module):
    """The module and its loss as one function of inputs and targets: (loss, outputs), or outputs alone."""

    def __init__(self, module, loss, keys, inputs):
        super().__init__()
        self.model, self.keys, self.inputs = module, keys, inputs
        self.loss, self.handed = loss, _Handed()

    def forward(self, *arguments):
        given, targets = arguments[:self.inputs], arguments[self.inputs:]
        output = self.model(**dict(zip(self.keys, given))) if self.keys else self.model(*given)
        tensors = _tensors(output)
        if self.loss is not None:
            takes_all = isinstance(output, (torch.Tensor, dict)) or targets == ()
            first = output if takes_all else tensors[0]
            self.handed.count = 0 if takes_all else len(tensors)
            return (self.loss(_logits(first), *targets), *tensors)
        return tuple(tensors)


def _logits(output):
    return output if isinstance(output, torch.Tensor) else output.get("logits", next(iter(_tensors(output)), None))


def _tensors(output):
    """Real tensors of an output, in order; caches and the like are left out."""
    if isinstance(output, torch.Tensor):
        return [output]
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    return [part for part in parts if isinstance(part, torch.Tensor) and part.is_floating_point()]


def _loss_of(loss):
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ExportError(f"loss: expected one of {', '.join(LOSSES)}, or a function, but got {loss!r}")
        return LOSSES[loss]
    return loss


def _target_like(loss, output):
    """A target for a loss that is known, as long as the module has one output."""
    output = _logits(output if isinstance(output, (torch.Tensor, dict)) else _tensors(output)[0])
    if loss in OF_CLASSES or isinstance(loss, MODULES_OF_CLASSES):
        return torch.zeros((output.shape[0], *output.shape[2:]), dtype=torch.long)
    known = isinstance(loss, torch.nn.modules.loss._Loss) or loss in LOSSES.values()
    if not known:
        raise ExportError("targets: expected examples of the operands of the loss after the output of the module, but got none")
    return torch.zeros_like(output)


def _input_names(module, inputs, targets):
    signature = [p.name for p in inspect.signature(module.forward).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = list(inputs) if isinstance(inputs, dict) else [
        signature[i] if i < len(signature) else f"input_{i}" for i in range(len(inputs))]
    names = ["x" if name == "input" and len(names) == 1 else name for name in names]
    for i in range(targets):
        name = "target" if i == 0 else f"target_{i}"
        names.append(f"{name}_of_loss" if name in names else name)
    return names


def _as_tuple(given):
    return tuple(given) if isinstance(given, (list, tuple)) else (given,)


class _Mode:
    """The module in training mode, and then in that of before, part by part."""

    def __init__(self, module, training):
        self.module, self.training = module, training
        self.before = {part: part.training for part in module.modules()}

    def __enter__(self):
        if self.training is not None:
            self.module.train(self.training)

    def __exit__(self, *_):
        for part, training in self.before.items():
            part.training = training


def _example_output(module, inputs):
    with _Mode(module, False), torch.no_grad():
        return module(**inputs) if isinstance(inputs, dict) else module(*inputs)


def _export(wrapper, arguments, batch):
    shapes = None
    if batch is not None:
        free = [{0: torch.export.Dim.AUTO} if isinstance(a, torch.Tensor) and a.ndim and a.shape[0] == batch else None for a in arguments]
        shapes = (tuple(free),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = torch.export.export(wrapper, arguments, dynamic_shapes=shapes, strict=False)
        except Exception as reason:
            if batch is not None:
                raise  # with numbers alone it may go
            why = next(iter(str(reason).strip().splitlines()), type(reason).__name__)
            raise ExportError(f"expected a module that torch.export can trace, but got: {why}") from reason
        return _decomposed(program)


def _graphs(program):
    for module in program.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            yield module.graph


def _mark_regions(program):
    """Decompositions write the ops of an autocast region without it; what they keep is what a node was annotated with."""
    for at, graph in enumerate(list(_graphs(program))):
        for node in graph.nodes:
            if not is_autocast(node.target):
                continue
            if at > 0:
                raise ExportError("torch.autocast: expected one region around ops that PyTorch decomposes, but got a region in another region")
            node.meta["custom"] = {**node.meta.get("custom", {}), REGION: (node.name, region_kind(node))}


def _decomposed(program):
    """Without ops that nothing writes but that PyTorch can make of others, and without writes into views."""
    unknown, writes = set(), False
    for graph in _graphs(program):
        for node in graph.nodes:
            if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
                continue
            name = short(node.target)
            if name and name.endswith("_") and not name.endswith("__"):
                source = node.args[0]
                writes |= isinstance(source, torch.fx.Node) and source.op == "call_function" and short(source.target) in VIEWS
                writes |= name in ("copy_", "index_put_")
            if name and converter_of(node.target) is None:
                unknown.add(node.target)
    table = torch.export.default_decompositions()
    table = {op: table[op] for op in unknown if op in table}
    if not (table or writes):
        return program
    _mark_regions(program)
    return program.run_decompositions(table)


def _write_through(module, wrapper, arguments, names, batch):
    front = Front(_export(wrapper, arguments, batch), wrapper, names, batch)
    return front, front.run()


def _values(front, output):
    """Results as PyTorch has them."""
    values = []
    for held in output:
        if held is None:
            continue
        front.graph.path, front.graph.label = (), ""
        if held.value is None:
            value = front.graph.constant(held.known.detach().float().numpy())
        else:
            value = held.value if not held.last else front.graph.transpose(held.value, [0, held.value.rank - 1, *range(1, held.value.rank - 1)])
        values.append(value)
    return values


def _is_scalar(value):
    return value.shape == () and value.kind == "f32"


def export(module, inputs, *, path, loss=None, targets=None, optimizer=None, scheduler=None, name=None, training=True, batch=True,
           clip_norm=None):
    """Writes `module` as text of ampc to `path` (.mlir), and its weights beside it (.safetensors).

    inputs: an example of what forward takes: a tensor, a tuple of tensors, or a dict of them by name. The first dimension
        of the first one is the batch.
    loss: a name (cross_entropy, nll, mse, l1, smooth_l1, huber, bce_with_logits), a loss of torch.nn, or a function of the
        output and the targets. None: the module's own first output, if that is one number, as models of transformers give
        it when their inputs have labels; otherwise a model that only predicts is written.
    targets: examples of what the loss takes beside the output; made from the output if the loss is a known one.
    optimizer: an instance of torch.optim over parameters of the module, or a rule such as "adamw(lr=1e-3)".
    scheduler: an instance of torch.optim.lr_scheduler over that optimizer, which has not stepped yet.
    training: True: in training mode (dropout, statistics of the batch); False: in inference mode; None: as the module is.
    batch: whether the text has the batch as a size of its own where the model permits it, so that --set batch=N changes it.
    clip_norm: limit of the norm of all gradients.
    Raises ExportError, which lists every op that cannot be written, and where."""
    path = os.fspath(path)
    if not path.endswith(".mlir"):
        raise ExportError(f"path: expected a file .mlir, but got {path}")
    inputs = inputs if isinstance(inputs, dict) else _as_tuple(inputs)
    loss = _loss_of(loss)
    given = tuple(inputs.values()) if isinstance(inputs, dict) else inputs
    if loss is not None and targets is None:
        targets = _target_like(loss, _example_output(module, inputs))
    arguments = given + (_as_tuple(targets) if targets is not None else ())
    # Clones, because torch.export merges two inputs that are the same tensor.
    arguments = tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in arguments)
    names = _input_names(module, inputs, len(arguments) - len(given))
    wrapper = _Wrapper(module, loss, list(inputs) if isinstance(inputs, dict) else None, len(given))
    wrapper.training = module.training  # and each part of the module stays in its own mode
    first = next((a for a in arguments if isinstance(a, torch.Tensor) and a.ndim), None)
    rows = first.shape[0] if batch and first is not None and first.shape[0] > 1 else None
    with _Mode(module, training):
        try:
            front, output = _write_through(module, wrapper, arguments, names, rows)
        except ExportError:
            raise
        except Exception as reason:  # what fixes the batch has many types; with numbers alone it is tried again
            if rows is None:
                raise
            if not isinstance(reason, NotAFormula) and os.environ.get("AMPC_EXPORT_DEBUG"):
                raise
            rows = None
            front, output = _write_through(module, wrapper, arguments, names, None)
    if wrapper.handed.count > 1:
        warnings.warn(f"loss: takes the first of {wrapper.handed.count} outputs of the module; a module that returns one tensor, or a dict, "
                      "leaves the choice to forward", stacklevel=3)
    return _write(module, front, output, loss is not None, rows, (optimizer, scheduler), path, name, clip_norm)


def _write(module, front, output, has_loss, rows, updates, path, name, clip_norm):
    graph, values = front.graph, _values(front, output)
    found = values[0] if values and (has_loss or _is_scalar(values[0])) else None
    if has_loss and not _is_scalar(found):
        raise ExportError(f"loss: expected one number, but got {found.type}")
    if found is None and updates[0] is not None:
        warnings.warn("optimizer: expected a loss, or a module whose first output is one number, but the model only predicts",
                      stacklevel=4)
    outputs = [v for v in (values[1:] if found is not None else values) if v is not found]
    for state, value in graph.writes:
        graph.path, graph.label = (), ""
        graph.ops.append(_write_op(state, value))
    written = programs(graph, found, outputs, graph.inputs)
    kept = {op for program in written for op in program.ops}
    for op in (op for op in graph.ops if not op.results):
        written[-1].ops.append(op)
        kept |= {op}
    used = {v.state for op in kept for v in op.operands if v.state} | {s for op in kept for s in op.symbols}
    used |= {v.state for v in outputs if v.state}
    states = [state for state in graph.states.values() if state in used]
    with_gradient = learned(graph, found) if found is not None else set()
    endings = []
    if found is not None:
        names_of = {id(p): n for n, p in list(module.named_parameters())[::-1]}
        extra = f" {{clip_norm = {float(clip_norm)}}}" if clip_norm else ""
        optimizer, scheduler = updates
        line, idle = rules.step(optimizer, names_of, [s.name for s in states if s.name in with_gradient], scheduler, extra)
        with_gradient -= set(idle)
        endings.append(line)
    if outputs:
        endings.append('train.export @predict as "predict"')
    for state in states:
        state.frozen = state.is_param and state.name not in with_gradient
    name = name or re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    weights = os.path.splitext(path)[0] + ".safetensors"
    with open(path, "w") as file:
        file.write(text.model(f"m_{name}" if name[0].isdigit() else name, rows, written, states, endings))
    safetensors.write(weights, {s.name: s.array.transpose(s.order) if s.order else s.array for s in states})
    return Exported(path, weights, [state.name for state in states if state.frozen])


def _write_op(state, value):
    return Op("train.write @{0}, {0}", [value], [], (), "", [state])
