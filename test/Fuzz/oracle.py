# Compares results of compiled models with NumPy: oracle.py FOLDER..., written by `ampc-fuzz --out`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import sys
import traceback

import numpy as np

import angles
import batches
import first_values
import followers
import functions  # noqa: F401, adds to ops.OPS
import images  # noqa: F401, adds to ops.OPS
import indexing  # noqa: F401, adds to ops.OPS
import knobs
import layers
import ops
import recurrent  # noqa: F401, adds to ops.OPS
import rules
import windows  # noqa: F401, adds to ops.OPS
from graph import read_model, read_tensors
from running import PRECISIONS, Precision, Unknown, Val, inside, merged, moved_all, pull_back, stored, unrounded


def to_narrow(v, element):
    if element == "f16":
        return v.astype(np.float16).astype(np.float64)
    bits = np.atleast_1d(v).astype(np.float32).view(np.uint32)
    near = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16).view(np.float32).reshape(v.shape)
    return np.where(np.isnan(v), v, near).astype(np.float64)


def narrowed(x, element):
    """A value that the model itself declares as f16 or bf16, rounded to that type."""
    if element not in ("f16", "bf16") or not x.isReal:
        return x
    v = to_narrow(x.v, element)
    if x.e is None:
        return Val(v).of([x], lambda g: [g])
    low, high = to_narrow(x.v - x.e, element), to_narrow(x.v + x.e, element)
    e = np.maximum(np.abs(high - v), np.abs(v - low))
    return Val(v, np.where(np.isfinite(x.e), np.where(np.isnan(e), np.inf, e), np.inf)).of([x], lambda g: [g])


def asked_for(name):
    """The precision of an op with `compute = name`, which every part of the op has: in f16 the squares of a norm end at 65504, too."""
    p = PRECISIONS[name]
    return Precision(p.name, p.unit, p.function, p.stored, p.tiny, p.largest, range=p.largest)


# Ops whose derivative is 0 or cut.
FLAT = {"train." + name for name in ("stop_gradient", "floor", "ceil", "round", "sign", "cast", "one_hot", "argmax", "argsort", "compare")}


def unknown_derivative(name):
    def pull(g):
        raise Unknown(f"the derivative of {name}")
    return pull


def compute(op, operands, run, isExact=False):
    """The results of an op that `run` computes, in the precision of the op."""
    outer = Val.precision
    try:
        Val.precision = unrounded(outer) if isExact else outer
        for _, element in op.operand_types + op.result_types:
            if op.name != "train.cast":  # which goes through no other type
                Val.precision = inside(element)
        results = run(op, *operands)
    finally:
        Val.precision = outer
    reals = [x for x in operands if x.isReal]
    for x in results:
        if x.isReal and not x.cause and reals and op.name not in FLAT and not any(x is operand for operand in operands):
            x.of(reals, unknown_derivative(op.name))
    return results


def slopes(number, sources):
    """Results of train.grad. An adjoint may round each value to 16 bits, so with 16 bits the bound is infinite."""
    found = pull_back(number, sources)
    return [x.within(np.inf) for x in found] if Val.precision.stored else found


