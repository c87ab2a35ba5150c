# Common models at full size, for bench/import: exports to ONNX, and times of PyTorch's own steps.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First values are drawn from a fixed seed, nothing is downloaded, and nothing is dropped out, so that losses can be compared.

    torch_import.py MODEL export FOLDER [--exporter dynamo|script]    model.onnx and one .npy for each input and the target
    torch_import.py MODEL step FOLDER --dtype f32|bf16 --steps N      a JSON line: the loss before each step, seconds of each (--mode faster: their median)
"""
import argparse
import contextlib
import json
import os
import statistics
import sys
import time

LEARNING_RATE = 1e-4


def gpt2():
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            config = GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, use_cache=False)
            self.model = GPT2LMHeadModel(config)

        def forward(self, input_ids):
            return self.model(input_ids=input_ids).logits

    return Logits(), {"input_ids": torch.randint(50257, (2, 256))}, torch.randint(50257, (2, 256))


def bert():
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = BertForSequenceClassification(BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=0))

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    mask = torch.ones(4, 128, dtype=torch.int64)
    mask[1, 100:] = 0
    return Logits(), {"input_ids": torch.randint(30522, (4, 128)), "attention_mask": mask}, torch.randint(2, (4,))


def of_images(make, rows, size=224, classes=1000):
    import torch

    model = make()
    return model, {"image": torch.randn(rows, 3, size, size)}, torch.randint(classes, (rows,))


def vit():
    import torchvision

    return of_images(torchvision.models.vit_b_16, 4)


def resnet50():
    import torchvision

    return of_images(torchvision.models.resnet50, 8)


def mobilenet_v3():
    import torchvision

    return of_images(lambda: torchvision.models.mobilenet_v3_large(dropout=0.0), 8)


def unet():
    """Ronneberger, Fischer, Brox 2015, with padded convolutions and batch norm, as most of its programs have: 31 million parameters."""
    import torch
    from torch import nn

    def double(channels_in, channels):
        layers = []
        for width in (channels_in, channels):
            layers += [nn.Conv2d(width, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        return nn.Sequential(*layers)

    class UNet(nn.Module):
        def __init__(self, widths=(64, 128, 256, 512, 1024), classes=2):
            super().__init__()
            self.down = nn.ModuleList(double(*pair) for pair in zip((3, *widths[:-2]), widths[:-1]))
            self.bottom = double(*widths[-2:])
            pairs = list(zip(widths[:0:-1], widths[-2::-1]))
            self.up = nn.ModuleList(nn.ConvTranspose2d(wide, narrow, 2, 2) for wide, narrow in pairs)
            self.merge = nn.ModuleList(double(wide, narrow) for wide, narrow in pairs)
            self.head = nn.Conv2d(widths[0], classes, 1)

        def forward(self, image):
            kept, x = [], image
            for block in self.down:
                x = block(x)
                kept.append(x)
                x = nn.functional.max_pool2d(x, 2)
            x = self.bottom(x)
            for up, merge in zip(self.up, self.merge):
                x = merge(torch.cat([kept.pop(), up(x)], dim=1))
            return self.head(x)

    model, inputs, _ = of_images(UNet, 1, 256)
    return model, inputs, torch.randint(2, (1, 256, 256))


# Rows of the 26 tables of Criteo's Kaggle data; larger tables are hashed to a million rows.
CRITEO = (1460, 583, 1000000, 1000000, 305, 24, 12517, 633, 3, 93145, 5683, 1000000, 3194, 27, 14992, 1000000, 10, 5652, 2173, 4,
          1000000, 18, 15, 286181, 105, 142572)


def dlrm():
    """Naumov and others 2019, with the sizes of its script for Criteo's Kaggle data: 90 million parameters."""
    import torch
    from torch import nn

    def perceptron(*widths):
        layers = []
        for pair in zip(widths, widths[1:]):
            layers += [nn.Linear(*pair), nn.ReLU()]
        return layers

    class DLRM(nn.Module):
        def __init__(self, width=16):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(rows, width) for rows in CRITEO)
            self.bottom = nn.Sequential(*perceptron(13, 512, 256, 64, width))
            pairs = len(CRITEO) * (len(CRITEO) + 1) // 2
            self.top = nn.Sequential(*perceptron(width + pairs, 512, 256, 1)[:-1])
            row, column = torch.tril_indices(len(CRITEO) + 1, len(CRITEO) + 1, -1)
            self.register_buffer("pairs", row * (len(CRITEO) + 1) + column)

        def forward(self, dense, sparse):
            x = self.bottom(dense)
            rows = torch.stack([x] + [table(sparse[:, i]) for i, table in enumerate(self.tables)], dim=1)
            products = torch.bmm(rows, rows.transpose(1, 2)).flatten(1)
            return self.top(torch.cat([x, products[:, self.pairs]], dim=1)).squeeze(1)

    sparse = torch.stack([torch.randint(rows, (128,)) for rows in CRITEO], dim=1)
    return DLRM(), {"dense": torch.rand(128, 13), "sparse": sparse}, torch.randint(2, (128,)).float()


