# Times a PyTorch training step, eager and compiled, and prints the faster as one JSON line.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import contextlib
import json
import os
import resource
import statistics
import sys
import time


def parse_arguments(description, **sizes):
    """`sizes`: names of further options with their defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32", help="bf16 means autocast")
    parser.add_argument("--steps", type=int, default=20, help="timed steps; their median is printed")
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--mode", choices=["faster", "eager", "compile"], default="faster")
    parser.add_argument("--name", help="in the line that is printed")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    for size, value in sizes.items():
        parser.add_argument(f"--{size}", type=int, default=value)
    arguments = parser.parse_args()
    # Must precede the first import of torch: OpenMP reads it once.
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    return arguments


def require_recent_torch():
    """The bar is fused AdamW and scaled dot product attention; before 2.4 the CPU has no fused AdamW."""
    import torch

    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
        sys.exit(f"expected PyTorch 2.4 or newer, but got {torch.__version__}: the bar is not shown")


def since_start():
    """Seconds that this process has lived."""
    with open("/proc/self/stat") as file:
        started = int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


def autocast(arguments):
    import torch

    if arguments.dtype == "bf16":
        return torch.autocast(arguments.device, dtype=torch.bfloat16)
    return contextlib.nullcontext()


def time_steps(step, warm_up, steps):
    """Seconds of the median step and until the first loss of the process was known; the loss must stay finite and must have moved."""
    losses = [float(step())]
    ready = since_start()
    losses += [float(step()) for _ in range(warm_up - 1)]
    seconds = []
    for _ in range(steps):
        start = time.perf_counter()
        losses.append(float(step()))
        seconds.append(time.perf_counter() - start)
    if not all(abs(loss) < 1e30 for loss in losses) or losses[-1] == losses[0]:
        raise RuntimeError(f"the step does not train: losses {losses}")
    return statistics.median(seconds), ready


def measure(name, make_step, arguments):
    """`make_step(compiled)` returns a function that runs one step and returns its loss."""
    import torch

    require_recent_torch()
    torch.set_num_threads(arguments.threads)
    torch.set_default_device(arguments.device)
    modes = ["eager", "compile"] if arguments.mode == "faster" else [arguments.mode]
    seconds, ready = {}, {}
    for mode in modes:
        torch.manual_seed(1)
        try:
            seconds[mode], ready[mode] = time_steps(
                make_step(mode == "compile"), arguments.warm_up, arguments.steps
            )
        except Exception as error:  # torch.compile needs a C++ compiler; without one eager is the peer.
            if len(modes) == 1 or mode == "eager":
                raise
            print(f"{name}: {mode} failed: {error}", file=sys.stderr)
    best = min(seconds, key=seconds.get)
    line = {
        "name": arguments.name or name,
        "dtype": arguments.dtype,
        "device": arguments.device,
        "mode": best,
        "seconds_per_step": seconds[best],
        "torch_version": torch.__version__,
        "threads": arguments.threads,
        "seconds_by_mode": seconds,
        "ready": ready[best],
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(line), flush=True)
