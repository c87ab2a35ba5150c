# One training step of char-gpt in PyTorch: the peer of ampc's char-gpt benchmark.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

LAYERS, HEADS, WIDTH, CONTEXT, BATCH, VOCABULARY = 6, 6, 384, 256, 8, 96


def make_model():
    import torch
    from torch import nn
    from torch.nn import functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm = nn.LayerNorm(WIDTH)
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.projection = nn.Linear(WIDTH, WIDTH)
            self.mlp_norm = nn.LayerNorm(WIDTH)
            self.up = nn.Linear(WIDTH, 4 * WIDTH)
            self.down = nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            batch, context, width = x.shape
            heads = (
                part.view(batch, context, HEADS, width // HEADS).transpose(1, 2)
                for part in self.qkv(self.attention_norm(x)).split(width, dim=2)
            )
            mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.projection(mixed.transpose(1, 2).reshape(batch, context, width))
            hidden = functional.gelu(self.up(self.mlp_norm(x)), approximate="tanh")
            return x + self.down(hidden)

    class CharGpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.token = nn.Embedding(VOCABULARY, WIDTH)
            self.position = nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

        def forward(self, token, target):
            x = self.token(token) + self.position.weight
            logits = self.head(self.norm(self.blocks(x)))
            return functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten())

    def initialise(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    return CharGpt().apply(initialise)


def main():
    arguments = torch_timing.parse_arguments("char-gpt training step in PyTorch")
    import torch

    def make_step(compiled):
        model = make_model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
        forward = torch.compile(model) if compiled else model
        token = torch.randint(VOCABULARY, (BATCH, CONTEXT))
        target = torch.randint(VOCABULARY, (BATCH, CONTEXT))

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(arguments.dtype):
                loss = forward(token, target)
            loss.backward()
            optimizer.step()
            return loss.detach()

        return step

    torch_timing.measure("char-gpt", make_step, arguments)


if __name__ == "__main__":
    main()
