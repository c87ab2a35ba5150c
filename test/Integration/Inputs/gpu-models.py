# Trains the models of the examples for 20 steps on a GPU and on this processor, side by side.
# gpu-models.py FOLDER CC MODEL.mlir TIER PRECISION
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import sys

from trained import Trained, build, expect, failures, random_batch

MODEL, TIER, PRECISION = sys.argv[3:6]
STEPS = int(os.environ.get("AMPC_TEST_STEPS", "20"))
# Relative bound of losses after 20 steps with sums in another order: measured below a third.
BOUND = {"f32": 0.0, "bf16": 1e-2, "f16": 2e-3}[PRECISION]

with open(MODEL) as file:
    text = file.read()
limits = {"token": 96, "next": 96, "label": 4}
library, name = build(f"{PRECISION}-{TIER}", text, f"--precision={PRECISION}", f"--target={TIER},cpu", "--gpu-images=ptx", "--winograd=off")
gpu, cpu = Trained(library, name, device=b"cuda"), Trained(library, name, threads=2, device=b"cpu")
expect("where it runs", gpu.call("tier", gpu.state, restype=ctypes.c_char_p), TIER.encode())
scaling = ("loss_scale", "found_inf", "skipped", "step")
losses, worst = [], 0.0
for step in range(STEPS):
    # Repeats a few batches, so that training can learn.
    arrays = random_batch(text, step % 4, limits)
    on_gpu, on_cpu = gpu.given(arrays, "train_step"), cpu.given(arrays, "train_step")
    expect(f"step {step}: scale and flags", [getattr(on_gpu, key) for key in scaling], [getattr(on_cpu, key) for key in scaling])
    losses.append(on_gpu.loss)
    worst = max(worst, abs(on_gpu.loss - on_cpu.loss) / abs(on_cpu.loss))
    if step == STEPS // 2:
        gpu.check(gpu.call("save", gpu.state, f"{os.path.dirname(library)}/half.safetensors".encode()), "save")
if worst > BOUND:
    expect(f"losses on {TIER} beside the CPU's", worst, f"at most {BOUND}")
if BOUND == 0:
    expect("states", gpu.bytes(), cpu.bytes())
if STEPS >= 20 and not losses[-1] < 0.95 * losses[0]:
    expect("learning", losses, "losses that fall")
# The second half again, from the file.
again = Trained(library, name, device=b"cuda")
again.check(again.call("load", again.state, f"{os.path.dirname(library)}/half.safetensors".encode(), 0), "load")
resumed = [again.given(random_batch(text, step % 4, limits), "train_step").loss for step in range(STEPS // 2 + 1, STEPS)]
expect("resumed losses", resumed, losses[STEPS // 2 + 1:])
expect("resumed state", again.bytes(), gpu.bytes())
print(f"{name} {PRECISION} {TIER}: losses {losses[0]:.4f} to {losses[-1]:.4f}, at most {worst:.1e} from the CPU's")
raise SystemExit(bool(failures))
