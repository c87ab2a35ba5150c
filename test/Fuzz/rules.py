# Gradients by differences, and update rules as in the papers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import zlib

import numpy as np

from knobs import StepNumbers
from running import PRECISIONS, Val
from schedules import schedule_factor, with_scheduled_momentum


def sums_rows(op):
    """Whether a loss with this op may differ from the mean of the parts' losses."""
    return op.name.startswith("train.reduce_") and op.name not in ("train.reduce_mean", "train.reduce_max", "train.reduce_min") \
        or op.name in ("train.weighted_cross_entropy", "train.logsumexp") or op["reduction"] == "sum" or op["ignore"] is not None


def cuts_gradient(op):
    """Ops whose documented gradient is not the derivative: none through stop_gradient, the vectors of spectral_norm and to a row of
    padding; the gradient of batch_normalize treats the statistics as functions of x."""
    return op.name in ("train.stop_gradient", "train.batch_normalize", "train.spectral_norm") or \
        (op.name in ("train.gather", "train.embedding") and op["padding"] is not None)


def remakes_operands(op):
    """attention_grad takes the results of attention, but recomputes the results when differentiated. A model that contains attention_grad
    passes other values."""
    return op.name == "train.attention_grad"


def slope(oracle, step, at, param, direction, h):
    """(difference quotient, bound of the rounding error, (loss above, at, below), whether a comparison differs). The bound is infinite
    where values rounded to 16 bits differ."""
    start, seen, losses = oracle.wide.state(at + "before/")[param].v, [], []
    Val.precision = PRECISIONS["f64"]
    for sign in (1, 0, -1):
        narrow, Val.decisions = [], []
        losses.append(oracle.loss(step, oracle.wide, at + "before/", 0, {param: Val(start + sign * h * direction)}, narrow))
        seen.append((narrow, Val.decisions))
        Val.decisions = None
    up, middle, down = losses
    differs = [any(not np.array_equal(a, b, equal_nan=True) for one in seen[:2] for a, b in zip(one[kind], seen[-1][kind])) for kind in (0, 1)]
    return (up.v - down.v) / (2 * h), np.inf if differs[0] else (up.e + down.e) / (2 * h), (up.v, middle.v, down.v), differs[1]


def directional(oracle, step, at, param, gradient, direction):
    """(derivative, tolerance, gradient . direction), or None where no statement is possible."""
    start = oracle.wide.state(at + "before/")[param].v
    h = 1e-5 * max(1e-3, float(np.abs(start).max(initial=0)))
    size = float(np.abs(gradient * direction).sum())
    for _ in range(3):
        wide, _, losses, isDecided = slope(oracle, step, at, param, direction, h)
        if not isDecided:
            break
        h /= 16
    near, noise, closer, _ = slope(oracle, step, at, param, direction, h / 4)
    # Differing one-sided slopes beyond the curvature: a kink that no comparison shows.
    bend, bend4 = ((up + down - 2 * middle) / width for (up, middle, down), width in ((losses, h), (closer, h / 4)))
    tolerance = 4 * abs(wide - near) + 2 * noise + 1e-10 * size
    isSmooth = not isDecided and abs(bend4) <= 0.5 * abs(bend) + 1e-7 * size + 4 * noise
    return (near, tolerance, float((gradient * direction).sum())) if isSmooth and np.isfinite(tolerance) and np.isfinite(near) else None


def check_gradients(oracle, step, at, gradients):
    """Checks directional derivatives per parameter. Differences of two widths bound the distance from the derivative, the running error
    analysis the rounding. No derivative exists at a kink within the narrowest difference (a maximum of equals), nor for a parameter
    that the model itself rounds to 16 bits: the difference sees the steps, the gradient passes the rounding."""
    problems = []
    for param, gradient in gradients.items():
        numbers = np.random.default_rng(zlib.crc32(f"{oracle.about['seed']} {param}".encode()))
        for direction in (numbers.choice([-1.0, 1.0], gradient.shape), numbers.normal(size=gradient.shape)):
            found = directional(oracle, step, at, param, gradient, direction)
            if not found:
                oracle.waived += 1
                continue
            near, tolerance, got = found
            oracle.checked += 1
            if not (abs(got - near) <= tolerance):
                problems.append(f"{at}gradient of {param}: expected {near:.9g} in a direction within {tolerance:.3g}, but got {got:.9g}")
                break
    return problems


