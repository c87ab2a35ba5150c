# Models that ampc_export refuses, with the message of each.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""refused.py FOLDER"""
import os
import sys

import numpy as np
import torch
from torch import nn

import ampc_export
from ampc_export import safetensors

FOLDER = sys.argv[1]


def said(name, call):
    try:
        call()
    except (ampc_export.ExportError, ValueError) as error:
        print(f"{name}: {error}".replace(FOLDER, "FOLDER"))
    else:
        print(f"{name}: expected an error")


def export(module, **options):
    options = {"path": os.path.join(FOLDER, "model.mlir"), "loss": "mse", **options}
    ampc_export.torch(module, torch.randn(2, 4), **options)


class Inner(nn.Module):
    def forward(self, x):
        return torch.linalg.qr(x.cummax(-1)[0])[0]


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.layer = Inner(), nn.Linear(4, 4)

    def forward(self, x):
        return torch.linalg.qr(self.inner(self.layer(x)))[0]


class Decides(nn.Module):
    """What runs depends on the data."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x) if x.sum() > 0 else x


class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 4, 3))

    def forward(self, x):
        return (x.unsqueeze(1) @ self.weight).squeeze(1)


def main():
    layer = nn.Linear(4, 3)
    said("ops", lambda: export(Outer()))
    said("traced", lambda: export(Decides()))
    said("optimizer", lambda: export(layer, optimizer=torch.optim.Adadelta(layer.parameters())))
    said("dampening", lambda: export(layer, optimizer=torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9, dampening=0.5)))
    stacked = Stacked()
    said("filter", lambda: export(stacked, optimizer=torch.optim.Adafactor(stacked.parameters())))
    spectral = torch.optim.Muon([layer.weight], adjust_lr_fn="spectral_unclamped")
    said("adjusted", lambda: export(layer, optimizer=spectral))
    sgd = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler
    said("scheduler", lambda: export(layer, optimizer=sgd, scheduler=scheduler.LambdaLR(sgd, lambda step: 1.0)))
    said("milestone", lambda: export(layer, optimizer=sgd, scheduler=scheduler.MultiStepLR(sgd, [0, 3])))
    said("sequence", lambda: export(layer, optimizer=sgd, scheduler=scheduler.SequentialLR(
        sgd, [scheduler.StepLR(sgd, 2), scheduler.OneCycleLR(sgd, max_lr=0.4, total_steps=9, cycle_momentum=False)], [3])))
    said("other", lambda: export(layer, optimizer="sgd(lr=0.1)", scheduler=scheduler.StepLR(sgd, 2)))
    said("loss", lambda: export(layer, loss="best"))
    said("vector", lambda: export(layer, loss=lambda y, t: (y - t) ** 2, targets=torch.zeros(2, 3)))
    said("path", lambda: export(layer, path="model.txt"))
    said("targets", lambda: export(layer, loss=lambda y, t: y.sum()))
    turned = os.path.join(FOLDER, "turned.safetensors")
    safetensors.write(turned, {"weight": np.zeros((4, 3), np.float32), "bias": np.zeros(3, np.float32)})
    said("back", lambda: ampc_export.load_back(layer, turned))
    weight = np.arange(12, dtype=np.float32).reshape(4, 3)
    safetensors.write(turned, {"weight": weight, "bias": np.zeros(3, np.float32)}, {"ampc_export": '{"orders": {"weight": [1, 0]}}'})
    ampc_export.load_back(layer, turned)
    print("moved:", np.array_equal(layer.weight.detach().numpy(), weight.T))
    broken = os.path.join(FOLDER, "broken.safetensors")
    open(broken, "wb").write(b"\xff" * 12)
    said("broken", lambda: ampc_export.load_back(layer, broken))


main()
