# Functions of JAX, exported and compiled: loss and gradients beside jax.value_and_grad.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""functions.py FOLDER [NAME...]"""
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

import ampc_export
import compiled

RANDOM = np.random.default_rng(0)


def real(*shape):
    return RANDOM.normal(0, 0.5, shape).astype(np.float32)


def mlp(params, x, label):
    for layer in params["layers"]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    scores = x @ params["head"]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores) * jax.nn.one_hot(label, 4), -1)), scores


def mlp_arguments():
    params = {"layers": [{"w": real(6, 8), "b": real(8)}, {"w": real(8, 8), "b": real(8)}], "head": real(8, 4)}
    return params, {"x": real(5, 6), "label": RANDOM.integers(0, 4, 5).astype(np.int32)}


def norm(x, scale):
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5) * scale


def attention(params, token, following):
    x = params["table"][token] + params["places"]
    rows, places, width = x.shape
    q, k, v = jnp.split(norm(x, params["scale"]) @ params["qkv"], 3, -1)
    q, k, v = (t.reshape(rows, places, 2, width // 2) for t in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // 2)
    scores = jnp.where(jnp.tril(jnp.ones((places, places), bool)), scores, -1e30)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(rows, places, width)
    x = x + mixed @ params["project"]
    x = x + jax.nn.gelu(x @ params["up"]) @ params["down"]
    log = jax.nn.log_softmax(x @ params["table"].T)
    return -jnp.take_along_axis(log, following[..., None], -1).mean()


def attention_arguments():
    params = {"table": real(11, 8), "places": real(6, 8), "scale": np.ones(8, np.float32), "qkv": real(8, 24), "project": real(8, 8),
              "up": real(8, 16), "down": real(16, 8)}
    token = RANDOM.integers(0, 11, (3, 6)).astype(np.int32)
    return params, {"token": token, "following": RANDOM.integers(0, 11, (3, 6)).astype(np.int32)}


def images(params, image, value):
    x = jax.lax.conv_general_dilated(image, params["filter"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = jnp.tanh(x + params["bias"])
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jnp.mean((x.mean((1, 2)) @ params["head"] - value) ** 2)


def images_arguments():
    params = {"filter": real(3, 3, 2, 4), "bias": real(4), "head": real(4, 1)}
    return params, {"image": real(2, 8, 8, 2), "value": real(2, 1)}


CASES = {"mlp": (mlp, mlp_arguments), "attention": (attention, attention_arguments), "images": (images, images_arguments)}


def main():
    folder, faults = sys.argv[1], 0
    os.makedirs(folder, exist_ok=True)
    for name, (function, arguments) in CASES.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        params, inputs = arguments()
        path = f"{folder}/jax_{name}.mlir"
        ampc_export.jax(function, params, inputs, path=path, optimizer="sgd(lr=0.1)")
        model = compiled.loaded(f"jax_{name}", folder)
        pair = name == "mlp"
        value, wanted = jax.value_and_grad(function, has_aux=pair)(params, *inputs.values())
        model.grad(*inputs.values())
        leaves = jax.tree_util.tree_flatten_with_path(wanted)[0]
        names = [".".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in where) for where, _ in leaves]
        error = max(compiled.distance(compiled.gradient(model, n, g.shape), g) for n, (_, g) in zip(names, leaves))
        loss = compiled.distance(model.train_step(*inputs.values()).loss, float(value[0] if pair else value))
        good = error <= 1e-4 and loss <= 1e-5
        faults += not good
        print(f"jax {name:20} gradients {error:7.1e}  loss {loss:7.1e}{'' if good else ' !'}", flush=True)
    print(f"{faults} beyond their bars")
    sys.exit(bool(faults))


main()
