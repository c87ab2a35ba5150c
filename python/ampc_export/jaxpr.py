# Functions of JAX, from their jaxpr.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import typing
import warnings

import jax
import numpy as np

from ampc_export import lax, rules, safetensors, text
from ampc_export.errors import ExportError, Unsupported
from ampc_export.graph import Graph, kind_of
from ampc_export.lax.control import control

class Exported(typing.NamedTuple):
    """The two files that were written."""

    model: str
    weights: str


class _Walk:
    """What every variable holds: a value of the graph, or an array that is known."""

    def __init__(self):
        self.graph, self.faults = Graph(), {}

    def read(self, held, atom):
        return np.asarray(atom.val) if hasattr(atom, "val") else held[atom]

    def value(self, held):
        if not isinstance(held, np.ndarray):
            return held
        return self.graph.scalar(held.item(), kind_of(held.dtype)) if held.ndim == 0 else self.graph.constant(held)

    def run(self, closed, operands):
        jaxpr = closed.jaxpr if hasattr(closed, "jaxpr") else closed
        held = dict(zip(jaxpr.constvars, map(np.asarray, getattr(closed, "consts", []))))
        held |= dict(zip(jaxpr.invars, operands))
        for equation in jaxpr.eqns:
            given = [self.read(held, atom) for atom in equation.invars]
            results = self.equation(equation, given)
            held |= dict(zip(equation.outvars, results))
        return [self.read(held, atom) for atom in jaxpr.outvars]

    def equation(self, equation, given):
        name, params = equation.primitive.name, equation.params
        try:
            if control.get(name) is not None:
                return control.get(name)(self, equation, given)
            if all(isinstance(each, np.ndarray) for each in given) and not name.startswith("random"):
                results = equation.primitive.bind(*given, **params)
                return [np.asarray(r) for r in (results if equation.primitive.multiple_results else [results])]
            convert = lax.primitive.get(name)
            if convert is None:
                raise Unsupported("no converter for this op")
            shape, kind = self.types(equation)[0]
            made = convert(self.graph, [self.value(each) for each in given], params, shape, kind)
            made = made if isinstance(made, list) else [made]
            if made[0].shape != shape:
                raise ExportError(f"{name}: expected a result of shape {list(shape)}, but wrote {list(made[0].shape)}")
            return made
        except Unsupported as reason:
            self.faults.setdefault(f"{name}: {reason}", 0)
            self.faults[f"{name}: {reason}"] += 1
            return [self.graph.emit("train.unknown", [], shape, kind) for shape, kind in self.types(equation)]

    def types(self, equation):
        return [(tuple(out.aval.shape), kind_of(out.aval.dtype)) for out in equation.outvars]


def _name(path):
    """A path in a tree of parameters as block.0.weight."""
    parts = [str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path]
    return ".".join(parts) or "params"


def _names(inputs):
    if isinstance(inputs, dict):
        return list(inputs), list(inputs.values())
    given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    return [f"x{i}" if len(given) > 1 else "x" for i in range(len(given))], given


def export(function, params, inputs, *, path, optimizer=None, name=None, clip_norm=None):
    """Writes `function(params, *inputs)` as text of ampc to `path` (.mlir), and `params` beside it (.safetensors).

    function: returns the loss, one number, or the loss first and then outputs to predict; arrays that are no number are a
        model that only predicts. It takes the inputs by position.
    params: a tree of arrays, the parameters; their names are the paths in it, as in layers.0.weight.
    inputs: examples: a tuple, or a dict, whose keys are the names of the inputs. The first dimension of the first one is the batch.
    optimizer: a rule such as "adamw(lr=1e-3)".
    Raises ExportError, which lists every primitive that cannot be written."""
    path = os.fspath(path)
    if not path.endswith(".mlir"):
        raise ExportError(f"path: expected a file .mlir, but got {path}")
    names, given = _names(inputs)
    closed = jax.make_jaxpr(function)(params, *given)
    walk = _Walk()
    graph = walk.graph
    leaves = jax.tree_util.tree_flatten_with_path(params)[0]
    operands = [graph.state(_name(where), np.asarray(leaf, np.float32), True).value for where, leaf in leaves]
    for each, array in zip(names, given):
        array = np.asarray(array)
        kind = kind_of(array.dtype)
        operands.append(graph.input(each, array.shape, "i32" if kind == "i1" else kind))
    if len(closed.jaxpr.invars) != len(operands):
        raise ExportError("inputs: expected arrays, one per argument")
    results = [walk.value(each) for each in walk.run(closed, operands)]
    if walk.faults:
        lines = [f"  {fault} ({times} times)" for fault, times in sorted(walk.faults.items())]
        raise ExportError(f"expected primitives that can be written, but got {len(lines)} that cannot:\n" + "\n".join(lines))
    return _write(graph, results, optimizer, path, name, clip_norm)


def _write(graph, results, optimizer, path, name, clip_norm):
    from ampc_export.programs import learned, programs
    loss = results[0] if results and results[0].shape == () and results[0].kind == "f32" else None
    if loss is None and optimizer is not None:
        first = results[0].type if results else "none"
        warnings.warn(f"optimizer: expected a function whose first result is one number, the loss, but got {first}: the model only predicts",
                      stacklevel=4)
    outputs = results[1:] if loss is not None else results
    written = programs(graph, loss, outputs, graph.inputs)
    with_gradient = learned(graph, loss) if loss is not None else set()
    endings = []
    if loss is not None:
        extra = f" {{clip_norm = {float(clip_norm)}}}" if clip_norm else ""
        endings.append(rules.step(optimizer, {}, sorted(with_gradient), attributes=extra)[0])
    if outputs:
        endings.append('train.export @predict as "predict"')
    used = {v.state for program in written for op in program.ops for v in op.operands if v.state}
    states = [state for state in graph.states.values() if state in used]
    for state in states:
        state.frozen = state.is_param and state.name not in with_gradient
    name = name or re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    weights = os.path.splitext(path)[0] + ".safetensors"
    with open(path, "w") as file:
        file.write(text.model(f"m_{name}" if name[0].isdigit() else name, None, written, states, endings))
    safetensors.write(weights, {state.name: state.array for state in states})
    return Exported(path, weights)
