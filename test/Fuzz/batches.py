# Functions on a whole batch, from a model's function on a micro-batch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy

# Ops whose draws, statistics or row numbers belong to a micro-batch.
OF_ONE_PART = ("train.batch_norm", "train.dropout", "train.iota", "train.random_uniform", "train.random_normal", "train.random_bernoulli",
               "train.constant", "train.read")


class NoWhole(Exception):
    """A function of which the whole batch is not told apart from other extents."""


def larger(kind, batch, parts):
    """Every extent `batch` times `parts`: ([13, 4], f32) -> ([26, 4], f32) for 2 parts."""
    shape, element = kind
    return tuple(n * parts if n == batch else n for n in shape), element


def whole_ops(body, batch, parts, rows):
    result = []
    for op in body:
        op = copy.copy(op)
        numbers = [n for value in op.attributes.values() if isinstance(value, list) for n in value]
        isRows = op.name == "train.read" and op["state"].lstrip("@") in rows
        if batch in numbers or (not isRows and op.name in OF_ONE_PART and any(batch in shape for shape, _ in op.result_types)):
            raise NoWhole()
        # The extent of a window over a parameter, say.
        if not isRows and any(batch in shape for shape, _ in op.result_types) and not any(batch in shape for shape, _ in op.operand_types):
            raise NoWhole()
        if any(shape.count(batch) > 1 for shape, _ in op.result_types):
            raise NoWhole()
        op.operand_types = [larger(kind, batch, parts) for kind in op.operand_types]
        op.result_types = [larger(kind, batch, parts) for kind in op.result_types]
        if op.body:
            op.body = whole_ops(op.body, batch, parts, rows)
        result.append(op)
    return result


def whole_model(model, batch, parts):
    """The model with functions of `parts` times as many rows: each extent equal to `batch` is taken as the number of rows. Raises NoWhole
    where an extent may be equal by chance, as small extents often are."""
    shared = [shape for name, (shape, _) in {**model.params, **model.buffers}.items() if name not in model.rows]
    own = [model.buffers[name][0][1:] for name in model.rows]
    if batch < 11 or any(batch in shape for shape in shared + own):
        raise NoWhole()
    whole = copy.copy(model)
    whole.functions = {}
    for name, function in model.functions.items():
        if any(batch in shape[1:] for shape, _ in function.types):
            raise NoWhole()
        function = copy.copy(function)
        function.types = [larger(kind, batch, parts) for kind in function.types]
        function.ops = whole_ops(function.ops, batch, parts, model.rows)
        whole.functions[name] = function
    return whole
