# Second derivatives: the product of an MLP's Hessian with a vector, against PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model's gradient, differentiated once more along fixed directions.

    hessian.py source > mlp.mlir            # the model
    hessian.py checkpoint > mlp.mlir        # the model, all of it in a checkpoint
    hessian.py product MLP.grad.mlir        # a model whose loss is gradient . direction, from what train-autodiff printed
    hessian.py record > hessian.json        # needs PyTorch
    hessian.py compare LIBRARY.so hessian.json
"""
import contextlib
import io
import json
import math
import re
import sys

PARAMS = {"w1": (3, 5), "b1": (5,), "gamma": (5,), "beta": (5,), "w2": (5, 4), "scale": (4,), "w3": (4, 2)}
DATA = {"x": (4, 3), "y": (4, 2)}


def tensor(shape):
    return "tensor<" + "x".join(map(str, shape)) + "xf32>"


def numbers(seed, shape, size=1.0):
    """The same everywhere: a linear congruential generator."""
    state, values = 7919 * seed + 1, []
    for _ in range(math.prod(shape)):
        state = (1103515245 * state + 12345) % 2**31
        values.append(round(size * (state / 2**30 - 1), 4))
    return values


def inputs():
    """Parameters, data and directions."""
    everything = {**PARAMS, **DATA, **{"v_" + name: shape for name, shape in PARAMS.items()}}
    return {name: (shape, numbers(i + 1, shape)) for i, (name, shape) in enumerate(everything.items())}


def source():
    arguments = ", ".join(f"%{name}: {tensor(shape)}" for name, shape in {**PARAMS, **DATA}.items())
    print(f"""train.model @mlp {{
  train.func @loss({arguments}) -> tensor<f32> {{
    %0 = train.linear %x, %w1, %b1 : tensor<4x3xf32>, tensor<3x5xf32>, tensor<5xf32>
    %1 = train.layer_norm %0, %gamma, %beta eps 1.0e-1 : tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>
    %2 = train.tanh %1 : tensor<4x5xf32>
    %3 = train.linear %2, %w2 : tensor<4x5xf32>, tensor<5x4xf32>
    %4 = train.rms_norm %3, %scale eps 1.0e-1 : tensor<4x4xf32>, tensor<4xf32>
    %5 = train.gelu %4 : tensor<4x4xf32>
    %6 = train.linear %5, %w3 : tensor<4x4xf32>, tensor<4x2xf32>
    %7 = train.mse %6, %y : tensor<4x2xf32>, tensor<4x2xf32>
    train.return %7 : tensor<f32>
  }}
  train.export @loss as "loss"
}}""")


def product(path):
    with open(path) as file:
        gradient = re.search(r"^ *train\.func @export\.loss\.grad\(.*?^    }\n", file.read(), re.M | re.S).group()
    gradient = re.sub(r" attributes \{.*?\} \{\n", " {\n", gradient, count=1).replace("@export.loss.grad", "@gradient")
    names = [*PARAMS, *DATA]
    types = [tensor(shape) for shape in {**PARAMS, **DATA}.values()]
    print("train.model @hessian {")
    for name, shape in PARAMS.items():
        print(f"  train.param @{name} : {tensor(shape)} = #train.normal<mean = 0.0, std = 1.0>")
    print(gradient)
    directions = ", ".join(f"%v_{name}: {tensor(shape)}" for name, shape in PARAMS.items())
    print(f"  train.func @directional(%x: {types[-2]}, %y: {types[-1]}, {directions}) -> tensor<f32> {{")
    for name, shape in PARAMS.items():
        print(f"    %{name} = train.read @{name} : {tensor(shape)}")
    print(f"    %g:{len(names) + 1} = train.call @gradient({', '.join('%' + name for name in names)}) : "
          f"({', '.join(types)}) -> (tensor<f32>, {', '.join(types)})")
    total = ""
    for i, (name, shape) in enumerate(PARAMS.items()):
        dims = list(range(len(shape)))
        print(f"    %m{i} = train.mul %g#{i + 1}, %v_{name} : {tensor(shape)}, {tensor(shape)}")
        print(f"    %s{i} = train.reduce_sum %m{i} over {dims} : {tensor(shape)}")
        if total:
            print(f"    %t{i} = train.add {total}, %s{i} : tensor<f32>, tensor<f32>")
        total = f"%t{i}" if total else "%s0"
    print(f"    train.return {total} : tensor<f32>\n  }}")
    print(f"  train.step @product minimize @directional over [{', '.join('@' + name for name in PARAMS)}] with #train.sgd<lr = 0.1>\n}}")


def record():
    import torch
    from torch.nn import functional
    values = {name: torch.tensor(numbers, dtype=torch.float64).view(shape) for name, (shape, numbers) in inputs().items()}

    def loss(w1, b1, gamma, beta, w2, scale, w3):
        hidden = torch.tanh(functional.layer_norm(values["x"] @ w1 + b1, (5,), gamma, beta, 0.1))
        second = functional.gelu(functional.rms_norm(hidden @ w2, (4,), scale, 0.1))
        return functional.mse_loss(second @ w3, values["y"])

    _, result = torch.autograd.functional.hvp(loss, tuple(values[name] for name in PARAMS), tuple(values["v_" + name] for name in PARAMS))
    print(json.dumps({"torch": torch.__version__, **{name: value.flatten().tolist() for name, value in zip(PARAMS, result)}}, indent=0))


def compare(library, recorded):
    from model import Model, array
    with open(recorded) as file:
        expected = json.load(file)
    model, values = Model(library, "hessian"), inputs()
    for name in PARAMS:
        model.set(name, values[name][1])
    model.run("grad", [array("f32", values[name][1]) for name in [*DATA, *("v_" + name for name in PARAMS)]])
    count = failed = 0
    for name, shape in PARAMS.items():
        for i, (found, wanted) in enumerate(zip(model.tensor("product.gradient." + name, math.prod(shape)), expected[name], strict=True)):
            count += 1
            if not abs(found - wanted) <= 2e-6 + 2e-5 * abs(wanted):
                print(f"{name}[{i}]: expected {wanted}, but got {found}")
                failed += 1
    print(f"{count} elements of a Hessian-vector product, {failed} differ")


def checkpoint():
    arguments = ", ".join(f"%{name}: {tensor(shape)}" for name, shape in {**PARAMS, **DATA}.items())
    values = ", ".join(f"%{name}" for name in {**PARAMS, **DATA})
    whole = f"""  train.func @loss({arguments}) {{
    %l = train.call @inside({values}) checkpoint
    train.return %l
  }}
"""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        source()
    print(text.getvalue().replace("@loss(", "@inside(", 1).replace("  train.export", whole + "  train.export", 1), end="")


command, *arguments = sys.argv[1:]
{"source": source, "checkpoint": checkpoint, "product": product, "record": record, "compare": compare}[command](*arguments)
