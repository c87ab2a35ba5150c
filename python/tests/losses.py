# Losses of PyTorch with every option, and ops of a single line, compared with PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""losses.py FOLDER [NAME...]"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import harness

CLASSES = torch.tensor([0, 3, -100, 2, 1, 3])
WEIGHTS = torch.tensor([0.5, 1.0, 2.0, 1.5])


class Ops(nn.Module):
    """A layer, and what a function makes of its results."""

    def __init__(self, function):
        super().__init__()
        self.layer, self.function = nn.Linear(5, 4), function

    def forward(self, x):
        return self.function(self.layer(x))


def classes(**options):
    return lambda y, t: F.cross_entropy(y, t, **options)


LOSSES = {
    "ignored": (classes(), CLASSES), "weighted": (classes(weight=WEIGHTS), CLASSES), "smoothed": (classes(label_smoothing=0.2), CLASSES),
    "weighted_smoothed": (classes(weight=WEIGHTS, label_smoothing=0.2), CLASSES), "summed": (classes(reduction="sum", ignore_index=3), CLASSES.clamp(min=0)),
    "per_row": (lambda y, t: F.cross_entropy(y, t, reduction="none").square().mean(), CLASSES),
    "soft": (classes(), torch.rand(6, 4).softmax(-1)), "nll": (lambda y, t: F.nll_loss(F.log_softmax(y, 1), t), CLASSES),
    "bce": (lambda y, t: F.binary_cross_entropy(y.sigmoid(), t), torch.rand(6, 4)),
    "bce_weighted": (lambda y, t: F.binary_cross_entropy_with_logits(y, t, weight=WEIGHTS, pos_weight=WEIGHTS), torch.rand(6, 4)),
    "huber": (lambda y, t: F.huber_loss(y, t, delta=0.3), torch.randn(6, 4)), "l1": (lambda y, t: F.l1_loss(y, t, reduction="sum"), torch.randn(6, 4)),
    "kl": (lambda y, t: F.kl_div(F.log_softmax(y, -1), t, reduction="batchmean"), torch.rand(6, 4).softmax(-1)),
}

OPS = {
    "activations": lambda y: F.hardswish(y) + F.elu(y, 0.7) + F.selu(y) + F.celu(y, 1.3) + F.mish(y) + F.softplus(y, beta=2.0) + F.logsigmoid(y),
    "clamps": lambda y: F.hardtanh(y, -0.5, 0.4) * F.leaky_relu(y, 0.2) + y.clamp(min=-0.3) + F.hardsigmoid(y) + F.relu6(y),
    "statistics": lambda y: y.var(1, keepdim=True) + y.std(0, unbiased=False) + y.norm(dim=1, keepdim=True) + y.logsumexp(1, keepdim=True) * y.amax(0),
    "parts": lambda y: torch.cat([y[:, 1:], y[:, :1] * 2, y.flip(1), y.roll(1, 0)[::2].repeat(2, 1)], 1)[:, torch.tensor([0, 5, 2])],
    "indices": lambda y: y.gather(1, y.argmax(1, keepdim=True)) + torch.where(y > 0, y, y.exp() - 1).cumsum(1) + y.masked_fill(y < 0, 0.5).tril(),
    "products": lambda y: torch.einsum("ij,kj->ik", y, y).matmul(y) + torch.outer(y[:, 0], y[0]) + torch.addmm(y, y @ y.T, y, alpha=0.5),
    "norms": lambda y: F.layer_norm(y, (4,)) + F.rms_norm(y, (4,)) + F.normalize(y, dim=1) + F.group_norm(y.reshape(6, 2, 2), 2).reshape(6, 4),
    "moved": lambda y: F.pad(y.reshape(6, 2, 2).transpose(1, 2), (1, -1, 0, 1), value=0.3).permute(2, 0, 1).flatten(1).unbind(0)[1].expand(6, 18)[:, :4] + y,
}


def main():
    folder = harness.folder()
    for name, (loss, target) in LOSSES.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            torch.manual_seed(0)
            harness.compare(f"loss_{name}", nn.Linear(5, 4), torch.randn(6, 5), folder, loss=loss, targets=target, steps=2)
    for name, function in OPS.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            torch.manual_seed(0)
            module, x = Ops(function), torch.randn(6, 5)
            harness.compare(f"ops_{name}", module, x, folder, loss=F.mse_loss, targets=torch.zeros_like(module(x)).detach() + 0.1, steps=2)
    harness.finish()


main()
