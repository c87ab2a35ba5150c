# A model of n parameters, n ops, n slices of a tensor (joined again), or a convolution of stride n.
#   large-model.py parameters|ops|slices|equal-slices|joined|stride N
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys


def parameters(n):
    """Each as long as a row."""
    yield "%h0 = train.mul %x, %w"
    for i in range(n):
        yield f"%h{i + 1} = train.{('add', 'mul')[i % 2]} %h{i}, %p{i}"


def ops(n):
    yield "%h0 = train.mul %x, %w"
    for i in range(n):
        yield f"%h{i + 1} = train." + ("mul %h{}, %w", "tanh %h{}", "add %h{}, %w")[i % 3].format(i)


def slices(n):
    """Unrolled time: each step reads a separate row."""
    yield from sliced(n, range(n))


def equal_slices(n):
    yield from sliced(n, [0] * n)


def joined(n):
    yield "%z = train.mul %x, %w"
    for i in range(n):
        yield f"%s{i} = train.slice %z from [0, {i}, 0] sizes [batch, 1, 8] strides [1, 1, 1]"
        yield f"%k{i} = train.{('tanh', 'sin', 'square')[i % 3]} %s{i}"
    yield f"%j = train.concat {', '.join(f'%k{i}' for i in range(n))} along 1"
    yield f"%h{n} = train.reduce_sum %j over [1]"


def stride(n):
    yield "%i = train.mul %x, %w"
    yield f"%h{n} = train.conv2d %i, %f strides [{n}, {n}] padding [1, 1, 1, 1]"


def sliced(n, rows):
    yield "%z = train.mul %x, %w"
    yield "%h0 = train.slice %z from [0, 0, 0] sizes [batch, 1, 8] strides [1, 1, 1]"
    for i, row in enumerate(rows):
        yield f"%s{i} = train.slice %z from [0, {row}, 0] sizes [batch, 1, 8] strides [1, 1, 1]"
        yield f"%k{i} = train.tanh %h{i}"
        yield f"%h{i + 1} = train.add %k{i}, %s{i}"


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    model = {"parameters": parameters, "ops": ops, "slices": slices, "equal-slices": equal_slices, "joined": joined, "stride": stride}[kind]
    inner = {"slices": f"{n}, ", "joined": f"{n}, ", "equal-slices": "4, ", "stride": f"{2 * n}, {2 * n}, "}.get(kind, "")
    print("train.model @large(batch = 4) {\n  train.param @w : f32[8] = #train.ones")
    if kind == "stride":
        print("  train.param @f : f32[8, 3, 3, 8] = #train.ones")
    if kind == "parameters":
        print("\n".join(f"  train.param @p{i} : f32[8] = #train.ones" for i in range(n)))
    print(f"  train.func @loss(%x: f32[batch, {inner}8], %y: f32[batch, 8]) {{")
    for line in model(n):
        print("    " + line)
    last = f"%h{n}"
    if kind in ("slices", "equal-slices"):
        print(f"    %r = train.reshape {last} to [batch, 8]")
        last = "%r"
    if kind == "stride":
        print(f"    %r = train.reduce_sum {last} over [1, 2]")
        last = "%r"
    print(f"    %l = train.mse {last}, %y\n    train.return %l\n  }}")
    print("  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3>\n}")


main()
