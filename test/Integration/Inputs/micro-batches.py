# The same step on a whole batch and on a batch of parts: models, data, and the comparison of their losses.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data


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


def losses(folder, rows, parts):
    path = f"{folder}/{rows}x{parts}"
    with open(path + ".mlir", "w") as out:
        out.write(model(rows, parts))
    subprocess.run(["ampc", "train", path + ".mlir", "--data", f"x={folder}/x.npy", "--data", f"y={folder}/y.npy", "--seed", "3",
                    "--steps", "30", "--log", path + ".csv"], check=True, stderr=subprocess.DEVNULL)
    with open(path + ".csv") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
x, y = data.make_data()
data.write_npy(f"{folder}/x.npy", "f", (data.ROWS, data.FEATURES), x)
data.write_npy(f"{folder}/y.npy", "i", (data.ROWS,), y)
whole, parts = losses(folder, 12, 1), losses(folder, 4, 3)
worst = max(abs(a - b) / abs(a) for a, b in zip(whole, parts))
print(f"{len(whole)} losses, largest relative difference {worst:.2g}, from {whole[0]:.3f} to {whole[-1]:.3f}")
print("equal" if len(whole) == len(parts) == 30 and worst < 1e-5 and whole[-1] < whole[0] else "different")
