"""Trains models with fixed and with dynamic shares on several numbers of threads: all of the state has the same bits."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import itertools
import os
import subprocess
import sys

import numpy as np

models, folder = sys.argv[1:]
random = np.random.default_rng(7)


def numbers(*shape):
    return random.normal(size=shape).astype(np.float32)


def below(limit, *shape):
    return random.integers(0, limit, shape).astype(np.int32)


def batches(name):
    if name == "mlp":
        return numbers(256, 64), below(10, 256)
    if name == "cnn":
        return numbers(64, 16, 16, 1), below(10, 64)
    if name == "transformer":
        return below(20, 48, 32), below(4, 48)
    return below(50, 512), below(40, 512), numbers(512, 1)


cases = [
    ("mlp", "f32", "batch=256,width=256"),
    ("cnn", "bf16", "batch=64,size=16,channels=32"),
    ("transformer", "f16", "batch=48,length=32,width=64"),
    ("factorization", "f32", "batch=512"),
]
sys.path.insert(0, folder)
for name, precision, sizes in cases:
    command = ["ampc", "compile", f"{models}/{name}.mlir", f"--precision={precision}", "--set", sizes, "--bindings=python", "--quiet", "-o", folder]
    subprocess.run(command, check=True)
    module = importlib.import_module(name)
    given = [batches(name) for _ in range(3)]
    want = None
    for threads, shares in itertools.product((1, 2, 3, 8), (module.AMPC_SHARES_FIXED, module.AMPC_SHARES_DYNAMIC)):
        with module.Model(seed=5, threads=threads, shares=shares) as model:
            for batch in given:
                model.train_step(*batch)
            path = os.path.join(folder, "state.safetensors")
            model.save(path)
            with open(path, "rb") as file:
                got = file.read()
            want = want or got
            assert got == want, f"{name}: {threads} threads, shares {shares}"
    print(f"{name} in {precision}: equal")
