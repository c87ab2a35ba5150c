# The JSON of a report against the compiler's remarks, the table of ops, and itself: check-facts.py REPORT REMARKS [MANIFEST [REPORT_IN_F32]]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import glob
import json
import math
import os
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

categories = {}
for page in glob.glob(os.path.join(os.path.dirname(__file__), "../../../docs/reference/train/*.md")):
    with open(page) as file:
        categories.update(re.findall(r"### `(train\.\w+)` [^#]*?Precision category: `(\w+)`", file.read()))
SIZES = {"i1": 1, "i32": 4, "i64": 8, "f64": 8, "f32": 4, "f16": 2, "bf16": 2}


def elements(shape):
    return math.prod(map(int, shape.split("x"))) if shape else 1


def results_of(op):
    """Number of results: an update of Adam gives the parameter and the moments, and reads a gradient besides."""
    whole = [operand for operand in op["operands"] if operand["type"].rsplit("x", 1)[0] == op["shape"]]
    return len(whole) - 1 if op["op"] == "train.update" else 1


def tensor(kind, rows=None):
    """Shape, element type and bytes of a tensor with a type such as "4x16xbf16", or of `rows` of it."""
    *shape, element = kind.split("x")
    shape = [str(rows)] * (rows is not None) + shape
    return "x".join(shape + [element]), elements("x".join(shape)) * SIZES[element]


def check_loop(loop, by_id, casts, readers):
    """Types and bytes of a loop's results are those of the values passed on and kept; values passed on have the types of the initial values."""
    rounds, carried = loop["body_rounds"], len(loop["next"])
    results = [tensor(value["type"]) for value in loop["next"]] + [tensor(value["type"], rounds) for value in loop["each"]]
    assert [value["type"] for value in loop["next"]] == [value["type"] for value in loop["operands"][:carried]], loop
    assert rounds > 0 and results, loop
    if not any(cast["of"] == loop["id"] and cast.get("loop") == loop.get("loop") for cast in casts):
        assert loop["bytes"] == sum(size for _, size in results), loop
    rows = [value["type"].split("x", 1) for value in loop["operands"][carried:]]
    assert all(int(count) == rounds for count, _ in rows), loop
    arguments = {"index": "i32"} | {f"carried {i}": value["type"] for i, value in enumerate(loop["next"])} | {f"row {i}": row for i, (_, row) in enumerate(rows)}
    for op, operand in readers:
        if op.get("loop") == loop["id"] or "argument" in operand:
            kind = arguments[operand["argument"]]
        else:
            kind = next(k for k, _ in results if k.rsplit("x", 1)[0] == operand["type"].rsplit("x", 1)[0])
        assert operand.get("casts") or operand["type"] == kind or "argument" not in operand, (op, operand)


def check_rounds(row, by_id):
    """An op runs in every round of all loops around it, and all rounds keep values for the backward pass."""
    rounds, around = 1, row.get("loop")
    while around:
        rounds, around = rounds * by_id[around]["body_rounds"], by_id[around].get("loop")
    assert row.get("rounds", 1) == rounds and ("rounds" in row) == ("loop" in row), row
    if "loop" in row:
        assert row.get("saved_bytes", 0) % rounds == 0 and row["part"] == by_id[row["loop"]]["part"], row
    elif "body_rounds" not in row:
        assert row.get("saved_bytes", 0) <= row["bytes"], row