def adam_direction(p, g, m, step, eps):
    beta1, beta2 = p.get("beta1", 0.9), p.get("beta2", 0.999)
    first, second = beta1 * m["m"] + (1 - beta1) * g, beta2 * m["v"] + (1 - beta2) * g * g
    up = (first / (1 - beta1**step)) / (np.sqrt(second / (1 - beta2**step)) + p.get("eps", eps))
    return up, {"m": first, "v": second}


def sgd(p, w, g, m, step, lr):
    g = g + p.get("weight_decay", 0.0) * w
    if "momentum" not in m:
        return w - lr * g, {}
    momentum = p["momentum"]
    velocity = momentum * m["momentum"] + g
    return w - lr * (g + momentum * velocity if p.get("nesterov") == "true" else velocity), {"momentum": velocity}


def adam(p, w, g, m, step, lr):
    up, new = adam_direction(p, g + p.get("weight_decay", 0.0) * w, m, step, 1e-8)
    return w - lr * up, new


def adamw(p, w, g, m, step, lr):
    up, new = adam_direction(p, g, m, step, 1e-8)
    return w * (1 - lr * p.get("weight_decay", 0.01)) - lr * up, new


def lamb(p, w, g, m, step, lr):
    up, new = adam_direction(p, g, m, step, 1e-6)
    up = up + p.get("weight_decay", 0.01) * w
    a, b = np.sqrt((w * w).sum()), np.sqrt((up * up).sum())
    return w - lr * (a / b if a > 0 and b > 0 else 1.0) * up, new


def adagrad(p, w, g, m, step, lr):
    g = g + p.get("weight_decay", 0.0) * w
    s = m["sum"] + g * g
    return w - lr * g / (np.sqrt(s) + p.get("eps", 1e-10)), {"sum": s}


def rowwise_adagrad(p, w, g, m, step, lr):
    g = g + p.get("weight_decay", 0.0) * w
    s = m["sum"] + ((g * g).mean(axis=tuple(range(1, g.ndim)), keepdims=True) if g.ndim > 1 else g * g)
    return w - lr * g / (np.sqrt(s) + p.get("eps", 1e-8)), {"sum": s}


def rmsprop(p, w, g, m, step, lr):
    g = g + p.get("weight_decay", 0.0) * w
    alpha = p.get("alpha", 0.99)
    v = alpha * m["v"] + (1 - alpha) * g * g
    up = g / (np.sqrt(v) + p.get("eps", 1e-8))
    if "momentum" not in m:
        return w - lr * up, {"v": v}
    velocity = p["momentum"] * m["momentum"] + up
    return w - lr * velocity, {"v": v, "momentum": velocity}


def lion(p, w, g, m, step, lr):
    blend = lambda keep: keep * m["m"] + (1 - keep) * g
    return w * (1 - lr * p.get("weight_decay", 0.0)) - lr * np.sign(blend(p.get("beta1", 0.9))), {"m": blend(p.get("beta2", 0.99))}


def adafactor(p, w, g, m, step, lr):
    # The form old + share * (now - old) loses a `now` far below `old` for a share near 1.
    exponent = -p.get("decay", 0.8) * math.log(step)
    moved = lambda old, now: -math.expm1(exponent) * old + math.exp(exponent) * now
    rms, least = lambda x: np.sqrt((x * x).mean()), max(p.get("eps1", 2.0**-23), 2.0**-63)
    if g.ndim < 2:
        new = {"v": moved(m["v"], g * g)}
        estimate = new["v"]
    else:
        new = {"v_row": moved(m["v_row"], (g * g).mean(-1, keepdims=True)), "v_column": moved(m["v_column"], (g * g).mean(-2, keepdims=True))}
        estimate = new["v_row"] * new["v_column"] / np.maximum(new["v_row"].mean(-2, keepdims=True), least)
    up = g / np.sqrt(np.maximum(estimate, least * least))
    # np.maximum is NaN where an operand is; Python's max is the first of the two.
    rate = np.maximum(p.get("eps2", 1e-3), rms(w)) * min(lr, 1 / math.sqrt(step))
    return w * (1 - lr * p.get("weight_decay", 0.0)) - rate / np.maximum(1.0, rms(up) / p.get("clip_threshold", 1.0)) * up, new


