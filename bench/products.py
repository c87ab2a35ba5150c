# Products of matrices beside OpenBLAS and oneDNN, with sides packed in the call and before.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys

from common import ampc, build, peer, row, run, source


def kernel_gflops(m, n, k, dtype, packed):
    """One product with `packed` sides ("lhs", "rhs") packed before, on the best tier this processor has, one thread, and its tier."""
    inputs = os.path.join(source, "test", "Codegen", "CPU", "Inputs", "packed-gemms.py")
    text = subprocess.run([sys.executable, inputs, str(m), str(n), str(k), dtype, *packed], capture_output=True, text=True).stdout
    done = subprocess.run([os.path.join(build, "bin", "ampc-kernel-run"), "--time", "--best", "-"], input=text, capture_output=True, text=True)
    # The product is the last kernel; tiers come from the lowest up.
    found = re.findall(r"_k%d_(\w+): .*?(\d+) ns" % len(packed), done.stdout)
    if not found:
        print(f"failed: ampc-kernel-run {done.stderr.strip()[-400:]}", file=sys.stderr)
        return None, ""
    tier, nanoseconds = found[-1]
    return 2 * m * n * k / int(nanoseconds), tier


def gemm_model(m, n, k, dtype, folder):
    a, b, c = f"tensor<{m}x{k}x{dtype}>", f"tensor<{k}x{n}x{dtype}>", f"tensor<{m}x{n}xf32>"
    path = os.path.join(folder, f"gemm{m}x{n}x{k}{dtype}.mlir")
    with open(path, "w") as out:
        out.write(f"""train.model @gemm {{
  train.func @product(%a: {a}, %b: {b}) -> {c} {{
    %c = train.matmul %a, %b : ({a}, {b}) -> {c}
    train.return %c : {c}
  }}
  train.export @product as "product"
}}
""")
    return path


def venv_flags(python):
    """For headers and libraries beside the interpreter of the peers."""
    root = python and os.path.dirname(os.path.dirname(python))
    return [f"-I{root}/include", f"-L{root}/lib", f"-Wl,-rpath,{root}/lib"] if root else []


def amx_peak(folder):
    """GFLOP/s of one core's AMX from registers, or None without AMX."""
    program = os.path.join(folder, "amx_peak")
    if subprocess.run(["cc", "-O2", peer("amx_peak.c"), "-o", program]).returncode:
        return None
    lines = run([program])
    return lines[0]["gflops"] if lines else None


def gemms(python, folder):
    """A row-major; ampc packs B inside the timed call, oneDNN gets it prepacked. OpenBLAS as Debian builds it has no bf16."""
    peers = os.path.join(folder, "gemm_peers")
    flags = ["-lopenblas", "-ldnnl", "-fopenmp", "-lm"]
    built = subprocess.run(["cc", "-O2", peer("gemm_peers.c"), "-o", peers, *venv_flags(python), *flags]).returncode == 0
    peak = amx_peak(folder)
    shapes = {"f32": [(512,) * 3, (1024,) * 3], "bf16": [(256, 256, 1024), (512,) * 3, (1024,) * 3, (2048,) * 3]}
    for dtype, m, n, k in [(dtype, *shape) for dtype in shapes for shape in shapes[dtype]]:
        ours = run([ampc, "bench", gemm_model(m, n, k, dtype, folder), "--export", "product", "--threads", "1", "--steps", "30"])
        lines = run([peers, str(m), str(n), str(k), "1"], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1") if built else []
        speed = ours and 2e-9 * m * n * k / ours[0]["least_seconds"]
        what = f"{dtype} GEMM {m}x{n}x{k}, 1 thread, tier {ours[0]['tier']}" if ours else ""
        for name in ("openblas", "onednn"):
            best = [line["gflops"] for line in lines if line["peer"] == name and line["dtype"] == dtype]
            if best or not lines:
                row(what, speed, "GFLOP/s", best[0] if best else None, name, False)
        packed_gemms(m, n, k, dtype, lines, peak)
    if not peak:
        print("| bf16 GEMMs as shares of the AMX peak | no AMX on this machine | these bars are not shown | - |", flush=True)


# Bars as GFLOP/s on a core with an AMX peak of 2500 GFLOP/s; scaled to the measured peak.
amx_bars = {"A and B packed": {(256, 256, 1024): 1600, (512,) * 3: 1250, (1024,) * 3: 1100, (2048,) * 3: 1000},
            "B packed": {(512,) * 3: 1150, (1024,) * 3: 1050, (2048,) * 3: 950}}


def packed_gemms(m, n, k, dtype, lines, peak):
    """B packed before, as weights are, and A too or row by row; oneDNN gets B prepacked."""
    best = [line["gflops"] for line in lines if line["peer"] == "onednn" and line["dtype"] == dtype]
    for title, packed in (("B packed", ["rhs"]), ("A and B packed", ["lhs", "rhs"])):
        speed, tier = kernel_gflops(m, n, k, dtype, packed)
        what = f"{dtype} GEMM {m}x{n}x{k}, {title}, 1 thread, tier {tier}"
        row(what, speed, "GFLOP/s", best[0] if best else None, "onednn", False)
        bar = amx_bars[title].get((m, n, k))
        if speed and peak and dtype == "bf16" and bar:
            print(f"| {what} | {speed:.4g} GFLOP/s | {peak:.4g} GFLOP/s (this core's AMX from registers) | "
                  f"{speed / peak:.3f} (bar: at least {bar / 2500:.2f}) |", flush=True)


