# Steps of a library made by ampc compile --bindings=python, to compare with the PyTorch scripts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ampc_steps.py LIBRARY [DATA]: prints a JSON line as `torch_import.py MODEL step` does. DATA has INPUT.npy for each argument of the step; without it
they are random. Seconds until `created` and `ready` (a loss is known) count from the start of the process; `predict` is the median of at most 200 calls in 5 seconds."""
import argparse
import glob
import importlib
import json
import os
import resource
import statistics
import sys
import time

import numpy
from torch_timing import since_start


def random_input(each, generator):
    if each["dtype"].startswith("f"):
        return generator.standard_normal(each["shape"], dtype=numpy.float32)
    return generator.integers(0, each.get("label_limit", 2), each["shape"], dtype=numpy.int32)


def seconds_of(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", help="folder with NAME.py and NAME.json")
    parser.add_argument("data", nargs="?")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save", metavar="CHECKPOINT", help="write the state behind the last step")
    arguments = parser.parse_args()
    (path,) = glob.glob(os.path.join(arguments.library, "*.json"))
    with open(path) as file:
        programs = {program["name"]: program for program in json.load(file)["programs"]}
    generator = numpy.random.default_rng(1)

    def data(program):
        inputs = programs[program]["inputs"]
        if arguments.data:
            return [numpy.load(os.path.join(arguments.data, each["name"] + ".npy")) for each in inputs]
        return [random_input(each, generator) for each in inputs]

    sys.path.insert(0, arguments.library)
    module = importlib.import_module(os.path.basename(path)[: -len(".json")])
    create, model = seconds_of(lambda: module.Model(threads=arguments.threads))
    line = {"create": create, "created": since_start()}
    batch = data("train_step")
    steps = [seconds_of(lambda: float(model.train_step(*batch).loss))]
    line["ready"] = since_start()
    steps += [seconds_of(lambda: float(model.train_step(*batch).loss)) for _ in range(arguments.steps - 1)]
    line["seconds"], line["losses"] = ([each[i] for each in steps] for i in (0, 1))
    line["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if "predict" in programs and not arguments.data:
        row = data("predict")
        calls = [seconds_of(lambda: model.predict(*row))[0] for _ in range(2)]
        while len(calls) < 200 and sum(calls) < 5:
            calls.append(seconds_of(lambda: model.predict(*row))[0])
        line["predict"] = statistics.median(calls)
    if arguments.save:
        model.save(arguments.save)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
