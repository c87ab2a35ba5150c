# One training step of the model that bench/models/dlrm.py prints, in PyTorch: --lazy 1 takes sparse gradients of tables and SparseAdam.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

SIZES = dict(tables=26, rows=50000, width=64, batch=2048, lazy=0)


def make_model(sizes):
    import torch
    from torch import nn

    def perceptron(*widths):
        layers = [layer for pair in zip(widths, widths[1:]) for layer in (nn.Linear(*pair), nn.ReLU())]
        return nn.Sequential(*layers[:-1])

    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            vectors = sizes.tables + 1
            self.tables = nn.ModuleList(nn.Embedding(sizes.rows, sizes.width, sparse=bool(sizes.lazy)) for _ in range(sizes.tables))
            self.bottom = nn.Sequential(perceptron(13, 512, 256, sizes.width), nn.ReLU())
            self.top = perceptron(sizes.width + vectors * vectors, 512, 256, 1)

        def forward(self, x, *features):
            dense = self.bottom(x)
            vectors = torch.stack([dense] + [table(feature) for table, feature in zip(self.tables, features)], dim=1)
            pairs = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
            return self.top(torch.cat([dense, pairs], dim=1))

    return Dlrm()


def main():
    sizes = torch_timing.parse_arguments("DLRM training step in PyTorch", **SIZES)
    import torch
    from torch.nn import functional

    def make_step(compiled):
        model = make_model(sizes)
        tables = list(model.tables.parameters())
        others = [p for name, p in model.named_parameters() if not name.startswith("tables.")]
        if sizes.lazy:
            optimizers = [torch.optim.SparseAdam(tables, lr=1e-3), torch.optim.Adam(others, lr=1e-3, fused=True)]
        else:
            optimizers = [torch.optim.Adam(tables + others, lr=1e-3, fused=True)]
        update = torch_timing.Update(sizes, optimizers)
        forward = torch.compile(model) if compiled else model
        x = torch.randn(sizes.batch, 13)
        features = [torch.randint(sizes.rows, (sizes.batch,)) for _ in range(sizes.tables)]
        clicked = torch.randint(2, (sizes.batch, 1)).float()

        def step():
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(sizes):
                score = forward(x, *features)
            loss = functional.binary_cross_entropy_with_logits(score.float(), clicked)
            return update(loss)

        return step

    torch_timing.measure("dlrm", make_step, sizes)


if __name__ == "__main__":
    main()