def iteration_of_muon(x, e):
    """f(x) = a x + b G x + c G G x with G = x x^T, and a bound on the Frobenius norm of its error from a bound `e` on that of x.

    Each singular value s becomes f(s) = a s + b s^3 + c s^5. An error of x therefore grows by at most the largest divided difference of f
    between singular values of either sign and 0 (Higham, "Functions of Matrices", section 3.2). A product C = A B adds an error whose elements
    are at most n unit |A| |B|, n being the length of the sums, so the error's norm is at most n unit |A|_F |B|_F. Single elements have no relative
    bound: terms may cancel."""
    a, b, c = 3.4445, -4.7750, 2.0315
    (rows, columns), unit, norm = x.shape, PRECISIONS["f64"].unit, np.linalg.norm
    gram = x @ x.T
    inner = c * gram @ gram + b * gram
    values = np.linalg.svd(x, compute_uv=False)
    s, t = values[:, None], np.concatenate([values, -values, [0.0]])
    growth = np.abs(a + b * (s * s + s * t + t * t) + c * (s**4 + s**3 * t + s * s * t * t + s * t**3 + t**4)).max()
    of_gram = columns * unit * norm(x)**2
    of_inner = (abs(b) + 2 * c * values[0]**2) * of_gram + c * (rows + 3) * unit * norm(gram)**2 + 3 * abs(b) * unit * norm(gram)
    own = values[0] * of_inner + (rows + 3) * unit * norm(inner) * norm(x) + 3 * a * unit * norm(x)
    return a * x + inner @ x, growth * e + own


def muon(p, w, g, m, step, lr):
    if g.ndim < 2:
        up, new = adam_direction({"beta2": 0.95} | p | {"eps": p.get("adamw_eps", 1e-10)}, g, m, step, 0)
        return w - lr / p.get("text_lr", p["lr"]) * p.get("adamw_lr", 3e-4) * up, new
    keep = p.get("momentum", 0.95)
    momentum = keep * m["momentum"] + (1 - keep) * g
    x = (keep * momentum + (1 - keep) * g if p.get("nesterov") != "false" else momentum).reshape(len(g), -1)
    size = max(np.sqrt((x * x).sum()), p.get("eps", 1e-7))
    # Beside the quotient, sums of two products each, which may cancel, and a root of a sum of squares.
    e = PRECISIONS["f64"].unit * (6 * np.linalg.norm(np.abs(momentum) + np.abs(g)) / size + x.size + 4)
    x = x / size
    if not np.isfinite(x).all():
        return np.full(w.shape, np.nan), {"momentum": momentum}
    for _ in range(int(p.get("iterations", 5))):
        x, e = iteration_of_muon(x, e)
    rows, columns = x.shape
    size = 0.2 * math.sqrt(max(rows, columns)) if p.get("match_adamw") == "true" else math.sqrt(max(1.0, rows / columns))
    # NumPy's result has an error as large.
    return w * (1 - lr * p.get("weight_decay", 0.1)) - lr * size * x.reshape(w.shape), {"momentum": momentum}, 2 * abs(lr) * size * e


RULES = {f.__name__: f for f in (sgd, adam, adamw, lamb, adagrad, rowwise_adagrad, rmsprop, lion, adafactor, muon)}


