# Loops of JAX as train.scan: scan, fori_loop, and while_loop whose rounds are counted.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import typing

import numpy as np

from ampc_export.errors import Unsupported
from ampc_export.lax.control import control

LONGEST = 256  # rounds of a loop that can only be written out
MOST = 1 << 24  # rounds of a train.scan
RECOMPUTED = ("checkpoint", "remat", "remat2")


class Loop(typing.NamedTuple):
    """`body` takes `fixed` values, carried values and rows; it returns carried values and values to keep."""

    name: str
    body: object
    fixed: list
    state: list
    stacks: list
    rounds: int
    reverse: bool


class Counter(typing.NamedTuple):
    """first, first + step, ...: an integer that is known in every round."""

    first: int
    step: int


def _is_integer(held):
    return isinstance(held, np.ndarray) and held.ndim == 0 and held.dtype.kind in "iu"


def _step_of(jaxpr, carried, following):
    """What a round adds to a carried integer; None if anything else happens to it."""
    for equation in jaxpr.eqns:
        if following in equation.outvars and (name := equation.primitive.name) in ("add", "sub"):
            x, y = equation.invars
            x, y = (y, x) if hasattr(x, "val") and name == "add" else (x, y)
            if x is carried and hasattr(y, "val"):
                return int(y.val) if name == "add" else -int(y.val)
    return None


def _progression(held):
    """Rows that are a counter."""
    if not isinstance(held, np.ndarray) or held.ndim != 1 or held.dtype.kind not in "iu" or not len(held):
        return None
    step = int(held[1]) - int(held[0]) if len(held) > 1 else 0
    return Counter(int(held[0]), step) if (held == held[0] + step * np.arange(len(held))).all() else None


class _Carried:
    """Carried values by what is known of them: those that never change, counters, and the others."""

    def __init__(self, jaxpr, loop):
        begins = jaxpr.invars[len(loop.fixed):len(loop.fixed) + len(loop.state)]
        ends = jaxpr.outvars[:len(loop.state)]
        self.same = [i for i, (begin, end) in enumerate(zip(begins, ends)) if begin is end]
        self.counters = {}
        for i, (begin, end) in enumerate(zip(begins, ends)):
            step = _step_of(jaxpr, begin, end) if _is_integer(loop.state[i]) else None
            if step is not None:
                self.counters[i] = Counter(int(loop.state[i]), step)
        self.others = [i for i in range(len(loop.state)) if i not in self.same and i not in self.counters]


def _value_of(g, counter, row):
    """In the round of a row."""
    value = row if counter.step == 1 else g.binary("mul", row, g.scalar(counter.step, "i32"))
    return g.binary("add", value, g.scalar(counter.first, "i32")) if counter.first else value


def _as_scan(walk, loop):
    """Carried values and kept values behind a train.scan."""
    jaxpr, g = loop.body.jaxpr, walk.graph
    carried, count = _Carried(jaxpr, loop), len(loop.state)
    counted = [_progression(stack) for stack in loop.stacks]
    inits = [walk.value(loop.state[i]) for i in carried.others]
    sequences = [walk.value(stack) for stack, counter in zip(loop.stacks, counted) if counter is None]
    kept = []

    def make(block):
        row, rows = block.index, iter(block.rows)
        number = g.binary("sub", g.scalar(loop.rounds - 1, "i32"), row) if loop.reverse else row
        state = list(loop.state)
        for i, value in zip(carried.others, block.carried):
            state[i] = value
        for i, counter in carried.counters.items():
            state[i] = _value_of(g, counter, number)
        stacks = [next(rows) if counter is None else _value_of(g, counter, row) for counter in counted]
        results = walk.run(loop.body, [*loop.fixed, *state, *stacks])
        kept.extend(results[count:])
        return [walk.value(results[i]) for i in carried.others], [value for value in kept if not isinstance(value, np.ndarray)]

    is_recomputed = len(jaxpr.eqns) == 1 and jaxpr.eqns[0].primitive.name in RECOMPUTED
    made = iter(g.scan(inits, sequences, loop.rounds, make, loop.reverse, is_recomputed))
    last = list(loop.state)
    for i in carried.others:
        last[i] = next(made)
    for i, counter in carried.counters.items():
        last[i] = np.asarray(counter.first + counter.step * loop.rounds, loop.state[i].dtype)
    # Arrays known at export have no row per round in the loop: every round has the same value.
    return last + [np.broadcast_to(value, (loop.rounds, *value.shape)) if isinstance(value, np.ndarray) else next(made) for value in kept]


