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


def dense(layer, x):
    return layer["w"] @ x + layer["b"]


def one_by_one(params, x, wanted):
    """Written for one row, and for the batch by vmap; layers are a loop over stacked weights."""
    def scores(row):
        row, squares = jax.lax.scan(lambda y, layer: (jnp.tanh(dense(layer, y)), jnp.sum(y ** 2)), dense(params["first"], row), params["deep"])
        return dense(params["last"], row), squares.mean()
    y, penalty = jax.vmap(scores)(x)
    return jnp.mean(jnp.abs(y - wanted) ** 3) + 1e-2 * penalty.mean()


def one_by_one_arguments():
    layer = {"w": real(8, 6), "b": real(8)}
    params = {"first": layer, "deep": {"w": real(3, 8, 8), "b": real(3, 8)}, "last": {"w": real(2, 8), "b": real(2)}}
    return params, {"x": real(5, 6), "wanted": real(5, 2)}


def convolve(x, w, stride=1):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))


def batch_norm(x, layer):
    mean, variance = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * layer["scale"][:, None, None] + layer["bias"][:, None, None]


def cnn(params, image, label):
    """Residual blocks, with channels first; pooling with overlapping windows and averages."""
    x = jax.nn.relu(batch_norm(convolve(image, params["stem"]["w"]), params["stem"]))
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")
    for block in params["blocks"]:
        y = jax.nn.silu(batch_norm(convolve(x, block["a"]["w"], 2), block["a"]))
        y = batch_norm(convolve(y, block["b"]["w"]), block["b"])
        x = jax.nn.relu(y + convolve(x, block["short"], 2))
    x = jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4
    scores = x.mean((2, 3)) @ params["head"]
    return jnp.mean(jax.nn.logsumexp(scores, -1) - jnp.take_along_axis(scores, label[:, None], 1)[:, 0])


def cnn_arguments():
    def layer(channels, out):
        return {"w": real(out, channels, 3, 3), "scale": 1 + real(out), "bias": real(out)}
    blocks = [{"a": layer(a, b), "b": layer(b, b), "short": real(b, a, 1, 1)} for a, b in ((4, 6), (6, 8))]
    params = {"stem": layer(3, 4), "blocks": blocks, "head": real(8, 5)}
    return params, {"image": real(3, 3, 16, 16), "label": RANDOM.integers(0, 5, 3).astype(np.int32)}


def turned(x):
    """Rotary positions."""
    places, half = x.shape[1], x.shape[-1] // 2
    angle = jnp.arange(places)[:, None] * 100.0 ** (-jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def decoder(params, token, mask):
    """A loop over layers with RMS norms, rotary positions, groups of heads, a gate, padded rows, and recomputation."""
    seen = jnp.tril(jnp.ones((token.shape[1], token.shape[1]), bool)) & (mask[:, None, :] > 0)

    @jax.checkpoint
    def layer(x, weights):
        rows, places, width = x.shape
        y = norm(x, weights["before"])
        q = turned((y @ weights["q"]).reshape(rows, places, 4, 4))
        k, v = jnp.split((y @ weights["kv"]).reshape(rows, places, 4, 4), 2, 2)
        k, v = jnp.repeat(turned(k), 2, 2), jnp.repeat(v, 2, 2)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2
        shares = jax.nn.softmax(jnp.where(seen[:, None], scores, jnp.finfo(jnp.float32).min))
        x = x + jnp.einsum("bhqk,bkhd->bqhd", shares, v).reshape(rows, places, width) @ weights["out"]
        y = norm(x, weights["behind"])
        return x + (jax.nn.silu(y @ weights["gate"]) * (y @ weights["up"])) @ weights["down"], None
    x, _ = jax.lax.scan(layer, params["table"][token], params["layers"])
    log = jax.nn.log_softmax(norm(x, params["scale"]) @ params["table"].T)[:, :-1]
    losses = -jnp.take_along_axis(log, token[:, 1:, None], -1)[..., 0]
    return jnp.sum(losses * mask[:, 1:]) / jnp.sum(mask[:, 1:])


def decoder_arguments():
    depth, width = 3, 16
    layers = {"before": 1 + real(depth, width), "behind": 1 + real(depth, width), "q": real(depth, width, width), "kv": real(depth, width, width),
              "out": real(depth, width, width), "gate": real(depth, width, 24), "up": real(depth, width, 24), "down": real(depth, 24, width)}
    mask = (np.arange(7) < np.array([[7], [5], [3]])).astype(np.float32)
    params = {"table": real(11, width), "layers": layers, "scale": 1 + real(width)}
    return params, {"token": RANDOM.integers(0, 11, (3, 7)).astype(np.int32), "mask": mask}


CASES = {"mlp": (mlp, mlp_arguments), "attention": (attention, attention_arguments), "images": (images, images_arguments),
         "one_by_one": (one_by_one, one_by_one_arguments), "cnn": (cnn, cnn_arguments), "decoder": (decoder, decoder_arguments)}


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
