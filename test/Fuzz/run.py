# Runs random models through all checks: run.py BUILD_FOLDER [--minutes=N | --count=N] [--seed=S] [--jobs=J] [--reduce=N]. Prints errors, a
# command to reproduce each, and the reduced model. Status 1 on errors. A seed depends on the definitions of ops: those of BUILD_FOLDER, so that a copy
# of bin/ and test/Fuzz/records.json draws the same models when the build has moved on.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    def __init__(self, options):
        self.options = options
        self.fuzz = os.path.join(options.build, "bin", "ampc-fuzz")
        self.reduce = os.path.join(options.build, "bin", "ampc-reduce")
        self.records = f"--records={os.path.join(options.build, 'test/Fuzz/records.json')}"
        self.models = self.wrong = self.refused = 0
        self.said = []

    def batch(self, seed, count):
        """Seeds whose models were wrong."""
        folder = tempfile.mkdtemp(prefix="ampc-fuzz.")
        try:
            # Crashes and hangs are limited per seed; this limit is for all seeds together.
            done = subprocess.run([self.fuzz, self.records, f"--seed={seed}", f"--count={count}", f"--jobs={self.options.jobs}", f"--out={folder}"],
                                  capture_output=True, text=True)
            lines = done.stdout.splitlines() + done.stderr.splitlines()
            judged = sorted(glob.glob(os.path.join(folder, "*", "f64.safetensors")))
            if judged:
                judge = subprocess.run([sys.executable, os.path.join(HERE, "oracle.py"), *map(os.path.dirname, judged)],
                                       capture_output=True, text=True)
                lines += judge.stdout.splitlines() + judge.stderr.splitlines()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.models += count
        return self.report(lines)

    def report(self, lines):
        found = {}
        for line in lines:
            print(line, flush=True)
            if " refused" in line and line.startswith("seed"):
                self.refused += 1
            if start := re.match(r"seed (\d+): (WRONG|CRASHED)", line):
                found.setdefault(int(start[1]), []).append(line)
            elif line.startswith("Traceback"):
                found.setdefault(0, []).append(line)
        for seed, problems in found.items():
            self.wrong += 1
            print(f"  again: {self.fuzz} {self.records} --seed={seed} --out=OUT; {sys.executable} {HERE}/oracle.py OUT/{seed}")
            if seed and self.wrong <= self.options.reduce and os.path.exists(self.reduce):
                self.cut(seed, problems[0])
        return found

    def cut(self, seed, problem):
        """The smallest model that MLIR's reducer finds with the same kind of problem."""
        with tempfile.TemporaryDirectory() as folder:
            model, script = os.path.join(folder, "model.mlir"), os.path.join(folder, "test.sh")
            with open(model, "w") as file:
                subprocess.run([self.fuzz, self.records, f"--seed={seed}", "--print"], stdout=file, check=True)
            named = re.match(r"seed \d+: (?:WRONG ([\w-]+): |CRASHED .* in ([\w-]+))", problem)
            kind = named[1] or named[2] if named else "oracle"
            with open(script, "w") as file:
                file.write(f"#!/bin/sh\nexec {sys.executable} {HERE}/interesting.py {self.fuzz} {seed} '{kind}' \"$1\"\n")
            os.chmod(script, 0o755)
            done = subprocess.run([self.reduce, model, f"--reduce-model=test={script}"], capture_output=True, text=True)
            print(f"  cut down ({kind}):\n" + (done.stdout or done.stderr))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--reduce", type=int, default=3, help="problems to cut down")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(time.time())
    end, run = time.time() + 60 * (options.minutes or 1), Run(options)
    print(f"seeds from {seed} on", flush=True)
    while run.models < options.count if options.count else time.time() < end:
        count = min(25, options.count - run.models) if options.count else 25
        run.batch(seed + run.models, count)
    print(f"{run.models} models, {run.refused} refused, {run.wrong} wrong")
    return 1 if run.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
