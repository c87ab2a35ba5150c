# One training step of char-gpt in PyTorch: the peer of ampc's char-gpt benchmark.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

SIZES = dict(layers=6, heads=6, width=384, context=256, batch=8, vocabulary=96, tied=0, clip=1)


def make_model(sizes):
    import torch
    from torch import nn
    from torch.nn import functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm = nn.LayerNorm(sizes.width)
            self.qkv = nn.Linear(sizes.width, 3 * sizes.width)
            self.projection = nn.Linear(sizes.width, sizes.width)
            self.mlp_norm = nn.LayerNorm(sizes.width)
            self.up = nn.Linear(sizes.width, 4 * sizes.width)
            self.down = nn.Linear(4 * sizes.width, sizes.width)

        def forward(self, x):
            batch, context, width = x.shape
            heads = (
                part.view(batch, context, sizes.heads, width // sizes.heads).transpose(1, 2)
                for part in self.qkv(self.attention_norm(x)).split(width, dim=2)
            )
            mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.projection(mixed.transpose(1, 2).reshape(batch, context, width))
            hidden = functional.gelu(self.up(self.mlp_norm(x)), approximate="tanh")
            return x + self.down(hidden)

    class CharGpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.token = nn.Embedding(sizes.vocabulary, sizes.width)
            self.position = nn.Embedding(sizes.context, sizes.width)
            self.blocks = nn.Sequential(*(Block() for _ in range(sizes.layers)))
            self.norm = nn.LayerNorm(sizes.width)
            self.head = nn.Linear(sizes.width, sizes.vocabulary, bias=False)
            if sizes.tied:
                self.head.weight = self.token.weight

        def forward(self, token, target):
            x = self.token(token) + self.position.weight
            logits = self.head(self.norm(self.blocks(x)))
            return functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten())

    def initialise(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    return CharGpt().apply(initialise)


def main():
    arguments = torch_timing.parse_arguments("char-gpt training step in PyTorch", **SIZES)
    sizes = arguments
    import torch

    def make_step(compiled):
        model = make_model(sizes)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
        update = torch_timing.Update(arguments, [optimizer], sizes.clip)
        forward = torch.compile(model) if compiled else model
        token = torch.randint(sizes.vocabulary, (sizes.batch, sizes.context))
        target = torch.randint(sizes.vocabulary, (sizes.batch, sizes.context))

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(arguments):
                loss = forward(token, target)
            return update(loss)

        return step

    torch_timing.measure("gpt" if sizes.tied else "char-gpt", make_step, arguments)


if __name__ == "__main__":
    main()