def clipped(numbers, gradients):
    """Gradients within the limits of their groups, or of the step: a norm is over the parameters with one limit."""
    limits = {name: numbers.clause("clip_value", name) for name in gradients}
    gradients = {name: g if limits[name] is None else np.clip(g, -limits[name], limits[name]) for name, g in gradients.items()}
    norms = {name: numbers.source("clip_norm", name) for name in gradients}
    for path, norm in set(norms.values()):
        if norm is None:
            continue
        names = [name for name in gradients if norms[name][0] == path]
        total = math.sqrt(sum(float((gradients[name] * gradients[name]).sum()) for name in names))
        total = float(np.float32(total)) if total < np.finfo(np.float32).max else total
        factor = min(1.0, norm / (total + 1e-6))
        gradients |= {name: gradients[name] * factor for name in names}
    return gradients


def close(got, expected, scale, what, problems, share, own=0.0):
    """`own`: bound of a rule with a separate error analysis."""
    off = np.abs(got - expected)
    bad = ~(off <= share * (np.abs(expected) + scale) + own + 1e-300) & np.isfinite(expected)
    if bad.any():
        at = np.unravel_index(np.argmax(bad), bad.shape)
        problems.append(f"{what}{list(map(int, at))}: expected {expected[at]:.12g}, but got {got[at]:.12g} ({bad.sum()} of {bad.size})")


def check_skipped(oracle, step, results, at, gradients):
    """A step is skipped for a gradient that is not finite, and leaves parameters, moments and averages unchanged."""
    problems, before, after = [], results.state(at + "before/"), results.state(at + "after/")
    # The step may keep a scaled gradient in 16 bits where the program that gives gradients returns the f32 sum.
    scale, largest = float(results.tensors[at + "loss_scale"]), PRECISIONS[oracle.about["precision"]].largest
    if all((np.isfinite(g) & (np.abs(g) * scale < largest)).all() for g in gradients.values()):
        problems.append(f"{at}status: expected no skipped step, since all gradients are finite")
    params = [param.lstrip("@") for param in step["params"]]
    if not all(np.isfinite(before[param].v).all() for param in params):
        return problems
    # Scale and counters may change.
    known = {*params, *oracle.model.buffers, *oracle.model.knobs}
    own = lambda slot: slot in known or (slot.startswith(step["sym_name"] + ".") and slot.split(".")[-1] in params and
                                         "gradient." not in slot and ".rows." not in slot)
    for slot in filter(own, before):
        if not np.array_equal(before[slot].v, after[slot].v, equal_nan=True):
            problems.append(f"{at}{slot}: expected its value before the skipped step")
    return problems


def check_guard(step, results, at, gradients):
    """A step with a loss scale does not apply a gradient that is not finite."""
    name = (step["amp.scaler"] or step["sym_name"]).lstrip("@")
    isApplied = results.tensors[at + "status"] == 0 and f"{at}before/{name}.scale" in results.tensors
    wrong = [param for param, g in gradients.items() if isApplied and not np.isfinite(g).all()]
    return [f"{at}status: expected a skipped step, since the gradient of {param} is not finite" for param in wrong]


def unit_of(oracle, step, results, param):
    """Unit of rounding of a new value, by the type of the parameter; doubled for stochastic rounding."""
    unit = {"f16": 2.0**-11, "bf16": 2.0**-8}.get(oracle.model.params[param][1], 0.0)
    return 2 * unit if step["weight_rounding"] == "stochastic" else unit


def smallest_of_scaled(oracle, results, at):
    """Distance of neighbors among the smallest f16 gradients after division by the loss scale: 2^-24 / 2^-20 = 2^-4 for a scale of 2^-20."""
    if oracle.about["precision"] != "f16":
        return 0.0
    return 2.0**-24 / float(results.tensors.get(at + "loss_scale", 1.0))


