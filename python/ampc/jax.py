# Compiled models in programs of JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models in programs of JAX: a loss with gradients for jax.grad, and whole training steps.

    loss = ampc.jax.Loss(ampc.compile("line.mlir"))
    value, gradients = jax.value_and_grad(loss)(loss.parameters, x, y)

The compiled code runs on the CPU, as a callback (jax.pure_callback): under jax.jit, too, but not under vmap or on several devices.
"""

import threading

import jax
import jax.numpy as jnp
import numpy as np

__all__ = ["Loss", "train_step"]


def train_step(model, *inputs, **options):
    """A compiled step on arrays; `model`: a Model of `ampc.compile`, `options`: options of the model's train_step. Returns the report of the step."""
    return model.train_step(*map(np.asarray, inputs), **options)


class Loss:
    """The loss of a compiled step as a function of parameters and inputs, which jax.grad differentiates by the parameters.

    `compiled`: result of `ampc.compile` for a model with a single step. `options`: options of `compiled.Model`. `parameters` are the first
    values by name; calls take such a dictionary and the step's inputs, and return the loss as a scalar.
    """

    def __init__(self, compiled, **options):
        self.model = compiled.Model(want_split=True, **options)
        self._lock = threading.Lock()
        gradients = [name for name, tensor in self.model.tensors.items() if tensor.role == compiled.AMPC_ROLE_GRADIENT]
        parameters = [name for name, tensor in self.model.tensors.items() if tensor.role == compiled.AMPC_ROLE_PARAM]
        names = [name for name in parameters if any(gradient.endswith(".gradient." + name) for gradient in gradients)]
        self._gradient = gradients[0][:gradients[0].index(".gradient.")] + ".gradient."
        self.parameters = {name: jnp.asarray(self.model[name]) for name in names}
        self._loss = jax.custom_vjp(lambda parameters, inputs: self._call(parameters, inputs)[0])
        self._loss.defvjp(self._forward, self._backward, symbolic_zeros=True)

    def __call__(self, parameters, *inputs):
        if set(parameters) != set(self.parameters):
            raise ValueError(f"expected parameters {', '.join(self.parameters)}, but got {', '.join(parameters)}")
        return self._loss(dict(parameters), inputs)

    def _run(self, parameters, inputs):
        """On the host: calls of one state must not mix."""
        with self._lock:
            for name, value in parameters.items():
                self.model[name] = np.asarray(value)
            report = self.model.grad(*map(np.asarray, inputs))
            return np.float32(report.loss), {name: self.model[self._gradient + name].astype(value.dtype)
                                             for name, value in parameters.items()}

    def _call(self, parameters, inputs):
        shapes = {name: jax.ShapeDtypeStruct(value.shape, value.dtype) for name, value in parameters.items()}
        return jax.pure_callback(self._run, (jax.ShapeDtypeStruct((), np.float32), shapes), parameters, inputs)

    def _forward(self, parameters, inputs):
        for place, value in enumerate(inputs):
            if value.perturbed:
                raise ValueError(f"input {place}: expected no gradient by this input, as ampc computes gradients of parameters only")
        return self._call({name: value.value for name, value in parameters.items()}, tuple(value.value for value in inputs))

    def _backward(self, gradients, factor):
        if isinstance(factor, jax.custom_derivatives.SymbolicZero):
            return None, None
        return {name: gradient * factor.astype(gradient.dtype) for name, gradient in gradients.items()}, None
