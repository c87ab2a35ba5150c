# Copies and averages of parameters behind a step (docs/language.md, "Target networks and teachers").
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import knobs


def check_first(model, results):
    """Targets begin with the values of their sources."""
    state = results.state("state0/")
    return [f"first values of {op['target']}: expected those of {op['source']}"
            for op in model.follows if not np.array_equal(state[op["target"].lstrip("@")].v, state[op["source"].lstrip("@")].v)]


def steps_of(model, op):
    """Name of the step behind which a target changes: as written, or of the only step that trains the source."""
    return op["step"].lstrip("@") if op["step"] else next(step["sym_name"] for step in model.steps if op["source"] in step["params"])


UNITS = {"f64": 2.0**-52, "f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-11}


def check(model, step, results, at, number, precision):
    """Targets behind an update with this number, from 1; a number of 0: the step was skipped. f32 rounds each of three operations. Without master
    weights a step in `precision` rounds all parameters that the step writes to 16 bits."""
    problems, before, after = [], results.state(at + "before/"), results.state(at + "after/")
    scheduled = knobs.scheduled(model, step, before)
    for op in model.follows:
        target, source = op["target"].lstrip("@"), op["source"].lstrip("@")
        old, now, got = before[target].v, after[source].v, after[target].v
        moves = number and steps_of(model, op) == step["sym_name"] and number % (op["every"] or 1) == 0
        decay, bound = op["decay"] or 0.0, 0.0
        if op["train.knobs"]:
            name = op["train.knobs"]["decay"].lstrip("@")
            decay = float((after if name in scheduled else before)[name].v)
        expected = decay * old + (1 - decay) * now if moves else old
        if moves and op["decay"] is not None:
            element = model.params[target][1]
            unit = max(UNITS[element], 2.0**-24 if op["train.knobs"] else 0)
            bound = 4 * unit * (np.abs(old) + np.abs(now)) + {"f16": 2.0**-24}.get(element, 2.0**-120)
        elif moves:
            expected = now
        if precision in ("bf16", "f16") and number:
            bound = bound + UNITS[precision] * np.abs(expected) + {"f16": 2.0**-24}.get(precision, 2.0**-120)
        wrong = ~((got == expected) | (np.isnan(got) & ~np.isfinite(expected)) | (np.abs(got - expected) <= bound))
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0])
            problems.append(f"{at}{target}{list(map(int, place))}: expected {expected[place]:.9g}, but got {got[place]:.9g}")
    return problems
