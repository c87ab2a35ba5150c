# Loops of JAX, exported and compiled in f64: loss and gradients beside jax.value_and_grad.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loops.py FOLDER [NAME...]"""
import os
import sys

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

import ampc_export  # noqa: E402
import compiled  # noqa: E402

RANDOM = np.random.default_rng(0)
BAR, LOSS_BAR = 1e-11, 1e-6  # a loss is reported in f32


def real(*shape):
    """In f64, with values that a file of f32 can have."""
    return RANDOM.normal(0, 0.5, shape).astype(np.float32).astype(np.float64)


def cell(params, h, x):
    h = jnp.tanh(x @ params["wx"] + h @ params["wh"] + params["b"])
    return h, h


def cell_arguments(rounds):
    return {"wx": real(3, 4), "wh": real(4, 4), "b": real(4)}, {"x": real(rounds, 2, 3), "wanted": real(2, 4)}


def recurrent(params, x, wanted):
    last, all_ = lax.scan(lambda h, x: cell(params, h, x), jnp.zeros((2, 4)), x)
    return jnp.sum((last - wanted) ** 2) + jnp.mean(all_ ** 3)


def of_rounds(rounds):
    return recurrent, lambda: cell_arguments(rounds)


def reverse(params, x, wanted):
    """Two directions, of which one reads the other; a value of each round that is known, and one that nobody reads."""
    forward, all_ = lax.scan(lambda h, x: cell(params, h, x), wanted, x)

    def back(carried, row):
        h, y = row
        new = jnp.tanh(h @ params["wh"] + y @ params["wx"] - carried)
        return new, (new * 2, jnp.ones(2), new - 1)
    last, (doubled, ones, _) = lax.scan(back, jnp.ones((2, 4)), (all_, x), reverse=True)
    places = jnp.arange(1, doubled.shape[0] + 1)[:, None, None]
    return jnp.mean(doubled * places * ones[:, :, None]) + jnp.sum(last * forward)


def counted(params, x, wanted):
    """Loops without rows: integers that are carried, places that follow from the number of the round, an integer of the data."""
    def body(i, carried):
        h, odd, total = carried
        row = x[i]
        h = jnp.tanh(h + row @ params["wx"]) * (i + 1)
        return h, 1 - odd, total + h * odd
    h, odd, total = lax.fori_loop(1, 5, body, (wanted, jnp.int32(0), jnp.zeros((2, 4))))
    powers, _ = lax.scan(lambda w, _: (w @ params["wh"], None), params["wh"], None, length=6)

    def back(carried, place):
        return carried + lax.dynamic_slice(x, (place, 0, 1), (2, 2, 2)).sum() * place * jnp.sum(params["b"]), place
    turned, places = lax.scan(back, 0.0, jnp.arange(4), reverse=True)
    return jnp.sum(h * total) + odd + jnp.sum(powers) + turned + jnp.sum(places * 1.0 * params["b"])


def until(params, x, wanted):
    """Conditions on counters, with bounds that are carried; a table that is filled row by row."""
    def step(carried):
        i, end, h, table = carried
        h = jnp.sin(h @ params["wh"]) + params["b"]
        return i + 2, end, h, lax.dynamic_update_slice(table, h[None], (i, 0, 0))
    _, _, h, table = lax.while_loop(lambda c: c[0] < c[1], step, (jnp.int64(1), jnp.int64(8), wanted, jnp.zeros((9, 2, 4))))
    spread = lax.fori_loop(0, jnp.int64(3), lambda i, t: lax.dynamic_update_slice(t, t[:2] * params["b"], (i, 0, 1)), table)
    never = lax.while_loop(lambda c: c[0] > 3, lambda c: (c[0] - 1, c[1] * 0), (jnp.int64(3), h))[1]
    return jnp.sum(h ** 2) + jnp.sum(table * jnp.cos(spread)) + jnp.sum(never)


def until_grad(params, x, wanted):
    """The same without while, which JAX has no gradient for."""
    h, table = wanted, jnp.zeros((9, 2, 4))
    for i in (1, 3, 5, 7):
        h = jnp.sin(h @ params["wh"]) + params["b"]
        table = table.at[i].set(h)
    spread = table
    for i in range(3):
        spread = lax.dynamic_update_slice(spread, spread[:2] * params["b"], (i, 0, 1))
    return jnp.sum(h ** 2) + jnp.sum(table * jnp.cos(spread)) + jnp.sum(h)


def nested(params, x, wanted):
    """A loop in a loop, a body that is recomputed, a body that reads which round it is, and a loop of layers."""
    def outer(h, row):
        inner, kept = lax.scan(lambda c, k: (jnp.tanh(c @ params["wh"] + row @ params["wx"]) * k, jnp.sum(c)), h, jnp.arange(1.0, 4.0))
        inner = lax.fori_loop(0, 2, lambda i, c: c * params["b"] + i, inner)
        return inner, kept
    last, kept = lax.scan(jax.checkpoint(outer), wanted, x)
    branch, _ = lax.scan(lambda c, i: (lax.cond(i == 1, jnp.sin, jnp.cos, c * params["b"]), None), last, jnp.arange(3))
    return jnp.sum(branch) + jnp.mean(kept)


CASES = {"once": (*of_rounds(1), None), "twice": (*of_rounds(2), None), "many": (*of_rounds(35), None), "most": (*of_rounds(300), None),
         "reverse": (reverse, lambda: cell_arguments(5), None), "counted": (counted, lambda: cell_arguments(6), None),
         "until": (until, lambda: cell_arguments(2), until_grad), "nested": (nested, lambda: cell_arguments(3), None)}


def distance(name, folder):
    function, arguments, oracle = CASES[name]
    params, inputs = arguments()
    ampc_export.jax(function, params, inputs, path=f"{folder}/loop_{name}.mlir", optimizer="sgd(lr=0.1)")
    model = compiled.loaded(f"loop_{name}", folder, double=True)
    value, wanted = jax.value_and_grad(oracle or function)(params, *map(jnp.asarray, inputs.values()))
    given = [inputs[name] for name in compiled.inputs_of(model.grad) if name in inputs]
    model.grad(*given)
    error = max(compiled.distance(compiled.gradient(model, n, g.shape), g) for n, g in wanted.items() if np.any(g))
    return error, compiled.distance(model.train_step(*given).loss, float(value))


def refused():
    """Conditions on data, and long loops that cannot be written as one."""
    def on_data(params, x):
        return lax.while_loop(lambda c: jnp.sum(c) < 3, lambda c: c * params["b"], x)

    def long(params, x):
        return lax.scan(lambda c, i: (lax.cond(i == 1, jnp.sin, jnp.cos, c * params["b"]), None), x, jnp.arange(300))[0]
    for function in (on_data, long):
        try:
            ampc_export.jax(function, {"b": real(4)}, (real(4),), path="refused.mlir")
        except ampc_export.ExportError as error:
            print(f"{function.__name__}: {error}")


def main():
    folder, faults = sys.argv[1], 0
    os.makedirs(folder, exist_ok=True)
    for name in sys.argv[2:] or CASES:
        error, loss = distance(name, folder)
        good = error <= BAR and loss <= LOSS_BAR
        faults += not good
        print(f"loop {name:12} gradients {error:7.1e}  loss {loss:7.1e}{'' if good else ' !'}", flush=True)
    refused()
    print(f"{faults} beyond their bars")
    sys.exit(bool(faults))


main()
