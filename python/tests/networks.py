# Networks of torchvision and transformers, exported and compiled: gradients of every parameter beside PyTorch's in f64 and f32, weights back.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""networks.py FOLDER vision_networks|language_networks [NAME...] [--table=FILE] [--refused=NAME] [--beyond=NAME]

--refused and --beyond name a network that cannot be written, and one whose f32 is known to be beyond its bar."""
import copy
import importlib
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from torch.nn import functional as F

import ampc_export
import harness
from compiled import distance, gradient, loaded

DOUBLE_BAR = 1e-6  # of the largest element: constants of the text, and what some networks compute in f32 whatever their weights are, are rounded
SINGLE_BAR = 2e-5  # or, where that is more, as far as PyTorch itself in f32 is from f64, times
SLACK = 4.0
BATCHES = 5  # of images; the middle error counts: where a number next to 0 passes a ReLU on one side only, a gradient in f32 is another one


def in_double(inputs):
    return {name: x.double() if x.is_floating_point() else x for name, x in inputs.items()}


def batches(inputs):
    """Of images several; words come as they are, as what reads them is smooth."""
    yield inputs
    for _ in range(BATCHES - 1 if any(x.is_floating_point() for x in inputs.values()) else 0):
        yield {name: torch.randn_like(x) if x.is_floating_point() else x for name, x in inputs.items()}


def torch_gradients(module, loss, inputs, targets):
    """By name; the module stays as it is."""
    module = copy.deepcopy(module)
    module.zero_grad()
    harness.loss_of(module, loss, inputs, targets).backward()
    return {name: p.grad.numpy() for name, p in module.named_parameters() if p.grad is not None}


def apart(got, wanted):
    """The largest error over all parameters, and whose it is. One that is nearly 0 is measured by the largest of all."""
    floor = 1e-2 * max(float(np.abs(g).max()) for g in wanted.values())
    errors = [(distance(got[name], want, floor), name) for name, want in wanted.items()]
    return max((error if np.isfinite(error) else np.inf, name) for error, name in errors)


def model_gradients(model, wanted, given):
    """In PyTorch's layout; 0 where the model has none."""
    model.grad(*given)
    found = {}
    for name, want in wanted.items():
        if f"fit.gradient.{name}" not in model.tensors:
            found[name] = np.zeros(want.shape)
            continue
        found[name] = gradient(model, name, want.shape)
    return found


def returned(module, model, folder, given):
    """One step of the compiled model; whether its weights come back bit for bit, and are others than before."""
    model.train_step(*given)
    checkpoint = f"{folder}/trained.safetensors"
    model.save(checkpoint)
    other = copy.deepcopy(module)
    for tensor in other.parameters():
        tensor.data.fill_(7.0)
    missing = ampc_export.load_back(other, checkpoint)
    kept = [(name, p.detach().numpy()) for name, p in other.named_parameters() if name not in missing]
    moved = any(not torch.equal(a, b) for a, b in zip(other.parameters(), module.parameters()))
    return moved and kept and all(np.array_equal(got, model[name]) for name, got in kept)


class Row:
    """What the table says of one network."""

    def __init__(self, name, parameters=0, double=0.0, single=0.0, peer=0.0, fault=""):
        self.name, self.parameters, self.double, self.single, self.peer, self.fault = name, parameters, double, single, peer, fault

    def text(self):
        if self.parameters == 0:
            return f"| `{self.name}` | | | | | {self.fault} |"
        return f"| `{self.name}` | {self.parameters} | {self.double:.1e} | {self.single:.1e} | {self.peer:.1e} | {self.fault or 'equal'} |"


def compared(name, module, inputs, folder):
    torch.manual_seed(1)
    loss, targets = None, ()
    if not isinstance(inputs, dict):
        loss, targets = F.cross_entropy, (torch.randint(0, 10, (inputs.shape[0],)),)
        inputs = {"x": inputs}
    call = tuple(inputs.values()) if loss else inputs
    module.train()
    ampc_export.torch(module, call, loss=loss, targets=targets or None, optimizer=torch.optim.SGD(module.parameters(), lr=1e-2),
                      path=f"{folder}/{name}.mlir")
    model = loaded(name, folder)
    errors = []
    for batch in batches(inputs):
        twice, call = in_double(batch), tuple(batch.values()) if loss else batch
        wanted = torch_gradients(copy.deepcopy(module).double(), loss, tuple(twice.values()) if loss else twice, targets)
        given = harness.arrays([*batch.values(), *targets])
        error, of = apart(model_gradients(model, wanted, given), wanted)
        errors.append((error, of, apart(torch_gradients(module, loss, call, targets), wanted)[0]))
    errors.sort()
    row = Row(name, sum(p.numel() for p in module.parameters()))
    row.single, single_of, _ = errors[len(errors) // 2]
    row.peer = sorted(peer for _, _, peer in errors)[len(errors) // 2]
    back = returned(module, model, folder, given)
    model = loaded(name, folder, double=True)
    row.double, double_of = apart(model_gradients(model, wanted, harness.arrays([*twice.values(), *targets])), wanted)
    if not row.double <= DOUBLE_BAR:
        row.fault = f"f64: {double_of}"
    elif not row.single <= max(SINGLE_BAR, SLACK * row.peer):
        row.fault = f"f32: {single_of}"
    elif not back:
        row.fault = "weights did not come back"
    return row


def measured(case, folder):
    """Of one network; what cannot be exported or compiled is a row, too."""
    torch.manual_seed(0)
    begin = time.time()
    try:
        row = compared(case.__name__, *case(), folder)
    except ampc_export.ExportError as error:
        ops = [line.strip() for line in str(error).splitlines() if line.startswith("  ") and not line.startswith("    ")]
        row = Row(case.__name__, fault="refused: " + ("; ".join(ops) or str(error)))
    except subprocess.CalledProcessError as error:
        row = Row(case.__name__, fault="not compiled: " + error.stderr.decode().strip()[:1000])
    print(f"{row.text()} {time.time() - begin:.0f} s", flush=True)
    return row


def arguments():
    given = [a for a in sys.argv[1:] if not a.startswith("--")]
    return given, dict(a[2:].split("=", 1) for a in sys.argv[1:] if a.startswith("--"))


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    harness.folder()
    (folder, family, *names), options = arguments()
    cases = importlib.import_module(family).CASES
    rows = [measured(case, folder) for case in cases if not names or case.__name__ in names]
    if "table" in options:
        with open(options["table"], "w") as file:
            file.write("\n".join(row.text() for row in rows) + "\n")
    # A network of the lists `refused` or `beyond` that passes is a fault, too: the list is out of date.
    known = {options.get("refused"): "refused", options.get("beyond"): "f32"}
    faults = [row.name for row in rows if not (row.fault.startswith(known[row.name]) if row.name in known else not row.fault)]
    print(f"{len(faults)} beyond their bars: {' '.join(faults)}")
    sys.exit(bool(faults))


main()
