# The operations of bench/operations.py in PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch_operations.py --dtype f32|bf16|f16 < OPERATIONS: a JSON object per line; prints one for each, with the median and the quartiles of its seconds, the faster of
eager and compiled where several operations could be fused."""
import argparse
import json
import os
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--dtype", choices=["f32", "bf16", "f16"], default="f32")
parser.add_argument("--seconds", type=float, default=1.5, help="of measurement for each")
arguments = parser.parse_args()
# Must precede the first import of torch: OpenMP reads the variable once.
os.environ["OMP_NUM_THREADS"] = str(arguments.threads)

import torch  # noqa: E402
from torch.nn import functional  # noqa: E402

DTYPE = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[arguments.dtype]


def random(*shape, dtype=DTYPE, grad=False):
    return torch.randn(*shape).to(dtype).requires_grad_(grad)


def product(op):
    m, n, k, kind = (op[name] for name in ("m", "n", "k", "kind"))
    a = random(k, m).t() if kind == "TN" else random(m, k)
    b = random(n, k).t() if kind == "NT" else random(k, n)
    return lambda: a @ b


def convolution(op):
    side, stride, padding = op["side"], op["stride"], op["taps"] // 2
    x = random(op["images"], op["inputs"], side, side).to(memory_format=torch.channels_last)
    w = random(op["outputs"], op["inputs"], op["taps"], op["taps"]).to(memory_format=torch.channels_last)
    if op["part"] == "forward":
        return lambda: functional.conv2d(x, w, stride=stride, padding=padding)
    g = torch.randn_like(functional.conv2d(x, w, stride=stride, padding=padding))
    wanted = [op["part"] == "image gradient", op["part"] == "filter gradient", False]
    pair = lambda value: [value, value]  # noqa: E731
    return lambda: torch.ops.aten.convolution_backward(g, x, w, None, pair(stride), pair(padding), pair(1), False, pair(0), 1, wanted)


def attention(op):
    shape, wants = (op["batch"], op["heads"], op["positions"], op["width"]), op["part"] != "forward"
    q, k, v = (random(*shape, grad=wants) for _ in range(3))
    run = lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=op["causal"])  # noqa: E731
    if not wants:
        return run
    g = random(*shape)
    return lambda: torch.autograd.grad(run(), (q, k, v), g)


def layer_norm(op):
    wants = op["part"] != "forward"
    x, g = random(op["rows"], op["width"], grad=wants), random(op["rows"], op["width"])
    gamma, beta = (random(op["width"], dtype=torch.float32, grad=wants) for _ in range(2))

    def norm():
        return functional.layer_norm(x, (op["width"],), gamma.to(DTYPE), beta.to(DTYPE), 1e-5)

    return (lambda: torch.autograd.grad(norm(), (x, gamma, beta), g)) if wants else norm


def batch_norm(op):
    shape = (op["images"], op["channels"], op["side"], op["side"])
    x, g = (random(*shape, dtype=torch.float32).to(memory_format=torch.channels_last) for _ in range(2))
    norm = torch.nn.BatchNorm2d(op["channels"])
    scale = torch.nn.Parameter(torch.ones(op["channels"], 1, 1))
    sources = (scale, norm.weight, norm.bias)

    def step():
        with torch.autocast("cpu", dtype=DTYPE, enabled=DTYPE != torch.float32):
            loss = (norm(x * scale) * g).sum()
        gradients = torch.autograd.grad(loss, sources)
        with torch.no_grad():
            for source, gradient in zip(sources, gradients):
                source -= 1e-9 * gradient
        return gradients

    return step


def cross_entropy(op):
    scores, label = random(op["rows"], op["classes"], grad=True), torch.randint(op["classes"], (op["rows"],))
    return lambda: torch.autograd.grad(functional.cross_entropy(scores.float(), label), scores)


def adamw(op):
    w = torch.nn.Parameter(torch.zeros(op["elements"]))
    w.grad = torch.randn(op["elements"])
    return torch.optim.AdamW([w], lr=1e-3, weight_decay=1e-2, fused=True).step


FAMILIES = {"product": product, "convolution": convolution, "attention": attention, "layer norm": layer_norm, "batch norm": batch_norm,
            "cross entropy": cross_entropy, "adamw": adamw}
FUSED = ("layer norm", "batch norm", "cross entropy")


def measure(run):
    """Ascending seconds. An operation that takes very long is run three times."""
    for _ in range(2):
        start = time.perf_counter()
        run()
        once = time.perf_counter() - start
    seconds = []
    while len(seconds) < 3 or (sum(seconds) < arguments.seconds and len(seconds) < 2000):
        start = time.perf_counter()
        # Short operations run several times per measurement, so that the timer's share is small.
        times = max(1, int(2e-4 / max(once, 1e-7)))
        for _ in range(times):
            run()
        seconds.append((time.perf_counter() - start) / times)
    return sorted(seconds)


def main():
    torch.set_num_threads(arguments.threads)
    for line in sys.stdin:
        op = json.loads(line)
        torch.manual_seed(1)
        found = {}
        for mode in ("eager", "compile") if op["family"] in FUSED else ("eager",):
            torch.compiler.reset()
            try:
                run = FAMILIES[op["family"]](op)
                found[mode] = measure(torch.compile(run) if mode == "compile" else run)
            except Exception as error:
                print(f"{op['what']}, {arguments.dtype}, {mode}: {error}", file=sys.stderr)
        if found:
            mode = min(found, key=lambda each: statistics.median(found[each]))
            seconds = found[mode]
            quartiles = [seconds[len(seconds) // 4], seconds[3 * len(seconds) // 4]]
            print(json.dumps({"what": op["what"], "mode": mode, "seconds": statistics.median(seconds), "quartiles": quartiles,
                              "torch_version": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