def check_rows(step):
    """Bytes follow from shapes and types, the reference page has the categories, and both ends of an edge list each other."""
    operations, casts = step["operations"], step["casts"]
    by_id, cast_by_id, readers = {op["id"]: op for op in operations}, {row["id"]: row for row in casts}, {row["id"]: [] for row in casts}
    seed = next((i for i, op in enumerate(operations) if op["op"] == "train.seed"), len(operations))
    uses = collections.defaultdict(list)
    behind_seed, made = False, {op["name"] for op in operations[:seed] if op["part"] == "forward"}
    for op in operations:
        behind_seed |= op["op"] == "train.seed"
        if op["op"] in categories:
            assert op["category"] == categories[op["op"]], op
        check_rounds(op, by_id)
        if not op["op"].startswith("amp.") and "body_rounds" not in op:  # some amp ops have several results
            kinds, results = op["stored"].split(" and "), results_of(op)
            assert op["bytes"] == elements(op["shape"]) * (sum(SIZES[kind] for kind in kinds) + (results - 1) * SIZES[kinds[0]]), op
            assert op["f32_bytes"] == elements(op["shape"]) * results * max(4 if kind[-3:] in ("f64", "f16") else SIZES[kind] for kind in kinds), op
        assert op.get("recomputed", False) == (op["part"] == "backward" and op["op"] != "train.seed" and op["name"] in made), op
        repeated = behind_seed and op["part"] == "forward" and op["name"] in made  # the next micro-batch
        assert (op["part"] in ("input", "forward")) != behind_seed or repeated, op
        assert not op["name"].endswith(".grad") or op["part"] == "backward", op
        for operand in op["operands"] + op.get("next", []) + op.get("each", []):
            chain = [cast_by_id[name] for name in operand.get("casts", [])]
            for cast in chain:
                readers[cast["id"]] += [op["id"]] if op["id"] not in readers[cast["id"]] else []
                assert cast["of"] == operand.get("from", operand.get("label")), (op, cast)
            kind = operand["type"].rsplit("x", 1)[-1]
            assert not chain or chain[0]["to"] == kind, (op, chain)
            of = by_id.get(operand.get("from"), {"op": "amp."})
            if "body_rounds" in of:
                uses[of["id"]].append((op, operand))
            elif of["op"].split(".")[0] != "amp":
                assert operand["type"] == "x".join(filter(None, (by_id[operand["from"]]["shape"], kind))), (op, operand)
    for cast in casts:
        assert cast["bytes"] == elements(cast["shape"]) * SIZES[cast["to"]] and sorted(cast["readers"]) == sorted(readers[cast["id"]]), cast
        assert cast["of"] not in by_id or "body_rounds" in by_id[cast["of"]] or by_id[cast["of"]]["shape"] == cast["shape"], cast
        check_rounds(cast, by_id)
    for op in operations:
        if "body_rounds" in op:
            check_loop(op, by_id, casts, uses[op["id"]])
    assert any(cast["bytes"] == 2 * elements(cast["shape"]) for cast in casts) or not casts, "nothing was rounded"


def check_totals(step):
    """Sums and counts equal the sums and counts of the rows."""
    counted = collections.defaultdict(collections.Counter)
    for op in step["operations"]:
        if op["part"] != "input":
            counted[op["part"]][op["computes"]] += 1
    for cast in step["casts"]:
        counted["casts"][f"{cast['from']} to {cast['to']}"] += 1
    assert step["counts"] == counted, (step["counts"], counted)
    totals = step["totals"]
    assert totals["operations"]["mixed"] == len(step["operations"]) and totals["casts"]["mixed"] == len(step["casts"]), totals
    for side in ("f32", "mixed"):
        launches, kernels = totals["launches"][side], len(step["memory"][side]["kernels"])
        assert launches >= totals["distinct_kernels"][side] > 0, totals
        assert launches > kernels if any("body_rounds" in op for op in step["operations"]) else launches == kernels, totals
    assert abs(totals["saved_ratio"] - totals["saved_bytes"]["mixed"] / totals["saved_bytes"]["f32"]) < 1e-4, totals


def same_side(mixed, alone):
    """The side `f32` of a report equals the report of the step in f32, pair by pair."""
    assert mixed.keys() >= alone.keys() - {"saved_ratio"}, (mixed, alone)
    for key, value in alone.items():
        if key in ("f32", "mixed"):
            assert mixed["f32"] == value, (mixed, alone)
        elif isinstance(value, dict):
            same_side(mixed[key], value)


for bytes_of in report["state_bytes"].values():
    assert bytes_of["total"] == sum(n for role, n in bytes_of.items() if role != "total") > 0, bytes_of

