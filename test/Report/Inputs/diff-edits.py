# A single change to a report is a single line of `ampc report --diff`, in both directions: diff-edits.py REPORT EDITED
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import json
import subprocess
import sys

path, edited = sys.argv[1:3]
with open(path) as file:
    report = json.load(file)


def put(place, value):
    """Sets the value at a place; None removes the entry."""
    def change(copied):
        for key in place[:-1]:
            copied = copied[key]
        if value is None:
            del copied[place[-1]]
        elif isinstance(copied, list) and place[-1] == len(copied):
            copied.append(value)
        else:
            copied[place[-1]] = value
    return change


def number(rows, **wanted):
    return next(i for i, row in enumerate(rows) if all(row.get(key) == value for key, value in wanted.items()))


step = report["steps"][0]
ops, casts, name = step["operations"], step["casts"], step["name"]
op, cast = next(i for i, row in enumerate(ops) if "saved_bytes" in row), number(casts, part="backward", to="f16")
text = lambda value: "none" if value is None else json.dumps(value)
cases = []  # place, value, the line with `->`, or with a sign in front
for field, value in (("computes", "bf16"), ("stored", "f64"), ("rule", "override"), ("shape", "8x8"), ("bytes", 7), ("saved_bytes", 5), ("saved_bytes", None)):
    cases.append((["steps", 0, "operations", op, field], value, f"  {name} {ops[op]['id']} {field}: {text(ops[op][field])} -> {text(value)}"))
for field, value in (("from", "f64"), ("to", "bf16"), ("bytes", 7), ("of", "x:input#0")):
    cases.append((["steps", 0, "casts", cast, field], value, f"  {name} {casts[cast]['id']} {field}: {text(casts[cast][field])} -> {text(value)}"))
for place in (["totals", "arena_bytes", "mixed"], ["totals", "saved_bytes", "f32"], ["counts", "casts", "f32 to f16"],
              ["policy_costs", "autocast"], ["loss_scaling", "interval"]):
    old = step
    for key in place:
        old = old[key]
    cases.append((["steps", 0, *place], 3, f"{name} {' '.join(place)}: {text(old)} -> 3"))
for place in (["options", "policy"], ["state_bytes", "mixed", "total"], ["scratch_bytes_per_thread", "f32"]):
    old = report
    for key in place:
        old = old[key]
    cases.append((place, 3, f"{' '.join(place)}: {text(old)} -> 3"))
cases.append((["steps", 0, "operations", op], None, f"- {name} {ops[op]['id']}"))
cases.append((["steps", 0, "casts", cast], None, f"- {name} {casts[cast]['id']}"))
cases.append((["steps", 1], {**copy.deepcopy(step), "name": "second"}, "+ step second"))


def diff(one, other):
    done = subprocess.run(["ampc", "report", "--diff", one, other], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


for place, value, line in cases:
    changed = copy.deepcopy(report)
    put(place, value)(changed)
    with open(edited, "w") as out:
        json.dump(changed, out)
    back = {"-": "+", "+": "-"}.get(line[0], "") + line[1:]
    if " -> " in line:
        head, values = line.rsplit(": ", 1)
        old, new = values.split(" -> ")
        back = f"{head}: {new} -> {old}"
    for want, got in ((line, diff(path, edited)), (back, diff(edited, path))):
        assert got == (1, want + "\n"), (place, want, got)
print(len(cases), "changes")
