# The policy autocast-cpu beside torch.autocast("cpu", torch.bfloat16): values and gradients, bit for bit.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   autocast.py record > Inputs/autocast.json     (needs torch)
#   autocast.py model                             prints the model
#   autocast.py compare LIBRARY.so RECORDED.json
#
# All data are integers so small that every sum of products is exact in f32 in any order: only the policy's roundings remain. Gradients are
# of sum(result * weight).
import json
import random
import sys

import model as compiled

# name: operands with their shapes and largest number, result shape, our body, torch's
CASES = {
    "mm": ({"a": ((5, 8), 600), "b": ((8, 7), 600)}, (5, 7),
           "%r = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>", lambda F, a, b: a @ b),
    "bmm": ({"a": ((2, 5, 8), 600), "b": ((2, 8, 7), 600)}, (2, 5, 7),
            "%r = train.matmul %a, %b : (T(a), T(b)) -> tensor<2x5x7xf32>", lambda F, a, b: a @ b),
    "linear": ({"x": ((5, 8), 500), "w": ((8, 7), 500), "b": ((7,), 900)}, (5, 7),
               "%r = train.linear %x, %w, %b : T(x), T(w), T(b)", lambda F, x, w, b: F.linear(x, w.T, b)),
    "conv": ({"x": ((2, 5, 5, 2), 300), "w": ((3, 3, 3, 2), 300)}, (2, 5, 5, 3),
             "%r = train.conv2d %x, %w strides [1, 1] padding [1, 1, 1, 1] : (T(x), T(w)) -> tensor<2x5x5x3xf32>",
             lambda F, x, w: F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), padding=1).permute(0, 2, 3, 1)),
    "relu": ({"a": ((5, 8), 600), "b": ((8, 7), 600)}, (5, 7), """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %r = train.relu %p : tensor<5x7xf32>""", lambda F, a, b: F.relu(a @ b)),
    "add": ({"a": ((5, 8), 600), "b": ((8, 7), 600), "c": ((5, 7), 9000)}, (5, 7),
            """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %r = train.add %p, %c : tensor<5x7xf32>, T(c)""", lambda F, a, b, c: a @ b + c),
    "number": ({"a": ((5, 8), 600), "b": ((8, 7), 600)}, (5, 7), """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %n = train.constant dense<0.375> : tensor<f32>
    %r = train.mul %p, %n : tensor<5x7xf32>, tensor<f32>""", lambda F, a, b: (a @ b) * 0.375),
    "tenth": ({"a": ((5, 8), 600), "b": ((8, 7), 600)}, (5, 7), """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %n = train.constant dense<0.1> : tensor<f32>
    %r = train.mul %p, %n : tensor<5x7xf32>, tensor<f32>""", lambda F, a, b: (a @ b) * 0.1),  # a number that bf16 does not hold
    "concat": ({"a": ((5, 8), 600), "b": ((8, 7), 600), "c": ((5, 2), 9000)}, (5, 9),
               """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %r = train.concat %p, %c along 1 : tensor<5x7xf32>, T(c)""", lambda F, a, b, c: F.cat([a @ b, c], 1)),
    "sum": ({"a": ((5, 8), 90), "b": ((8, 7), 90)}, (7,), """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<5x7xf32>
    %r = train.reduce_sum %p over [0] : tensor<5x7xf32>""", lambda F, a, b: (a @ b).sum(0)),
    "mean": ({"a": ((4, 8), 90), "b": ((8, 7), 90)}, (7,), """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<4x7xf32>
    %r = train.reduce_mean %p over [0] : tensor<4x7xf32>""", lambda F, a, b: (a @ b).mean(0)),
    "two_layers": ({"x": ((6, 8), 12), "w1": ((8, 8), 12), "b1": ((8,), 12), "w2": ((8, 3), 12), "b2": ((3,), 12)}, (6, 3),
                   """%p = train.linear %x, %w1, %b1 : T(x), T(w1), T(b1)
    %q = train.relu %p : tensor<6x8xf32>
    %r = train.linear %q, %w2, %b2 : tensor<6x8xf32>, T(w2), T(b2)""",
                   lambda F, x, w1, b1, w2, b2: F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2)),
    "mse": ({"a": ((4, 8), 12), "b": ((8, 4), 12), "y": ((4, 4), 50)}, (),
            """%p = train.matmul %a, %b : (T(a), T(b)) -> tensor<4x4xf32>
    %r = train.mse %p, %y : tensor<4x4xf32>, T(y)""", lambda F, a, b, y: F.mse_loss(a @ b, y)),
}


