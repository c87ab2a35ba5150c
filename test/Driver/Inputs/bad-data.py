# A model, and data files with a single error each.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data

folder = sys.argv[1]
x, y = data.make_data()
with open(f"{folder}/model.mlir", "w") as out:
    out.write(data.model("#train.adam<lr = 0.1>"))
shape = (data.ROWS, data.FEATURES)
data.write_npy(f"{folder}/x.npy", "f", shape, x)
data.write_npy(f"{folder}/y.npy", "i", (data.ROWS,), y)
data.write_npy(f"{folder}/narrow.npy", "f", (60, 4), x)
data.write_npy(f"{folder}/nan.npy", "f", shape, [float("nan")] * len(x))
data.write_npy(f"{folder}/label.npy", "i", (data.ROWS,), [7] * data.ROWS)
data.write_npy(f"{folder}/late-label.npy", "i", (data.ROWS,), y[:-1] + [-2])
data.write_npy(f"{folder}/no-rows.npy", "f", (0, data.FEATURES), [])
at = 2 * data.BATCH * data.FEATURES
data.write_npy(f"{folder}/late-nan.npy", "f", shape, x[:at] + [float("nan")] * (len(x) - at))
