# Scores that ampc printed, against plain code: check-scores.py KIND FILES
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import math
import re
import struct
import sys


def load(name):
    """Rows of a .npy file of f4 or i4."""
    with open(name, "rb") as file:
        content = file.read()
    size = struct.unpack_from("<H", content, 8)[0]
    header = eval(content[10:10 + size])
    values = struct.unpack(f"<{(len(content) - 10 - size) // 4}{'f' if header['descr'] == '<f4' else 'i'}", content[10 + size:])
    width = math.prod(header["shape"][1:])
    assert len(values) == math.prod(header["shape"])
    return [values[i:i + width] for i in range(0, len(values), width)]


def scores(name):
    with open(name) as file:
        return {key: float(value) for key, value in (line.split() for line in file)}


def compare(found, expected):
    assert found.keys() == expected.keys(), (found, expected)
    for key, value in expected.items():
        assert abs(found[key] - value) <= 1e-5 * abs(value), (key, found[key], value)
    print(len(expected), "scores agree")


def classes(predictions, labels, evaluation, log):
    loss = hits = 0
    pairs = list(zip(load(predictions), load(labels)))
    for logits, (label,) in pairs:
        loss += (math.log(sum(map(math.exp, logits))) - logits[label]) / len(pairs)
        hits += logits.index(max(logits)) == label
    expected = {"loss": loss, "perplexity": math.exp(loss), "accuracy": hits / len(pairs)}
    with open(log) as file:
        last = list(csv.DictReader(file))[-1]
    assert abs(float(last["val_accuracy"]) - expected["accuracy"]) < 1e-6, last
    compare({**scores(evaluation), "val_loss": float(last["val_loss"])}, {**expected, "val_loss": loss})


def binary(predictions, targets, evaluation):
    pairs = [(score, target) for (score,), (target,) in zip(load(predictions), load(targets))]
    ones, zeros = ([score for score, target in pairs if target == value] for value in (1, 0))
    auc = sum((one > zero) + 0.5 * (one == zero) for one in ones for zero in zeros) / len(ones) / len(zeros)
    assert 0.5 < auc < 1, auc
    compare(scores(evaluation), {"loss": sum((score - target)**2 for score, target in pairs) / len(pairs), "auc": auc})


def numbers(predictions, targets, evaluation):
    pairs = [(score, target) for (score,), (target,) in zip(load(predictions), load(targets))]
    compare(scores(evaluation), {"loss": sum((score - target)**2 for score, target in pairs) / len(pairs),
                                 "mean_error": sum(abs(score - target) for score, target in pairs) / len(pairs)})


def best(log, text, evaluation):
    """The best checkpoint is of the first step with the highest accuracy; the last step has a lower accuracy."""
    with open(log) as file:
        rows = [float(row["val_accuracy"]) for row in csv.DictReader(file)]
    step = rows.index(max(rows)) + 1
    assert rows[-1] < max(rows), rows
    with open(text) as file:
        shown = re.search(r"best accuracy ([0-9.]+) at step (\d+), in wild.best.safetensors", file.read())
    assert int(shown[2]) == step and abs(float(shown[1]) - max(rows)) < 1e-4, (shown, step)
    assert abs(scores(evaluation)["accuracy"] - max(rows)) < 1e-8
    print("the best of", len(rows))


globals()[sys.argv[1]](*sys.argv[2:])
