# Prints kernel.gemm ops for the warpgroups of sm_90a, for ampc-kernel-run: layouts, remainders, batches. "tiles": every tile shape;
# "turns": the ping-pong schedule; "more": also of clusters; "parts": cluster split-K; "pixels": convolutions with a single tap, and filter
# gradients; "gathers": windows of images, and unaligned lines.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    import convs
    from gemms import gemm

if sys.argv[1:] == ["tiles"]:  # whatever a table says
    gemm(264, 2824, 72, "NN", element="bf16", result="bf16", plan="wgmma, m = 64, n = 128")
    gemm(1032, 840, 24, "NT", element="f16", body="bias", plan="wgmma, m = 64, n = 128")
    gemm(136, 2824, 200, "TT", element="f16", result="f16", body="long", plan="wgmma, m = 128, n = 64")
    gemm(520, 1672, 136, "TN", element="bf16", result="bf16", body="bias", plan="wgmma, m = 128, n = 128")
    gemm(1032, 1672, 72, "TT", element="bf16", result="bf16", plan="wgmma, m = 64, n = 256")
    gemm(648, 2824, 72, "NT", element="f16", result="f16", body="long", plan="wgmma, m = 128, n = 192")
    gemm(1032, 2696, 136, "NN", element="bf16", result="bf16", plan="wgmma, m = 128, n = 256")
elif sys.argv[1:] == ["more"]:
    gemm(136, 2824, 72, "NN", element="bf16", result="bf16")
    gemm(392, 2312, 264, "NN", element="bf16", result="bf16")
    gemm(776, 2312, 72, "TN", element="bf16", result="bf16", body="bias")
    gemm(1032, 2504, 328, "NT", element="bf16", result="bf16")
    gemm(1032, 2696, 72, "TN", element="bf16", result="bf16", body="full")
    gemm(2056, 3080, 136, "NN", element="bf16", result="bf16", body="bias")  # more tiles than multiprocessors
elif sys.argv[1:] == ["turns"]:  # of warpgroups: steps in more stages than the ring has, and in fewer; odd numbers of turns, and none
    gemm(100, 248, 520, "NN", element="bf16", result="bf16", body="full", batch=(150,), shared=True, plan="wgmma, m = 64, n = 256, cluster = 2x1, schedule = pingpong")
    gemm(72, 200, 72, "TT", element="f16", body="long", batch=(7, 30), plan="wgmma, m = 64, n = 256, cluster = 2x1, schedule = pingpong")
    gemm(568, 520, 328, "NT", element="bf16", result="bf16", body="long", batch=(9,), plan="wgmma, m = 64, n = 256, cluster = 2x1, schedule = pingpong")  # a block beyond the last line
    gemm(40, 248, 712, "TN", element="bf16", body="bias", batch=(139,), plan="wgmma, m = 64, n = 256, cluster = 1x1, schedule = pingpong")  # most blocks have a single tile
    gemm(200, 248, 392, "NN", element="bf16", result="bf16", body="bias", batch=(75,), plan="wgmma, m = 64, n = 256, cluster = 2x1, schedule = pingpong")
    gemm(136, 1000, 136, "NT", element="bf16", result="bf16", body="full", batch=(25,), plan="wgmma, m = 128, n = 128, cluster = 1x1, schedule = pingpong")
    gemm(392, 392, 456, "TN", element="f16", result="f16", body="long", batch=(20,), plan="wgmma, m = 128, n = 128, cluster = 2x1, schedule = pingpong")
    gemm(8, 8, 64, "NN", element="bf16", plan="wgmma, m = 128, n = 128, cluster = 1x1, schedule = pingpong")  # one tile
elif sys.argv[1:] == ["parts"]:
    gemm(136, 72, 1100, "TN", element="bf16", result="bf16", body="bias")
    gemm(72, 136, 2112, "NT", element="f16", body="full")
    gemm(24, 40, 1144, "NN", element="bf16", batch=(3,), body="bias")
elif sys.argv[1:] == ["pixels"]:
    convs.conv(2, 9, 24, 40, 1, element="bf16")
    convs.conv(3, 5, 72, 16, 1, element="f16")
elif sys.argv[1:] == ["gathers"]:  # picked where tiles would be chosen
    gemm(70, 75, 300, "NT", element="bf16", body="full")
    gemm(72, 75, 303, "TN", element="bf16", body="bias", result="bf16", plan="wgmma, m = 128, n = 64")
    gemm(200, 50, 131, "NN", element="f16", body="bias", plan="wgmma, m = 64, n = 64")
    gemm(136, 70, 132, "TT", element="bf16", body="bias", batch=(3,))
    gemm(6, 10, 69, "NT", element="f16", batch=(140,), plan="wgmma, m = 64, n = 64")  # more tiles than multiprocessors
    convs.conv(4, 13, 8, 8, 3, pad=1, element="bf16")  # the last block of clusters is beyond the last line
    convs.conv(3, 9, 24, 72, 3, stride=2, pad=1, element="f16")
    convs.conv(2, 7, 4, 12, 3, stride=2, pad=1, element="f16")
    convs.conv(2, 7, 32, 16, 3, pad=1, groups=2, element="bf16")
    convs.conv(2, 5, 16, 24, 3, pad=1, spread=2, element="bf16")
else:
    for layout in ["NN", "NT", "TN", "TT"]:
        gemm(72, 136, 200, layout, element="bf16", body="bias")
        gemm(200, 72, 64, layout, element="f16", body="full")
    gemm(1, 8, 8, "NT", element="bf16")
    gemm(3, 40, 520, "NN", element="bf16", result="bf16", body="bias")  # every stage several times
    gemm(72, 8, 24, "NT", element="bf16", batch=(3, 30))  # more tiles than multiprocessors
    gemm(40, 16, 72, "TN", element="f16", batch=(2, 80), result="f16", body="bias")
    gemm(72, 40, 32, "NT", element="bf16", batch=(2, 3), heads=True)
    gemm(70, 136, 72, "NN", element="bf16", batch=(3,), shared=True, body="bias")
    gemm(16, 24, 40, "TT", element="bf16", batch=(2, 3, 2))
