# Schedulers of torch.optim, over the steps of a small module beside PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""schedulers.py FOLDER [NAME...]"""
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import lr_scheduler

import harness

STEPS = 12
CASES = {
    "step": lambda o: lr_scheduler.StepLR(o, 3, 0.5),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.8),
    "linear": lambda o: lr_scheduler.LinearLR(o, 0.25, 1.0, total_iters=6),
    "polynomial": lambda o: lr_scheduler.PolynomialLR(o, total_iters=9, power=2.0),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=STEPS, eta_min=0.02),
    "multi_step": lambda o: lr_scheduler.MultiStepLR(o, [3, 7], 0.5),
    "sequential": lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.LinearLR(o, 0.25, 1.0, total_iters=3), lr_scheduler.ExponentialLR(o, 0.8)], [3]),
    "one_cycle": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.4, total_steps=STEPS + 1, cycle_momentum=False),
    "cycled": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.4, total_steps=STEPS + 1),
    "three_cycled": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.4, total_steps=STEPS + 1, pct_start=0.35, three_phase=True,
                                                      anneal_strategy="linear", base_momentum=0.5, max_momentum=0.9),
    "three_phase": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.4, total_steps=STEPS + 1, pct_start=0.4, three_phase=True,
                                                     anneal_strategy="linear", cycle_momentum=False),
}


def main():
    folder = harness.folder()
    for name, scheduler in CASES.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            torch.manual_seed(0)
            module = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))
            harness.compare(name, module, torch.randn(8, 5), folder, loss=F.mse_loss, targets=torch.randn(8, 2), steps=STEPS, predict=False,
                            optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.2, momentum=0.9), scheduler=scheduler)
    harness.finish()


main()
