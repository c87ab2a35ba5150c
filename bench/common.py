# Shared parts of the tables of ./dev bench: paths, commands with a time limit, rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.dirname(here)
build = os.path.join(source, os.environ.get("AMPC_BUILD", "build"))
ampc = os.path.join(build, "bin", "ampc")


def lines_of(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


# Time limit of a command: PyTorch takes minutes for a step in f16 on processors without f16 products.
MOST_SECONDS = 900


def run(command, **environment):
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"stopped after {MOST_SECONDS} s: {' '.join(command)}", file=sys.stderr)
        return []
    if done.returncode != 0:
        print(f"failed: {' '.join(command)}\n{done.stderr.strip()[-400:]}", file=sys.stderr)
        return []
    return lines_of(done.stdout)


def peer(*script):
    """A script of bench/peers."""
    return os.path.join(here, "peers", *script)


def shown(value, unit, quartiles=None):
    """With the quartiles, in which half of the runs lie, as the spread."""
    return f"{value:.4g} {unit}" + (f", {quartiles[0]:.4g} to {quartiles[1]:.4g}" if quartiles else "")


def row(what, ours, unit, peer, name, smaller_is_better, spread=None, peer_spread=None):
    if not ours:
        return
    ratio = f"{ours / peer:.2f}" if peer else "-"
    side = f"{shown(peer, unit, peer_spread)} ({name})" if peer else "not measured"
    note = "at most 1 is better" if smaller_is_better else "at least 1 is better"
    print(f"| {what} | {shown(ours, unit, spread)} | {side} | {ratio} ({note}) |", flush=True)
