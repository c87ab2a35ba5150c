# Whole training steps, their processes and predictions beside PyTorch, JAX and ONNX Runtime.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

from common import ampc, here, peer, row, run, source

# Name, and arguments of ampc.
large_gpt = ("char-gpt 6x384, context 256, batch 8", os.path.join(source, "examples/char-gpt/char-gpt.mlir"),
             "--set=width=384,depth=6,heads=6,context=256,batch=8")
resnet = ("conv-net, ResNet-18 widths, batch 64", os.path.join(source, "bench/models/resnet.mlir"))


gpt2 = ("GPT-2 124M, context 512, batch 1", os.path.join(source, "bench/models/gpt2.mlir"), "--set=context=512,batch=1")
mlp = ("MLP 1024-2048-2048-1000, batch 256", os.path.join(source, "bench/models/mlp.mlir"))


def dlrm(folder, rows):
    """Tables of 50000 rows, 26 of them; `rows`: Adam on those that the batch names."""
    path = os.path.join(folder, "dlrm-rows.mlir" if rows else "dlrm.mlir")
    with open(path, "w") as out:
        subprocess.run([sys.executable, os.path.join(here, "models", "dlrm.py"), *(["--lazy"] if rows else [])], stdout=out, check=True)
    return "DLRM 26 x 50000 x 64, batch 2048, Adam " + ("on rows" if rows else "on tables"), path


def recurrent(folder, script, *arguments):
    """What a script of bench/models prints for loops of 35 rounds."""
    path = os.path.join(folder, script.replace(".py", ".mlir"))
    with open(path, "w") as out:
        subprocess.run([sys.executable, os.path.join(here, "models", script), *arguments, "35"], stdout=out, check=True)
    return path


def recurrent_workloads(folder):
    """As workloads, for times of steps alone."""
    return [(("LSTM language model 2x650, 35 steps, batch 20", recurrent(folder, "lstm.py", "scan")), "torch_recurrent.py", "--model=0"),
            (("bidirectional GRU 5x800 with lengths, 35 steps, batch 32", recurrent(folder, "gru.py")), "torch_recurrent.py", "--model=1"),
            (("decoder with attention, width 512, 35 steps, batch 32", recurrent(folder, "decoder.py")), "torch_recurrent.py", "--model=2")]


def workloads(folder):
    """Each with its script of PyTorch and that one's options."""
    return [(large_gpt, "torch_char_gpt.py"), (resnet, "torch_conv_net.py"), (mlp, "torch_mlp.py"),
            (gpt2, "torch_char_gpt.py", "--layers=12", "--heads=12", "--width=768", "--context=512", "--batch=1", "--vocabulary=50257", "--tied=1"),
            (dlrm(folder, False), "torch_dlrm.py"), (dlrm(folder, True), "torch_dlrm.py", "--lazy=1")]


def of_pytorch(lines):
    """Of the line that a script has printed: seconds, spread and what it is called."""
    if not lines:
        return dict(peer=None, name="", peer_spread=None)
    line = lines[0]
    return dict(peer=line["seconds_per_step"], name=f"PyTorch {line['torch_version']}, {line['mode']}", peer_spread=line["quartiles"])


def step_row(name, dtype, ours, theirs):
    row(f"{name}, {dtype} step, 2 threads", ours and ours[0]["median_seconds"], "s", smaller_is_better=True, spread=ours and ours[0]["quartile_seconds"],
        **of_pytorch(theirs))


def speed_of_peer(dtype, count):
    """Options of PyTorch's scripts. Without products of f16 a step of it takes seconds or minutes, and its compiler changes nothing: eager, and fewer."""
    with open("/proc/cpuinfo") as file:
        slow = dtype == "f16" and not re.search(r"\b(avx512|amx)_fp16\b", file.read())
    return ["--mode=eager", "--warm-up=1", "--steps=3", "--limit=60"] if slow else [f"--steps={count}"]


def of_ampc(model, dtype, count):
    return run([ampc, "bench", *model, "--precision", dtype, "--threads", "2", "--steps", str(count)])