def evaluate(model, function, inputs, state, training, narrow=None, isCalled=False, running=None, written=None):
    """The results of a function. `narrow` collects values that the model itself rounds to 16 bits, `running` new running statistics,
    `written` new values of buffers."""
    values, exact = {}, set() if isCalled else angles.unrounded(function)
    kept = lambda name, x: x if name in exact else stored(x)

    def run_round(op, binding):
        """A round of a loop: the operands of its end."""
        values.update((name, kept(name, x)) for (name, _), x in zip(op.arguments, binding))
        return run(op.body)

    def run_loop(op, operands):
        """train.scan by docs/language.md: carried values after the last round, then the kept values of all rounds, by row."""
        count = op["operandSegmentSizes"][0]
        carried, sequences = operands[:count], operands[count:]
        rounds = op["times"] or sequences[0].shape[0]
        rows = [None] * rounds
        for t in reversed(range(rounds)) if op["reverse"] else range(rounds):
            index = [Val(np.int32(t))] if op["indexed"] else []
            ends = run_round(op, index + carried + [x.moved(lambda a: a[t]) for x in sequences])
            carried, rows[t] = ends[:count], ends[count:]
        return carried + [moved_all(lambda *parts: np.stack(parts), *kept) for kept in zip(*rows)]

    def run(body, results=None):
        for op in body:
            operands = [values[name] for name in op.operands]
            if op.name in ("train.return", "train.next", "amp.yield"):
                return operands
            if op.name == "amp.autocast":
                values.update(zip(op.results, run(op.body)))
                continue
            if op.name == "train.write":
                if written is not None:
                    written[op["state"].lstrip("@")] = narrowed(stored(operands[0]), op.operand_types[0][1])
                continue
            if op.name == "train.read":
                found = [state[op["state"].lstrip("@")]]
            elif op.name == "train.call":
                found = evaluate(model, model.functions[op["callee"].lstrip("@")], operands, state, training, narrow, True, running, written)
            elif op.name == "train.scan":
                found = run_loop(op, operands)
            elif op.name == "train.grad":
                found = slopes(operands[0], operands[1:])
            elif op.name == "train.dropout":
                rate = state[op["train.knobs"]["rate"].lstrip("@")] if op["train.knobs"] else None
                found = compute(op, [stored(x) for x in operands], lambda *args: layers.dropout(*args, training, rate))
            elif op.name == "train.batch_norm":
                found = compute(op, [stored(x) for x in operands], lambda *args: layers.batch_norm(*args, state, training))
                if running is not None:
                    layers.move_statistics(op, operands[0], state, running)
            elif op.name in ops.OPS:
                # An op on the way to an angle reads numbers that are not rounded.
                isExact = exact.issuperset(op.operands) and (exact.issuperset(op.results) or op.name in angles.SINES | angles.EXPONENTIALS)
                found = compute(op, operands if isExact else [stored(x) for x in operands], ops.OPS[op.name])
            else:
                raise Unknown(op.name)
            for name, x, (_, element) in zip(op.results, found, op.result_types):
                if narrow is not None and element in ("f16", "bf16"):
                    narrow.append(x.v)
                values[name] = narrowed(kept(name, x), element)
        return []
    values.update((name, kept(name, x)) for name, x in zip(function.arguments, inputs))
    return run(function.ops)


def as_value(array):
    return Val(array.astype(np.float64) if array.dtype.kind == "f" else array)


def batch_of(function):
    """The first extent of the first input that is not a scalar."""
    return next((shape[0] for shape, _ in function.types if shape), 0)


class Results:
    """Tensors of a run in one precision."""

    def __init__(self, path, precision):
        self.tensors, self.precision = read_tensors(path), precision

    def state(self, prefix):
        return {name[len(prefix):]: as_value(a) for name, a in self.tensors.items() if name.startswith(prefix)}

    def inputs(self, program, round, function, part=0, parts=1, turn=0, valid=None):
        """Inputs of a micro-batch; the rows of the whole batch begin with row `turn`. Rows from `valid` on are 0."""
        found, batch = [], batch_of(function)
        for name, (shape, _) in zip(function.inputs, function.types):
            array = self.tensors[f"input/{program}/{round}/{name}"]
            if valid is not None and shape and shape[0] == batch:
                array = np.concatenate([array[:valid], np.zeros_like(array[valid:])])
            if parts > 1 and shape and shape[0] == batch:
                array = np.roll(array, -turn, 0)[part * batch:(part + 1) * batch]
            found.append(as_value(array))
        return found


def as_in_model(result, expected, batch):
    """The result in the model's order. Callers have the batch first, the model anywhere: of all orders with the model's shape the nearest
    counts."""
    shape = expected.v.shape
    orders = [result] + ([np.moveaxis(result, 0, dim) for dim in range(1, result.ndim)] if result.shape[:1] == (batch,) else [])
    orders = [x for x in orders if x.shape == shape]
    return min(orders, key=lambda x: misses(x.astype(np.float64), expected).sum()) if orders else result


