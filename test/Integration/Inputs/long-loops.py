# Sizes of packages that differ in the number of rounds: long-loops.py [text] ROUNDS...; FOLDER ROUNDS has the package, ROUNDS.emit the text. With `text` there are no packages.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import re
import sys


def sizes(rounds):
    text = open(f"{rounds}.emit").read()
    libraries = [] if text_only else glob.glob(f"{rounds}/lib*.a")
    assert len(libraries) == (not text_only), libraries
    numbers = re.findall(r"kernel\.function = (\d+)", text)
    parts = re.findall(r"kernel\.program @(\S+\.loop\S*)\(.*?arena_bytes = (\d+)", text)
    return {**{"library": os.path.getsize(library) for library in libraries}, "kernels": len(set(numbers)), "rows": len(numbers), "parts": len(parts),
            **{f"memory of a round of {name}": int(arena) for name, arena in parts}}


text_only = sys.argv[1] == "text"
first, *others = sys.argv[1 + text_only:]
expected = sizes(first)
assert expected["parts"] >= 4, f"expected programs of four loops, but got {expected}"
for rounds in others:
    found = sizes(rounds)
    assert found.keys() == expected.keys(), f"expected {expected}, but got {found}"
    for what, size in found.items():
        assert abs(size - expected[what]) <= 0.05 * expected[what], f"{what}: expected {expected[what]} as with {first} rounds, but got {size} with {rounds}"
print(f"{first} to {others[-1]} rounds: {'' if text_only else 'library, '}kernels and rows of the table within 5 %")
