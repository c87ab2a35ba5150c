# One training step of bench/models/mlp.mlir in PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

SIZES = dict(batch=256, inputs=1024, hidden=2048, classes=1000)


def main():
    sizes = torch_timing.parse_arguments("perceptron training step in PyTorch", **SIZES)
    import torch
    from torch import nn
    from torch.nn import functional

    def make_step(compiled):
        model = nn.Sequential(nn.Linear(sizes.inputs, sizes.hidden), nn.ReLU(), nn.Linear(sizes.hidden, sizes.hidden), nn.ReLU(),
                              nn.Linear(sizes.hidden, sizes.classes))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=1e-2, fused=True)
        update = torch_timing.Update(sizes, [optimizer])
        forward = torch.compile(model) if compiled else model
        x, label = torch.randn(sizes.batch, sizes.inputs), torch.randint(sizes.classes, (sizes.batch,))

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(sizes):
                loss = functional.cross_entropy(forward(x).float(), label)
            return update(loss)

        return step

    torch_timing.measure("mlp", make_step, sizes)


if __name__ == "__main__":
    main()
