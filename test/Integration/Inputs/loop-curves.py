# Loss curves of a recurrent language model: loop-curves.py MODEL.mlir STEPS. The distance of bf16 and f16 from f32 of the same seed is at most the smallest distance between
# two of three seeds of f32, of which each draws its first values and the order of the data.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import itertools
import subprocess
import sys

import numpy as np

MODEL, STEPS = sys.argv[1], int(sys.argv[2])
TIME, WORDS = 35, 24


def write_data():
    """Words of a chain in which the word before the last one decides on the next one, but for a tenth."""
    r = np.random.default_rng(5)
    rule, text = r.integers(0, WORDS, size=WORDS), [1, 2]
    for noise in r.random(TIME * 400):
        text.append(int(r.integers(0, WORDS)) if noise < 0.1 else int(rule[text[-2]]))
    rows = np.array(text[:TIME * 400 + 1], np.int32)
    np.save("token.npy", rows[:-1].reshape(400, TIME))
    np.save("next.npy", rows[1:].reshape(400, TIME))


def curve(precision, seed):
    """Means of the losses of ten parts of the training."""
    name = f"{precision}-{seed}"
    subprocess.run(["ampc", "train", MODEL, f"--precision={precision}", f"--seed={seed}", "--steps", str(STEPS), "--quiet", "--data", "token=token.npy",
                    "--data", "next=next.npy", f"--log={name}.csv", "--out", f"{name}.safetensors"], check=True)
    losses = [float(row["loss"]) for row in csv.DictReader(open(f"{name}.csv"))]
    assert len(losses) == STEPS and np.isfinite(losses).all(), losses
    return np.array(losses).reshape(10, -1).mean(axis=1)


write_data()
exact = [curve("f32", seed) for seed in (0, 1, 2)]
spread = min(np.abs(a - b).max() for a, b in itertools.combinations(exact, 2))
assert all(one[-1] < 0.8 * one[0] for one in exact), exact
for precision in ("bf16", "f16"):
    apart = np.abs(curve(precision, 0) - exact[0]).max()
    assert 0 < apart <= spread, (precision, apart, spread)
    print(f"{precision}: at most {apart:.1e} from f32, of which two seeds are at least {spread:.1e} apart")
