# Reads a disassembly (llvm-objdump -d) and counts the tile instructions of each function: in all, and in innermost loops.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import re
import sys

products = ["tdpbf16ps", "tdpfp16ps"]
names = ["ldtilecfg", "tilezero", "tileloadd", *products, "tilestored", "tilerelease"]


def show(what, instructions):
    counts = collections.Counter(name for _, name, _ in instructions if name in names)
    print(what + ": " + ", ".join(f"{counts[name]} {name}" for name in names if counts[name]))


def finish(function, code):
    if not any(name in products for _, name, _ in code):
        return
    show(function, code)
    loops = []
    for at, name, operands in code:
        target = re.match(r"0x([0-9a-f]+)", operands)
        if name.startswith("j") and target and int(target.group(1), 16) < at:
            loops.append((int(target.group(1), 16), at))
    for start, end in sorted(loops):
        inside = [i for i in code if start <= i[0] <= end]
        is_inner = not any(start <= s and e <= end and (s, e) != (start, end) for s, e in loops)
        if is_inner and any(name in products for _, name, _ in inside):
            show("  loop", inside)


function, code = None, []
for line in sys.stdin:
    label = re.match(r"[0-9a-f]+ <(.*)>:", line)
    instruction = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
    if label:
        finish(function, code)
        function, code = label.group(1), []
    elif instruction:
        code.append((int(instruction.group(1), 16), instruction.group(2), instruction.group(3)))
finish(function, code)
