# Which functions a model has: what predicts, and the loss, which calls it where it can.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export import text


def _needed(ops, results):
    """The ops that results depend on, in their order."""
    wanted, kept = set(results), []
    for op in reversed(ops):
        if wanted & set(op.results):
            kept.append(op)
            wanted |= set(op.operands)
    return kept[::-1], wanted


def learned(graph, loss):
    """Parameters that the loss has a gradient for."""
    wanted, names = {loss}, set()
    for op in reversed(graph.ops):
        if wanted & set(op.results) and "stop_gradient" not in op.form and "argmax" not in op.form and "compare" not in op.form:
            wanted |= {v for v in op.operands if v.kind == "f32"}
    for state in graph.states.values():
        if state.is_param and state.value in wanted and not state.frozen:
            names.add(state.name)
    return names


def programs(graph, loss, outputs, inputs):
    """@predict with the outputs, and @loss, which calls it if all that it needs comes from there."""
    made, predicted = [], set()
    if outputs:
        ops, reached = _needed(graph.ops, outputs)
        arguments = [v for v in inputs if v in reached]
        predict = text.Program("predict", arguments, ops, outputs)
        predicted = set(ops)
        made.append(predict)
    if loss is not None:
        ops, reached = _needed(graph.ops, [loss])
        rest = [op for op in ops if op not in predicted]
        borrowed = {v for op in rest for v in op.operands if v.op in predicted}
        calls = bool(predicted & set(ops)) and borrowed <= set(outputs)
        if calls:
            reached |= set(predict.inputs)
        arguments = [v for v in inputs if v in reached]
        made.append(text.Program("loss", arguments, rest if calls else ops, [loss], predict if calls else None))
    return made
