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
    parser.add_argument("--dtype", choices=["f32", "bf16", "f16"], default="f32", help="bf16 and f16 mean autocast, f16 with a gradient scaler")
    parser.add_argument("--steps", type=int, default=20, help="timed steps; their median is printed")
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--limit", type=float, default=120, help="seconds of a mode, behind which no more than three steps are timed, or one if a quarter of it has gone by before")
    parser.add_argument("--mode", choices=["faster", "eager", "compile"], default="faster")
    parser.add_argument("--name", help="in the line that is printed")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    for size, value in sizes.items():
        parser.add_argument(f"--{size}", type=int, default=value)
    arguments = parser.parse_args()
    # Must precede the first import of torch: OpenMP reads the variable once.
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

    if arguments.dtype != "f32":
        return torch.autocast(arguments.device, dtype=torch.bfloat16 if arguments.dtype == "bf16" else torch.float16)
    return contextlib.nullcontext()


class Update:
    """Backward pass and update, with a scaled loss in f16; `clip`: most that the norm of all gradients may be, 0 for any."""

    def __init__(self, arguments, optimizers, clip=0):
        import torch

        self.optimizers, self.limit = optimizers, clip
        self.scaler = torch.amp.GradScaler(arguments.device, enabled=arguments.dtype == "f16")

    def __call__(self, loss):
        self.scaler.scale(loss).backward()
        if self.limit:
            self.clip()
        for optimizer in self.optimizers:
            self.scaler.step(optimizer)
        self.scaler.update()
        return loss.detach()

    def clip(self):
        import torch

        for optimizer in self.optimizers:
            self.scaler.unscale_(optimizer)
        parameters = [each for optimizer in self.optimizers for group in optimizer.param_groups for each in group["params"]]
        torch.nn.utils.clip_grad_norm_(parameters, self.limit)


def time_steps(step, warm_up, steps, limit):
    """Ascending seconds of steps, and those until the first loss of the process was known; the loss must stay finite and must have moved."""
    begin = time.perf_counter()
    losses = [float(step())]
    ready = since_start()
    while len(losses) < warm_up and time.perf_counter() - begin < limit / 4:
        losses.append(float(step()))
    seconds = []
    least = 3 if time.perf_counter() - begin < limit / 4 else 1
    while len(seconds) < min(least, steps) or (len(seconds) < steps and time.perf_counter() - begin < limit):
        start = time.perf_counter()
        losses.append(float(step()))
        seconds.append(time.perf_counter() - start)
    if not all(abs(loss) < 1e30 for loss in losses) or losses[-1] == losses[0]:
        raise RuntimeError(f"the step does not train: losses {losses}")
    return sorted(seconds), ready


def quartiles(ascending):
    return [ascending[len(ascending) // 4], ascending[3 * len(ascending) // 4]]


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
                make_step(mode == "compile"), arguments.warm_up, arguments.steps, arguments.limit
            )
        except Exception as error:  # torch.compile needs a C++ compiler; without one eager is the peer.
            if len(modes) == 1 or mode == "eager":
                raise
            print(f"{name}: {mode} failed: {error}", file=sys.stderr)
    medians = {mode: statistics.median(each) for mode, each in seconds.items()}
    best = min(medians, key=medians.get)
    line = {
        "name": arguments.name or name,
        "dtype": arguments.dtype,
        "device": arguments.device,
        "mode": best,
        "seconds_per_step": medians[best],
        "quartiles": quartiles(seconds[best]),
        "torch_version": torch.__version__,
        "threads": arguments.threads,
        "seconds_by_mode": medians,
        "ready": ready[best],
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(line), flush=True)
