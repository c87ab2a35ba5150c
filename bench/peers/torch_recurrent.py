# One training step of a recurrent model of bench/models in PyTorch: --model 0 is lstm.py, 1 is gru.py, 2 is decoder.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch_timing

SIZES = dict(model=0, time=35)


def language_model(time):
    """Two LSTM layers of 650 over a vocabulary of 10 000, batch 20."""
    import torch
    from torch import nn

    class Lstm(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.layers, self.out = nn.Embedding(10000, 650), nn.LSTM(650, 650, 2), nn.Linear(650, 10000)

        def forward(self, token):
            return self.out(self.layers(self.table(token))[0])

    model = Lstm()
    return model, torch.optim.SGD(model.parameters(), lr=1.0), (torch.randint(10000, (time, 20)),), torch.randint(10000, (time, 20))


def acoustic_model(time):
    """Five bidirectional GRU layers of 800, whose directions are added; batch 32, lengths up to `time`."""
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    class Gru(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.GRU(161 if n == 0 else 800, 800, bidirectional=True) for n in range(5))
            self.out = nn.Linear(800, 29)

        def forward(self, x, lengths):
            for layer in self.layers:
                packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
                x = pad_packed_sequence(layer(packed)[0], total_length=time)[0].unflatten(2, (2, 800)).sum(2)
            return self.out(x)

    model, lengths = Gru(), torch.randint(1, time + 1, (32,))
    label = torch.where(torch.arange(time)[:, None] < lengths, torch.randint(29, (time, 32)), -1)
    return model, torch.optim.Adam(model.parameters(), lr=1e-3, fused=True), (torch.randn(time, 32, 161), lengths), label


def decoder(time):
    """An LSTM over 30 words, and one with additive attention over its states; width 512, vocabulary 10 000, batch 32."""
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.source, self.table = nn.Embedding(10000, 512), nn.Embedding(10000, 512)
            self.encoder, self.cell = nn.LSTM(512, 512), nn.LSTMCell(1024, 512)
            self.keys, self.query = nn.Linear(512, 512, bias=False), nn.Linear(512, 512, bias=False)
            self.energy, self.out = nn.Linear(512, 1, bias=False), nn.Linear(1024, 10000, bias=False)

        def forward(self, words, lengths, given):
            packed = pack_padded_sequence(self.source(words), lengths, enforce_sorted=False)
            states, (h, c) = self.encoder(packed)
            memory = pad_packed_sequence(states, total_length=30)[0]
            h, c, keys, rows, context = h[0], c[0], self.keys(memory), [], torch.zeros(32, 512)
            for x in self.table(given):
                h, c = self.cell(torch.cat([x, context], 1), (h, c))
                p = self.energy(torch.tanh(keys + self.query(h))).softmax(0)
                context = (p * memory).sum(0)
                rows.append(torch.cat([h, context], 1))
            return self.out(torch.stack(rows))

    model = Decoder()
    given = torch.randint(10000, (30, 32)), torch.randint(1, 31, (32,)), torch.randint(10000, (time, 32))
    return model, torch.optim.Adam(model.parameters(), lr=1e-3, fused=True), given, torch.randint(10000, (time, 32))


def main():
    sizes = torch_timing.parse_arguments("training step of a recurrent model in PyTorch", **SIZES)
    import torch
    from torch.nn import functional

    def make_step(compiled):
        model, optimizer, given, label = (language_model, acoustic_model, decoder)[sizes.model](sizes.time)
        update = torch_timing.Update(sizes, [optimizer], clip=5)
        forward = torch.compile(model) if compiled else model

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch_timing.autocast(sizes):
                scores = forward(*given)
            return update(functional.cross_entropy(scores.float().flatten(0, 1), label.flatten(), ignore_index=-1))

        return step

    torch_timing.measure("recurrent", make_step, sizes)


if __name__ == "__main__":
    main()
