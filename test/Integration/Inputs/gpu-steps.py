# Counts of whole training steps on the interpreter's driver, as a table: launches, arithmetic, bytes, and a lower bound of the time.
# gpu-steps.py FOLDER CC PAGE.md [--update] [--models=REGEX]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../.."))
from page_table import PageTable, row_of

# Dense 16-bit products with sums in f32, f32 arithmetic, memory: TFLOP/s, TFLOP/s, GB/s, of the vendor's data sheets.
CHIPS = {"A100": (312, 19.5, 2039), "H100": (989, 66.9, 3350), "H200": (989, 66.9, 4800), "RTX 4090": (165, 82.6, 1008)}
HEAD = ["model", "chip", "launches", "matrix units, GFLOP", "other f32, GFLOP", "operands, MB", "touched, MB", "touched / operands", "accessed, MB",
        *[f"{name}, µs" for name in CHIPS]]
HEAD_ABOVE = ["model", "chip", "kernels", "number", "operands, MB", "touched, MB", "touched / operands", "because"]
# Limit of bytes touched by a step, and by each kernel, over the bytes of operands.
MOST = 1.1
# Limits of steps above MOST.
MOST_OF = {("char-gpt", "sm_80"): 1.16}
# Reasons of kernels above MOST, by a pattern of the kernel's line. Other kernels above are errors, unless below a thousandth of the step.
REASONS = [
    (r"^attention_grad", "cotangents of keys and of queries are formed in two passes over the operands: one would add up in an order that changes"),
    (r" in \d+ parts", "parts of sums, which fill a chip that a few tiles do not, are written in f32 and read again"),
    (r"^reduce", "sums of ranges of rows, by threads that would else be too few, are written and read again"),
    (r"with reductions", "reductions over results of other launches read the results again"),
]
GPT2 = ["--layers", "12", "--heads", "12", "--width", "768", "--context", "1024", "--vocabulary", "50257", "--tied", "--batch", "1"]


def model_text(name):
    if name == "conv-net":
        with open(os.path.join(HERE, "plain-conv-net.mlir")) as file:
            return file.read()
    options = {"char-gpt": [], "gpt2": GPT2}[name]
    return subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain-gpt.py"), *options], check=True, capture_output=True, text=True).stdout


def one_step(library, name, text):
    """Runs a step in a separate process, whose driver writes the counters at exit. Each kernel of a configuration runs once, so the loss is wrong."""
    from trained import Trained, random_batch

    Trained(library, name, device=b"cuda").given(random_batch(text, 1), "train_step")


def explained(listing):
    """(functions of the launches, operand bytes, line of the listing) of each kernel of the train program."""
    inside = False
    for line in listing.splitlines():
        if re.match(r"  \S+\.\w+$", line):
            inside = line.endswith(".train")
        elif inside and (found := re.search(r"; reads (\d+), writes (\d+) bytes", line)):
            yield re.findall(r"(\w+) grid", line), int(found.group(1)) + int(found.group(2)), line.strip()


def counted(folder, cc, name, chip):
    from trained import build

    text = model_text(name)
    library, model = build(f"{name}-{chip}", text, "--precision=bf16", f"--target={chip}", "--gpu-images=ptx")
    listing = subprocess.run(["ampc", "compile", f"{folder}/{name}-{chip}/model.mlir", "-o", f"{folder}/{name}-{chip}", "--precision=bf16",
                              f"--target={chip}", "--gpu-images=ptx", "--explain-kernels"], check=True, capture_output=True, text=True).stdout
    report = f"{folder}/{name}-{chip}/counters.json"
    subprocess.run([sys.executable, __file__, folder, cc, "--step", library, model], check=True,
                   env={**os.environ, "PTXSIM_REPORT": report, "PTXSIM_SAMPLE": "1", "PTXSIM_DEFINEDNESS": "0",
                        "PTXSIM_CAPABILITY": "9.0" if chip == "sm_90a" else "8.0"})
    with open(report) as file:
        counters = {kernel["kernel"]: kernel for kernel in json.load(file)["kernels"]}
    kernels = list(explained(listing))
    # Working copies are made before the first step.
    of_step = set(uses_of(kernels)) | {name for name in counters if name.startswith("ampc_")}
    return kernels, {name: counters[name] for name in counters if name in of_step}


def touched(counter):
    return 32 * (counter["globalSectorsRead"] + counter["globalSectorsWritten"])


def uses_of(kernels):
    """A kernel that several places of the program share counts once for each."""
    uses = {}
    for functions, _, _ in kernels:
        for function in functions:
            uses[function] = uses.get(function, 0) + 1
    return uses


