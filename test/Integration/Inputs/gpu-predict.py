# Predicted time of a training step on a chip, by class of kernel: counters of the interpreter's driver at the chip's sustained rates.
# gpu-predict.py FOLDER CC MODEL [--batch=N] [--sample-layers=N]: char-gpt, conv-net or gpt2 of gpu-steps.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../.."))
from page_table import row_of

# Classes by a pattern of the kernel's line in the listing of kernels; the first that fits counts.
CLASSES = [
    ("products of scores", r"^gemm .*50257"),
    ("products of layers", r"^gemm"),
    ("cross entropy", r"^(map|reduce) .*softmax_cross_entropy"),
    ("attention", r"^attention to"),
    ("gradient of attention", r"^attention_grad"),
    ("copies of cotangents", r"^assemble"),
    ("norms", r"^map .*layer_norm"),
    ("sums of biases and norms", r"^reduce with reductions"),
    ("scalars", r"^map space 1 of|^multi_map to (1x1x)?[fi]\d+ "),
    ("embedding", r"^(gather|scatter_add|map with reductions)|^map space 50257x768;"),
    ("updates", r"^(multi_map|map) .*fit\.update"),
    ("other", r""),
]
OPTIONS = ["--precision=bf16", "--target=sm_90a", "--gpu-images=ptx"]
BOUNDS = ["tensor", "memory", "issue", "shared"]


def kernels(listing):
    """(line, functions, bytes of operands, runs) of each kernel of a training step, and of the program that the step runs for chunks of rows."""
    program, runs, found = "", {}, []
    for line in listing.splitlines():
        if re.match(r"  \S+$", line):
            program = line.strip()
        elif call := re.match(r"    call of (\S+), (\d+) times", line):
            runs[call.group(1)] = int(call.group(2))
        elif operands := re.search(r"; reads (\d+), writes (\d+) bytes", line):
            found.append((program, line.strip(), re.findall(r"(\w+) grid", line), sum(map(int, operands.groups()))))
    step = next(program for program, *_ in found if program.endswith(".train"))
    return [(line, functions, size, runs[program] if program != step else 1)
            for program, line, functions, size in found if program == step or (program.startswith(step + ".") and program in runs)]


def key(line):
    """What kernels of equal counters have in common: kind, sizes and launches."""
    return re.sub(r"\w+ grid", "grid", re.sub(r" bytes;.*", "", line))


def compiled(steps, name, text):
    """(library, model, listing of kernels)"""
    from trained import FOLDER, build

    library, model = build(name, text, *OPTIONS)
    listing = subprocess.run(["ampc", "compile", f"{FOLDER}/{name}/model.mlir", "-o", f"{FOLDER}/{name}", *OPTIONS, "--explain-kernels"],
                             check=True, capture_output=True, text=True).stdout
    return library, model, listing


def counted(library, model, report):
    """Counters of a step, of which each kernel of a configuration runs once: values are wrong, counters are not."""
    subprocess.run([sys.executable, os.path.join(HERE, "gpu-steps.py"), *sys.argv[1:3], "--step", library, model], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PTXSIM_REPORT": report, "PTXSIM_SAMPLE": "1", "PTXSIM_DEFINEDNESS": "0", "PTXSIM_CAPABILITY": "9.0"})
    with open(report) as file:
        return {kernel["kernel"]: kernel for kernel in json.load(file)["kernels"]}


def times(counter, share=1.0):
    """Predicted milliseconds of one launch, whose work is `share` of the counted launch's."""
    each = {bound: share * counter["predicted"][bound] / counter["launches"] / 1e6 for bound in BOUNDS}
    return {**each, "launches": 1, "total": max(each.values()) + counter["predicted"]["launch"] / counter["launches"] / 1e6}


def rows(counters, few, all):
    """Class -> sums over the kernels of a step, `all`, with the counters of a model of fewer layers, `few`."""
    known = {key(line): (functions, size) for line, functions, size, _ in few}
    sums = {name: dict.fromkeys(["launches", "total", *BOUNDS], 0) for name, _ in CLASSES}
    launches = []
    for line, functions, size, runs in all:
        name = next(name for name, pattern in CLASSES if re.search(pattern, line))
        # A kernel over the tensors of all layers has more work than the one that was counted.
        alike = [known[each] for each in known if each.split(";")[0].split(" ")[0] == line.split(" ")[0]]
        counted_functions, counted_size = known.get(key(line)) or min(alike, key=lambda other: abs(other[1] - size))
        launches += [(name, runs, times(counters[each], size / counted_size)) for each in counted_functions]
    launches += [("other", counter["launches"], times(counter)) for function, counter in counters.items() if function.startswith("ampc_")]
    for name, runs, each in launches:
        for column, value in each.items():
            sums[name][column] += runs * value
    return sums


def table(sums):
    sums["step"] = {column: sum(row[column] for row in sums.values()) for column in ["launches", "total", *BOUNDS]}
    yield row_of(["class", "launches", *[f"{bound}, ms" for bound in BOUNDS], "predicted, ms"])
    yield row_of(["---"] * (3 + len(BOUNDS)))
    for name, row in sums.items():
        if row["launches"]:
            yield row_of([name, row["launches"], *[f"{row[column]:.3f}" for column in [*BOUNDS, "total"]]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("cc")
    parser.add_argument("model")
    parser.add_argument("--batch", default="16")
    parser.add_argument("--sample-layers", metavar="N", help="count a model of N layers, and take its counters for the layers of the model")
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("steps", os.path.join(HERE, "gpu-steps.py"))
    steps = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(steps)

    def text(layers):
        if args.model == "conv-net":
            return steps.model_text(args.model)
        sizes = [*(steps.GPT2 if args.model == "gpt2" else []), "--batch", args.batch, *layers]
        return subprocess.run([sys.executable, os.path.join(HERE, "plain-gpt.py"), *sizes], check=True, capture_output=True, text=True).stdout

    *_, listing = compiled(steps, args.model, text([]))
    library, model, few = compiled(steps, args.model + "-few", text(["--layers", args.sample_layers])) if args.sample_layers else compiled(steps, args.model, text([]))
    counters = counted(library, model, f"{args.folder}/{args.model}.json")
    print("\n".join(table(rows(counters, kernels(few), kernels(listing)))))


if __name__ == "__main__":
    main()
