# Fails, with names, if an op of the dialect has no numeric test, or an attribute of an op none with an unusual value that the op
# takes: all-ops.py DIALECT_FOLDER TEST_FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

import attributes

dialect, tests = map(pathlib.Path, sys.argv[1:3])
# Ops of a model's structure, and markers, compute nothing.
structure = {"model", "use", "param", "buffer", "knob", "follow", "func", "return", "call", "apply", "read", "write", "step", "export", "seed", "gradient", "next"}
# Ops that only adjoints and decompositions build are covered by the op in the value column.
through = {"batch_normalize": "batch_norm", "avg_pool_grad": "avg_pool", "segment_sum": "embedding",
           "attention_grad": "attention"}

# Ops of chunked losses, which passes insert and remove: the results are those of whole batches, by PyTorch.
parts = {"count", "share", "total"}
if not (tests.parent / "Oracle/part-weights.test").exists():
    sys.exit("expected Oracle/part-weights.test to have the numbers of " + ", ".join(sorted(parts)))
# Ops of a training by several ranks: the results are those of micro-batches, bit for bit.
ranks = {"gather_ranks", "rank", "sum_ranks"}
if not (tests.parent / "Comm/threads.test").exists():
    sys.exit("expected Comm/threads.test to have the numbers of " + ", ".join(sorted(ranks)))
parts |= ranks

ops = set()
for file in dialect.rglob("*.td"):
    ops |= set(re.findall(r'^def Train_\w+Op\s*:\s*\w+<\s*(?:TrainDialect,\s*)?"(\w+)"', file.read_text(), re.M))
if len(ops) < 80:
    sys.exit(f"expected at least 80 ops in {dialect}, but found {len(ops)}")

missing, wide = [], []
for op in sorted(ops - structure - parts):
    name = through.get(op, op)
    test = tests / f"{name}.mlir"
    text = test.read_text() if test.exists() else ""
    if "RUN:" not in text or not re.search(rf"^[^/]*\btrain\.{name}\b", text, re.M):
        missing.append(op)
    elif "RUN: ampc check" in text and "--also=bf16,f16" not in text:
        wide.append(op)
if wide:
    sys.exit("expected --also=bf16,f16 in the numeric test of " + ", ".join(wide))
if missing:
    sys.exit("no numeric test for " + ", ".join(missing))
print(f"every op has a numeric test: {len(ops - structure - parts)} ops")

lacking, count = attributes.missing(dialect, tests, structure | parts | {"grad", "update"} | through.keys())
if lacking:
    sys.exit("no numeric test has\n  " + "\n  ".join(lacking))
print(f"every attribute has a numeric test with unusual values: {count} attributes")