TYPES = ["f32", "bf16", "f16"]


def steps(python, folder, types=TYPES):
    for ((name, *model), script, *options), dtype in [(case, dtype) for case in workloads(folder) + recurrent_workloads(folder) for dtype in types]:
        count = 8 if "GPT-2" in name or "GRU" in name else 20
        ours = of_ampc(model, dtype, count)
        command = [python, peer(script), "--threads=2", f"--dtype={dtype}", *speed_of_peer(dtype, count), *options]
        lines = run(command) if python else []
        step_row(name, dtype, ours, lines)
        jax = {"torch_mlp.py": "mlp", "torch_char_gpt.py": None if options else "char-gpt"}.get(script)
        if jax and python and ours and dtype != "f16":
            lines = run([python, peer("jax_steps.py"), jax, "--threads", "2", "--dtype", dtype])
            row(f"{name}, {dtype} step, 2 threads", ours[0]["median_seconds"], "s", lines[0]["seconds_per_step"] if lines else None, f"JAX {lines[0]['jax_version']}, jit" if lines else "", True)


# By their names in bench/peers/torch_import.py.
IMPORTED = {"ResNet-50": "224x224, batch 8", "U-Net": "256x256, batch 1", "BERT-base": "128 tokens, batch 4"}


def imported(python, folder):
    """Models whose text is what ampc import makes of PyTorch's export."""
    for name, sizes in IMPORTED.items() if python else ():
        files = os.path.join(folder, "imported")
        os.makedirs(files)
        script = [python, peer("torch_import.py"), name]
        text = os.path.join(files, "model.mlir")
        loss = ["--loss", "softmax_cross_entropy(logits,target)", "--optimizer", "adamw(lr=1e-4, weight_decay=0.01)"]
        done = [subprocess.run(command, capture_output=True, text=True) for command in
                ([*script, "export", files], [ampc, "import", os.path.join(files, "model.onnx"), "-o", text, "--name", "model", *loss])]
        for each in done:
            if each.returncode:
                print(f"failed: {each.stderr.strip()[-400:]}", file=sys.stderr)
        for dtype in ("f32", "bf16") if not any(each.returncode for each in done) else ():
            step_row(f"{name}, {sizes}", dtype, of_ampc([text], dtype, 6), run([*script, "step", files, "--dtype", dtype, "--steps", "7", "--mode", "faster"]))
        shutil.rmtree(files)


def memory(folder):
    """Bytes from the plans: kept for the backward pass; arena and state together, 16-bit copies of parameters included."""
    print("\n| what | kept for the backward pass | of f32 | arena and state | of f32 |\n|---|---|---|---|---|")
    pattern = r"^  (\S.*?) +(\d+) +(\d+)$"
    for what, *model in [large_gpt, resnet]:
        for precision in ("bf16", "f16"):
            done = subprocess.run([ampc, "compile", *model, f"--precision={precision}", "--memory", "-o", folder],
                                  capture_output=True, text=True)
            found = {name: (int(mixed), int(full)) for name, mixed, full in re.findall(pattern, done.stdout, re.M)}
            saved, all_saved = found.pop("arena, kept for backward", (0, 0))
            if not saved:
                print(f"failed: {done.stderr.strip()[-400:]}", file=sys.stderr)
                continue
            whole, all_whole = (sum(column) for column in zip(*found.values()))
            print(f"| {what}, {precision} | {saved / 1e6:.1f} MB | {saved / all_saved:.3f} (bar: at most 0.55) | "
                  f"{whole / 1e6:.1f} MB | {whole / all_whole:.3f} (bar: below 1) |", flush=True)