def _row(graph, stacked, i):
    if isinstance(stacked, np.ndarray):
        return np.asarray(stacked[i])
    return graph.reshape(graph.part(stacked, 0, i, 1), stacked.shape[1:])


def _stacked(walk, rows):
    if all(isinstance(row, np.ndarray) for row in rows):
        return np.stack(rows)
    values = [walk.value(row) for row in rows]
    return walk.graph.concat([walk.graph.reshape(value, (1, *value.shape)) for value in values], 0)


def _written_out(walk, loop):
    """Round by round: for a body that needs the number of its round."""
    state, count, rows = loop.state, len(loop.state), [None] * loop.rounds
    for i in (reversed(range(loop.rounds)) if loop.reverse else range(loop.rounds)):
        results = walk.run(loop.body, [*loop.fixed, *state, *(_row(walk.graph, stack, i) for stack in loop.stacks)])
        state, rows[i] = results[:count], results[count:]
    return [*state, *(_stacked(walk, column) for column in zip(*rows))]


def _run(walk, loop):
    """As a loop, or written out where the body cannot be written for all rounds at once."""
    if not 0 < loop.rounds <= MOST:
        raise Unsupported(f"a loop of {loop.rounds} rounds, where 1 to {MOST} can be written")
    before = walk.faults
    walk.faults = dict(before)
    results = _as_scan(walk, loop)
    if walk.faults == before:
        return results
    found, walk.faults = walk.faults, dict(before)
    if loop.rounds <= LONGEST:
        written = _written_out(walk, loop)
        if walk.faults == before:
            return written
    else:
        found[f"{loop.name}: a loop of {loop.rounds} rounds whose body depends on the round; up to {LONGEST} are written out"] = 1
    walk.faults = found
    return results


@control("scan")
def scan(walk, equation, given):
    params = equation.params
    constants = params["num_consts"]
    behind = constants + params["num_carry"]
    return _run(walk, Loop("scan", params["jaxpr"], given[:constants], given[constants:behind], given[behind:], params["length"],
                           params["reverse"]))


def _until(relation, x, y):
    """Rounds after which a relation of two counters is false for the first time; None if it stays true."""
    if relation in ("gt", "ge"):
        return _until({"gt": "lt", "ge": "le"}[relation], y, x)
    ahead, shrinks = y.first - x.first, x.step - y.step
    if relation == "ne":
        return ahead // shrinks if shrinks and ahead % shrinks == 0 and ahead // shrinks >= 0 else None if ahead else 0
    if relation not in ("lt", "le"):
        return None
    ahead += relation == "le"  # x <= y is x < y + 1
    return 0 if ahead <= 0 else -(-ahead // shrinks) if shrinks > 0 else None


def _rounds_of(jaxpr, held, counters):
    """Of a condition that compares counters or integers that are known."""
    if len(jaxpr.eqns) != 1 or jaxpr.eqns[0].outvars != jaxpr.outvars:
        return None

    def counter(atom):
        value = np.asarray(atom.val) if hasattr(atom, "val") else held[atom]
        return counters.get(atom) if not hasattr(atom, "val") and atom in counters else Counter(int(value), 0) if _is_integer(value) else None
    sides = [counter(atom) for atom in jaxpr.eqns[0].invars]
    return _until(jaxpr.eqns[0].primitive.name, *sides) if len(sides) == 2 and None not in sides else None


@control("while")
def while_(walk, equation, given):
    """A loop whose condition compares integers that each round moves by a known step."""
    params = equation.params
    conditions, fixed = params["cond_nconsts"], params["body_nconsts"]
    behind = conditions + fixed
    loop = Loop("while", params["body_jaxpr"], given[conditions:behind], given[behind:], [], 0, False)
    carried, condition = _Carried(loop.body.jaxpr, loop), params["cond_jaxpr"].jaxpr
    state = condition.invars[conditions:]
    held = dict(zip(condition.invars, [*given[:conditions], *(given[behind + i] if i in carried.same else None for i in range(len(state)))]))
    held |= dict(zip(condition.constvars, map(np.asarray, params["cond_jaxpr"].consts)))
    rounds = _rounds_of(condition, held, {state[i]: counter for i, counter in carried.counters.items()})
    if rounds is None:
        raise Unsupported("a condition that depends on more than the number of the round")
    return given[behind:] if rounds == 0 else _run(walk, loop._replace(rounds=rounds))
