# Numbers of functions of kernels that two models have, per target and precision.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys


def functions(model, target, precision):
    run = subprocess.run(["ampc", "compile", model, "--quiet", "--target=" + target, "--precision=" + precision, "--compile-to=emit", "-o", "-"],
                         stdout=subprocess.PIPE, check=True, text=True)
    return len(set(re.findall(r"kernel\.function = (\d+)", run.stdout)))


for target, precision in (("cpu", "f32"), ("cpu", "bf16"), ("reference", "f32"), ("sm_80", "bf16"), ("sm_90a", "bf16")):
    print(target, precision, *(f"{functions(model, target, precision)}{end}" for model, end in zip(sys.argv[1:], (" =", ""))))
