# Prints a kernel of each fast form and element type, at sizes of real models, for tests of machine code.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    from attention import attention
    from convs import conv
    from gemms import gemm


def fused_reduction(emit):
    """The kernel that `emit` prints, with the sum of the squares of the elements."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        emit()
    head, rest = text.getvalue().split(") -> ", 1)
    arguments = re.findall(r"(%\w+): (tensor<[^>]*>)", head)
    result, body = rest.split(" {\n", 1)
    result = result.strip("()")
    kernel, end = body.rsplit("\n  kernel.return", 1)
    name = re.match(r"\s*(%\w+)(?::1)? =", kernel).group(1)
    inner = ", ".join(f"{value}: {type}" for value, type in arguments)
    outer = ", ".join(f"%o{i}: {type}" for i, (_, type) in enumerate(arguments))
    values, types = ", ".join(f"%o{i}" for i in range(len(arguments))), ", ".join(type for _, type in arguments)
    print(f"""{head.split("(")[0]}({outer}) -> ({result}, tensor<f32>) {{
  %y, %t = kernel.fused_reduction({values} : {types}) of {{
  ^bb0({inner}):
{kernel}
    kernel.yield {name} : {result}
  }} sum {{
  ^bb0(%element: f32):
    %square = arith.mulf %element, %element : f32
    kernel.yield %square : f32
  }} : {result}, tensor<f32>
  kernel.return %y, %t : {result}, tensor<f32>
}}""")


def forms():
    """Name -> function that prints the kernel; several kernels get letters behind the name."""
    for element in ["bf16", "f16"]:
        for layout in ["NN", "NT", "TN"]:
            yield f"gemm_{layout.lower()}_{element}", lambda: gemm(2048, 2048, 1024, layout, element=element, result=element, body="bias")
    yield "gemm_nn_tf32", lambda: gemm(2048, 2048, 1024, "NN", mode="tf32", body="bias")
    yield "gemm_nt_vocabulary_bf16", lambda: gemm(1024, 50257, 768, "NT", element="bf16", result="bf16")
    yield "gemm_nn_vocabulary_bf16", lambda: gemm(1024, 768, 50257, "NN", element="bf16", result="bf16")
    yield "gemm_tn_vocabulary_bf16", lambda: gemm(50257, 768, 1024, "TN", element="bf16")
    yield "gemm_full_bf16", lambda: gemm(2048, 2048, 1024, "NN", element="bf16", result="bf16", body="full")
    yield "gemm_long_bf16", lambda: gemm(256, 256, 16384, "TN", element="bf16")
    yield "gemm_totals_bf16", lambda: fused_reduction(lambda: gemm(768, 3072, 1024, "TN", element="bf16"))
    yield "gemm_long_totals_bf16", lambda: fused_reduction(lambda: gemm(256, 256, 16384, "TN", element="bf16"))
    yield "gemm_nn_f32", lambda: gemm(1024, 1024, 1024, "NN", body="bias")
    yield "conv_bf16", lambda: conv(8, 56, 64, 64, 3, pad=1, element="bf16")
    yield "conv_stride_bf16", lambda: conv(8, 56, 64, 128, 3, stride=2, pad=1, element="bf16")
    yield "conv_stem_bf16", lambda: conv(8, 112, 3, 64, 7, stride=2, pad=3, element="bf16")
    yield "conv_depthwise_bf16", lambda: conv(8, 28, 96, 96, 3, pad=1, groups=96, element="bf16")
    for width in [32, 64, 80, 128, 256]:
        yield f"attention_{width}_bf16", lambda: attention(1024, 1024, width, element="bf16", result="bf16", causal=True)
    yield "attention_bias_64_f16", lambda: attention(1024, 1024, 64, element="f16", result="f16", bias="head")


def kernels(wanted=""):
    """Each as text with its name."""
    for name, emit in forms():
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            emit()
        parts = re.split(r"(?m)^(?=kernel\.program)", text.getvalue())[1:]
        for letter, part in zip("abc", parts):
            full = name + (f"_{letter}" if len(parts) > 1 else "")
            if re.search(wanted, full):
                yield full, part


if __name__ == "__main__":
    for _, kernel in kernels(*sys.argv[1:]):
        print(kernel)
