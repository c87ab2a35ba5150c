# Modules that sort, index, scatter and recur, exported, compiled and trained beside PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""operations.py FOLDER [NAME...]"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import harness

ROWS, WIDTH = 4, 6


class Of(nn.Module):
    """A layer, and a function of its result."""

    def __init__(self, function, width=WIDTH):
        super().__init__()
        self.layer, self.function = nn.Linear(WIDTH, width), function
        self.register_buffer("mask", torch.tensor([True, False, True, True, False, True]))

    def forward(self, x):
        return self.function(self, self.layer(x))


def of(function, width=WIDTH, **options):
    module, x = Of(function, width), torch.randn(ROWS, WIDTH)
    return dict(module=module, inputs=x, loss=F.mse_loss, targets=torch.randn_like(module(x)), steps=3, **options)


def sort():
    return of(lambda m, x: x.sort(1, descending=True)[0][:, ::2] * torch.arange(1, 4) + x.argsort(0)[:, :3])


def topk():
    def function(m, x):
        greatest, where = x.topk(2, 1)
        return greatest * (where + 1) + x.topk(2, 1, largest=False)[0] + x.kthvalue(3, 1, keepdim=True)[0] - x.median(1, keepdim=True)[0]
    return of(function)


def gather():
    def function(m, x):
        places = x.argsort(1)[:, :3]
        return x.gather(1, places) + torch.take_along_dim(x, places[:1], 1) + x.gather(0, places[:, :3] % ROWS)
    return of(function)


def masks():
    """Known ones: so is the size of what they leave."""
    return of(lambda m, x: x[:, m.mask].tanh().sum(1, keepdim=True) * x + (x[:, m.mask] ** 2).mean())


def apart():
    """Indices of dimensions that do not follow one another."""
    return of(lambda m, x: x.view(ROWS, 2, 3)[torch.tensor([3, 0, 1]), :, torch.tensor([2, 2, 0])])


def scatter():
    def function(m, x):
        places = x.argsort(1)[:, :4]
        y = torch.zeros_like(x).scatter(1, places, x[:, :4]).scatter_add(1, places, x[:, 1:5])
        return y.scatter_reduce(1, places[:, :2], x[:, 2:4], "amax") + x.scatter(1, places[:, :1], 0.5)
    return of(function)


def put():
    def function(m, x):
        y = x.clone()
        y[:, torch.tensor([4, 1])] = x[:, 2:4] * 2
        y[x > 1] = 0.25
        z = torch.zeros_like(x).index_put((x[:, 0].argsort(), torch.tensor([5])), x[:, 1], accumulate=True)
        order = torch.empty_like(x[:, 0], dtype=torch.long)
        order[x[:, 0].argsort()] = torch.arange(ROWS)
        return y + z + x[order] + x.index_add(1, torch.tensor([1, 1, 4]), x[:, :3]).index_copy(1, torch.tensor([0]), x[:, 2:3])
    return of(function, batch=False)


def from_end():
    """Computed indices that count from the end."""
    def function(m, x):
        row, column = x[:, 0].argsort() - ROWS, x.argsort(1)[:, :3] - 3
        y = x.index_put((row[:, None], column), x[:, :3])
        return y + x[row] * x[row[:, None], column].sum() + torch.zeros_like(x).index_put((row,), x, accumulate=True)
    return of(function)


def counted():
    def function(m, x):
        bounds = torch.tensor([-0.5, 0.0, 0.5])
        parts = torch.histc(x.detach(), 3, -1, 1).softmax(0).repeat(2)
        return x * torch.bucketize(x, bounds) + x * torch.bucketize(x, bounds, right=True) * parts
    return of(function)


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.sum = nn.EmbeddingBag(9, 4), nn.EmbeddingBag(9, 4, mode="sum", padding_idx=2)

    def forward(self, word, share, starts):
        uneven = self.sum(word.flatten(), torch.tensor([0, 2, 3, 9]))
        return self.mean(word) + uneven + self.sum(word, per_sample_weights=share) + self.mean(word.flatten(), starts)


def bags():
    return dict(module=Bags(), inputs=(torch.randint(0, 9, (ROWS, 3)), torch.rand(ROWS, 3), torch.tensor([0, 2, 2, 9])), loss=F.mse_loss,
                targets=torch.randn(ROWS, 4), steps=3, batch=False)


class Images(nn.Module):
    """Norms of groups and of single channels, and what lies around an image."""

    def __init__(self):
        super().__init__()
        self.reflect = nn.Conv2d(2, 4, 3, padding=1, padding_mode="reflect")
        self.circular = nn.Conv2d(4, 4, 3, padding=(1, 2), padding_mode="circular")
        self.replicate = nn.Conv2d(4, 2, 3, padding=1, padding_mode="replicate")
        self.group, self.instance = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True)

    def forward(self, image):
        x = self.group(self.reflect(image))
        return F.instance_norm(self.replicate(self.instance(self.circular(x))))