def above(name, chip, kernels, counters):
    """Table rows of kernels that touch too many bytes, a row per kind and reason."""
    uses, groups, step = uses_of(kernels), {}, sum(size for _, size, _ in kernels)
    for functions, size, line in kernels:
        bytes_touched = sum(touched(counters[function]) / uses[function] for function in functions)
        if bytes_touched > MOST * size:
            reason = next((why for what, why in REASONS if re.search(what, line)), "")
            group = groups.setdefault((re.match(r"(.*?) (space|to|of) ", line).group(1), reason), [0, 0, 0])
            for i, value in enumerate((1, size, bytes_touched)):
                group[i] += value
    for (kind, reason), (number, size, bytes_touched) in sorted(groups.items()):
        if bytes_touched - size > step / 1000:
            fields = [name, chip, kind, number, f"{size / 1e6:.4g}", f"{bytes_touched / 1e6:.4g}", f"{bytes_touched / size:.2f}", reason]
            yield row_of(fields)


def row(name, chip, kernels, counters):
    launches = sum(counter["launches"] for counter in counters.values())
    tensor = sum(counter["tensorFlops"] for counter in counters.values())
    other = sum(counter["flops"] for counter in counters.values())
    operands = sum(size for _, size, _ in kernels)
    once = sum(touched(counter) for counter in counters.values())
    accessed = sum(32 * (c["globalLoadSectors"] + c["globalStoreSectors"]) + c["bulkBytesRead"] + c["bulkBytesWritten"] for c in counters.values())
    uses, times = uses_of(kernels), []
    for tensor_rate, rate, memory in CHIPS.values():
        seconds = 0.0
        for functions, size, _ in kernels:
            share = [(counters[function]["tensorFlops"] / uses[function], counters[function]["flops"] / uses[function]) for function in functions]
            seconds += max(sum(t for t, _ in share) / tensor_rate / 1e12, sum(f for _, f in share) / rate / 1e12, size / memory / 1e9)
        times.append(f"{seconds * 1e6:.0f}")
    fields = [name, chip, launches, f"{tensor / 1e9:.3g}", f"{other / 1e9:.3g}", f"{operands / 1e6:.4g}", f"{once / 1e6:.4g}",
              f"{once / operands:.2f}", f"{accessed / 1e6:.4g}", *times]
    return row_of(fields)


def check(name, chip, kernels, counters, excess):
    """Errors: a step that touches too many bytes, and excesses without a reason."""
    share = sum(touched(counter) for counter in counters.values()) / sum(size for _, size, _ in kernels)
    most = MOST_OF.get((name, chip), MOST)
    if share > most:
        yield f"{name} {chip}: expected a step to touch at most {most} of its operands' bytes, but got {share:.3f}"
    for line in excess:
        if line.endswith("|  |"):
            yield f"expected a reason for {line}"


def hold(table, head, now, update):
    """Whether the table's rows of these steps differ from `now`; with `update` the table gets the new rows. Rows of other steps stay."""
    def step_of(line):
        return re.match(r"\| [^|]+ \| [^|]+ \|", line).group()

    if not update:
        return table.differs([line for lines in now.values() for line in lines], "rows", lambda line: step_of(line) in now)
    held = {}
    for line in table.rows():
        held.setdefault(step_of(line), []).append(line)
    table.write(head, [line for lines in {**held, **now}.values() for line in lines])
    return False


def main():
    if sys.argv[3] == "--step":
        with open(os.path.join(os.path.dirname(sys.argv[4]), "model.mlir")) as file:
            return one_step(sys.argv[4], sys.argv[5], file.read())
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("cc")
    parser.add_argument("page")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--models", default="char-gpt|conv-net")
    args = parser.parse_args()
    steps, excess, wrong = {}, {}, []
    for name in ["char-gpt", "conv-net", "gpt2"]:
        for chip in ["sm_80", "sm_90a"]:
            if re.fullmatch(args.models, name):
                kernels, counters = counted(args.folder, args.cc, name, chip)
                step = f"| {name} | {chip} |"
                steps[step] = [row(name, chip, kernels, counters)]
                excess[step] = list(above(name, chip, kernels, counters))
                wrong += check(name, chip, kernels, counters, excess[step])
    differs = False
    for table, head, now in (("steps", HEAD, steps), ("above", HEAD_ABOVE, excess)):
        differs |= hold(PageTable(args.page, table), head, now, args.update)
    print("\n".join(wrong))
    return bool(differs or wrong)


if __name__ == "__main__":
    raise SystemExit(main())
