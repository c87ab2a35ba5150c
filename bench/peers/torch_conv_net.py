# One training step of conv-net (ResNet-18 widths, 32x32) in PyTorch: the peer of ampc's benchmark.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

WIDTHS, BATCH, IMAGE, CLASSES = (64, 128, 256, 512), 64, 32, 10


def make_model():
    from torch import nn
    from torch.nn import functional

    def convolution(channels_in, channels_out, kernel, stride):
        return nn.Conv2d(
            channels_in, channels_out, kernel, stride, padding=kernel // 2, bias=False
        )

    class BasicBlock(nn.Module):
        def __init__(self, channels_in, channels_out, stride):
            super().__init__()
            self.first = convolution(channels_in, channels_out, 3, stride)
            self.first_norm = nn.BatchNorm2d(channels_out)
            self.second = convolution(channels_out, channels_out, 3, 1)
            self.second_norm = nn.BatchNorm2d(channels_out)
            self.shortcut = nn.Identity()
            if stride != 1 or channels_in != channels_out:
                self.shortcut = nn.Sequential(
                    convolution(channels_in, channels_out, 1, stride), nn.BatchNorm2d(channels_out)
                )

        def forward(self, x):
            y = functional.relu(self.first_norm(self.first(x)))
            return functional.relu(self.second_norm(self.second(y)) + self.shortcut(x))

    layers = [convolution(3, WIDTHS[0], 3, 1), nn.BatchNorm2d(WIDTHS[0]), nn.ReLU()]
    channels = WIDTHS[0]
    for width in WIDTHS:
        layers += [
            BasicBlock(channels, width, 1 if width == WIDTHS[0] else 2),
            BasicBlock(width, width, 1),
        ]
        channels = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES)]
    return nn.Sequential(*layers)


def main():
    arguments = torch_timing.parse_arguments("conv-net training step in PyTorch")
    import torch
    from torch.nn import functional

    def make_step(compiled):
        model = make_model().to(memory_format=torch.channels_last).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2, fused=True)
        update = torch_timing.Update(arguments, [optimizer])
        forward = torch.compile(model) if compiled else model
        image = torch.randn(BATCH, 3, IMAGE, IMAGE).to(memory_format=torch.channels_last)
        label = torch.randint(CLASSES, (BATCH,))

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(arguments):
                loss = functional.cross_entropy(forward(image).float(), label)
            return update(loss)

        return step

    torch_timing.measure("conv-net", make_step, arguments)


if __name__ == "__main__":
    main()
