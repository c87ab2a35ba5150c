# Functions of a model: `predict`, and the loss, which calls `predict` if possible.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export import text
from ampc_export.graph import needed

STOPS = ("stop_gradient", "argmax", "compare")  # ops whose operands have no gradient


def _differentiated(ops, wanted):
    """Adds every value that one of the wanted has a gradient for."""
    for op in reversed(ops):
        if not wanted & set(op.results) or any(name in op.form for name in STOPS):
            continue
        if op.block is None:
            wanted |= {v for v in op.operands if v.kind == "f32"}
        else:
            _through_rounds(op, wanted)


def _through_rounds(op, wanted):
    """A carried value has a gradient if the following round has one for it."""
    block = op.block
    given = [*block.carried, *block.rows]
    wanted |= {v for v, result in zip([*block.following, *block.each], op.results) if result in wanted}
    before = -1
    while before != len(wanted):
        before = len(wanted)
        _differentiated(block.ops, wanted)
        wanted |= {following for carried, following in zip(block.carried, block.following) if carried in wanted}
    wanted |= {outer for inner, outer in zip(given, op.operands) if inner in wanted}


def learned(graph, loss):
    """Parameters that the loss has a gradient for."""
    wanted, names = {loss}, set()
    _differentiated(graph.ops, wanted)
    for state in graph.states.values():
        if state.is_param and state.value in wanted and not state.frozen:
            names.add(state.name)
    return names


def programs(graph, loss, outputs, inputs):
    """@predict with the outputs, and @loss, which calls it if all that it needs comes from there."""
    made, predicted = [], set()
    if outputs:
        ops, reached = needed(graph.ops, outputs)
        arguments = [v for v in inputs if v in reached]
        predict = text.Program("predict", arguments, ops, outputs)
        predicted = set(ops)
        made.append(predict)
    if loss is not None:
        ops, reached = needed(graph.ops, [loss])
        rest = [op for op in ops if op not in predicted]
        borrowed = {v for op in rest for v in op.operands if v.op in predicted}
        calls = bool(predicted & set(ops)) and borrowed <= set(outputs)
        if calls:
            reached |= set(predict.inputs)
        arguments = [v for v in inputs if v in reached]
        made.append(text.Program("loss", arguments, rest if calls else ops, [loss], predict if calls else None))
    return made
