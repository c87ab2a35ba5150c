# The rows of `ampc compile --memory` against the library and its manifest: state-bytes.py MODEL FOLDER OUTPUT.txt
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import json
import os
import sys

model, folder, output = sys.argv[1:]
text = open(output).read().split("_state_bytes")[1]
rows = {line[:28].strip(): int(line[28:]) for line in text.splitlines()[1:]}
manifest = json.load(open(f"{folder}/{model}.json"))
library = ctypes.CDLL(os.path.abspath(f"{folder}/lib{model}.so"))
state_bytes = getattr(library, f"{model}_state_bytes")
state_bytes.restype = ctypes.c_size_t

# Without options a state has a thread per processor.
threads = len(os.sched_getaffinity(0))
assert state_bytes(None) == rows["total"] + (threads - 1) * rows["each further thread"], (rows, threads, state_bytes(None))
ends = [t["offset"] + t["bytes"] for t in manifest["tensors"] if t["role"] != "gradient"]
assert rows["tensors, no gradients"] == max(ends)
assert rows["arena"] == manifest["peak_arena_bytes"]
parts = [rows[name] for name in ("tensors, no gradients", "arena", "scratch of the thread", "calls and checkpoints")]
assert sum(parts) == rows["total"] and min(parts) >= 0, rows