def programs(folder):
    """What users wait for and ship: compiling all of the processor's tiers, and the files that come of it, without first values."""
    print("\n| compile in bf16 | seconds | of the processor | library |\n|---|---|---|---|")
    for what, *model in [large_gpt, resnet, mlp, gpt2, dlrm(folder, True)]:
        out = os.path.join(folder, "library")
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([ampc, "compile", *model, "--precision=bf16", "--quiet", "-o", out], capture_output=True, text=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            print(f"failed: {done.stderr.strip()[-400:]}", file=sys.stderr)
            continue
        size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(out, "*.a")))
        print(f"| {what} | {wall:.1f} s | {after.ru_utime - before.ru_utime:.1f} s | {size / 1e6:.1f} MB |", flush=True)
        shutil.rmtree(out)


def processes(python, folder):
    """A process that trains: from its start to the first loss, its peak of memory, and for ampc what comes before and behind the first step; ampc's figures are medians of three processes, since one
    whose memory the host has to find again takes several times as long. Both sides are Python with NumPy; PyTorch runs eagerly, which starts sooner and holds less than its compiler."""
    print("\n| process, bf16, 2 threads | ampc: create | first step / later | until a loss | PyTorch | peak memory | PyTorch | ampc / PyTorch |")
    print("|---|---|---|---|---|---|---|---|")
    for (what, *model), script, *options in workloads(folder):
        out = os.path.join(folder, "process")
        done = subprocess.run([ampc, "compile", *model, "--precision=bf16", "--bindings=python", "--quiet", "-o", out], capture_output=True, text=True)
        if done.returncode:
            print(f"failed: {done.stderr.strip()[-400:]}", file=sys.stderr)
            continue
        command = [python or "/usr/bin/python3", peer("ampc_steps.py"), out, "--steps=6", "--threads=2"]
        ours = [line for _ in range(3) for line in run(command)]
        command = [python, peer(script), "--threads=2", "--dtype=bf16", "--mode=eager", "--warm-up=2", "--steps=4", *options]
        theirs = run(command) if python else []
        shutil.rmtree(out)
        if not ours:
            continue
        create, first, ready, peak = (statistics.median(map(figure, ours)) for figure in (
            lambda line: line["create"], lambda line: line["seconds"][0] / statistics.median(line["seconds"][1:]),
            lambda line: line["ready"], lambda line: line["peak_bytes"]))
        theirs = theirs[0] if theirs else {}
        cells = [what, f"{create * 1e3:.1f} ms", f"{first:.2f}", f"{ready:.2f} s", f"{theirs['ready']:.2f} s" if theirs else "-", f"{peak / 1e6:.0f} MB"]
        cells += [f"{theirs['peak_bytes'] / 1e6:.0f} MB", f"{peak / theirs['peak_bytes']:.2f} (bar: at most 0.6)"] if theirs else ["-", "-"]
        print("| " + " | ".join(cells) + " |", flush=True)


def predictions(python, folder):
    """One row, f32: ampc's predict beside ONNX Runtime on what ampc export makes of the same weights."""
    print("\n| predict, one row, f32, 2 threads | ampc | peer | ampc / peer |\n|---|---|---|---|")
    for (what, *model), _, *_ in workloads(folder):
        out, weights, graph = (os.path.join(folder, name) for name in ("predict", "weights.safetensors", "predict.onnx"))
        done = subprocess.run([ampc, "compile", *model, "--bindings=python", "--quiet", "-o", out], capture_output=True, text=True)
        ours = run([python or "/usr/bin/python3", peer("ampc_steps.py"), out, "--steps=1", "--threads=2", f"--save={weights}"])
        shutil.rmtree(out, ignore_errors=True)
        if done.returncode or not ours or "predict" not in ours[0]:
            continue
        lines = []
        done = subprocess.run([ampc, "export", *model, "--checkpoint", weights, "-o", graph], capture_output=True, text=True)
        if done.returncode:
            print(f"{what}: {done.stderr.strip()[-400:]}", file=sys.stderr)
        elif python:
            lines = run([python, peer("onnx_predict.py"), graph, "--threads=2"])
        row("predict of " + what.split(",")[0], ours[0]["predict"], "s", lines[0]["predict"] if lines else None,
            f"ONNX Runtime {lines[0]['onnxruntime_version']}" if lines else "", True)
