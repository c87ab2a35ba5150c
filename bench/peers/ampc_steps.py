# Steps of a library that ampc compile --bindings=python has made, beside those of torch_import.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ampc_steps.py LIBRARY DATA: prints a JSON line as `torch_import.py MODEL step` does. DATA has INPUT.npy for each argument of the step."""
import argparse
import importlib
import inspect
import json
import os
import sys
import time

import numpy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", help="folder with model.py")
    parser.add_argument("data")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.library)
    model = importlib.import_module("model").Model(threads=arguments.threads)
    names = [name for name, each in inspect.signature(model.train_step).parameters.items() if each.default is inspect.Parameter.empty]
    data = [numpy.load(os.path.join(arguments.data, name + ".npy")) for name in names]
    losses, seconds = [], []
    for _ in range(arguments.steps):
        start = time.perf_counter()
        losses.append(float(model.train_step(*data).loss))
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"losses": losses, "seconds": seconds}))


if __name__ == "__main__":
    main()
