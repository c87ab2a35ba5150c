# Data and checkpoints of averages.test: averages.py data; averages.py rename CHECKPOINT OUT, which gives each average the name of its
# parameter and keeps parameters without averages; averages.py last LOG.csv SCORES.txt, which compares the last val_loss of a log with the loss of ampc eval.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import json
import sys

import numpy as np


def tensors(path):
    """Header without metadata, and data, of a safetensors file."""
    content = open(path, "rb").read()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__")
    return header, content[8 + size:]


def rename(checkpoint, out):
    header, data = tensors(checkpoint)
    renamed, values = {}, b""
    for name, tensor in header.items():
        if name.startswith("fit.") != name.startswith("fit.ema.") or f"fit.ema.{name}" in header:
            continue
        begin, end = tensor["data_offsets"]
        renamed[name.removeprefix("fit.ema.")] = {**tensor, "data_offsets": [len(values), len(values) + end - begin]}
        values += data[begin:end]
    assert renamed
    text = json.dumps(renamed).encode()
    open(out, "wb").write(len(text).to_bytes(8, "little") + text + values)


def make_data():
    random = np.random.default_rng(0)
    x = random.standard_normal((64, 2)).astype(np.float32)
    np.save("x.npy", x)
    np.save("y.npy", (x @ [[1.5], [-0.5]] + 0.25).astype(np.float32))


def compare_last(log, scores):
    rows = [row["val_loss"] for row in csv.DictReader(open(log)) if row["val_loss"]]
    expected = open(scores).read().split()[1]
    assert rows[-1] == expected, (rows, expected)


{"data": make_data, "rename": rename, "last": compare_last}[sys.argv[1]](*sys.argv[2:])
