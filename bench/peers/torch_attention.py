# Causal attention by PyTorch on a GPU, forward alone and with gradient: the peer of ampc's kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import statistics

import torch_timing


def main():
    arguments = torch_timing.parse_arguments("causal attention in PyTorch", batch=16, heads=12, context=1024, size=64)
    import torch
    from torch.nn import functional

    shape = (arguments.batch, arguments.heads, arguments.context, arguments.size)
    q, k, v = (torch.randn(shape, device=arguments.device, dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    cotangent = torch.randn(shape, device=arguments.device, dtype=torch.bfloat16)

    def milliseconds(run):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    def forward():
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def both():
        torch.autograd.grad(forward(), (q, k, v), cotangent)

    line = {"name": arguments.name or "attention", "torch_version": torch.__version__}
    for name, run in (("forward_ms", forward), ("both_ms", both)):
        for _ in range(arguments.warm_up):
            run()
        line[name] = statistics.median(milliseconds(run) for _ in range(arguments.steps))
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
