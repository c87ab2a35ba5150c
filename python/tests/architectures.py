# Small modules of each kind, exported, compiled and trained beside PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""architectures.py FOLDER [NAME...]"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import harness


def classes(rows, count, *places):
    return torch.randint(0, count, (rows, *places))


def mlp():
    module = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    return dict(module=module, inputs=torch.randn(8, 64), loss=F.cross_entropy, targets=classes(8, 10), steps=10,
                optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9))


def mlp_adamw():
    def groups(m):
        flat = [p for p in m.parameters() if p.ndim == 1]
        deep = [p for p in m.parameters() if p.ndim > 1]
        return torch.optim.AdamW([{"params": deep}, {"params": flat, "weight_decay": 0.0, "lr": 3e-3}], lr=1e-3, weight_decay=0.1)
    return dict(mlp(), optimizer=groups)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 12, 3, stride=2, padding=1, groups=4)
        self.norm2 = nn.BatchNorm2d(12)
        self.head = nn.Linear(12 * 4 * 4, 5)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(image))), 2)
        x = F.relu_(self.norm2(self.conv2(x)))
        return self.head(torch.flatten(x, 1))


def cnn():
    return dict(module=Cnn(), inputs=torch.randn(4, 3, 16, 16), loss=nn.CrossEntropyLoss(label_smoothing=0.1), targets=classes(4, 5), steps=10,
                optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.02, momentum=0.9))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down, self.heads = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), heads

    def forward(self, x):
        rows, places, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(rows, places, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(a.transpose(1, 2).reshape(rows, places, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """With one table for tokens and scores."""

    def __init__(self, width=32, depth=3, vocabulary=50, places=12):
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(places, width)
        self.block = nn.ModuleList(Block(width, 4) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.token.weight

    def forward(self, token):
        x = self.token(token) + self.place(torch.arange(token.shape[1]))
        for block in self.block:
            x = block(x)
        return self.head(self.norm(x))


def next_token(scores, target):
    return F.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=-1)


def gpt():
    return dict(module=Gpt(), inputs=classes(3, 50, 12), loss=next_token, targets=classes(3, 50, 12), steps=5,
                optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=1e-3))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(30, 16, padding_idx=0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, token):
        return self.head(self.encoder(self.token(token)).mean(1))


def encoder():
    return dict(module=Encoder(), inputs=classes(4, 30, 7), loss=F.cross_entropy, targets=classes(4, 3), steps=5)


class CrossAttention(nn.Module):
    """Of a decoder: queries from one input, keys and values from another, with a mask of truth values."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.register_buffer("scale", torch.full((16,), 0.5))

    def forward(self, query, memory):
        mask = torch.ones(5, 6, dtype=torch.bool).triu(2)
        return self.attention(query, memory, memory, attn_mask=mask, need_weights=False)[0] * self.scale


def cross_attention():
    return dict(module=CrossAttention(), inputs=(torch.randn(2, 5, 16), torch.randn(2, 6, 16)), loss=F.mse_loss,
                targets=torch.randn(2, 5, 16), steps=3)


def mlp_adafactor():
    return dict(mlp(), optimizer=lambda m: torch.optim.Adafactor(m.parameters(), lr=0.05, weight_decay=0.1))


class InSinglePrecision:
    """torch, for its module of Muon, which orthogonalises in bf16."""

    bfloat16 = torch.float32

    def __getattr__(self, name):
        return getattr(torch, name)


def mlp_muon():
    torch.optim._muon.torch = InSinglePrecision()
    module = nn.Sequential(nn.Linear(64, 32, bias=False), nn.Tanh(), nn.Linear(32, 10, bias=False))
    return dict(mlp(), module=module, optimizer=lambda m: torch.optim.Muon(m.parameters(), lr=0.02, ns_steps=4))


class Tables(nn.Module):
    """Two towers of embeddings and some numbers."""

    def __init__(self):
        super().__init__()
        self.user, self.item, self.dense = nn.Embedding(40, 8), nn.Embedding(60, 8), nn.Linear(3, 8)

    def forward(self, user, item, numbers):
        return (self.user(user) * self.item(item) + torch.tanh(self.dense(numbers))).sum(-1)


def tables():
    return dict(module=Tables(), inputs=(classes(16, 40), classes(16, 60), torch.randn(16, 3)), loss=nn.BCEWithLogitsLoss(),
                targets=torch.rand(16).round(), steps=5, optimizer=lambda m: torch.optim.Adagrad(m.parameters(), lr=0.05))


class Signals(nn.Module):
    """Convolutions of one dimension, transposed ones, group norm, and a resized image."""

    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv1d(2, 6, 5, stride=2, padding=2), nn.ConvTranspose1d(6, 2, 4, stride=2, padding=1)
        self.norm, self.activation = nn.GroupNorm(3, 6), nn.PReLU()

    def forward(self, x):
        return self.up(self.activation(self.norm(self.down(x))))


def signals():
    return dict(module=Signals(), inputs=torch.randn(3, 2, 16), loss=F.smooth_l1_loss, targets=torch.randn(3, 2, 16), steps=3,
                optimizer=lambda m: torch.optim.RMSprop(m.parameters(), lr=1e-3))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(6, 3, 1)

    def forward(self, x):
        y = F.silu(self.inner(F.avg_pool2d(x, 2)))
        y = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
        return self.outer(torch.cat([x, y], 1))


def unet():
    return dict(module=Unet(), inputs=torch.randn(2, 2, 8, 8), loss=F.cross_entropy, targets=classes(2, 3, 8, 8), steps=3)


class Volumes(nn.Module):
    """Convolutions and pools of three dimensions with all they may be told, and of one."""

    def __init__(self):
        super().__init__()
        self.first, self.deep = nn.Conv3d(2, 4, (3, 3, 2), stride=(2, 1, 1), padding=(2, 1, 0), dilation=(2, 1, 1)), nn.Conv3d(4, 4, (3, 1, 1), padding="same")
        self.grouped, self.norm = nn.Conv3d(4, 6, 3, padding=1, groups=2, bias=False), nn.BatchNorm3d(6)
        self.up = nn.ConvTranspose3d(6, 4, (2, 3, 2), stride=(2, 1, 2), padding=(0, 1, 1), output_padding=(1, 0, 0), groups=2)
        self.last, self.head = nn.Conv1d(4, 3, 3, dilation=2), nn.Linear(3 * 3, 3)

    def forward(self, x):
        y = F.relu(self.norm(self.grouped(F.silu(self.deep(self.first(x))))))
        y = F.max_pool3d(y, 2, stride=(1, 2, 2), padding=(0, 1, 1), ceil_mode=True) + F.adaptive_max_pool3d(y, (2, 4, 4)).mean()
        y = F.avg_pool3d(self.up(y), 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)
        y = F.adaptive_avg_pool3d(y, (2, 4, 3)).flatten(2)
        y = F.max_pool1d(self.last(y), 3, stride=2, dilation=2, padding=1) + F.avg_pool1d(y, 2, 2, 1, ceil_mode=True)[:, :3, 2:11]
        return self.head(F.adaptive_max_pool1d(y, 3).flatten(1))


def volumes():
    return dict(module=Volumes(), inputs=torch.randn(3, 2, 5, 7, 6), loss=F.cross_entropy, targets=classes(3, 3), steps=3)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 6), nn.Linear(6, 2)
        self.body.requires_grad_(False)

    def forward(self, x):
        return F.log_softmax(self.head(torch.tanh(self.body(x))), -1)


def frozen():
    return dict(module=Frozen(), inputs=torch.randn(4, 6), loss=F.nll_loss, targets=classes(4, 2), steps=3)


def normalized():
    """Weights as lengths and directions; a filter, too."""
    norm = nn.utils.parametrizations.weight_norm
    module = nn.Sequential(norm(nn.Conv1d(2, 4, 3, padding=1), dim=2), nn.ELU(0.7), nn.Flatten(), norm(nn.Linear(32, 3)))
    return dict(module=module, inputs=torch.randn(4, 2, 8), loss=F.cross_entropy, targets=classes(4, 3), steps=3)


CASES = (mlp, mlp_adamw, cnn, gpt, encoder, cross_attention, tables, signals, unet, volumes, frozen, normalized)


def main():
    folder = harness.folder()
    for case in CASES:
        if len(sys.argv) < 3 or case.__name__ in sys.argv[2:]:
            torch.manual_seed(0)
            harness.compare(case.__name__, folder=folder, **case())
    harness.finish()


main()
