# Primitives of JAX that run other functions or read known numbers: they take the walk, the equation and what its operands hold.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from ampc_export.errors import Unsupported
from ampc_export.registry import Registry

control = Registry(__name__)
LONGEST = 256  # rounds of a loop, each of which is written out
CALLS = {"pjit": "jaxpr", "jit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat": "jaxpr", "remat2": "jaxpr",
         "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr"}


def _register():
    for name, key in CALLS.items():
        control(name)(lambda walk, equation, given, key=key: walk.run(equation.params[key], given))


_register()


def _at(graph, stacked, i):
    """Row i."""
    if isinstance(stacked, np.ndarray):
        return stacked[i]
    return graph.reshape(graph.part(stacked, 0, i, 1), stacked.shape[1:])


def _stacked(walk, rows):
    values = [walk.value(row) for row in rows]
    return walk.graph.concat([walk.graph.reshape(value, (1, *value.shape)) for value in values], 0)


@control("scan")
def scan(walk, equation, given):
    """Round by round."""
    params = equation.params
    constants, carried, length = params["num_consts"], params["num_carry"], params["length"]
    if not 0 < length <= LONGEST:
        raise Unsupported(f"a loop of {length} rounds, where up to {LONGEST} are written out")
    fixed, state, stacks = given[:constants], given[constants:constants + carried], given[constants + carried:]
    rows = [None] * length
    for i in (reversed(range(length)) if params["reverse"] else range(length)):
        results = walk.run(params["jaxpr"], [*fixed, *state, *(_at(walk.graph, stack, i) for stack in stacks)])
        state, rows[i] = results[:carried], results[carried:]
    return [*state, *(_stacked(walk, column) for column in zip(*rows))]


@control("dynamic_slice")
def dynamic_slice(walk, equation, given):
    x, begins = given[0], given[1:]
    if not all(isinstance(begin, np.ndarray) for begin in begins):
        raise Unsupported("a part that depends on inputs")
    sizes = list(equation.params["slice_sizes"])
    begin = [min(max(int(b), 0), whole - size) for b, whole, size in zip(begins, x.shape, sizes)]
    if isinstance(x, np.ndarray):
        return [x[tuple(slice(b, b + size) for b, size in zip(begin, sizes))]]
    return [walk.graph.slice(x, begin, sizes)]


@control("cond")
def cond(walk, equation, given):
    if not isinstance(given[0], np.ndarray):
        raise Unsupported("a branch that depends on inputs")
    branches = equation.params["branches"]
    return walk.run(branches[min(max(int(given[0]), 0), len(branches) - 1)], given[1:])
