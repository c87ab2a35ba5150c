# Autocast regions of the source, and linear layers, against torch.autocast.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""regions.py FOLDER: writes models with regions of torch.autocast to FOLDER, and compares 64 steps in bf16 with PyTorch's."""
import csv
import subprocess
import sys

import numpy as np
import torch

import ampc_export

STEPS, ROWS, BAR = 64, 16, 2e-4


class Angles(torch.nn.Module):
    """A rotation by angles that are computed without autocast, as transformers has it. `expand` needs a decomposition."""

    def __init__(self, width, time):
        super().__init__()
        self.lin = torch.nn.Linear(width, width)
        self.register_buffer("inverse", 1.0 / 100 ** (torch.arange(0, width, 2).float() / width), persistent=False)

    def forward(self, x, place):
        with torch.autocast("cpu", enabled=False):
            angles = (self.inverse[None, :, None].float().expand(place.shape[0], -1, 1) @ place[:, None, :].float()).transpose(1, 2)
            angles = torch.cat((angles, angles), -1)
            cosine, sine = angles.cos(), angles.sin()
        h = self.lin(x)
        a, b = h.chunk(2, -1)
        return h * cosine + torch.cat((-b, a), -1) * sine


class Two(torch.nn.Module):
    """Equal modules, each with a region of its own, of which the first is inside of another region."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = Part(), Part(), Part()

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.first(x)
        return self.third(self.second(x)).mean()


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.out = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            y = torch.tanh(self.lin(x))
        return self.out(y)


class Layers(torch.nn.Module):
    """Linear layers of vectors and of sequences, with and without a bias."""

    def __init__(self):
        super().__init__()
        self.wide, self.narrow, self.head = torch.nn.Linear(12, 32), torch.nn.Linear(32, 12, bias=False), torch.nn.Linear(12, 5)

    def forward(self, x):
        h = torch.nn.functional.gelu(self.wide(x))
        return self.head(torch.nn.functional.gelu(self.narrow(h)).mean(1))


def ampc(*arguments):
    subprocess.run(["ampc", *arguments], check=True, stdout=subprocess.DEVNULL)


def compare(folder):
    """The losses of 64 steps under --policy=autocast-cpu beside those of torch.autocast."""
    torch.manual_seed(3)
    torch.set_num_threads(1)
    model, rng = Layers(), np.random.default_rng(5)
    x, y = rng.standard_normal((STEPS * ROWS, 3, 12)).astype(np.float32), rng.integers(0, 5, STEPS * ROWS)
    ampc_export.torch(model, torch.tensor(x[:ROWS]), loss="cross_entropy", targets=torch.tensor(y[:ROWS]), optimizer="sgd(lr=0.1)",
                      path=f"{folder}/layers.mlir")
    np.save(f"{folder}/x.npy", x)
    np.save(f"{folder}/y.npy", y.astype(np.int32))
    ampc("train", f"{folder}/layers.mlir", "--weights", f"{folder}/layers.safetensors", "--data", f"x={folder}/x.npy", "--data",
         f"target={folder}/y.npy", "--steps", str(STEPS), "--shuffle=false", "--quiet", "--precision=bf16", "--policy=autocast",
         "--log", f"{folder}/log.csv", "--out", f"{folder}/out.safetensors")
    with open(f"{folder}/log.csv") as file:
        ours = np.array([float(row["loss"]) for row in csv.DictReader(file)])
    optimizer, theirs = torch.optim.SGD(model.parameters(), lr=0.1), []
    for step in range(STEPS):
        rows = slice(step * ROWS, (step + 1) * ROWS)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(torch.tensor(x[rows]))
            loss = torch.nn.functional.cross_entropy(scores.float(), torch.tensor(y[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        theirs.append(loss.item())
    away = np.abs(ours / np.array(theirs) - 1).max()
    print(f"layers: losses {away:.2g} away, " + ("near" if away <= BAR else "expected at most %g" % BAR))


def main():
    folder = sys.argv[1]
    torch.manual_seed(1)
    place = torch.arange(32)[None].repeat(2, 1)
    ampc_export.torch(Angles(8, 32), {"x": torch.randn(2, 32, 8), "place": place}, loss="mse", targets=torch.randn(2, 32, 8),
                      optimizer="sgd(lr=0.01)", path=f"{folder}/angles.mlir")
    ampc_export.torch(Two(), torch.randn(4, 8), optimizer="sgd(lr=0.01)", path=f"{folder}/two.mlir")
    compare(folder)


main()
