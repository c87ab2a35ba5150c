# The number of values that the compiler visits has to grow with the ops of a model: random models that use their values again and again, which have 2^n paths, and with --growth
# models of n and 2 n parameters, ops, slices and shared values, and convolutions of stride n and 2 n.
#   python3 test/Fuzz/sharing.py AMPC FOLDER --count=1000 --seed=1
#   python3 test/Fuzz/sharing.py AMPC FOLDER --growth
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import pathlib
import random
import re
import resource
import subprocess
import sys

MOST = 200  # visits per op of the model
GROWTH = 2.2  # most visits of a model of 2 n steps over those of n
SECONDS = 30  # of CPU: a walk that counts paths has not ended by then

unary = ["sin", "cos", "tanh", "sigmoid", "square", "neg", "abs", "relu"]
binary = ["add", "mul", "sub", "maximum", "minimum"]
rows = ["softmax", "log_softmax", "rms", "centered", "normalized"]


class Model:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.rows, self.columns = self.r.choice([1, 3, 8, 17]), self.r.choice([4, 8, 33])
        self.type = f"f32[{self.rows}, {self.columns}]"
        self.lines, self.number = [], 0

    def op(self, name, *operands, behind=""):
        self.number += 1
        self.lines.append(f"    %v{self.number} = train.{name} {', '.join(operands)}{behind}")
        return f"%v{self.number}"

    def step(self, h):
        """A random pattern of ops that uses `h` twice."""
        kind = self.r.randrange(6)
        if kind == 0:
            return self.op(self.r.choice(binary), h, h)
        if kind == 1:
            return self.op("mul", h, self.op(self.r.choice(unary), h))
        if kind == 2:
            return self.op("add", h, self.op("mul", self.op(self.r.choice(unary), h), h))
        if kind == 3:
            return self.op("select", self.op("compare gt", h, "%x"), h, self.op("neg", h))
        if kind == 4:
            return self.op(self.r.choice(binary), self.op("sin", h), self.op("cos", h))
        return self.op("sub", h, self.op("mul", self.op("square", h), self.op("tanh", h)))

    def reduced(self, how, h):
        return self.op("reshape", self.op(f"reduce_{how}", h, behind=" over [1]"), behind=" to [batch, 1]")

    def row(self, h):
        """A reduction of rows whose result every element uses, such as softmax."""
        kind = self.r.choice(rows)
        if kind in ("softmax", "log_softmax"):
            return self.op(kind, h)
        if kind == "rms":
            return self.op("mul", h, self.op("rsqrt", self.op("add", self.reduced("mean", self.op("square", h)), "%one")))
        mean = self.reduced(self.r.choice(["mean", "sum", "max"]), h)
        if kind == "centered":
            return self.op("sub", h, mean)
        return self.op("div", self.op("sub", h, mean), self.op("add", self.op("square", mean), "%one"))

    def text(self):
        h = self.op("mul", "%x", "%w")
        for _ in range(self.r.randint(1, 3)):
            for _ in range(self.r.randint(8, 40)):
                h = self.step(h)
            for _ in range(self.r.randint(0, 2)):
                h = self.row(h)
        loss = self.op("reduce_" + self.r.choice(["mean", "sum"]), h, behind=" over [0, 1]")
        body = "\n".join(self.lines)
        return f"""train.model @sharing(batch = {self.rows}) {{
  train.param @w : f32[{self.columns}] = #train.ones
  train.func @loss(%x: f32[batch, {self.columns}]) {{
    %one = train.constant dense<1.0> : tensor<f32>
{body}
    train.return {loss}
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}}
"""


drivers = pathlib.Path(__file__).resolve().parents[1] / "Driver" / "Inputs"
# Long enough that kernels of many ops, groups of parts and shared functions repeat.
large = {"parameters": 60, "ops": 150, "slices": 150, "equal-slices": 100, "joined": 150, "stride": 8}


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def visits(ampc, path, target, precision):
    """(visits per op of the model, ops), or the words with which the compiler ended; and the command."""
    command = [ampc, "compile", str(path), f"--target={target}", f"--precision={precision}", "--compile-to=emit", "--timing", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limits)
    said = re.search(r"([\d.]+)\s+values visited per op of the model, of (\d+) ops", done.stderr)
    if done.returncode or not said:
        return f"ended with {done.returncode} {done.stderr[-300:]}", command
    return (float(said.group(1)), int(said.group(2))), command


def draw(options):
    wrong, most = 0, 0.0
    for seed in range(options.seed, options.seed + options.count):
        path = options.folder / f"{seed}.mlir"
        path.write_text(Model(seed).text())
        choice = random.Random(seed)
        target = choice.choice(["cpu", "reference", "sm_80", "sm_90a"])
        found, command = visits(options.ampc, path, target, choice.choice(["f32", "f32", "bf16", "f16"]))
        if isinstance(found, str) or found[0] > MOST:
            wrong += 1
            print(f"seed {seed}: WRONG {found}: {' '.join(command)}")
        else:
            most = max(most, found[0])
            path.unlink()
    print(f"{options.count} models, {wrong} wrong, at most {most} visits per op")
    return wrong


def grow(options):
    wrong = 0
    generators = [(kind, n, ["large-model.py", kind]) for kind, n in large.items()] + [("shared", 100, ["shared-chain.py", "sharing"])]
    for kind, n, (script, name) in generators:
        counts = []
        for steps in (n, 2 * n):
            path = options.folder / f"{kind}-{steps}.mlir"
            path.write_text(subprocess.run([sys.executable, drivers / script, name, str(steps)], check=True, capture_output=True, text=True).stdout)
            found, command = visits(options.ampc, path, "cpu", "f32")
            if isinstance(found, str):
                print(f"{kind}: WRONG {found}: {' '.join(command)}")
                break
            counts.append(found[0] * found[1])
        isRight = len(counts) == 2 and counts[1] <= GROWTH * counts[0]
        wrong += not isRight
        print(f"{kind}: {', '.join(f'{count:.0f}' for count in counts)} visits{'' if isRight else ' WRONG'}")
    print(f"{len(generators)} kinds, {wrong} wrong")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ampc")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", action="store_true", help="models of n and of 2 n steps")
    options = parser.parse_args()
    return bool(grow(options) if options.growth else draw(options))


if __name__ == "__main__":
    sys.exit(main())