def images():
    return dict(module=Images(), inputs=torch.randn(2, 2, 5, 6), loss=F.mse_loss, targets=torch.randn(2, 2, 5, 8), steps=3)


class Resized(nn.Module):
    """Every mode of `interpolate` with whole and other factors, and adaptive pools whose windows differ."""

    def __init__(self):
        super().__init__()
        self.layer, self.signal = nn.Conv2d(1, 2, 3, padding=1), nn.Conv1d(2, 2, 1)

    def forward(self, image):
        x = self.layer(image)
        parts = [F.interpolate(x, scale_factor=2), F.interpolate(x, size=(7, 4)), F.interpolate(x, scale_factor=1.5, mode="nearest-exact"),
                 F.interpolate(x, scale_factor=1.1, mode="bilinear"), F.interpolate(x, size=(9, 3), mode="bilinear", align_corners=True),
                 F.interpolate(x, scale_factor=1.7, mode="bicubic"), F.interpolate(x, size=(3, 12), mode="bicubic", align_corners=True),
                 F.interpolate(x, size=(3, 13), mode="bilinear", antialias=True), F.interpolate(x, scale_factor=0.45, mode="bicubic", antialias=True),
                 F.interpolate(x, size=(2, 9), mode="bilinear", antialias=True, align_corners=True),
                 F.adaptive_avg_pool2d(x, (2, 3)), F.adaptive_avg_pool2d(x, (4, 5)), F.adaptive_max_pool2d(x, (2, 3)), F.adaptive_max_pool2d(x, (5, 2))]
        y = self.signal(x.flatten(2))
        parts += [F.interpolate(y, scale_factor=0.7, mode="linear"), F.interpolate(y, size=45), F.adaptive_avg_pool1d(y, 7), F.adaptive_avg_pool1d(y, 6)]
        z = x.unsqueeze(2).repeat(1, 1, 2, 1, 1)
        parts += [F.interpolate(z, scale_factor=(1.5, 2, 0.5), mode="trilinear"), F.interpolate(z, size=(3, 5, 4))]
        return torch.cat([(part * part.flatten(2).size(2)).tanh().flatten(1) for part in parts], 1)


def resized():
    module, x = Resized(), torch.randn(3, 1, 6, 6)
    return dict(module=module, inputs=x, loss=F.mse_loss, targets=torch.randn_like(module(x)), steps=3)


class Experts(nn.Module):
    """Rows in the order of the expert that each chooses, and back."""

    def __init__(self):
        super().__init__()
        self.layer, self.choice = nn.Linear(WIDTH, 8), nn.Linear(WIDTH, 3)
        self.experts = nn.Parameter(torch.randn(3, 8, 4))

    def forward(self, x):
        share, chosen = self.choice(x).softmax(-1).topk(1)
        order = chosen.flatten().argsort()
        ends = torch.histc(chosen.float(), 3, 0, 2).cumsum(0).int()
        y = F.grouped_mm(self.layer(x)[order], self.experts, offs=ends)
        return y[order.argsort()] * share


def experts():
    return dict(module=Experts(), inputs=torch.randn(8, WIDTH), loss=F.mse_loss, targets=torch.randn(8, 4), steps=3)


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layers = kind(3, 4, batch_first=True, **options)
        self.head = nn.LazyLinear(2)

    def forward(self, x):
        y, state = self.layers(x)
        last = state[0] if isinstance(state, tuple) else state
        return self.head(torch.cat([y.mean(1), last[-1]], 1))


def recurrent(kind, **options):
    module, x = Recurrent(kind, **options), torch.randn(ROWS, 5, 3)
    module(x)
    return dict(module=module, inputs=x, loss=F.cross_entropy, targets=torch.randint(0, 2, (ROWS,)), steps=3,
                optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=1e-2))


def lstm():
    return recurrent(nn.LSTM, num_layers=2, bidirectional=True)


def lstm_projected():
    return recurrent(nn.LSTM, proj_size=2, bias=False)


def gru():
    return recurrent(nn.GRU, num_layers=2, bidirectional=True)


def rnn():
    return recurrent(nn.RNN, nonlinearity="relu")


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(6, 4), nn.GRUCell(4, 4), nn.RNNCell(4, 4)

    def forward(self, x):
        h, c = self.lstm(x)
        h, c = self.lstm(x.flip(1), (h, c))
        return self.rnn(self.gru(h, c), c)


def cells():
    return dict(module=Cells(), inputs=torch.randn(ROWS, WIDTH), loss=F.mse_loss, targets=torch.randn(ROWS, 4), steps=3)


CASES = (sort, topk, gather, masks, apart, scatter, put, from_end, counted, bags, images, resized, experts, lstm, lstm_projected, gru, rnn, cells)


def main():
    folder = harness.folder()
    for case in CASES:
        if len(sys.argv) < 3 or case.__name__ in sys.argv[2:]:
            torch.manual_seed(0)
            harness.compare(case.__name__, folder=folder, **case())
    harness.finish()


main()
