# Schedulers of torch.optim.lr_scheduler as schedules of a step, whose first update has step number 1.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.errors import ExportError
from ampc_export.graph import number


def _refuse(scheduler, key, wanted):
    got = getattr(scheduler, key, wanted)
    if got != wanted:
        raise ExportError(f"scheduler: expected {key} to be {wanted}, but got {got}")


def _step(scheduler):
    return "step_decay", {"every": scheduler.step_size, "gamma": scheduler.gamma}


def _exponential(scheduler):
    return "step_decay", {"every": 1, "gamma": scheduler.gamma}


def _linear(scheduler):
    return "linear", {"steps": scheduler.total_iters + 1, "warmup": 1, "start": scheduler.start_factor, "end": scheduler.end_factor}


def _polynomial(scheduler):
    return "polynomial", {"steps": scheduler.total_iters + 1, "warmup": 1, "power": scheduler.power}


def _cosine(scheduler):
    """Up to T_max, behind which PyTorch's goes up again."""
    floors = {scheduler.eta_min / rate for rate in scheduler.base_lrs}
    if len(floors) > 1:
        raise ExportError("scheduler: expected eta_min to be one share of all learning rates, but got several")
    return "cosine", {"steps": scheduler.T_max + 1, "warmup": 1, "floor": floors.pop()}


def _momenta(scheduler, groups):
    if not getattr(scheduler, "cycle_momentum", False):
        return {}
    momenta = {}
    for key in ("base_momentum", "max_momentum"):
        values = {group[key] for group in groups}
        if len(values) > 1:
            raise ExportError(f"scheduler: expected one {key} for all groups, but got several")
        momenta[key] = values.pop()
    return momenta


def _one_cycle(scheduler):
    groups = scheduler.optimizer.param_groups
    phases = scheduler._schedule_phases
    first, last = groups[0], phases[0]["end_step"]
    shapes = {"steps": scheduler.total_steps, "pct_start": (last + 1) / scheduler.total_steps,
              "div_factor": first["max_lr"] / first["initial_lr"], "final_div_factor": first["initial_lr"] / first["min_lr"]}
    shapes |= _momenta(scheduler, groups)
    flags = {"linear": scheduler._anneal_func_type == "linear", "three_phase": len(phases) == 3}
    return "one_cycle", shapes | {key: True for key, value in flags.items() if value}


def _multi_step(scheduler):
    if any(at < 1 or count > 1 for at, count in scheduler.milestones.items()):
        raise ExportError(f"scheduler: expected every milestone once and from 1 on, but got {sorted(scheduler.milestones.elements())}")
    return "multi_step", {"at": sorted(scheduler.milestones), "gamma": scheduler.gamma}


def _sequence(scheduler):
    # The factors of OneCycleLR multiply its max_lr, those of the other schedulers the initial rate.
    if any(type(each).__name__ == "OneCycleLR" for each in scheduler._schedulers):
        raise ExportError("scheduler: expected no OneCycleLR in a SequentialLR, whose rates are relative to initial_lr, but got one")
    return "sequence", {"schedules": [_text(each) for each in scheduler._schedulers], "at": list(scheduler._milestones)}


SCHEDULES = {"StepLR": _step, "ExponentialLR": _exponential, "LinearLR": _linear, "PolynomialLR": _polynomial, "CosineAnnealingLR": _cosine,
             "OneCycleLR": _one_cycle, "MultiStepLR": _multi_step, "SequentialLR": _sequence}


def base_rate(scheduler, group):
    """What the schedule's factors multiply."""
    return group["max_lr"] if type(scheduler).__name__ == "OneCycleLR" else group["initial_lr"]


def _value(value):
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, (bool, int)) else number(float(value), "f32")


def _text(scheduler):
    name = type(scheduler).__name__
    if name not in SCHEDULES:
        raise ExportError(f"scheduler: expected one of {', '.join(SCHEDULES)}, but got {name}")
    ours, numbers = SCHEDULES[name](scheduler)
    return f"#train.{ours}<{', '.join(f'{key} = {_value(value)}' for key, value in numbers.items())}>"


def schedule(scheduler):
    """The text of its schedule; a scheduler that has begun is refused, as training begins with the first step."""
    text = _text(scheduler)
    _refuse(scheduler, "last_epoch", 0)
    return text
