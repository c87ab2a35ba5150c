# Options of `ampc compile` against options of a phase of ampc-opt: a single table defines both.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess


def options(text):
    return dict(re.findall(r"^ *--([a-z-]+)(?:\[?=<[^>]*>+\]?)? +- (.*)$", text, re.M))


def help_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


driver = options(help_of("ampc", "compile", "--help-hidden"))
every = help_of("ampc-opt", "--help")
phase = options(re.search(r"\n +--phase-precision .*\n((?:        --.*\n)+)", every)[1])
shared = phase.keys() & driver.keys()
different = [name for name in shared if phase[name] != driver[name]]
print("internal:", *sorted(phase.keys() - shared))
print("shared:", *sorted(shared))
print("different:", *different)
