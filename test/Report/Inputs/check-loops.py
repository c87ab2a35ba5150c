# Ops, casts and loops of a report against the text of the module that it describes: check-loops.py REPORT MODULE
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import json
import re
import sys

(step,) = json.load(open(sys.argv[1]))["steps"]
by_id = {op["id"]: op for op in step["operations"]}


def loops_of(row):
    """Rounds of the loops around an op, outermost first."""
    rounds = []
    while "loop" in row:
        row = by_id[row["loop"]]
        rounds.insert(0, row["body_rounds"])
    return tuple(rounds)


def rounds_of(line):
    """Rounds of a loop in the text: written, or the leading dimension of the first sequence."""
    if times := re.search(r" times (\d+)", line):
        return int(times[1])
    carried = re.search(r" carry (.*?)(?: over | : )", line)
    types = re.findall(r"tensor<([^>]*)>", line.split(" : ", 1)[1])
    return int(types[carried[1].count("=") if carried else 0].split("x")[0])


ops, casts, around = collections.Counter(), collections.Counter(), []
text = re.split(rf"train\.func @{step['name']}\.train\(.*", open(sys.argv[2]).read())[1]
for line in text.split("\n")[1:]:
    if line.startswith("    }"):
        break
    if line.strip().startswith("}"):
        around.pop()
        continue
    kind = re.match(r"\s*(?:%[^=]*= )?((?:train|amp)\.\w+)", line)[1]
    if kind == "train.cast" and '#amp.decision<"inserted"' in line:
        casts[re.search(r"tensor<(\S+?)> loc", line)[1], tuple(around)] += 1
    elif kind not in ("train.constant", "train.next", "train.return"):
        ops[kind, tuple(around)] += 1
    if kind == "train.scan":
        around.append(rounds_of(line))

told = collections.Counter((op["op"], loops_of(op)) for op in step["operations"] if op["part"] != "input")
assert told == ops, (told - ops, ops - told)
told = collections.Counter(("x".join(filter(None, (cast["shape"], cast["to"]))), loops_of(cast)) for cast in step["casts"])
assert told == casts, (told - casts, casts - told)
inside = sum(count for (_, loops), count in ops.items() if loops)
assert inside > 0 and any(loops for _, loops in casts)
print(inside, "ops are in loops of", sorted({loops for _, loops in ops if loops}), "rounds")
