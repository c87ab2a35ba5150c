# Optimizers of torch.optim, and their groups of parameters, as the rules of a step.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import fnmatch
import re

from ampc_export import schedules
from ampc_export.errors import ExportError
from ampc_export.graph import number
from ampc_export.text import group, symbol


def _adam(group):
    _refuse(group, "amsgrad", False)
    return {"lr": group["lr"], "beta1": group["betas"][0], "beta2": group["betas"][1], "eps": group["eps"],
            "weight_decay": group["weight_decay"]}


def _adamw_or_adam(group):
    return ("adamw" if group.get("decoupled_weight_decay") else "adam"), _adam(group)


def _sgd(group):
    _refuse(group, "dampening", 0)
    numbers = {"lr": group["lr"], "momentum": group["momentum"], "weight_decay": group["weight_decay"]}
    return "sgd", numbers | ({"nesterov": True} if group["nesterov"] else {})


def _rmsprop(group):
    _refuse(group, "centered", False)
    return "rmsprop", {key: group[key] for key in ("lr", "alpha", "eps", "momentum", "weight_decay")}


def _adagrad(group):
    _refuse(group, "lr_decay", 0)
    return "adagrad", {"lr": group["lr"], "eps": group["eps"], "weight_decay": group["weight_decay"],
                       "initial_accumulator": group["initial_accumulator_value"]}


def _adafactor(group):
    if any(p.ndim > 2 for p in group["params"]):  # moments of rows and columns: those of OIHW are none of OHWI
        raise ExportError("optimizer: expected vectors and matrices for Adafactor, but got a filter")
    least, eps2 = group["eps"]
    return "adafactor", {"lr": group["lr"], "decay": -group["beta2_decay"], "eps1": 2.0**-23 if least is None else least, "eps2": eps2,
                         "clip_threshold": group["d"], "weight_decay": group["weight_decay"]}


def _muon(group):
    _refuse(group, "ns_coefficients", (3.4445, -4.7750, 2.0315))
    if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
        raise ExportError(f"optimizer: expected adjust_lr_fn to be original or match_rms_adamw, but got {group['adjust_lr_fn']}")
    numbers = {key: group[key] for key in ("lr", "momentum", "nesterov", "weight_decay", "eps")}
    return "muon", numbers | {"iterations": group["ns_steps"], "match_adamw": group["adjust_lr_fn"] == "match_rms_adamw"}


RULES = {"SGD": _sgd, "Adam": _adamw_or_adam, "AdamW": lambda group: ("adamw", _adam(group)), "RMSprop": _rmsprop,
         "Adagrad": _adagrad, "Adafactor": _adafactor, "Muon": _muon}
# Numbers with default 0 in the language, and the rules with another default.
ZERO = ("momentum", "weight_decay", "initial_accumulator")
NOT_ZERO = {"adamw": ("weight_decay",), "muon": ("momentum", "weight_decay")}


def _refuse(group, key, wanted):
    if group.get(key, wanted) != wanted:
        raise ExportError(f"optimizer: expected {key} to be {wanted}, but got {group[key]}")


def _value(value):
    return str(value).lower() if isinstance(value, (bool, int)) else number(float(value), "f32")


def _rule(optimizer, group, scheduler):
    _refuse(group, "maximize", False)
    group = {**group, "lr": schedules.base_rate(scheduler, group)} if scheduler is not None else group
    name, numbers = RULES[type(optimizer).__name__](group)
    lr = numbers.pop("lr")
    values = [f"lr = {number(float(lr), 'f32')}"]
    for key, value in numbers.items():
        if key in ZERO and key not in NOT_ZERO.get(name, ()) and float(value) == 0:
            continue
        values.append(f"{key} = {_value(value)}")
    return f"#train.{name}<{', '.join(values)}>"


def _names(wanted, others):
    """Patterns for the names, where one of a kind holds them all and no other."""
    endings = {}
    for name in wanted:
        endings.setdefault("*." + name.rpartition(".")[2] if "." in name else name, []).append(name)
    listed = []
    for pattern, members in endings.items():
        if len(members) > 1 and not any(fnmatch.fnmatchcase(name, pattern) for name in others):
            listed.append(f'"{pattern}"')
        else:
            listed += [symbol(name) for name in members]
    return listed


def _text(text):
    """adamw(lr=1e-3) as a rule."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise ExportError(f"optimizer: expected a rule such as adamw(lr=1e-3), but got {text!r}")
    numbers = []
    for part in filter(None, map(str.strip, (match[2] or "").split(","))):
        key, _, value = map(str.strip, part.partition("="))
        try:
            asis = value in ("true", "false") or value.isdecimal()
            numbers.append(f"{key} = {value if asis else number(float(value), 'f32')}")
        except ValueError:
            raise ExportError(f"optimizer: expected a number for {key}, but got {value!r}") from None
    return f"#train.{match[1]}<{', '.join(numbers)}>"


def step(optimizer, names_of, learned, scheduler=None, attributes=""):
    """The line of the step. `names_of`: names of parameters by id; `learned`: names of those with a gradient.
    Returns the line, and the names that no group of the optimizer holds."""
    head = "train.step @fit minimize @loss over all with "
    if scheduler is not None:
        if scheduler.optimizer is not optimizer:
            raise ExportError("scheduler: expected a scheduler of the given optimizer, but got a scheduler of another optimizer")
        attributes = f"\n    schedule {schedules.schedule(scheduler)}{attributes}"
    if optimizer is None or isinstance(optimizer, str):
        return head + _text(optimizer or "adamw(lr=1e-3)") + attributes, []
    if type(optimizer).__name__ not in RULES:
        raise ExportError(f"optimizer: expected one of {', '.join(RULES)}, but got {type(optimizer).__name__}")
    rules = {}
    for each in optimizer.param_groups:
        names = [names_of[id(p)] for p in each["params"] if id(p) in names_of and names_of[id(p)] in learned]
        rules.setdefault(_rule(optimizer, each, scheduler), []).extend(names)
    if not any(rules.values()):
        raise ExportError("optimizer: expected parameters of the module that the loss depends on, but got none")
    first = max(rules, key=lambda rule: len(rules[rule]))
    groups = [group(_names(names, set(learned) - set(names)), rule) for rule, names in rules.items() if rule != first and names]
    given = f"\n    groups [{(',' + chr(10) + ' ' * 12).join(groups)}]" if groups else ""
    held = {name for names in rules.values() for name in names}
    return head + first + given + attributes, [name for name in learned if name not in held]
