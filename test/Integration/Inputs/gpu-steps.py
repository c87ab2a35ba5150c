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
EXAMPLES = os.path.join(HERE, "../../../examples")
sys.path.insert(0, os.path.join(HERE, "../.."))
from page_table import PageTable, row_of

# Dense 16-bit products with sums in f32, f32 arithmetic, memory: TFLOP/s, TFLOP/s, GB/s, of the vendor's data sheets.
CHIPS = {"A100": (312, 19.5, 2039), "H100": (989, 66.9, 3350), "H200": (989, 66.9, 4800), "RTX 4090": (165, 82.6, 1008)}
HEAD = ["model", "chip", "launches", "matrix units, GFLOP", "other f32, GFLOP", "operands, MB", "traffic, MB",
        *[f"{name}, µs" for name in CHIPS]]
GPT2 = ["--layers", "12", "--heads", "12", "--width", "768", "--context", "1024", "--vocabulary", "50257", "--tied", "--batch", "1"]


def model_text(name):
    if name == "conv-net":
        with open(f"{EXAMPLES}/conv-net/conv-net.mlir") as file:
            return file.read()
    options = {"char-gpt": [], "gpt2": GPT2}[name]
    return subprocess.run([sys.executable, f"{EXAMPLES}/char-gpt/make-model.py", *options], check=True, capture_output=True, text=True).stdout


def one_step(library, name, text):
    """In a process of its own, whose driver writes its counters when it ends."""
    from trained import Trained, random_batch

    model = Trained(library, name, device=b"cuda")
    print("loss", model.given(random_batch(text, 1), "train_step").loss)


def explained(listing):
    """Kernels of the train program: functions of launches, operand bytes, and multiply-adds times two of a contraction."""
    inside = False
    for line in listing.splitlines():
        if re.match(r"  \S+\.\w+$", line):
            inside = line.endswith(".train")
        elif inside and (found := re.search(r"; reads (\d+), writes (\d+) bytes", line)):
            yield re.findall(r"(\w+) grid", line), int(found.group(1)) + int(found.group(2))


def counted(folder, cc, name, chip):
    from trained import build

    text = model_text(name)
    library, model = build(f"{name}-{chip}", text, "--precision=bf16", f"--target={chip}", "--gpu-images=ptx")
    listing = subprocess.run(["ampc", "compile", f"{folder}/{name}-{chip}/model.mlir", "-o", f"{folder}/{name}-{chip}", "--precision=bf16",
                              f"--target={chip}", "--gpu-images=ptx", "--explain-kernels"], check=True, capture_output=True, text=True).stdout
    report = f"{folder}/{name}-{chip}/counters.json"
    subprocess.run([sys.executable, __file__, folder, cc, "--step", library, model], check=True,
                   env={**os.environ, "PTXSIM_REPORT": report, "PTXSIM_DEFINEDNESS": "0",
                        "PTXSIM_CAPABILITY": "9.0" if chip == "sm_90a" else "8.0"})
    with open(report) as file:
        kernels = {kernel["kernel"]: kernel for kernel in json.load(file)["kernels"]}
    return list(explained(listing)), kernels


def row(name, chip, kernels, counters):
    launches = sum(counter["launches"] for counter in counters.values())
    tensor = sum(counter["tensorFlops"] for counter in counters.values())
    other = sum(counter["flops"] for counter in counters.values())
    operands = sum(size for _, size in kernels)
    traffic = sum(32 * (c["globalLoadSectors"] + c["globalStoreSectors"]) + c["bulkBytesRead"] + c["bulkBytesWritten"] for c in counters.values())
    # A kernel that several places of the program share counts once for each.
    uses = {}
    for functions, _ in kernels:
        for function in functions:
            uses[function] = uses.get(function, 0) + 1
    times = []
    for tensor_rate, rate, memory in CHIPS.values():
        seconds = 0.0
        for functions, size in kernels:
            share = [(counters[function]["tensorFlops"] / uses[function], counters[function]["flops"] / uses[function]) for function in functions]
            seconds += max(sum(t for t, _ in share) / tensor_rate / 1e12, sum(f for _, f in share) / rate / 1e12, size / memory / 1e9)
        times.append(f"{seconds * 1e6:.0f}")
    fields = [name, chip, launches, f"{tensor / 1e9:.3g}", f"{other / 1e9:.3g}", f"{operands / 1e6:.4g}", f"{traffic / 1e6:.4g}", *times]
    return row_of(fields)


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
    table = PageTable(args.page, "steps")
    now = {}
    for name in ["char-gpt", "conv-net", "gpt2"]:
        for chip in ["sm_80", "sm_90a"]:
            if re.fullmatch(args.models, name):
                now[f"| {name} | {chip} |"] = row(name, chip, *counted(args.folder, args.cc, name, chip))
    if not args.update:
        return table.differs(list(now.values()), "steps")
    # Models that were not asked for keep their rows.
    rows = [now.pop(re.match(r"\| [^|]+ \| [^|]+ \|", line).group(), line) for line in table.rows()]
    table.write(HEAD, rows + list(now.values()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
