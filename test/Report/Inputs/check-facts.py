# The JSON of a report against the compiler's remarks, and against itself.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import json
import re
import sys

report = json.load(open(sys.argv[1]))
remarks = open(sys.argv[2]).read()

decided, cast = collections.Counter(), collections.Counter()
for place, text in re.findall(r"([^/\s]+:\d+:\d+): remark: (.*)", remarks):
    op = re.fullmatch(r"(.*?): (\S+) computes in '?(\w+)'? \((\S+)\): (.*)", text)
    conversion = re.fullmatch(r"(\S+): cast from '?(\w+)'? to '?(\w+)'?(, again in the backward pass)?: (.*)", text)
    if op:
        name, kind, _, rule, reason = op.groups()
        decided[place, name, kind, rule, reason] += 1
    elif conversion:
        name, source, target, again, reason = conversion.groups()
        cast[place, name, source, target, bool(again), reason] += 1

# Remarks are about all programs of a model, a report about its training programs.
for step in report["steps"]:
    ids = [row["id"] for row in step["operations"] + step["casts"]]
    assert len(set(ids)) == len(ids), "ids are not unique"
    known, explained = set(ids), 0
    for op in step["operations"]:
        if "reason" in op:
            key = op["source"], op["name"], op["op"], op["rule"], op["reason"]
            assert decided[key] > 0, f"no remark for {key}"
            explained += 1
        elif op["computes"] in ("f32", "f16", "bf16"):
            left = [key for key in decided if key[:3] == (op["source"], op["name"], op["op"])]
            assert not left, f"the reason is lost: {left}"
        for operand in op["operands"]:
            assert ("from" in operand) != ("label" in operand), operand
            assert operand.get("from", ids[0]) in known and all(c in known for c in operand.get("casts", [])), operand
    assert explained > 20, explained
    own = collections.Counter()
    for row in step["casts"]:
        own[row["source"], row["id"].rsplit(":", 1)[0], row["from"], row["to"], row.get("recomputed", False), row["reason"]] += 1
        assert all(reader in known for reader in row["readers"]), row
    for key, count in own.items():
        assert cast[key] >= count, f"no remark for the cast {key}"
    # What is said of a cast in this program is in the report: none of these belongs to another one only.
    if len(report["steps"]) == 1:
        backward = {key for key in cast if ".grad" in key[1]}
        assert backward and backward <= set(own), backward - set(own)

    totals, mixed = step["totals"], step["memory"]["mixed"]
    kept = sum(row.get("saved_bytes", 0) for row in step["operations"] + step["casts"])
    assert kept == totals["saved_value_bytes"]["mixed"] > 0, (kept, totals)
    for side, memory in step["memory"].items():
        arena = totals["arena_bytes"][side]
        assert all(b["offset"] + b["bytes"] <= arena and b["first"] <= b["last"] for b in memory["buffers"])
        buffers = memory["buffers"]
        for i, a in enumerate(buffers):  # one takes over another's bytes only where that ends
            for b in buffers[i + 1:]:
                apart = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
                assert apart or a["last"] <= b["first"] or b["last"] <= a["first"], (a, b)
        assert max(k["live_bytes"] for k in memory["kernels"]) == totals["peak_live_bytes"][side] <= arena
        assert memory["kernels"][memory["peak_kernel"]]["live_bytes"] == totals["peak_live_bytes"][side]
    costs = step["policy_costs"]
    assert costs["mincut"] <= min(costs.values()), costs

if len(sys.argv) > 3:  # one plan, two descriptions
    manifest = json.load(open(sys.argv[3]))
    (program,) = (p for p in manifest["programs"] if p["kind"] == "train")
    (step,) = report["steps"]
    assert step["totals"]["saved_bytes"]["mixed"] == program["saved_bytes"] == manifest["memory_bytes"]["arena, kept for backward"]
    assert step["totals"]["arena_bytes"]["mixed"] == program["arena_bytes"]

text = open(sys.argv[1]).read()
assert '"/' not in text and "0x" not in text, "an absolute path or an address"
print("facts agree:", sum(len(s["operations"]) for s in report["steps"]), "ops,", sum(len(s["casts"]) for s in report["steps"]), "casts")
