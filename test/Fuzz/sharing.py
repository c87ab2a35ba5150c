# Random models that use their values again and again: what compiling them visits has to grow with their ops, not with the paths between these.
#   python3 test/Fuzz/sharing.py AMPC FOLDER --count=1000 --seed=1
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import pathlib
import random
import re
import resource
import subprocess
import sys

MOST = 200  # visits per op of the model
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
        """One of the ways to use a value twice."""
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
        """Reductions of rows, and what uses them at every point."""
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


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ampc")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong, most = 0, 0.0
    for seed in range(options.seed, options.seed + options.count):
        path = options.folder / f"{seed}.mlir"
        path.write_text(Model(seed).text())
        choice = random.Random(seed)
        target = choice.choice(["cpu", "reference", "sm_80", "sm_90a"])
        precision = choice.choice(["f32", "f32", "bf16", "f16"])
        command = [options.ampc, "compile", str(path), f"--target={target}", f"--precision={precision}", "--compile-to=emit", "--timing", "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limits)
        visits = re.search(r"([\d.]+)\s+values visited per op", done.stderr)
        most = max(most, float(visits.group(1)) if visits else 0)
        if done.returncode or not visits or float(visits.group(1)) > MOST:
            wrong += 1
            said = f"{visits.group(1)} visits per op" if visits else f"ended with {done.returncode} {done.stderr[-300:]}"
            print(f"seed {seed}: WRONG {said}: {' '.join(command)}")
        else:
            path.unlink()
    print(f"{options.count} models, {wrong} wrong, at most {most} visits per op")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