# Remarks cover all programs of a model, a report the training programs only.
for step in report["steps"]:
    check_rows(step)
    check_totals(step)
    ids = [row["id"] for row in step["operations"] + step["casts"]]
    assert len(set(ids)) == len(ids), "ids are not unique"
    known, explained = set(ids), 0
    for op in step["operations"]:
        if "reason" in op:
            key = op["source"], op["name"], op["op"], op["rule"], op["reason"]
            unnamed = (key[0], op["op"], *key[2:])  # a sum in the body of a loop's adjoint, which the report names after the loop
            assert decided[key] > 0 or "loop" in op and decided[unnamed] > 0, f"no remark for {key}"
            explained += 1
        elif op["computes"] in ("f32", "f16", "bf16"):
            left = [key for key in decided if key[:3] == (op["source"], op["name"], op["op"])]
            assert not left, f"the reason is lost: {left}"
        for operand in op["operands"]:
            assert ("from" in operand) != ("label" in operand), operand
            assert operand.get("from", ids[0]) in known and all(c in known for c in operand.get("casts", [])), operand
    assert explained > 20, explained
    own = set()
    for row in step["casts"]:
        own.add((row["source"], row["id"].rsplit(":", 1)[0], row["from"], row["to"], row.get("recomputed", False), row["reason"]))
        assert all(reader in known for reader in row["readers"]), row
    for key in own:
        assert cast[key], f"no remark for the cast {key}"  # one for casts with equal remarks
    # Remarks on this program are in the report; no remark belongs to another program only.
    if len(report["steps"]) == 1:
        backward = {key for key in decided if ".grad" in key[1]}
        missing = backward - {(op["source"], op["name"], op["op"], op.get("rule"), op.get("reason")) for op in step["operations"]}
        assert backward and not missing, missing
        backward = {key for key in cast if ".grad" in key[1]}
        assert backward and backward <= set(own), backward - set(own)

    totals, mixed = step["totals"], step["memory"]["mixed"]
    kept = sum(row.get("saved_bytes", 0) for row in step["operations"] + step["casts"])
    assert kept == totals["saved_value_bytes"]["mixed"] > 0, (kept, totals)
    for side, memory in step["memory"].items():
        arena = totals["arena_bytes"][side]
        assert all(b["offset"] + b["bytes"] <= arena and b["first"] <= b["last"] for b in memory["buffers"])
        buffers = memory["buffers"]
        for i, a in enumerate(buffers):  # a buffer may reuse the bytes of another only after the other's end
            for b in buffers[i + 1:]:
                apart = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
                assert apart or a["last"] <= b["first"] or b["last"] <= a["first"], (a, b)
        for time, kernel in enumerate(memory["kernels"]):
            used = set()
            for b in buffers:
                used |= set(range(b["offset"] // 64, (b["offset"] + b["bytes"]) // 64)) if b["first"] <= time <= b["last"] else set()
            assert kernel["live_bytes"] == 64 * len(used), (kernel, len(used))
        assert max(k["live_bytes"] for k in memory["kernels"]) == totals["peak_live_bytes"][side] <= arena
        assert memory["kernels"][memory["peak_kernel"]]["live_bytes"] == totals["peak_live_bytes"][side]
    costs = step["policy_costs"]
    if not any("body_rounds" in op for op in step["operations"]):  # with loops the cut is under more constraints
        assert costs["mincut"] <= min(costs.values()), costs
    assert costs["mincut"] < costs["autocast"], costs

if len(sys.argv) > 3:  # two descriptions of a single plan
    manifest = json.load(open(sys.argv[3]))
    (program,) = (p for p in manifest["programs"] if p["kind"] == "train")
    (step,) = report["steps"]
    assert step["totals"]["saved_bytes"]["mixed"] == program["saved_bytes"] == manifest["memory_bytes"]["arena, kept for backward"]
    assert step["totals"]["arena_bytes"]["mixed"] == program["arena_bytes"]

if len(sys.argv) > 4:
    wide = json.load(open(sys.argv[4]))
    for part in ("state_bytes", "scratch_bytes_per_thread"):
        same_side(report[part], wide[part])
        assert report[part]["mixed"] != report[part]["f32"], part
    for step, alone in zip(report["steps"], wide["steps"], strict=True):
        same_side(step["totals"], alone["totals"])
        same_side(step["memory"], alone["memory"])
        assert all(step["totals"][key]["mixed"] != step["totals"][key]["f32"] for key in ("saved_bytes", "arena_bytes", "operations", "casts"))

text = open(sys.argv[1]).read()
assert '"/' not in text and not re.search(r"\b0x", text), "an absolute path or an address"
print("facts agree:", sum(len(s["operations"]) for s in report["steps"]), "ops,", sum(len(s["casts"]) for s in report["steps"]), "casts")
