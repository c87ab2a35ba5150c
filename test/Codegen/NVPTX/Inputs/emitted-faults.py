# Seeds single defects into ampc's kernels, a kernel per form, and counts the interpreter's findings: every barrier, wait, fence, commit,
# copy and guard is removed or weakened. Defects without effect under any schedule are listed in SURVIVORS with the argument; at most 5 % of
# all.
# emitted-faults.py FOLDER [--forms=REGEX] [-v]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import concurrent.futures
import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("inject_faults", os.path.join(HERE, "../../../PTXSim/inject-faults.py"))
faults = importlib.util.module_from_spec(spec)
spec.loader.exec_module(faults)
sys.path.insert(0, os.path.join(HERE, "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    from attention import attention
    from convs import conv
    from gemms import gemm


def program_of(file, name):
    """A kernel.program of a file of tests."""
    with open(os.path.join(HERE, file)) as source:
        print(next(part for part in re.split(r"(?m)^(?=kernel\.program)", source.read()) if part.startswith(f"kernel.program @{name}(")))


def first(emit):
    """Of several kernels."""
    print(re.split(r"(?m)^(?=kernel\.program)", text_of(emit))[1])


def attentions():
    """Keys that no query sees, and queries that see no key."""
    for queries, keys in [(150, 300), (300, 150)]:
        attention(queries, keys, 32, element="bf16", result="bf16", causal=True, batch=1, heads=1)


def totals():
    """Of a map that three blocks read again, the last of which adds up their parts."""
    identity = "affine_map<(d0) -> (d0)>"
    print(f"""kernel.program @totals(%a: tensor<40003xf32>) -> (tensor<40003xf32>, tensor<f32>) {{
  %y, %t = kernel.fused_reduction(%a : tensor<40003xf32>) of {{
  ^bb0(%b: tensor<40003xf32>):
    %0 = kernel.map(%b : tensor<40003xf32>) space [40003] maps [{identity}] -> [{identity}] {{
    ^bb0(%x: f32):
      %1 = arith.mulf %x, %x : f32
      kernel.yield %1 : f32
    }} : tensor<40003xf32>
    kernel.yield %0 : tensor<40003xf32>
  }} sum {{
  ^bb0(%element: f32):
    kernel.yield %element : f32
  }} {{test.tolerance = 0.00003}} : tensor<40003xf32>, tensor<f32>
  kernel.return %y, %t : tensor<40003xf32>, tensor<f32>
}}""")


# Form -> chip, and the printer of the kernel. Sizes leave remainders in every dimension, and take several steps and stages.
FORMS = {
    "gemm-nn": ("sm_80", lambda: gemm(72, 80, 328, "NN", element="bf16", result="bf16", body="bias")),
    "gemm-tn": ("sm_80", lambda: gemm(72, 80, 328, "TN", element="f16", body="plain")),
    "gemm-nt": ("sm_80", lambda: gemm(70, 75, 300, "NT", element="bf16", result="bf16", body="full")),
    "gemm-tf32": ("sm_80", lambda: gemm(70, 72, 148, "NN", mode="tf32", body="bias")),
    "conv": ("sm_80", lambda: conv(2, 10, 32, 104, 3, pad=1, element="bf16")),
    "attention": ("sm_80", attentions),
    "gemm-warpgroups": ("sm_90a", lambda: gemm(200, 8, 520, "NT", element="bf16", body="bias", batch=(70,))),
    "conv-gathered": ("sm_90a", lambda: first(lambda: conv(1, 5, 104, 8, 3, pad=1, element="bf16"))),
    "gemm-gathered": ("sm_90a", lambda: gemm(70, 10, 931, "NN", element="bf16", body="bias", plan="wgmma, m = 64, n = 64")),
    "gemm-parts": ("sm_80", lambda: gemm(72, 80, 2056, "TN", element="bf16")),
    "gemm-f32": ("sm_80", lambda: gemm(70, 75, 100, "NN", body="bias")),
    "gemm-sm75": ("sm_75", lambda: gemm(72, 80, 328, "NN", element="f16", result="f16", body="bias")),
    "depthwise": ("sm_80", lambda: conv(2, 7, 24, 24, 3, stride=2, pad=1, groups=24, element="bf16")),
    "attention-warpgroups": ("sm_90a", attentions),
    "points": ("sm_80", lambda: program_of("../../CPU/run-maps.mlir", "pointwise")),
    "rows": ("sm_80", lambda: program_of("../../CPU/run-maps.mlir", "softmax200")),
    "columns": ("sm_80", lambda: program_of("../../CPU/run-reduces.mlir", "columns")),
    "totals": ("sm_80", totals),
    "gather": ("sm_80", lambda: program_of("../../CPU/run-data.mlir", "gather")),
    "scatter": ("sm_80", lambda: program_of("../../CPU/run-data.mlir", "scatter")),
    "group": ("sm_80", lambda: program_of("../../CPU/run-data.mlir", "group")),
    "sum-rows": ("sm_80", lambda: program_of("../../CPU/run-data.mlir", "segment_sum")),
    "pool": ("sm_80", lambda: program_of("../../CPU/run-data.mlir", "max_pool")),
}

# (form, kind of defect, ordinal of that kind in the form's kernels): why no schedule can tell.
SAME_VALUE = "behind the sum all lanes of the group hold its value; inverted, the others store it to the same place"
NEXT_WAIT = "the sums of this group are read behind the wait of the next one, which waits for both"
NO_REGISTERS = "PTX ISA, wgmma.fence: no thread has touched the registers of these products since the fence before"
FIRST_STEP = "the wait of the first step, of which LLVM makes code of its own: nothing is released behind it"
PRODUCT_BETWEEN = "all threads of the warp have met at a product since they read what is staged"
WAITED = "a block without tiles has waited for its own rows before, to keep them in registers"
NOT_AGAIN = "fifteen steps: the eighth stage is filled once, and that of the last step not again"
NOTHING_SHARED = "lanes meet behind a store that few of them have, and exchange nothing after that"
EITHER = "between two updates of a count stand two barriers of the warp, and one is enough"
SMALL_DIGITS = "the second digits of so few rows are below 8: the last lane has none, and stores what the lane before it has"
SURVIVORS = {
    **{(form, "warp barrier removed", n): EITHER for form in ("scatter", "group") for n in (0, 1, 4, 5)},
    **{(form, "branch inverted", 10): SMALL_DIGITS for form in ("scatter", "group")},
    ("group", "branch inverted", 16): SAME_VALUE,
    **{("attention-warpgroups", kind, n): NEXT_WAIT for kind in ("wgmma commit removed", "wgmma wait removed", "wgmma wait weakened") for n in (2, 11)},
    **{("attention-warpgroups", "wgmma fence removed", n): NO_REGISTERS for n in (3, 6, 12, 15)},
    **{("attention", kind, 6): WAITED for kind in ("copy wait removed", "copy wait weakened")},
    ("rows", "branch inverted", 3): SAME_VALUE,
    ("rows", "warp barrier removed", 0): NOTHING_SHARED,
    ("gemm-warpgroups", "wgmma fence removed", 1): NO_REGISTERS,
    ("gemm-warpgroups", "wgmma wait removed", 0): FIRST_STEP,
    ("gemm-warpgroups", "wgmma wait weakened", 0): FIRST_STEP,
    ("gemm-warpgroups", "warp barrier removed", 0): PRODUCT_BETWEEN,
    **{(form, "warp barrier removed", 0): PRODUCT_BETWEEN for form in ("conv-gathered", "gemm-gathered")},
    **{(form, "wgmma fence removed", 1): NO_REGISTERS for form in ("conv-gathered", "gemm-gathered")},
    **{(form, kind, 0): FIRST_STEP for form in ("conv-gathered", "gemm-gathered") for kind in ("wgmma wait removed", "wgmma wait weakened")},
    **{(form, kind, n): NOT_AGAIN for form in ("conv-gathered", "gemm-gathered")
       for kind, n in (("mbarrier arrive removed", 2), ("mbarrier init count raised", 15))},
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def text_of(emit):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        emit()
    return text.getvalue()


class Form:
    def __init__(self, folder, name):
        self.name, self.folder = name, folder
        self.chip, emit = FORMS[name]
        self.file = f"{folder}/{name}.mlir"
        with open(self.file, "w") as out:
            out.write(text_of(emit))
        self.ptx = run("ampc-kernel-run", f"--target={self.chip}", "--emit=ptx", self.file).stdout
        done = self.check(self.ptx, "original", "--lines")
        if done.returncode:
            raise SystemExit(f"{name}: the kernel itself fails: {done.stdout[:500]}{done.stderr[:500]}")
        self.lines = set(map(int, re.findall(r"(?m)^line (\d+)$", done.stdout)))

    def check(self, ptx, name, *options):
        path = f"{self.folder}/{self.name}-{name}.ptx"
        with open(path, "w") as out:
            out.write(ptx)
        try:
            return run("ampc-kernel-run", f"--target={self.chip}", f"--ptx={path}", *options, self.file)
        finally:
            os.remove(path)

    def mutants(self):
        """Every defect once: kind, ordinal, line, text."""
        counts = {}
        for kernel in re.findall(r"(?m)^\.visible \.entry (\w+)", self.ptx):
            for kind, _, line, text in faults.mutants(self.ptx, kernel, self.lines):
                number = counts[kind] = counts.get(kind, -1) + 1
                yield kind, number, line, text

    def judge(self, kind, number, line, text):
        try:
            done = self.check(text, f"{kind.replace(' ', '-')}-{number}")
        except subprocess.TimeoutExpired:
            return kind, number, line, "time-out", ""
        said = (done.stdout + done.stderr).strip().split("\n")
        wrong = next((one for one in said if "FAILED" in one or "refuses" in one), said[0])
        return kind, number, line, {0: "survives", 1: "found"}.get(done.returncode, "crash"), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--forms", default="")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    broken, tried, alive = False, 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for name in FORMS:
            if not re.search(args.forms, name):
                continue
            form = Form(args.folder, name)
            done = list(pool.map(lambda mutant: form.judge(*mutant), form.mutants()))
            before = alive
            for kind, number, line, verdict, said in done:
                excused = (name, kind, number) in SURVIVORS
                alive += verdict == "survives"
                wrong = verdict in ("crash", "time-out") or (verdict == "survives") != excused
                broken |= wrong
                if wrong or args.v:
                    print(f"{'WRONG ' if wrong else ''}{name}: {kind} #{number} (line {line}): {verdict} {said[:150]}")
            print(f"{name}: {len(done)} defects, {alive - before} survive")
            broken |= not done
            tried += len(done)
    print(f"all: {tried} defects, {alive} survive")
    return broken or alive > 0.05 * tried


if __name__ == "__main__":
    raise SystemExit(main())
