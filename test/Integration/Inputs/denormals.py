"""Numbers below the least normal number, kept and flushed, on every tier of this machine and several threads."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import os
import subprocess
import sys

import numpy as np

source, folder = sys.argv[1:]
subprocess.run(["ampc", "compile", source, "--bindings=python", "--quiet", "-o", folder], check=True)
sys.path.insert(0, folder)
module = importlib.import_module("denormals")
N = 40
x = np.full((N, N), 1e-20, np.float32)
x[:, 1:] = 0  # a product's sum has one term
x[0, 0] = 6e-8  # in f16 the least number there is
tiny = np.full((N, N), 1e-40, np.float32)
names = "square", "product", "twice", "sum", "half", "moved"
kept = x * x, np.outer(x[:, 0], x[0]), tiny + tiny, tiny.sum(1), x.astype(np.float16), tiny.T
tiers = set()
for tier in ("plain", "avx2", "avx512", "avx512bf16", "amx"):
    os.environ["AMPC_ISA"] = tier
    for denormals in module.AMPC_DENORMALS_KEEP, module.AMPC_DENORMALS_FLUSH:
        for threads in 1, 3:
            try:
                model = module.Model(threads=threads, denormals=denormals)
            except module.Error:
                continue  # a tier that this machine lacks
            tiers.add(model.tier)
            with model:
                for name, got, want in zip(names, model.parts(x, tiny).values(), kept):
                    if denormals == module.AMPC_DENORMALS_FLUSH and name in ("square", "product", "twice", "sum"):
                        want = np.where(np.abs(want) < np.finfo(np.float32).tiny, 0, want)
                    np.testing.assert_array_equal(got, want, f"{name} on {tier}, {threads} threads, denormals {denormals}")
assert tiers >= {"plain", "avx2"}, tiers
print("kept and flushed as asked for")
