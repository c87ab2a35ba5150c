# One training step of char-gpt or of bench/models/mlp.mlir in JAX, as one jitted function with AdamW.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax_steps.py char-gpt|mlp: prints a JSON line as torch_timing.measure does. `--dtype bf16`: operands of products and what lies between layers are bf16;
parameters, their moments, norms and losses are f32."""
import argparse
import json
import os
import statistics
import time


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=["char-gpt", "mlp"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=3)
    arguments = parser.parse_args()
    # XLA has a thread per core that the process may use; both lines must precede the first import of jax.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    os.environ["JAX_PLATFORMS"] = "cpu"
    return arguments


arguments = parse_arguments()
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

compute = jnp.bfloat16 if arguments.dtype == "bf16" else jnp.float32


def linear(x, layer):
    return x.astype(compute) @ layer["w"].astype(compute) + layer["b"].astype(compute)


def linear_parameters(key, inputs, outputs, scale=0.02):
    return {"w": scale * jax.random.normal(key, (inputs, outputs)), "b": jnp.zeros(outputs)}


def cross_entropy(logits, label):
    logits = logits.astype(jnp.float32)
    chosen = jnp.take_along_axis(logits, label[..., None], -1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(logits, -1) - chosen)


def layer_norm(x, layer):
    x = x.astype(jnp.float32)
    centred = x - jnp.mean(x, -1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, -1, keepdims=True) + 1e-5) * layer["w"] + layer["b"]


def mlp():
    sizes, batch = (1024, 2048, 2048, 1000), 256
    keys = jax.random.split(jax.random.key(1), 5)
    parameters = [linear_parameters(keys[i], sizes[i], sizes[i + 1]) for i in range(3)]

    def loss(parameters, x, label):
        for layer in parameters[:-1]:
            x = jax.nn.relu(linear(x, layer))
        return cross_entropy(linear(x, parameters[-1]), label)

    batch = jax.random.normal(keys[3], (batch, sizes[0])), jax.random.randint(keys[4], (batch,), 0, sizes[-1])
    return parameters, loss, batch, dict(rate=1e-5, decay=1e-2)


def char_gpt(layers=6, heads=6, width=384, context=256, batch=8, vocabulary=96):
    keys = iter(jax.random.split(jax.random.key(1), 4 * layers + 5))

    def norm():
        return {"w": jnp.ones(width), "b": jnp.zeros(width)}

    def block():
        shapes = {"qkv": (width, 3 * width), "projection": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
        return {"attention_norm": norm(), "mlp_norm": norm(), **{name: linear_parameters(next(keys), *shape) for name, shape in shapes.items()}}

    parameters = {"token": 0.02 * jax.random.normal(next(keys), (vocabulary, width)), "position": 0.02 * jax.random.normal(next(keys), (context, width)),
                  "blocks": [block() for _ in range(layers)], "norm": norm(), "head": 0.02 * jax.random.normal(next(keys), (width, vocabulary))}

    def attend(x, each):
        parts = linear(layer_norm(x, each["attention_norm"]), each["qkv"]).reshape(batch, context, 3, heads, width // heads)
        mixed = jax.nn.dot_product_attention(parts[:, :, 0], parts[:, :, 1], parts[:, :, 2], is_causal=True)
        return linear(mixed.reshape(batch, context, width), each["projection"])

    def loss(parameters, token, target):
        x = parameters["token"][token] + parameters["position"]
        for each in parameters["blocks"]:
            x = x + attend(x, each)
            hidden = jax.nn.gelu(linear(layer_norm(x, each["mlp_norm"]), each["up"]), approximate=True)
            x = x + linear(hidden, each["down"])
        return cross_entropy(layer_norm(x, parameters["norm"]).astype(compute) @ parameters["head"].astype(compute), target)

    tokens = [jax.random.randint(next(keys), (batch, context), 0, vocabulary) for _ in range(2)]
    return parameters, loss, tokens, dict(rate=3e-4, decay=0.1, clip=1.0)


def adamw(parameters, moments, gradients, count, rate, decay, clip=None, beta1=0.9, beta2=0.999, epsilon=1e-8):
    if clip:
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients)))
        gradients = jax.tree.map(lambda g: g * jnp.minimum(1, clip / (norm + 1e-6)), gradients)
    first, second = moments
    first = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g * g, second, gradients)

    def move(p, m, v):
        return p - rate * (m / (1 - beta1**count) / (jnp.sqrt(v / (1 - beta2**count)) + epsilon) + decay * p)

    return jax.tree.map(move, parameters, first, second), (first, second)


def main():
    parameters, loss, batch, rule = mlp() if arguments.model == "mlp" else char_gpt()

    def step(parameters, moments, count, batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        return value, *adamw(parameters, moments, gradients, count, **rule)

    step = jax.jit(step, donate_argnums=(0, 1))
    moments = tuple(jax.tree.map(jnp.zeros_like, parameters) for _ in range(2))
    losses, seconds = [], []
    for count in range(arguments.warm_up + arguments.steps):
        start = time.perf_counter()
        value, parameters, moments = step(parameters, moments, jnp.float32(count + 1), batch)
        losses.append(float(value))
        jax.block_until_ready(parameters)
        seconds.append(time.perf_counter() - start)
    if not all(abs(each) < 1e30 for each in losses) or losses[-1] == losses[0]:
        raise RuntimeError(f"the step does not train: losses {losses}")
    print(json.dumps({"name": arguments.model, "dtype": arguments.dtype, "seconds_per_step": statistics.median(seconds[arguments.warm_up:]),
                      "jax_version": jax.__version__, "losses": [losses[0], losses[-1]]}))


if __name__ == "__main__":
    main()
