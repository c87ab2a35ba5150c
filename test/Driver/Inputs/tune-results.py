# Prints results for bench/gpu/tune with times from a formula instead of a chip: every tile takes its area / 1000 microseconds, NAME half of
# that.
# tune-results.py REVISION GPU FORM MxN
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

revision, gpu, form, tile = sys.argv[1:]
TILES = [(128, 128), (128, 64), (64, 128), (64, 64), (128, 32)]
PRODUCTS = [("square", "NT", 2, 1, 8192, 8192, 8192, "mma"), ("other", "NT", 2, 1, 5000, 8000, 8192, "mma"), ("weights", "TN", 2, 1, 768, 768, 16384, "mma"),
            ("numbers", "NN", 4, 1, 4096, 4096, 4096, "simt"), ("wide", "NN", 2, 1, 8192, 8192, 4096, "mma"),
            ("left", "TN", 2, 1, 2048, 2048, 500, "mma"), ("right", "TN", 2, 1, 2000, 2000, 480, "mma")]
# Shapes of a single class with different best tiles, which the class's model selects.
OWN = {"left": (64, 64), "right": (128, 64)}


def hash_of(lines):
    value = 14695981039346656037
    for byte in "".join(line + "\n" for line in lines).encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


for product in PRODUCTS:
    name, layout, size, batch, m, n, k, own = product
    lines = [f"product {name} {layout} {size} {batch} {m} {n} {k} on sm_80 108 revision {revision} kilohertz 1410000 gpu {gpu}"]
    for tile_m, tile_n in sorted(TILES, key=lambda tile: tile != OWN.get(name)) if own == "mma" else [(128, 128), (64, 64)]:
        milliseconds = m * n * k * batch / 1e11 + tile_m * tile_n / 1e6
        if (own, f"{tile_m}x{tile_n}") == (form, tile):
            milliseconds /= 2
        if OWN.get(name) == (tile_m, tile_n):
            milliseconds /= 10
        # The fastest of all has wrong results.
        answer = "same"
        if name == "weights" and (tile_m, tile_n) == (128, 32):
            milliseconds, answer = milliseconds / 10, "differs"
        lines.append(f"trial {own} {tile_m} {tile_n} 1 1 1 0 {tile_m * tile_n} {milliseconds:.6f} {answer}")
    print("\n".join(lines + [f"end {len(lines) - 1} {hash_of(lines):016x}"]))
print("failed late: cut off after 60 s")
