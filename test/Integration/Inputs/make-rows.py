# 96 rows of four items, with repetitions; the same rows permuted within each batch of 32; and other rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from optimizers import write_npy

random.seed(4)
batches = [[random.randrange(120) for _ in range(32 * 4)] for _ in range(3)]
shuffled = [random.sample(batch, len(batch)) for batch in batches]
assert batches != shuffled and all(len(set(batch)) < len(batch) for batch in batches)
others = [[item + 1 for item in batch] for batch in batches]
for name, values in (("item", batches), ("shuffled", shuffled), ("others", others)):
    write_npy(f"{sys.argv[1]}/{name}.npy", "i", (96, 4), sum(values, []))