def type_of(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def data(name):
    """Integers, of which many beyond 256 need more than the 8 significant bits of bf16."""
    numbers = random.Random(name)
    operands, shape, _, _ = CASES[name]
    values = {key: [float(numbers.randint(-top, top)) for _ in range(count(at))] for key, (at, top) in operands.items()}
    return values, [float(numbers.choice((-2, -1, 1, 2))) for _ in range(count(shape))]


def print_model():
    print("// Printed by autocast.py.\ntrain.model @autocast {")
    for name, (operands, shape, body, _) in CASES.items():
        for key, (at, _) in operands.items():
            print(f"  train.param @{name}.{key} : {type_of(at)} = #train.zeros")
            body = body.replace(f"T({key})", type_of(at))
        reads = "\n".join(f"    %{key} = train.read @{name}.{key} : {type_of(at)}" for key, (at, _) in operands.items())
        over = ", ".join(f"@{name}.{key}" for key in operands)
        dims = ", ".join(str(i) for i in range(len(shape)))
        total = f"%s = train.reduce_sum %p over [{dims}] : {type_of(shape)}\n    train.return %s" if shape else "train.return %p"
        print(f"""  train.func @{name}() -> {type_of(shape)} {{
{reads}
    {body}
    train.return %r : {type_of(shape)}
  }}
  train.export @{name} as "{name}"
  train.func @{name}.loss(%weight: {type_of(shape)}) -> tensor<f32> {{
    %r = train.call @{name}() : () -> {type_of(shape)}
    %p = train.mul %r, %weight : {type_of(shape)}, {type_of(shape)}
    {total} : tensor<f32>
  }}
  train.step @{name}.fit minimize @{name}.loss over [{over}] with #train.sgd<lr = 1.0>""")
    print("}")


def record():
    import torch

    class Functions:
        linear, conv2d, relu, mse_loss, cat = (torch.nn.functional.linear, torch.nn.functional.conv2d, torch.nn.functional.relu,
                                               torch.nn.functional.mse_loss, torch.cat)

    result = {}
    for name, (operands, shape, _, compute) in CASES.items():
        values, weight = data(name)
        tensors = {key: torch.tensor(values[key]).view(at).requires_grad_() for key, (at, _) in operands.items()}
        with torch.autocast("cpu", torch.bfloat16):
            out = compute(Functions, **tensors)
        (out.float() * torch.tensor(weight).view(shape)).sum().backward()
        result[name] = {"dtype": str(out.dtype).replace("torch.", ""), "result": out.float().flatten().tolist(),
                        "gradients": {key: tensor.grad.flatten().tolist() for key, tensor in tensors.items()}}
    print(json.dumps({"torch": torch.__version__, "cases": result}, indent=0))


def compare(library, path):
    with open(path) as file:
        recorded = json.load(file)["cases"]
    net, numbers, different = compiled.Model(library, "autocast"), 0, 0
    assert recorded.keys() == CASES.keys()
    for name, want in recorded.items():
        values, weight = data(name)
        for key, numbers_of in values.items():
            net.set(f"{name}.{key}", numbers_of)
        result = compiled.array("f32", [0] * len(want["result"]))
        net.run(name, [], [result])
        net.run(f"{name}_fit_grad", [compiled.array("f32", weight)])
        pairs = [("result", list(result), want["result"])]
        for key, gradient in want["gradients"].items():
            pairs.append((f"gradient of {key}", list(net.tensor(f"{name}.fit.gradient.{name}.{key}", len(gradient))), gradient))
        for what, got, expected in pairs:
            numbers += len(expected)
            wrong = [(i, x, y) for i, (x, y) in enumerate(zip(got, expected, strict=True)) if x != y]
            if wrong:
                different += len(wrong)
                print(f"{name} ({want['dtype']}), {what}: {len(wrong)} of {len(expected)} differ, first [%d]: %r, torch %r" % wrong[0])
    print(f"{len(recorded)} cases, {numbers} numbers, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record()
    elif sys.argv[1] == "model":
        print_model()
    else:
        sys.exit(compare(sys.argv[2], sys.argv[3]))
