# Schedules of learning rates, momenta and knobs, from docs/optimizers.md.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

from graph import parameters, split_top


def one_cycle(p, step, start, middle, finish):
    """From `start` over `middle` to `finish`, like PyTorch's OneCycleLR: steps count from 0, and a phase may end at a fraction of a step."""
    step, top = step - 1, p.get("pct_start", 0.3) * p["steps"]
    phases = [(top - 1, start, middle)] + ([(2 * top - 2, middle, start)] if p.get("three_phase") == "true" else [])
    phases.append((p["steps"] - 1, phases[-1][2], finish))
    begin = 0.0
    for end, first, last in phases:
        if end > begin and (step <= end or end == p["steps"] - 1):
            t = min(1.0, (step - begin) / (end - begin))
            return first + (last - first) * (t if p.get("linear") == "true" else (1 - math.cos(math.pi * t)) / 2)
        begin = end
    return middle  # a single step, which is the top


def whole_numbers(text):
    return [int(each) for each in text.strip()[1:-1].split(",") if each.strip()]


def part_of(p, step):
    """(schedule, its step) of a sequence: schedule i + 1 comes behind step at[i], and counts from 1."""
    ends, schedules = whole_numbers(p["at"]), split_top(p["schedules"].strip()[1:-1])
    part = sum(step > end for end in ends)
    return schedules[part].strip(), step - (ends[part - 1] if part else 0)


def with_scheduled_momentum(rule, p, text, step):
    """The parameters of a rule with the scheduled momentum: `beta1` for rules without `momentum`."""
    name, cycle = parameters(text) if text else ("", {})
    if name == "sequence":
        return with_scheduled_momentum(rule, p, *part_of(cycle, step))
    most = cycle.get("max_momentum", 0.0)
    if name != "one_cycle" or not most:
        return p
    now = one_cycle(cycle, step, most, cycle.get("base_momentum", 0.0), most)
    return p | {"momentum" if rule in ("sgd", "rmsprop", "muon") else "beta1": now}


def schedule_factor(text, step):
    if not text:
        return 1.0
    name, p = parameters(text)
    warm = lambda warmup: min(1.0, step / warmup) if warmup > 0 else 1.0
    if name == "linear_warmup":
        return warm(p["warmup"])
    if name == "cosine":
        warmup, floor = p.get("warmup", 0), p.get("floor", 0.0)
        t = min(1.0, max(0.0, (step - warmup) / max(1.0, p["steps"] - warmup)))
        return warm(warmup) * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * t)))
    if name in ("linear", "polynomial"):
        warmup = p.get("warmup", 0)
        t = min(1.0, max(0.0, (step - warmup) / max(1.0, p["steps"] - warmup)))
        if name == "linear":
            return warm(warmup) * (p.get("start", 1.0) + (p.get("end", 0.0) - p.get("start", 1.0)) * t)
        return warm(warmup) * (p.get("floor", 0.0) + (1 - p.get("floor", 0.0)) * (1 - t) ** p.get("power", 1.0))
    if name == "one_cycle":
        first = 1 / p.get("div_factor", 25.0)
        return one_cycle(p, step, first, 1.0, first / p.get("final_div_factor", 1e4))
    if name == "step_decay":
        return p.get("gamma", 0.1) ** math.floor((step - 1) / p["every"])
    if name == "multi_step":
        return p.get("gamma", 0.1) ** sum(step > end for end in whole_numbers(p["at"]))
    if name == "inverse_sqrt":
        return min(step / p["warmup"], math.sqrt(p["warmup"] / step))
    if name == "sequence":
        return schedule_factor(*part_of(p, step))
    return 1.0
