# Moments in bf16 beside moments in f32: the same final loss within 0.5 %, and half the bytes in the checkpoint: moments.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import json
import struct
import subprocess
import sys

from optimizers import make_data, model, write_npy, BATCH, FEATURES, ROWS

STEPS, LAST = 400, 20
RULES = {"adam": "adam<lr = 0.01, beta2 = 0.999", "adamw": "adamw<lr = 0.01, weight_decay = 0.05", "momentum": "sgd<lr = 0.02, momentum = 0.99"}

folder = sys.argv[1]
x, y = make_data()
write_npy(f"{folder}/x.npy", "f", (ROWS, FEATURES), x)
write_npy(f"{folder}/y.npy", "i", (ROWS,), y)


def train(name, optimizer):
    """The first loss, the mean of the last losses, and the types of the moments in the checkpoint."""
    with open(f"{folder}/{name}.mlir", "w") as out:
        out.write(model(f"#train.{optimizer}>"))
    subprocess.run(["ampc", "train", f"{folder}/{name}.mlir", "--data", f"x={folder}/x.npy", "--data", f"y={folder}/y.npy",
                    "--shuffle=false", "--steps", str(STEPS), "--log", f"{folder}/{name}.csv", "--out", f"{folder}/{name}.safetensors"],
                   check=True, stderr=subprocess.DEVNULL)
    with open(f"{folder}/{name}.csv") as file:
        losses = [float(row["loss"]) for row in csv.DictReader(file)]
    with open(f"{folder}/{name}.safetensors", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    types = {value["dtype"] for key, value in header.items() if key.split(".")[:2] in (["fit", m] for m in ("m", "v", "momentum"))}
    return losses[0], sum(losses[-LAST:]) / LAST, types


failed = 0
for name, optimizer in RULES.items():
    first, wide, wide_types = train(name, optimizer)
    _, narrow, narrow_types = train(name + "-bf16", optimizer + ", moments = bf16")
    good = abs(narrow - wide) <= 0.005 * wide and wide < 0.9 * first and narrow != wide and (wide_types, narrow_types) == ({"F32"}, {"BF16"})
    failed += not good
    print(f"{name}: loss {first:.4f} to {wide:.4f} with moments in f32, {narrow:.4f} in bf16 {wide_types} {narrow_types}{'' if good else ' WRONG'}")
print(f"{len(RULES)} rules, {failed} differ")
