# A step of binary cross entropy in written-out form against softplus, for confident rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import sys

import model as compiled
from exported import TrainOut

x, y = [5.5 + 0.25 * i for i in range(8)], [1.0, 0.0] * 4  # bf16 holds all of them
wanted = sum(math.log1p(math.exp(-z)) + (1 - t) * z for z, t in zip(x, y)) / 8
net = compiled.Model(sys.argv[1], "bce")
head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
        ("workspace", ctypes.c_void_p)]
inputs = [compiled.array("f32", x), compiled.array("f32", y)]  # kept: the struct holds their addresses only
given = compiled.pointer_struct(head, (0, 0.0, 0, None), inputs)
out = TrainOut(size=ctypes.sizeof(TrainOut))
net.check(net.call("train_step", net.state, ctypes.byref(given), ctypes.byref(out)), "train_step")
weight = net.tensor("w", 1)[0]
print(f"loss {out.loss:.6f}, wanted {wanted:.6f}, weight {weight:.6f}")
good = abs(out.loss - wanted) <= 1e-3 * wanted and math.isfinite(weight) and weight < 1
sys.exit(0 if good else 1)
