# A step on a whole batch and on micro-batches: models, data, and the comparison of losses.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data
from closeness import share


def model(rows, parts):
    return f"""train.model @parts {{
  train.param @w1 : tensor<5x7xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<7x3xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<{rows}x5xf32>, %y: tensor<{rows}xi32>) -> tensor<f32> {{
    %w1 = train.read @w1 : tensor<5x7xf32>
    %w2 = train.read @w2 : tensor<7x3xf32>
    %0 = train.matmul %x, %w1 : (tensor<{rows}x5xf32>, tensor<5x7xf32>) -> tensor<{rows}x7xf32>
    %1 = train.tanh %0 : tensor<{rows}x7xf32>
    %2 = train.matmul %1, %w2 : (tensor<{rows}x7xf32>, tensor<7x3xf32>) -> tensor<{rows}x3xf32>
    %3 = train.softmax_cross_entropy %2, %y : tensor<{rows}x3xf32>, tensor<{rows}xi32>
    train.return %3 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w1, @w2] with #train.adamw<lr = 0.05> {{micro_batches = {parts}}}
}}
"""


def normalised(rows, parts):
    """Batch norm alone: the running mean shows which rows every part reads."""
    return f"""train.model @parts {{
  train.param @g : tensor<5xf32> = #train.ones
  train.param @b : tensor<5xf32> = #train.zeros
  train.buffer @mean : tensor<5xf32> = #train.zeros
  train.buffer @variance : tensor<5xf32> = #train.ones
  train.func @loss(%x: tensor<{rows}x5xf32>, %y: tensor<{rows}xi32>) -> tensor<f32> {{
    %g = train.read @g : tensor<5xf32>
    %b = train.read @b : tensor<5xf32>
    %0 = train.batch_norm %x, %g, %b running @mean, @variance momentum 0.5 eps 1.0e-3 : tensor<{rows}x5xf32>, tensor<5xf32>, tensor<5xf32>
    %1 = train.softmax_cross_entropy %0, %y : tensor<{rows}x5xf32>, tensor<{rows}xi32>
    train.return %1 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@g, @b] with #train.sgd<lr = 0.1> {{micro_batches = {parts}}}
}}
"""


def run(text, path, folder, steps):
    """Losses of a run on the first `steps` batches of 43 rows; the last batch of an epoch is short."""
    with open(path + ".mlir", "w") as out:
        out.write(text)
    subprocess.run(["ampc", "train", path + ".mlir", "--data", f"x={folder}/x.npy", "--data", f"y={folder}/y.npy", "--seed", "3",
                    "--shuffle=false", "--steps", str(steps), "--log", path + ".csv", "--out", path + ".safetensors"],
                   check=True, stderr=subprocess.DEVNULL)
    with open(path + ".csv") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def check_losses(folder):
    """A batch of 12 rows and three parts of 4; a short batch has 7 rows: parts of 4, 3 and 0."""
    whole, parts = (run(model(rows, count), f"{folder}/{rows}x{count}", folder, 30) for rows, count in [(12, 1), (4, 3)])
    worst = share(parts, whole, relative=1.0)
    print(f"{len(whole)} losses, largest relative difference {worst:.2g}, from {whole[0]:.3f} to {whole[-1]:.3f}")
    return len(whole) == 30 and worst < 1e-5 and whole[-1] < whole[0]


def check_statistics(folder, x):
    """An epoch's running mean, part by part; a part without rows leaves the mean unchanged."""
    losses = run(normalised(4, 3), f"{folder}/normalised", folder, 4)
    mean = [0.0] * data.FEATURES
    for first in range(0, ROWS, 4):
        rows = [x[data.FEATURES * r:data.FEATURES * (r + 1)] for r in range(first, min(first + 4, ROWS))]
        mean = [0.5 * m + 0.5 * sum(column) / len(rows) for m, column in zip(mean, zip(*rows))]
    found = data.read_tensor(f"{folder}/normalised.safetensors", "mean")
    print("losses", losses, "running mean", found)
    return all(math.isfinite(loss) for loss in losses) and all(abs(a - b) < 1e-6 for a, b in zip(found, mean, strict=True))


folder, ROWS = sys.argv[1], 43
os.makedirs(folder, exist_ok=True)
x, y = data.make_data()
data.write_npy(f"{folder}/x.npy", "f", (ROWS, data.FEATURES), x[:ROWS * data.FEATURES])
data.write_npy(f"{folder}/y.npy", "i", (ROWS,), y[:ROWS])
print("equal" if check_losses(folder) & check_statistics(folder, x) else "different")