# By name in the table: model, loss, and the exporter that is common for the model.
MODELS = {"GPT-2 124M": (gpt2, "softmax_cross_entropy", "dynamo"), "ResNet-50": (resnet50, "softmax_cross_entropy", "script"),
          "BERT-base": (bert, "softmax_cross_entropy", "dynamo"), "ViT-B/16": (vit, "softmax_cross_entropy", "dynamo"),
          "MobileNet-V3": (mobilenet_v3, "softmax_cross_entropy", "script"), "U-Net": (unet, "softmax_cross_entropy", "script"),
          "DLRM": (dlrm, "bce_with_logits", "dynamo")}


def folder_name(name):
    return "".join(each if each.isalnum() or each == "-" else "_" for each in name)


def make(name):
    import torch

    torch.manual_seed(1)
    model, inputs, target = MODELS[name][0]()
    # Exporters join initializers that are equal and drop additions of zeros, which weights of a trained model never are.
    with torch.no_grad():
        for each in (*model.parameters(), *model.buffers()):
            if each.is_floating_point() and (each == each.flatten()[0]).all():
                each.add_(0.01 * torch.rand_like(each))
    return model.train(), inputs, target


def loss_of(kind, logits, target):
    from torch.nn import functional

    if kind == "bce_with_logits":
        return functional.binary_cross_entropy_with_logits(logits.float(), target)
    if logits.dim() == 3:  # a sequence, whose classes are last
        logits, target = logits.flatten(0, 1), target.flatten()
    return functional.cross_entropy(logits.float(), target)


def export(name, folder, exporter):
    import numpy
    import torch

    model, inputs, target = make(name)
    path = os.path.join(folder, "model.onnx")
    names = {"input_names": list(inputs), "output_names": ["logits"]}
    if exporter == "dynamo":
        torch.onnx.export(model, tuple(inputs.values()), path, dynamo=True, external_data=False, **names)
    else:
        training = torch.onnx.TrainingMode.TRAINING
        torch.onnx.export(model, tuple(inputs.values()), path, dynamo=False, training=training, do_constant_folding=False, **names)
    for key, value in {**inputs, "target": target}.items():
        numpy.save(os.path.join(folder, key + ".npy"), value.numpy())


def step(name, dtype, steps, compiled=False):
    """Losses and seconds of each step. Images lie channels last, as torch.compile and oneDNN want them."""
    import torch

    model, inputs, target = make(name)
    if any(each.dim() == 4 for each in inputs.values()):
        model = model.to(memory_format=torch.channels_last)
        inputs = {key: each.to(memory_format=torch.channels_last) for key, each in inputs.items()}
    forward = torch.compile(model) if compiled else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01, fused=True)
    losses, seconds = [], []
    for _ in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16) if dtype == "bf16" else contextlib.nullcontext():
            logits = forward(*inputs.values())
        loss = loss_of(MODELS[name][1], logits, target)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        seconds.append(time.perf_counter() - start)
    shapes = " ".join("x".join(map(str, each.shape)) for each in inputs.values())
    return {"losses": losses, "seconds": seconds, "inputs": shapes, "parameters": sum(each.numel() for each in model.parameters())}


def faster_step(name, dtype, steps):
    """Of eager and compiled, as torch_timing prints it."""
    import torch
    from torch_timing import quartiles

    found = {}
    for mode in ("eager", "compile"):
        try:
            found[mode] = sorted(step(name, dtype, steps, mode == "compile")["seconds"][1:])
        except Exception as error:
            print(f"{name}: {mode} failed: {error}", file=sys.stderr)
    best = min(found, key=lambda mode: statistics.median(found[mode]))
    return {"mode": best, "seconds_per_step": statistics.median(found[best]), "quartiles": quartiles(found[best]), "torch_version": torch.__version__}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=list(MODELS))
    parser.add_argument("what", choices=["export", "step"])
    parser.add_argument("folder")
    parser.add_argument("--exporter", choices=["dynamo", "script"])
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32", help="bf16 means autocast")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--mode", choices=["eager", "faster"], default="eager", help="faster: also compiled, and only the time of the faster one")
    arguments = parser.parse_args()
    # Must precede the first import of torch: OpenMP reads the variable once.
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    if arguments.what == "export":
        export(arguments.model, arguments.folder, arguments.exporter or MODELS[arguments.model][2])
    else:
        run = faster_step if arguments.mode == "faster" else step
        print(json.dumps(run(arguments.model, arguments.dtype, arguments.steps)))


if __name__ == "__main__":
    main()
