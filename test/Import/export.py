# Exports layers by PyTorch's exporters, with values in f64.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""export.py FOLDER: writes FOLDER/script.onnx (torch.onnx of TorchScript), FOLDER/dynamo.onnx (of torch.export) and FOLDER/layers.json with inputs and
the outputs of both; FOLDER/dlrm.onnx is a model with its loss, FOLDER/untrained.onnx one whose equal parameters the exporter joins, and
FOLDER/untrained.json has its inputs and its losses in PyTorch; tied.onnx and tied.json are the same of a model with a tied weight and batch norms. Wants PyTorch, onnx and onnxscript; its results are in Inputs/exported, so that tests want none of them."""
import copy
import json
import os
import sys

import onnx
import torch
import torch.nn.functional as F
from torch import nn

FOLDED = "pkg.onnxscript.optimizer.folded_from"
SIGNATURE = "pkg.torch.export.ExportedProgram.graph_signature"
SOURCE = "pkg.torch.onnx.fx_node"
RATE, STEPS = 0.01, 4


class Rms(nn.Module):
    """RMS norm as in transformers."""
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def turned(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


class Layers(nn.Module):
    def __init__(self, is_dynamo):
        super().__init__()
        self.is_dynamo = is_dynamo
        self.offsets = torch.tensor([0, 2, 2, 5] if is_dynamo else [0, 2, 5])  # the older exporter has no bags without rows
        self.conv, self.group, self.instance = nn.Conv2d(4, 6, 3), nn.GroupNorm(3, 6), nn.InstanceNorm2d(6, affine=True)
        self.norm, self.rms = nn.LayerNorm(8), Rms(8)
        self.bags = nn.ModuleDict({mode: nn.EmbeddingBag(7, 3, mode=mode) for mode in ("sum", "mean", "max")})
        self.register_buffer("tril", torch.tril(torch.ones(5, 5)).view(1, 1, 5, 5))
        inverse = 1 / 100 ** (torch.arange(0, 4, 2) / 4)
        self.register_buffer("angles", torch.outer(torch.arange(5.0), inverse).repeat(1, 2), persistent=False)
        for weight in self.parameters():
            nn.init.uniform_(weight, -1, 1)

    def rotated(self, x):
        return x * self.angles.cos() + turned(x) * self.angles.sin()

    def forward(self, x, image, q, k, mask, sees, target, index, flat, weights, label):
        outputs = {
            "gelu": F.gelu(x), "gelu_tanh": F.gelu(x, approximate="tanh"), "quick_gelu": x * torch.sigmoid(1.702 * x), "silu": F.silu(x),
            "group": F.relu(self.group(self.conv(image))), "instance": self.instance(self.conv(image)), "layer": self.norm(x), "rms": self.rms(x),
            "plain": F.scaled_dot_product_attention(q, k, k), "causal": F.scaled_dot_product_attention(q, k + 1, k, is_causal=True),
            "masked": F.scaled_dot_product_attention(q, k + 2, k, attn_mask=mask), "seen": F.scaled_dot_product_attention(q, k + 3, k, attn_mask=sees),
            "filled": (q @ k.transpose(-2, -1) * 0.5).masked_fill(self.tril == 0, float("-inf")).softmax(-1) @ k,
            "rotary": F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), k, is_causal=True),
            "bag_weights": self.bags["sum"](index, per_sample_weights=weights),
            "bce_logits": F.binary_cross_entropy_with_logits(x, target),
            "classes": F.cross_entropy(x, label),
        }
        for mode, bag in self.bags.items():
            outputs["bag_" + mode], outputs["bag_offsets_" + mode] = bag(index), bag(flat, self.offsets)
        if self.is_dynamo:  # ops that the other exporter lacks
            outputs["bce"] = F.binary_cross_entropy(torch.sigmoid(x), target)
            outputs["rms_norm"] = F.rms_norm(x, (8,), self.rms.weight, 1e-6)
        outputs["total"] = sum(each.sum() for each in outputs.values())
        self.names = list(outputs)
        return tuple(outputs.values())


class Dlrm(nn.Module):
    """DLRM: dense features, tables, products of all pairs of vectors; returns the loss with further results of a step."""
    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())
        self.tables = nn.ModuleList(nn.Embedding(11, 4) for _ in range(2))
        self.bag = nn.EmbeddingBag(9, 4, mode="sum")
        self.top = nn.Sequential(nn.Linear(4 + 6, 8), nn.ReLU(), nn.Linear(8, 1))
        self.names, self.is_dynamo = ["click", "loss", "accuracy", "mean"], True

    def forward(self, dense, user, item, tags, clicked):
        x = self.bottom(dense)
        vectors = torch.stack([x, self.tables[0](user), self.tables[1](item), self.bag(tags)], 1)
        rows, columns = torch.tril_indices(4, 4, -1)
        pairs = torch.bmm(vectors, vectors.transpose(1, 2))[:, rows, columns]
        click = torch.sigmoid(self.top(torch.cat([x, pairs], 1))).squeeze(1)
        return click, F.binary_cross_entropy(click, clicked), ((click > 0.5).float() == clicked).float().mean(), click.mean()


class Untrained(nn.Module):
    """Norms begin with ones and zeros, the table is also the weight of the last layer, and batch norm is called twice."""
    def __init__(self):
        super().__init__()
        self.table, self.first, self.second, self.batch = nn.Embedding(9, 6), nn.LayerNorm(6), nn.LayerNorm(6), nn.BatchNorm1d(6)
        self.inner, self.gate = nn.Linear(6, 6), nn.Linear(6, 1)
        nn.init.zeros_(self.inner.bias)
        self.head = nn.Linear(6, 9, bias=False)
        self.head.weight = self.table.weight
        self.token = nn.Parameter(0.1 * torch.randn(1, 1, 6))
        self.register_buffer("scale", torch.linspace(0.5, 1.5, 6))
        self.names, self.is_dynamo = ["loss"], True

    def forward(self, words, places, label):
        h = torch.cat([self.token.expand(words.shape[0], -1, -1), self.table(words)], 1)
        h = self.first(h) * self.scale
        h = self.second(h + self.inner(h) * torch.sigmoid(self.gate(h)))
        counts = torch.zeros(5).index_add(0, places, torch.ones(places.shape[0])).clamp(min=1)
        h = h * counts.mean()
        rows = self.batch(h.mean(1)) + self.batch(h.amax(1))
        return F.cross_entropy(self.head(h + rows[:, None]).flatten(0, 1), label)


class Tied(nn.Module):
    """The table is also the weight of the last layer, which constant folding writes a second time, transposed; two batch norms."""
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(9, 6), nn.Linear(6, 9, bias=False)
        self.head.weight = self.table.weight
        self.inner, self.first, self.second = nn.Linear(6, 6), nn.BatchNorm1d(6), nn.BatchNorm1d(6)
        for norm in (self.first, self.second):
            for each in (norm.weight, norm.bias, norm.running_mean):
                nn.init.uniform_(each, -1, 1)
            nn.init.uniform_(norm.running_var, 0.5, 2)

    def forward(self, words):
        h = self.table(words)
        h = self.second(h + self.first(torch.relu(self.inner(h))))
        return self.head(h)


def tied(folder):
    """Tied with its losses in PyTorch in f64: by statistics of the file, by statistics of each batch, and with the first norm frozen."""
    given = {"words": torch.randint(0, 9, (8,)), "label": torch.randint(0, 9, (8,))}
    model = Tied().eval()
    torch.onnx.export(model, (given["words"],), f"{folder}/tied.onnx", dynamo=False, opset_version=17, input_names=["words"], output_names=["scores"])
    values = {}
    for mode in ("inference", "train", "first"):
        exact = copy.deepcopy(model).double().train(mode != "inference")
        exact.first.train(mode == "train")
        values[mode] = losses(lambda words, label: F.cross_entropy(exact(words), label), given, exact.parameters())
    with open(f"{folder}/tied.json", "w") as file:
        json.dump({"inputs": {key: value.tolist() for key, value in given.items()}, "losses": values}, file)


def losses(model, given, parameters=None):
    optimizer = torch.optim.SGD(parameters or model.parameters(), lr=RATE)
    values = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = model(*given.values())
        loss.backward()
        optimizer.step()
        values.append(loss.item())
    return values


def arguments():
    sees = torch.rand(5, 5) > 0.4
    sees[torch.arange(5), torch.arange(5)] = True
    index, flat = torch.randint(0, 7, (4, 3)), torch.randint(0, 7, (9,))
    given = {"x": torch.randn(3, 8), "image": torch.randn(2, 4, 5, 5), "q": torch.randn(2, 2, 5, 4), "k": torch.randn(2, 2, 5, 4), "mask": torch.randn(5, 5),
             "sees": sees, "target": torch.rand(3, 8), "index": index, "flat": flat, "weights": torch.rand(4, 3), "label": torch.tensor([1, 7, 0])}
    return given


def keep(notes, keys):
    kept = [note for note in notes if note.key in keys]
    del notes[:]
    notes.extend(kept)


def strip(graph, keys=(), depth=0):
    """Removes notes about the source code from nodes, except notes of `keys`."""
    for value in [*graph.input, *graph.output]:
        del value.metadata_props[:]
    if depth:
        del graph.value_info[:]
    for node in graph.node:
        keep(node.metadata_props, keys)
        node.doc_string = ""
        for attribute in node.attribute:
            if attribute.HasField("g"):
                strip(attribute.g, keys, depth + 1)


def write(path, model, given, keys=()):
    if not keys:
        model.eval()
        model(*given.values())
    names = {"input_names": list(given), "output_names": model.names}
    if model.is_dynamo:
        torch.onnx.export(model, tuple(given.values()), path, dynamo=True, external_data=False, verbose=False, **names)
    else:
        torch.onnx.export(model, tuple(given.values()), path, dynamo=False, opset_version=17, do_constant_folding=False,
                          training=torch.onnx.TrainingMode.TRAINING, **names)
    file = onnx.load(path)
    initial = {each.name for each in file.graph.initializer}
    strip(file.graph, keys)
    notes = [value for value in file.graph.value_info if value.name in initial and any(note.key == FOLDED for note in value.metadata_props)]
    kept = []
    for value in notes:
        kept.append(onnx.ValueInfoProto(name=value.name))
        kept[-1].metadata_props.extend(note for note in value.metadata_props if note.key == FOLDED)
    keep(file.graph.metadata_props, keys)
    del file.graph.value_info[:], file.metadata_props[:]
    file.graph.value_info.extend(kept)
    onnx.save(file, path)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(1)
    given = arguments()
    values = {}
    for name in ("script", "dynamo"):
        torch.manual_seed(2)
        model = Layers(name == "dynamo")
        write(f"{folder}/{name}.onnx", model, given)
        exact = model.double()
        outputs = exact(*(each.double() if each.is_floating_point() else each for each in given.values()))
        values[name] = {key: value.flatten().tolist() for key, value in zip(model.names, outputs)}
    torch.manual_seed(3)
    rows = 8
    write(f"{folder}/dlrm.onnx", Dlrm(), {
        "dense": torch.randn(rows, 3), "user": torch.randint(0, 11, (rows,)), "item": torch.randint(0, 11, (rows,)), "tags": torch.randint(0, 9, (rows, 2)),
        "clicked": torch.randint(0, 2, (rows,)).float()})
    untrained = {"words": torch.randint(0, 9, (4, 3)), "places": torch.randint(0, 5, (7,)), "label": torch.randint(0, 9, (16,))}
    torch.manual_seed(4)
    model = Untrained()
    write(f"{folder}/untrained.onnx", model, untrained, (SIGNATURE, SOURCE))
    torch.manual_seed(4)
    with open(f"{folder}/untrained.json", "w") as file:
        json.dump({"inputs": {key: value.tolist() for key, value in untrained.items()}, "losses": losses(Untrained(), untrained)}, file)
    inputs = {key: {"shape": list(value.shape), "values": value.flatten().tolist()} for key, value in given.items()}
    with open(f"{folder}/layers.json", "w") as file:
        json.dump({"inputs": inputs, "outputs": values}, file)
    torch.manual_seed(5)
    tied(folder)


main()
