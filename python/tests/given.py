# Arguments that an export keeps: inputs of bytes, one tensor for two inputs, the mode of every part.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import warnings

import torch

import ampc_export


class Images(torch.nn.Module):
    """Reads two images; the first norm is in inference mode and stays as it is."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3)

    def forward(self, left, right, counts):
        both = torch.stack([image.permute(0, 3, 1, 2).float() / 255 for image in (left, right)]).sum(0)
        return self.second(self.first(both)).mean([2, 3]) + counts + counts.float()


class Masked(torch.nn.Module):
    """Reads a mask with a counter for every dimension, as transformers do, and with others."""

    def forward(self, x, mask):
        rows, places = torch.arange(mask.shape[0]), torch.arange(mask.shape[1])
        spread = mask[rows[:, None, None], places]
        turned = mask[rows[:, None, None], 3 - places]
        return x * spread[:, 0] + turned[:, 0]


class Two(torch.nn.Module):
    """Returns scores and features."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 3)

    def forward(self, x):
        features = torch.relu(x)
        return self.inner(features), features


def warned(**options):
    """Warnings of an export of Two."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        ampc_export.torch(Two(), (torch.zeros(5, 4),), **options)
    return [str(warning.message) for warning in caught if warning.filename == __file__]


def main():
    folder = sys.argv[1]
    module, image = Images().train(), torch.zeros(4, 6, 6, 3, dtype=torch.uint8)
    module.first.eval()
    inputs = (image, image, torch.zeros(4, 3, dtype=torch.uint8))
    ampc_export.torch(module, inputs, loss="mse", training=None, path=f"{folder}/images.mlir")
    print("modes:", module.training, module.first.training, module.second.training)
    ampc_export.torch(Masked(), (torch.zeros(5, 4), torch.zeros(5, 4)), loss="mse", path=f"{folder}/masked.mlir")
    print("first of two:", *warned(loss="mse", path=f"{folder}/two.mlir"))
    print("no loss:", *warned(optimizer="adamw(lr=1e-3)", path=f"{folder}/predicts.mlir"))


main()
