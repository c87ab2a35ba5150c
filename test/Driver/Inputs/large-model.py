# A model of n steps: of n parameters, of n ops, or of n slices of one tensor.
#   large-model.py parameters|ops|slices|equal-slices N
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
    """Unrolled time: each step reads its own row."""
    yield from sliced(n, range(n))


def equal_slices(n):
    yield from sliced(n, [0] * n)


def sliced(n, rows):
    yield "%z = train.mul %x, %w"
    yield "%h0 = train.slice %z from [0, 0, 0] sizes [batch, 1, 8] strides [1, 1, 1]"
    for i, row in enumerate(rows):
        yield f"%s{i} = train.slice %z from [0, {row}, 0] sizes [batch, 1, 8] strides [1, 1, 1]"
        yield f"%k{i} = train.tanh %h{i}"
        yield f"%h{i + 1} = train.add %k{i}, %s{i}"


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    rows = {"slices": f"{n}, ", "equal-slices": "4, "}.get(kind, "")
    print(f"train.model @large(batch = 4) {{\n  train.param @w : f32[8] = #train.ones")
    if kind == "parameters":
        print("\n".join(f"  train.param @p{i} : f32[8] = #train.ones" for i in range(n)))
    print(f"  train.func @loss(%x: f32[batch, {rows}8], %y: f32[batch, 8]) {{")
    for line in {"parameters": parameters, "ops": ops, "slices": slices, "equal-slices": equal_slices}[kind](n):
        print("    " + line)
    last = f"%h{n}"
    if rows:
        print(f"    %r = train.reshape {last} to [batch, 8]")
        last = "%r"
    print(f"    %l = train.mse {last}, %y\n    train.return %l\n  }}")
    print("  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3>\n}")


main()
