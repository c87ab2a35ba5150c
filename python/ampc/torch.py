# Compiled models in programs of PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models in programs of PyTorch: a loss with gradients for autograd, and whole training steps.

    net = ampc.torch.Loss(ampc.compile("line.mlir"))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net(x, y).backward()                # forward and backward by ampc
    optimizer.step()                    # by PyTorch

Tensors are of the CPU. Inputs are shared without a copy where they are contiguous; bf16 goes as its bits.
"""

import torch

__all__ = ["Loss", "train_step"]


def _array(tensor):
    """A tensor as an array of NumPy on the same memory; bf16, which NumPy lacks, as bits in uint16."""
    if not isinstance(tensor, torch.Tensor):
        return tensor
    if tensor.device.type != "cpu":
        raise ValueError(f"expected a tensor of the CPU, but got a tensor of {tensor.device}")
    tensor = tensor.detach().contiguous()
    return tensor.view(torch.int16).numpy().view("uint16") if tensor.dtype == torch.bfloat16 else tensor.numpy()


def train_step(model, *inputs, **options):
    """A compiled step on tensors; `model`: a Model of `ampc.compile`, `options`: options of the model's train_step. Returns the report of the step."""
    return model.train_step(*map(_array, inputs), **options)


class _Loss(torch.autograd.Function):
    """The loss, with gradients of the parameters; inputs of the model have none."""

    @staticmethod
    def forward(context, loss, count, *tensors):
        inputs, parameters = tensors[:count], tensors[count:]
        for place, tensor in enumerate(inputs):
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                raise ValueError(f"input {place}: expected a tensor without a gradient, as ampc computes gradients of parameters only")
        for name, parameter in zip(loss.names, parameters):
            loss.model[name] = _array(parameter)
        report = loss.model.grad(*map(_array, inputs))
        context.count = count
        context.save_for_backward(*(torch.as_tensor(loss.model[loss.gradient + name]).to(parameter.dtype)
                                    for name, parameter in zip(loss.names, parameters)))
        return torch.tensor(report.loss, dtype=torch.float32)

    @staticmethod
    def backward(context, factor):
        return (None, None, *(None,) * context.count, *(gradient * factor for gradient in context.saved_tensors))


class Loss(torch.nn.Module):
    """The loss of a compiled step as a module with the parameters of the model.

    `compiled`: result of `ampc.compile` for a model with a single step. `options`: options of `compiled.Model`. Calls take the step's inputs
    and return the loss as a scalar with a gradient.
    """

    def __init__(self, compiled, **options):
        super().__init__()
        self.model = compiled.Model(want_split=True, **options)
        gradients = [name for name, tensor in self.model.tensors.items() if tensor.role == compiled.AMPC_ROLE_GRADIENT]
        parameters = [name for name, tensor in self.model.tensors.items() if tensor.role == compiled.AMPC_ROLE_PARAM]
        self.names = [name for name in parameters if any(gradient.endswith(".gradient." + name) for gradient in gradients)]
        self.gradient = gradients[0][:gradients[0].index(".gradient.")] + ".gradient."
        for name in self.names:
            value = torch.nn.Parameter(torch.as_tensor(self.model[name]).clone())
            self.register_parameter(name.replace(".", "_"), value)

    def forward(self, *inputs):
        parameters = [getattr(self, name.replace(".", "_")) for name in self.names]
        return _Loss.apply(self, len(inputs), *inputs, *parameters)
