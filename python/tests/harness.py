# Comparison of a PyTorch module with the model that ampc makes: gradients, steps, state and predictions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare(name, module, inputs, folder, ...) prints one line, with the largest relative errors."""
import copy
import inspect
import os
import subprocess
import sys

import numpy as np
import torch

import ampc_export
from compiled import distance, gradient, loaded

GRADIENT_BAR = 1e-4  # in f32, of the largest element of all gradients; check.py has the tight one in f64
STEP_BAR = 1e-5
FAULTS = []


def arrays(tensors):
    return [t.detach().numpy().astype(np.int32) if not t.is_floating_point() else t.detach().numpy() for t in tensors]


def gradients(model, module):
    """The largest error over all parameters, as a share of the largest gradient."""
    wanted = {n: p.grad.numpy() for n, p in module.named_parameters() if p.grad is not None}
    largest = max(float(np.abs(g).max()) for g in wanted.values())
    worst, of = 0.0, ""
    for name, want in wanted.items():
        if f"fit.gradient.{name}" not in model.tensors:
            if np.abs(want).max() > 0:
                return float("inf"), f"{name} has none"
            continue
        error = distance(gradient(model, name, want.shape), want, floor=1e-2 * largest)
        if not error <= worst:
            worst, of = error, name
        if not np.isfinite(worst):
            break
    return worst, of


def loss_of(module, loss, inputs, targets):
    output = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
    if loss is None:
        return output if isinstance(output, torch.Tensor) else output["loss"]
    output = output if isinstance(output, torch.Tensor) else output["logits"] if "logits" in output else output[0]
    return loss(output, *targets)


def compare(name, *arguments, **options):
    """As `compared`; what cannot be exported or compiled is a line, too."""
    try:
        compared(name, *arguments, **options)
    except (ampc_export.ExportError, subprocess.CalledProcessError) as error:
        message = error.stderr.decode() if isinstance(error, subprocess.CalledProcessError) else str(error)
        print(f"{name:24} ! {message.strip()[:1000]}", flush=True)
        FAULTS.append(name)


def compared(name, module, inputs, folder, loss=None, targets=(), optimizer=None, scheduler=None, steps=0, predict=True,
             **options):
    """Exports `module` in training mode, compiles it, and compares a gradient, `steps` updates and the state behind them."""
    torch.manual_seed(1)
    inputs = inputs if isinstance(inputs, (dict, tuple)) else (inputs,)
    targets = targets if isinstance(targets, tuple) else (targets,)
    module.train()
    rule = optimizer(module) if optimizer else torch.optim.SGD(module.parameters(), lr=1e-2)
    moved = scheduler(rule) if scheduler else None
    before = copy.deepcopy(module.state_dict())
    path = f"{folder}/{name}.mlir"
    exported = ampc_export.torch(module, inputs, loss=loss, targets=targets or None, optimizer=rule, scheduler=moved, path=path,
                                 **options)
    assert all(torch.equal(a, b) for a, b in zip(before.values(), module.state_dict().values())), "the export changed the module"
    model = loaded(name, folder)
    given = arrays([*(inputs.values() if isinstance(inputs, dict) else inputs), *targets])
    module.zero_grad()
    loss_of(module, loss, inputs, targets).backward()
    module.load_state_dict(before)
    model.grad(*given)
    error, of = gradients(model, module)
    line = f"{name:24} gradients {error:7.1e}"
    good = error <= GRADIENT_BAR
    model.load(exported.weights, weights_only=True)
    worst = 0.0
    for _ in range(steps):
        rule.zero_grad()
        value = loss_of(module, loss, inputs, targets)
        value.backward()
        rule.step()
        if moved:
            moved.step()
        worst = max(worst, distance(model.train_step(*given).loss, value.item()))
    if steps:
        line += f"  {steps} steps {worst:7.1e}"
        good &= worst <= STEP_BAR
        model.save(f"{folder}/{name}.trained.safetensors")
        error = _returned(module, model, f"{folder}/{name}.trained.safetensors")
        good &= error <= 1e-3
    if predict:
        error = _predictions(model, module, inputs, given)
        line += f"  predictions {error:7.1e}"
        good &= error <= 1e-4
    print(line + ("" if good else f" ! {of}"), flush=True)
    if not good:
        FAULTS.append(name)


def _returned(module, model, checkpoint):
    """Trained weights in a module are those of the checkpoint, bit for bit. How far its buffers are from PyTorch's after the same steps."""
    other = copy.deepcopy(module)
    for tensor in [*other.parameters(), *other.buffers()]:
        if tensor.is_floating_point():
            tensor.data.fill_(7.0)
    ampc_export.load_back(other, checkpoint)
    for name, parameter in other.named_parameters():
        if not np.array_equal(parameter.detach().numpy(), model[name]):
            return float("inf")
    pairs = zip(other.buffers(), module.buffers())
    return max((distance(a.numpy(), b.numpy(), 1e-3) for a, b in pairs if a.is_floating_point()), default=0.0)


def _predictions(model, module, inputs, given):
    module.eval()
    with torch.no_grad():
        output = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
    module.train()
    output = output if isinstance(output, torch.Tensor) else output["logits"] if "logits" in output else output[0]
    wanted = len(_operands(model.predict))
    result = model.predict(*given[:wanted])
    result = next(iter(result.values())) if isinstance(result, dict) else result
    return distance(result, output.numpy())


def _operands(function):
    return [p for p in inspect.signature(function).parameters if p != "lr_factor"]


def finish():
    print(f"{len(FAULTS)} beyond their bars")
    sys.exit(bool(FAULTS))


def folder():
    os.makedirs(sys.argv[1], exist_ok=True)
    return sys.argv[1]