def misses(got, expected):
    """Elements outside of the bound; an infinite bound promises nothing."""
    same = (got == expected.v) | (np.isnan(got) & np.isnan(expected.v))
    return ~same & np.isfinite(expected.e) & ~(np.abs(got - expected.v) <= expected.e)


class Oracle:
    def __init__(self, folder):
        self.model = read_model(os.path.join(folder, "model.mlir"))
        with open(os.path.join(folder, "about.json")) as file:
            self.about = json.load(file)
        self.own = Results(os.path.join(folder, "own.safetensors"), self.about["precision"])
        self.wide = Results(os.path.join(folder, "f64.safetensors"), "f64")
        self.steps = Results(os.path.join(folder, "steps.safetensors"), self.about["precision"])
        # Regions and single ops may ask for 16 bits in any precision.
        with open(os.path.join(folder, "model.mlir")) as file:
            asked = set(re.findall(r"\b(?:type|compute) = (bf16|f16)\b", file.read()))
        PRECISIONS["own"] = merged([PRECISIONS[self.about["precision"]], *map(asked_for, asked)])
        self.own.precision = "own"
        self.problems, self.checked, self.waived, self.wholes = [], 0, 0, {}
        Val.isRecorded = any(self.has(function, lambda op: op.name == "train.grad") for function in self.model.functions.values())

    def programs(self, step):
        """The C names of a step's programs."""
        prefix = step["sym_name"] + "_" if len(self.model.steps) > 1 else ""
        return {kind: prefix + kind for kind in ("train_step", "eval", "grad")}

    def compare(self, what, got, expected):
        got = got.astype(np.float64)
        if got.shape != expected.v.shape:
            self.problems.append(f"{what}: expected {list(expected.v.shape)} numbers, but got {list(got.shape)}")
            return
        bound = np.broadcast_to(expected.e, got.shape)
        bad = misses(got, expected)
        self.checked += int(np.isfinite(bound).sum())
        self.waived += int((~np.isfinite(bound)).sum())
        if bad.any():
            at = np.unravel_index(np.argmax(bad), bad.shape)
            self.problems.append(f"{what}{list(map(int, at))}: expected {expected.v[at]:.9g} within {bound[at]:.3g}, but got {got[at]:.9g}"
                                 f" ({bad.sum()} of {bad.size})")

    def check_forward(self, results, seen):
        """Evaluations and exports from the first state, and the first training loss."""
        Val.precision = PRECISIONS[results.precision]
        for name, function in self.model.exports.items():
            function, written = self.model.functions[function], {}
            outputs = evaluate(self.model, function, results.inputs(name, 0, function), self.called_state(results, name), training=False,
                               written=written)
            self.check_passed(results, seen, name, written)
            for i, value in enumerate(outputs):
                field = "out" if len(outputs) == 1 else f"out{i}"
                got = results.tensors[f"{name}/{field}"]
                self.compare(f"{seen} {name}/{field}", as_in_model(got, value, batch_of(function)), value)
        for step in self.model.steps:
            names = self.programs(step)
            function = self.model.functions[step["loss"].lstrip("@")]
            if f"{names['eval']}/loss" in results.tensors:
                written, state = {}, self.called_state(results, names["eval"])
                loss, = evaluate(self.model, function, results.inputs(names["eval"], 0, function), state, training=False, written=written)
                self.check_passed(results, seen, names["eval"], written)
                self.compare(f"{seen} {names['eval']}/loss", results.tensors[f"{names['eval']}/loss"], loss)

    def called_state(self, results, program):
        """State of an evaluation or export: rows of buffers are those of the caller, or first values."""
        state = results.state("state0/")
        for name, first in self.model.rows.items():
            shape, element = self.model.buffers[name]
            given = results.tensors.get(f"input/{program}/0/state:{name}")
            state[name] = as_value(given if given is not None else np.full(shape, first, np.int32 if element == "i32" else np.float64))
        return state

    def check_passed(self, results, seen, program, written):
        """New rows that an evaluation or export returns to the caller."""
        for name in self.model.passed & set(written):
            self.compare(f"{seen} {program}/state:{name}", results.tensors[f"{program}/state:{name}"], written[name])

    def step_state(self, step, results, prefix, changed=None):
        """State that a step reads: knobs as set before the step, or by the step's schedules, whose values the state after the step has."""
        state = dict(results.state(prefix))
        if prefix == "state0/":
            at = f"{self.programs(step)['train_step']}/0/knob/"
            state.update({name: as_value(results.tensors[at + name]) for name in self.model.knobs if at + name in results.tensors})
        own, at = knobs.scheduled(self.model, step, state), prefix.removesuffix("before/")
        if results.tensors.get(at + "status") == 0:
            own = {name: as_value(results.tensors[f"{at}after/{name}"]) for name in own}
        return state | own | (changed or {})

    def of_part(self, state, part, parts, turn=0):
        """The state of a micro-batch, which has its rows of the buffers per row; the rows begin with row `turn`."""
        found = dict(state)
        for name in self.model.rows:
            batch = self.model.buffers[name][0][0]
            if parts > 1:
                found[name] = state[name].moved(lambda a, n=batch: np.roll(a, -turn, 0)[part * n:(part + 1) * n])
        return found

    def check_first_loss(self):
        """The training loss of the first step in the seed's precision."""
        if not self.model.steps:
            return
        Val.precision, step = PRECISIONS["own"], self.model.steps[0]
        got = self.own.tensors.get(f"{self.programs(step)['train_step']}/0/loss")
        parts = step["micro_batches"] or 1
        if got is None or (parts > 1 and not self.whole(step)) or self.has(self.function(step), rules.remakes_operands):
            return
        loss = self.loss(step, self.own, "state0/", 0)
        # Parts are added up in 16 bits.
        self.compare("training loss", got, loss if parts == 1 else loss.within(4 * loss.e))

    def function(self, step):
        return self.model.functions[step["loss"].lstrip("@")]

    def whole(self, step):
        """The model with functions of the step's whole batch, or None."""
        parts, function = step["micro_batches"] or 1, self.function(step)
        if function.name not in self.wholes:
            try:
                self.wholes[function.name] = batches.whole_model(self.model, batch_of(function), parts) if parts > 1 else None
                if parts > 1:
                    self.loss(step, self.own, "state0/", 0)
            except (batches.NoWhole, ValueError, IndexError):
                self.wholes[function.name] = None
        return self.wholes[function.name]

    def loss(self, step, results, prefix, round, changed=None, narrow=None, turn=0):
        """The training loss of the whole batch, or the mean over micro-batches of a loss that is a mean over rows. `narrow` as in `evaluate`,
        `turn` as in `inputs`."""
        names, function = self.programs(step), self.function(step)
        state = self.step_state(step, results, prefix, changed)
        parts = step["micro_batches"] or 1
        if whole := self.whole(step):
            inputs = results.inputs(names["train_step"], round, function)
            return evaluate(whole, whole.functions[function.name], inputs, state, True, narrow)[0]
        losses = [evaluate(self.model, function, results.inputs(names["train_step"], round, function, part, parts, turn),
                           self.of_part(state, part, parts, turn), True, narrow)[0] for part in range(parts)]
        v = sum(x.v for x in losses) / parts
        return Val(v, 0 if losses[0].e is None else sum(x.e for x in losses) / parts + parts * Val.precision.unit * np.abs(v))

    def is_mean_of_parts(self, step, prefix, loss):
        """Whether the loss of the whole batch is the mean over micro-batches: a mean over rows, and equal for another grouping of the
        rows. test/Integration/part-weights.test covers other losses. Statistics of batch norm are per micro-batch by definition."""
        function = self.model.functions[step["loss"].lstrip("@")]
        if (step["micro_batches"] or 1) == 1 or self.whole(step):
            return True
        # A gradient with respect to rows contains the mean's divisor, the number of all rows: the mean over slices differs.
        if self.has(function, rules.sums_rows) or self.has(function, lambda op: op.name == "train.grad") or batch_of(function) == 1:
            return False
        # Rounding in another order is far below the bound; a difference near the bound may come from an almost linear function.
        turned = self.loss(step, self.wide, prefix, 0, turn=1)
        return self.has(function, lambda op: op.name == "train.batch_norm") or bool(np.abs(turned.v - loss.v) <= (turned.e + loss.e) / 8)

    def check_step(self, step):
        """Loss, gradients and updates in f64."""
        name, wide = self.programs(step)["train_step"], self.wide
        function = self.function(step)
        if self.has(function, rules.remakes_operands):
            return
        for round in range(3):
            at = f"{name}/{round}/"
            if at + "status" not in wide.tensors or wide.tensors[at + "status"] < 0:
                return
            Val.precision = PRECISIONS["f64"]
            loss = self.loss(step, wide, at + "before/", round)
            known = self.is_mean_of_parts(step, at + "before/", loss) if round == 0 else known
            if known and not wide.tensors[at + "short"]:
                self.compare(f"f64 {at}loss", wide.tensors[at + "loss"], loss)
            else:
                self.waived += 1
            gradients = self.gradients(step, at, wide)
            if round == 0 and known and np.isfinite(loss.e) and not self.has(function, rules.cuts_gradient):
                self.problems += rules.check_gradients(self, step, at, gradients)
            check = rules.check_skipped if wide.tensors[at + "status"] > 0 else rules.check_update
            self.problems += check(self, step, wide, at, gradients) + rules.check_guard(step, wide, at, gradients)
            self.check_written("f64", step, wide, at, round)
            if round == 0 and (step["micro_batches"] or 1) == 1:
                self.check_statistics(step, at)

    def new_values(self, step, results, at, round, valid=None):
        """New values of buffers that a step writes, of all micro-batches. `valid`: as in `inputs`."""
        parts, program, found = step["micro_batches"] or 1, self.programs(step)["train_step"], []
        state = self.step_state(step, results, at + "before/")
        for part in range(parts):
            inputs = results.inputs(program, round, self.function(step), part, parts, 0, valid)
            found.append({})
            evaluate(self.model, self.function(step), inputs, self.of_part(state, part, parts), True, written=found[-1])
        return {name: moved_all(lambda *rows: np.concatenate(rows), *(each[name] for each in found)) if name in self.model.rows else value
                for name, value in found[0].items() if name in self.model.rows or parts == 1}

    def check_written(self, seen, step, results, at, round):
        """Buffers and knobs after a step. In a short batch, rows that do not depend on the rows behind are compared with NumPy, and the rows
        that the batch lacks keep their values."""
        self.problems += knobs.check_values(self.model, step, results, at)
        self.check_followers(step, results, at)
        if results.tensors[at + "status"] != 0 or not self.has(self.function(step), lambda op: op.name == "train.write"):
            return
        after, before, valid = results.state(at + "after/"), results.state(at + "before/"), int(results.tensors[at + "valid"])
        isFull = not results.tensors[at + "short"]
        new = self.new_values(step, results, at, round)
        other = new if isFull else self.new_values(step, results, at, round, valid)
        for name, value in new.items():
            if not isFull and name not in self.model.rows:
                continue
            e = value.e if isFull else np.where(value.v == other[name].v, value.e, np.inf)
            if not isFull:
                behind = after[name].v[valid:], before[name].v[valid:]
                self.checked += behind[0].size
                if not np.array_equal(*behind, equal_nan=behind[0].dtype.kind == "f"):
                    self.problems.append(f"{seen} {at}{name}: expected the values before the step in the rows from {valid} on")
            value = value.within(e) if isFull else value.within(e).moved(lambda a: a[:valid])
            self.compare(f"{seen} {at}{name}", after[name].v if isFull else after[name].v[:valid], value)

    def check_followers(self, step, results, at):
        """Copies and averages of parameters after a step, also of steps that follow no parameter."""
        isApplied = results.tensors[at + "status"] == 0
        number = int(results.state(at + "before/")[f"{step['sym_name']}.step"].v) + 1 if isApplied else 0
        self.problems += followers.check(self.model, step, results, at, number, results.precision)

    def check_statistics(self, step, at):
        """Running mean and variance of batch norms."""
        function, running = self.function(step), {}
        inputs = self.wide.inputs(self.programs(step)["train_step"], 0, function)
        evaluate(self.model, function, inputs, self.step_state(step, self.wide, at + "before/"), True, None, False, running)
        after = self.wide.state(at + "after/")
        for name, (value, count) in running.items():
            if count == 1 and self.wide.tensors[at + "status"] == 0:
                self.compare(f"f64 {at}{name}", after[name].v, narrowed(value, self.model.buffers[name][1]))

    def check_own_steps(self, step):
        """Updates in the seed's precision: what is skipped, and that nothing else than a gradient makes numbers that are not finite."""
        for round in range(3):
            at = f"{self.programs(step)['train_step']}/{round}/"
            status = self.steps.tensors.get(at + "status")
            if status is None or status < 0:
                return
            gradients = self.gradients(step, at, self.steps)
            check = rules.check_skipped if status > 0 else rules.check_near_update
            self.problems += check(self, step, self.steps, at, gradients) + rules.check_guard(step, self.steps, at, gradients)
            Val.precision = PRECISIONS["own"]
            self.check_written(self.about["precision"], step, self.steps, at, round)

    def has(self, function, test):
        """Whether a function, or a function called inside, has an op for which `test` holds."""
        def inside(body):
            for op in body:
                if test(op) or (op.body and inside(op.body)):
                    return True
                if op.name == "train.call" and inside(self.model.functions[op["callee"].lstrip("@")].ops):
                    return True
            return False
        return inside(function.ops)

    def gradients(self, step, at, results):
        """Dense gradients of the step's parameters."""
        found, prefix = {}, f"{at}gradient/{step['sym_name']}."
        for param in step["params"]:
            param = param.lstrip("@")
            g = results.tensors[f"{prefix}gradient.{param}"]
            shape = self.model.params[param][0]
            if f"{prefix}rows.{param}" in results.tensors:
                dense = np.zeros(shape)
                rows = results.tensors[f"{prefix}rows.{param}"]
                for row, values in zip(rows, g):
                    if row >= 0:
                        dense[row] = values
                g = dense
            found[param] = g.astype(np.float64)
        return found

    def run(self):
        self.check_forward(self.wide, "f64")
        self.check_forward(self.own, self.about["precision"])
        self.problems += first_values.check(self) + knobs.check_first(self.model, self.own) + followers.check_first(self.model, self.own)
        self.check_first_loss()
        for step in self.model.steps:
            self.check_step(step)
            self.check_own_steps(step)


def main(folders):
    wrong = unknown = checked = waived = 0
    for folder in folders:
        oracle = Oracle(folder)
        try:
            oracle.run()
        except Unknown as op:
            unknown += 1
            print(f"seed {oracle.about['seed']}: {op} has no form in numpy")
        except Exception:  # the other models of the batch are still judged
            oracle.problems.append(f"oracle: {traceback.format_exc()}")
        checked, waived = checked + oracle.checked, waived + oracle.waived
        for problem in oracle.problems:
            print(f"seed {oracle.about['seed']}: WRONG {problem}")
        wrong += bool(oracle.problems)
    print(f"{len(folders)} models, {checked} numbers compared, {waived} without a promise, {unknown} with unknown ops, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
