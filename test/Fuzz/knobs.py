# Knobs of a model: values in a step, in place of numbers of the text (docs/language.md, "Knobs").
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from graph import parameters
from running import Val
from schedules import schedule_factor

# A schedule of a knob is computed in the type of the knob, f32 or f64.
OF_SCHEDULE = 2.0**-18


def scheduled(model, step, state):
    """Values of the knobs whose schedule is of the step: first value times factor, limited to the range."""
    own, found = step["sym_name"], {}
    number = int(state[f"{own}.step"].v) + 1 if f"{own}.step" in state else 1
    for name, knob in model.knobs.items():
        if knob.step == own:
            value = min(max(knob.first * schedule_factor(knob.schedule, number), knob.low), knob.high)
            found[name] = Val(np.float64(value), OF_SCHEDULE * abs(knob.first))
    return found


def optimizer_of(step, param):
    """(path, rule) of a parameter: ("groups.0", "#train.sgd<lr = 0.1>")."""
    for i, group in enumerate(step["groups"] or []):
        _, p = parameters(group)
        if f"@{param}" in [name.strip() for name in p["params"][1:-1].split(",")]:
            return f"groups.{i}", p["optimizer"]
    return "optimizer", step["optimizer"]


class StepNumbers:
    """Numbers of a step and its rules, from the states before and after the step: knobs with a schedule have the value that the step wrote,
    see `check_values`."""

    def __init__(self, model, step, before, after):
        self.step, self.knobs = step, {path: name.lstrip("@") for path, name in (step["train.knobs"] or {}).items()}
        own = scheduled(model, step, before)
        self.values = {name: float((after if name in own else before)[name].v) for name in self.knobs.values()}

    def group(self, param):
        """(path, parameters) of the group of a parameter, or ("", {})."""
        path, _ = optimizer_of(self.step, param)
        return (path, parameters(self.step["groups"][int(path.split(".")[1])])[1]) if path != "optimizer" else ("", {})

    def source(self, name, param):
        """(path, number) of a clause for a parameter: of the group, or of the step."""
        path, own = self.group(param)
        path, number = (f"{path}.{name}", own[name]) if name in own else (name, self.step[name])
        return path, self.values[self.knobs[path]] if path in self.knobs else number

    def clause(self, name, param):
        return self.source(name, param)[1]

    def schedule(self, param):
        return self.group(param)[1].get("schedule", self.step["schedule"])

    def rule(self, param):
        """(name, numbers) of the rule of a parameter. Rates of vectors under muon are `adamw_lr` times the rate over the rate of the text."""
        path, text = optimizer_of(self.step, param)
        name, p = parameters(text)
        found = {knob[len(path) + 1:]: self.values[of] for knob, of in self.knobs.items() if knob.startswith(path + ".")}
        return name, p | found | ({"text_lr": p["lr"]} if "lr" in found else {})

    def check_rate(self, results, at, number):
        """The rate in the report: of the step's own rule, if a schedule or knob changes the rate."""
        isGiven = self.step["schedule"] is not None or "optimizer.lr" in self.knobs
        lr = self.values[self.knobs["optimizer.lr"]] if "optimizer.lr" in self.knobs else parameters(self.step["optimizer"])[1]["lr"]
        expected = lr * schedule_factor(self.step["schedule"], number) if isGiven else 0.0
        got = float(results.tensors[at + "learning_rate"])
        # The report is f32, and a factor may be far from 1: 1 / div_factor of one_cycle.
        if abs(got - expected) <= 2 * OF_SCHEDULE * max(abs(lr), abs(expected)) + 1e-30:
            return []
        return [f"{at}learning_rate: expected {expected:.9g}, but got {got:.9g}"]


def check_values(model, step, results, at):
    """Values of knobs: as set by the caller before a step, and behind the step those of its schedules."""
    problems, before, after = [], results.state(at + "before/"), results.state(at + "after/")
    isApplied = results.tensors[at + "status"] == 0
    moved = scheduled(model, step, before) if isApplied else {}
    problems += [f"{name}: expected a number of the range to be accepted" for name in results.tensors if "refused/" in name]
    for name in model.knobs:
        given = results.tensors.get(f"{at}knob/{name}")
        if given is not None and before[name].v != given:
            problems.append(f"{at}before/{name}: expected the number {float(given):.9g} that was set, but got {float(before[name].v):.9g}")
        expected = moved.get(name) or before[name]
        if not abs(after[name].v - expected.v) <= (expected.e if name in moved else 0):
            problems.append(f"{at}after/{name}: expected {float(expected.v):.9g}, but got {float(after[name].v):.9g}")
    return problems


def check_first(model, results):
    """First values, rounded to the type of the knob."""
    problems = []
    for name, knob in model.knobs.items():
        got = float(results.tensors[f"first/{name}"])
        if not abs(got - knob.first) <= 2.0**-23 * abs(knob.first):
            problems.append(f"first value of {name}: expected {knob.first:.9g}, but got {got:.9g}")
    return problems
