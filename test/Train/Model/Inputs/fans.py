"""Weights that random ways lead to a product: the fans that the compiler finds against those that NumPy counts.

    fans.py SEED COUNT write          the model
    fans.py SEED COUNT check < TEXT   TEXT is the output of ampc-opt
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys

import numpy as np


def counted(equation, shapes, place):
    """Fan-in: elements of operand `place` that an element of the result depends on. Each is set alone."""
    size = int(np.prod(shapes[place]))
    # Integers from 1 on: no sum of products is 0 by chance.
    others = [np.arange(1, np.prod(shape) + 1, dtype=float).reshape(shape) for shape in shapes]
    count = 0
    for element in range(size):
        others[place] = np.zeros(size)
        others[place][element] = 1
        others[place] = others[place].reshape(shapes[place])
        count = count + (np.einsum(equation, *others) != 0)
    assert count.min() == count.max()
    return int(count.max())


class Product:
    """An op that reads weights of `shape`: the text of the op, and the fan-in."""

    def __init__(self, r):
        b, i, o, e = 2, *(int(n) for n in r.integers(1, 6, 3))
        kind = r.integers(6)
        if kind == 0:
            self.shape, self.inputs = [i, o], [[b, i]]
            self.text, equation = "train.linear {x0}, {w}", "bi,io->bo"
        elif kind == 1:
            turned = bool(r.integers(2))
            self.shape, self.inputs = [o, i] if turned else [i, o], [[b, i]]
            self.text = "train.matmul {x0}, {w}" + (" transpose_rhs" if turned else "")
            equation = "bi,oi->bo" if turned else "bi,io->bo"
        elif kind == 2:
            turned = bool(r.integers(2))
            self.shape, self.inputs = [i, o] if turned else [o, i], [[i, b]]
            self.text = "train.matmul {w}, {x0}" + (" transpose_lhs" if turned else "")
            equation = "ib,io->ob" if turned else "ib,oi->ob"
        elif kind == 3:
            self.shape, self.inputs = [e, i, o], [[e, b, i]]
            self.text, equation = "train.matmul {x0}, {w}", "ebi,eio->ebo"
        elif kind == 4:
            letters = list(r.permutation(list("eio")))
            sizes = dict(zip("eio", (e, i, o)))
            equation = str(r.choice(["bi,{w}->beo", "be,{w}->bio", "bie,{w}->bo", "bei,{w}->boe"]))
            equation = equation.replace("{w}", "".join(letters))
            self.shape = [sizes[letter] for letter in letters]
            self.inputs = [[b] + [sizes[letter] for letter in equation.split(",")[0][1:]]]
            self.text = f'train.einsum "{equation}" {{x0}}, {{w}}'
        else:
            rank, groups = int(r.integers(1, 4)), int(r.integers(1, 3))
            window = [int(n) for n in r.integers(1, 4, rank)]
            self.shape, self.inputs = [groups * o, *window, i], [[b, *[n + 1 for n in window], groups * i]]
            self.text = (f"train.conv{rank}d {{x0}}, {{w}} strides {[1] * rank} padding {[0] * 2 * rank}"
                         f" groups {groups}")
            # An output is a row of the filters times the elements of the window.
            inside = int(np.prod(window)) * i
            self.fan_in = counted("k,ok->o", [[inside], [o, inside]], 1)
            return
        self.fan_in = counted(equation, [*self.inputs, self.shape], 1)


def way(r, shape, number):
    """A random way from declared weights to weights of `shape`: helper functions, the declared type, and the ops from first to last."""
    functions, steps = "", []
    for step in range(int(r.integers(4))):
        kind = r.integers(4)
        if kind == 0:
            order = [int(n) for n in r.permutation(len(shape))]
            steps.append(f"train.transpose {{w}} {order}")
            shape = [shape[order.index(dim)] for dim in range(len(shape))]
        elif kind == 1:
            steps.append(f"train.reshape {{w}} to {shape}")
            shape = [int(np.prod(shape))] if r.integers(2) else [1, *shape]
        elif kind == 2:
            steps.append("train.mul {w}, %half")
        else:
            steps.append(f"train.call @same{number}_{step}({{w}})")
            functions += f"  train.func @same{number}_{step}(%x: f32{shape}) {{\n    train.return %x\n  }}\n"
    element = "f32"
    if r.integers(3) == 0:
        element = "bf16"
        steps.append("train.cast {w} to f32")
    return functions, f"{element}{shape}", steps[::-1]


def draw(seed, count):
    r = np.random.default_rng(seed)
    for number in range(count):
        product = Product(r)
        yield number, product, *way(r, product.shape, number)


def write(seed, count):
    params, functions, body, arguments, results = "", "", "", [], []
    for number, product, helpers, declared, steps in draw(seed, count):
        params += f"  train.param @w{number} : {declared} = #train.kaiming_uniform\n"
        functions += helpers
        value = f"%w{number}"
        for place, step in enumerate(steps):
            body += f"    %v{number}_{place} = {step.format(w=value)}\n"
            value = f"%v{number}_{place}"
        names = {}
        for place, shape in enumerate(product.inputs):
            names[f"x{place}"] = f"%x{number}_{place}"
            arguments.append(f"%x{number}_{place}: f32{shape}")
        body += f"    %y{number} = {product.text.format(w=value, **names)}\n"
        results.append(f"%y{number}")
    print(f"train.model @fans {{\n{params}{functions}  train.func @run({', '.join(arguments)}) {{\n"
          f"    %half = train.constant dense<0.5> : tensor<f32>\n{body}    train.return {', '.join(results)}\n  }}\n"
          '  train.export @run as "run"\n}')


def check(seed, count):
    found = dict(re.findall(r"@w(\d+) : \S+ = #train.kaiming_uniform<fan_in = (\d+)>", sys.stdin.read()))
    for number, product, _, declared, steps in draw(seed, count):
        if int(found.get(str(number), 0)) != product.fan_in:
            sys.exit(f"@w{number} {declared}, {steps}, {product.text}: counted {product.fan_in}, but got {found.get(str(number))}")
    print(f"{count} fans as counted")


{"write": write, "check": check}[sys.argv[3]](int(sys.argv[1]), int(sys.argv[2]))
