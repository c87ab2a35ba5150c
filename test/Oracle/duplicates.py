# Two gradients of 64000, including a scale of 1024, for a single row: duplicates.py LIBRARY.so skips|updates
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import struct
import sys

from model import Model, array

library, expected = sys.argv[1:3]
SCALED, SCALE = 64000.0, 1024.0
index, x = array("i32", [7, 2, 7, 5]), array("f32", [SCALED / SCALE] * 4)
sizes = {"table": 40, "w": 1}


def state(model):
    return {name: bytes(model.tensor(name, size)) for name, size in sizes.items()}


failed = 0
for split in (False, True):
    model = Model(library, "duplicates")
    for moment in ("m", "v", "sum", "momentum"):
        for name, size in (("table", 40), ("w", 1)):
            if model.call("find_tensor", f"fit.{moment}.{name}".encode()) >= 0:
                narrow = {"rowwise": size // 4 or 1, "lazy": (size + 1) // 2}  # a number per row; two bytes per number
                sizes[f"fit.{moment}.{name}"] = next((n for key, n in narrow.items() if f"{key}.so" in library), size)
    statuses = []
    model.check = lambda status, what: statuses.append(status)  # 1: skipped
    before = state(model)
    if split:
        model.run("grad", [index, x])
        model.run("apply", [])
    else:
        model.run("train_step", [index, x])
    after = state(model)
    scale = model.tensor("scale.scale", 1)[0]
    unchanged = [name for name in sizes if before[name] == after[name]]
    if expected == "skips":
        good = len(unchanged) == len(sizes) and scale == SCALE / 2 and statuses[-1] == 1
    else:  # plain SGD with rate 1: exactly 1 - 128000 / 1024 and 1 - 64000 / 1024
        rows = {7: 1 - 2 * SCALED / SCALE, 2: 1 - SCALED / SCALE, 5: 1 - SCALED / SCALE}
        want = b"".join(struct.pack("4f", *[rows.get(r, 1.0)] * 4) for r in range(10))
        good = after["table"] == want and after["w"] == struct.pack("f", -3.0) and scale == SCALE and not any(statuses)
    if not good:
        failed += 1
        print(f"split {split}: scale {scale}, statuses {statuses}, unchanged {unchanged}, row 7 {list(model.tensor('table', 40))[28:32]}")
print("as expected" if not failed else "WRONG")
sys.exit(failed)
