# A network of two layers in a program of JAX: loss, gradients and steps by ampc, beside eager JAX and NumPy in the same weights.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gc

import ampc
import ampc.jax
import jax
import jax.numpy as jnp
import numpy as np

MODEL = """train.model @net(batch = 16) {
  train.param @w1 : f32[8, 32] = #train.normal<std = 0.3>
  train.param @b1 : f32[32] = #train.zeros
  train.param @w2 : f32[32, 3] = #train.normal<std = 0.3>
  train.func @out(%x: f32[batch, 8]) {
    %h = train.linear %x, %w1, %b1
    %r = train.relu %h
    %p = train.linear %r, %w2
    train.return %p
  }
  train.func @loss(%x: f32[batch, 8], %y: f32[batch, 3]) {
    %p = train.call @out(%x)
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @out as "predict"
}
"""


def out(weights, x):
    return jnp.maximum(x @ weights["w1"] + weights["b1"], 0) @ weights["w2"]


def eager(weights, x, y):
    return jnp.mean((out(weights, x) - y) ** 2)


def expect(name, ours, theirs, bound=2e-6):
    """The largest difference, relative to the largest value."""
    error = float(jnp.abs(jnp.asarray(ours) - theirs).max() / jnp.abs(theirs).max())
    assert error <= bound, f"{name}: {error} beyond {bound}"


random = np.random.default_rng(1)
batches = [(random.standard_normal((16, 8), np.float32), random.standard_normal((16, 3), np.float32)) for _ in range(20)]
compiled = ampc.compile(MODEL)
loss = ampc.jax.Loss(compiled, seed=3)
assert list(loss.parameters) == ["w1", "b1", "w2"], list(loss.parameters)
x, y = batches[0]
w = {name: np.asarray(value, np.float64) for name, value in loss.parameters.items()}
by_numpy = ((np.maximum(x @ w["w1"] + w["b1"], 0) @ w["w2"] - y) ** 2).mean()
for function in loss, jax.jit(loss):
    ours = jax.value_and_grad(lambda p: 3 * function(p, x, y))(loss.parameters)
    theirs = jax.value_and_grad(lambda p: 3 * eager(p, x, y))(loss.parameters)
    expect("loss", ours[0], theirs[0])
    expect("loss by NumPy", ours[0], jnp.float32(3 * by_numpy))
    for name in w:
        expect(name, ours[1][name], theirs[1][name])
print("loss and gradients agree")

weights = mine = loss.parameters
model = compiled.Model(seed=3)
for x, y in batches:
    gradients = jax.jit(jax.grad(loss))(mine, x, y)
    mine = {name: mine[name] - 0.1 * gradients[name] for name in mine}
    gradients = jax.grad(eager)(weights, x, y)
    weights = {name: weights[name] - 0.1 * gradients[name] for name in weights}
    ampc.jax.train_step(model, jnp.asarray(x), jnp.asarray(y))
for name in weights:
    expect(name, mine[name], weights[name], 1e-5)
    expect(name, model[name], weights[name], 1e-5)
print("20 steps agree")

# Results and state as DLPack, without copies, as long as somebody needs them.
guess = model.predict(x)
taken = jax.dlpack.from_dlpack(guess, copy=False)
assert taken.unsafe_buffer_pointer() == guess.ctypes.data
expect("predict", taken, out(weights, x), 1e-5)
view = model.view("b1")
before = view.copy()
model.train_step(*batches[0])
assert not np.array_equal(view, before) and np.array_equal(view, model["b1"])
view[:] = 7
model.refresh()
assert (model["b1"] == 7).all()
expect("written", model.predict(x), np.asarray(out({**{name: model[name] for name in weights}, "b1": view}, x)), 1e-5)
try:
    model.close()
except BufferError as error:
    print(f"BufferError: {error}")
kept = np.from_dlpack(view[8:])
address = view.ctypes.data
del view, model
gc.collect()
assert kept.ctypes.data == address + 32 and (kept == 7).all()
print("views share memory and outlive the model")
try:
    jax.grad(loss, argnums=1)(loss.parameters, *batches[0])
except ValueError as error:
    print(f"ValueError: {error}")
