# Small data for the models of this folder, with something to learn in each.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

import numpy as np

folder = sys.argv[1] if len(sys.argv) > 1 else "."
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(1)


def save(name, rows, **arrays):
    """The last fifth is for validation."""
    cut = rows * 4 // 5
    for key, array in arrays.items():
        np.save(os.path.join(folder, f"{name}-{key}.npy"), array[:cut])
        np.save(os.path.join(folder, f"{name}-{key}-val.npy"), array[cut:])


def digits(rows=640):
    """Ten shapes of 8x8 pixels, moved by up to a pixel, with noise; bytes from 0 to 255."""
    shapes = random.random((10, 8, 8)) < 0.4
    label = random.integers(0, 10, rows)
    image = np.stack([np.roll(shapes[k], tuple(random.integers(0, 2, 2)), (0, 1)) for k in label])
    image = np.clip(image * 180 + random.normal(30, 25, image.shape), 0, 255).astype(np.uint8)
    save("digits", rows, image=image.reshape(rows, 64), label=label)
    save("images", rows, image=image[..., None], label=label)


def sequences(rows=640, length=16):
    """The kind is the quarter of the vocabulary that most tokens are of."""
    kind = random.integers(0, 4, rows)
    own = kind[:, None] * 5 + random.integers(0, 5, (rows, length))
    token = np.where(random.random((rows, length)) < 0.4, own, random.integers(0, 20, (rows, length)))
    save("sequences", rows, token=token.astype(np.int32), kind=kind)


def points(rows=1024):
    """A ring."""
    angle = random.uniform(0, 2 * np.pi, rows)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1) + random.normal(0, 0.05, (rows, 2))
    save("points", rows, point=ring.astype(np.float32))
    np.save(os.path.join(folder, "noise.npy"), random.normal(size=(256, 4)).astype(np.float32))


def ratings(rows=1600):
    user, item = random.integers(0, 50, rows), random.integers(0, 40, rows)
    u, i = random.normal(size=(50, 2)), random.normal(size=(40, 2))
    stars = 3 + (u[user] * i[item]).sum(1) + random.normal(0, 0.1, rows)
    save("ratings", rows, user=user, item=item, stars=stars)


def visits(rows=1280):
    """A table as a spreadsheet writes it, one file for each part."""
    seconds, scrolled, hour = random.exponential(1, rows), random.random(rows), random.random(rows)
    page, device = random.integers(0, 12, rows), random.integers(0, 3, rows)
    liking = random.normal(size=12)
    logit = 2 * liking[page] + 3 * (scrolled - 0.5) + (device == 1) - 0.5 * seconds
    clicked = random.random(rows) < 1 / (1 + np.exp(-2 * logit))
    lines = [f"{s:.3f},{c:.3f},{h:.3f},{p},{d},{int(y)}"
             for s, c, h, p, d, y in zip(seconds, scrolled, hour, page, device, clicked)]
    for name, part in (("visits", lines[:rows * 4 // 5]), ("visits-val", lines[rows * 4 // 5:])):
        with open(os.path.join(folder, name + ".csv"), "w") as file:
            file.write("\n".join(["seconds,scrolled,hour,page,device,clicked"] + part) + "\n")


for make in (digits, sequences, points, ratings, visits):
    make()