def check_near_update(oracle, step, results, at, gradients):
    """An update in f32 or less: finite where the rule is, and near the rule's update. Elements that cancel have no bound, so the bound is
    per tensor."""
    problems, name = [], step["sym_name"]
    before, after = results.state(at + "before/"), results.state(at + "after/")
    number = int(after[f"{name}.step"].v) if f"{name}.step" in after else int(at.split("/")[1]) + 1
    numbers = StepNumbers(oracle.model, step, before, after)
    for param, g in clipped(numbers, gradients).items():
        rule, p = numbers.rule(param)
        sizes = np.abs(g[g != 0])
        isMiddle = np.isfinite(g).all() and (not sizes.size or (sizes.min() > 1e-15 and sizes.max() < 1e15))
        if rule not in RULES or rule == "muon" or p.get("lazy") == "true" or not isMiddle:
            oracle.waived += 1
            continue
        moments = {slot[len(name) + 1:-len(param) - 1]: x.v for slot, x in before.items()
                   if slot.startswith(name + ".") and slot.endswith("." + param)}
        w = before[param].v
        schedule = numbers.schedule(param)
        updated = lambda g: RULES[rule](with_scheduled_momentum(rule, p, schedule, number), w, g, dict(moments), number,
                                        p["lr"] * schedule_factor(schedule, number))[0]
        grain = smallest_of_scaled(oracle, results, at)
        with np.errstate(all="ignore"):
            new, nudged = updated(g), [updated(other) for other in (g * (1 + 2.0**-20), g + grain, g - grain)]
        scale = np.abs(w) + np.abs(new - w)
        if not np.isfinite(scale).all() or scale.max(initial=0) > 1e4:
            continue
        # A gradient that weight decay cancels, or that is below f16's range under the loss scale, is rounding, and rules divide by the
        # gradient's size.
        if any((np.abs(other - new) > 2.0**-8 * scale.max(initial=0)).any() for other in nudged):
            oracle.waived += 1
            continue
        oracle.checked += w.size
        close(after[param].v, new, scale, f"{at}update of {param} by {rule} in {oracle.about['precision']}", problems,
              2 * unit_of(oracle, step, results, param) + 2.0**-6, 2.0**-6 * scale.max(initial=0) + 2.0**-22)
    return problems


def check_update(oracle, step, results, at, gradients):
    """Parameters, moments and averages after a step, from the gradients that the same state gave."""
    problems, name = [], step["sym_name"]
    before, after = results.state(at + "before/"), results.state(at + "after/")
    number = int(after[f"{name}.step"].v) if f"{name}.step" in after else int(at.split("/")[1]) + 1
    numbers = StepNumbers(oracle.model, step, before, after)
    # Two numbers of an f64 update are f32, as in the C interface: the norm of the gradients, see `clipped`, and the factor of a schedule.
    problems += numbers.check_rate(results, at, number)
    for param, g in clipped(numbers, gradients).items():
        rule, p = numbers.rule(param)
        if rule not in RULES:
            oracle.waived += 1
            continue
        if oracle.model.params[param][1] in ("f16", "bf16"):
            problems += check_near_update(oracle, step, results, at, {param: g})
            continue
        schedule = numbers.schedule(param)
        share = 1e-12 + 2.0**-20 * (schedule is not None)
        lr = p["lr"] * schedule_factor(schedule, number)
        moments = {slot[len(name) + 1:-len(param) - 1]: x.v for slot, x in before.items()
                   if slot.startswith(name + ".") and slot.endswith("." + param)}
        narrow = p.get("moments") == "bf16"
        with np.errstate(all="ignore"):
            w, new, *own = RULES[rule](with_scheduled_momentum(rule, p, schedule, number), before[param].v, g, moments, number, lr)
        if p.get("lazy") == "true":
            oracle.waived += 1
            continue
        scale = np.abs(before[param].v) + np.abs(w - before[param].v)
        close(after[param].v, w, scale, f"{at}update of {param} by {rule}", problems, share, *own)
        for moment, value in new.items():
            # The old moment and the gradient's term may cancel; the error is then relative to the larger term.
            terms = np.abs(value) + np.abs(moments.get(moment, 0.0))
            close(after[f"{name}.{moment}.{param}"].v, value, terms, f"{at}moment {moment} of {param} by {rule}", problems,
                  2.0**-7 if narrow else share)
        oracle.checked += w.size
        if numbers.clause("ema_decay", param) is not None and not problems:
            d, old = numbers.clause("ema_decay", param), before[f"{name}.ema.{param}"].v
            expected = after[param].v if number == 1 else d * old + (1 - d) * after[param].v
            close(after[f"{name}.ema.{param}"].v, expected, np.abs(expected), f"{at}average of {param}", problems, share)
    return problems
