# Table of the node tests: a row per op, with passed tests and reasons of the rest.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For node-tests.py."""
import collections

import numpy as np


def base_op(case, ops):
    """The op of a test. For a test whose node is expanded into a function: the op that the function implements."""
    name = case.name.split("_expanded")[0]
    return ops.get(name, case.op) if "_expanded" in case.name else case.op


def rows_of(cases):
    ops = {case.name: case.op for case in cases}
    rows = collections.defaultdict(list)
    for case in cases:
        rows[base_op(case, ops)].append(case)
    return rows


def is_wrong(case):
    return bool(case.reason) and case.reason.startswith("wrong")


def row_text(op, cases):
    passed = sum(not case.reason for case in cases)
    known = sum(not case.reason and bool(case.known) for case in cases)
    reasons = collections.Counter(case.reason for case in cases if case.reason)
    why = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items())).replace("|", "\\|")
    return f"| {op} | {passed} | {known or ''} | {len(cases) - passed or ''} | {why} |"


def text_of(cases, source):
    rows = rows_of(cases)
    passed = sum(not case.reason for case in cases)
    wrong = sum(map(is_wrong, cases))
    lines = ["<!-- Written by test/Import/node-tests.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
             f"# Node tests of {source}", "",
             f"{len(cases)} tests: {passed} passed, {len(cases) - passed - wrong} not supported, {wrong} failed. *Known* counts passed tests whose "
             "further inputs (axes, shapes, ratios, weights)", "are initializers, as exporters write such inputs.", "",
             "| op | passed | known | not supported | why |", "|---|---|---|---|---|"]
    return "\n".join(lines + [row_text(op, rows[op]) for op in sorted(rows)]) + "\n"


def print_errors(cases):
    shares = np.array([case.share for case in cases if not case.reason])
    if len(shares):
        parts = ", ".join(f"{q} %: {np.quantile(shares, q / 100):.1e}" for q in (50, 90, 99, 100))
        print(f"share of the tolerance that the worst element of a test uses: {parts}; {np.mean(shares == 0):.0%} equal in every bit")


def report(cases, arguments):
    """The exit status."""
    print_errors(cases)
    for case in filter(is_wrong, cases):
        print(f"{case.name}: {case.reason}")
    passed, wrong = sum(not case.reason for case in cases), sum(map(is_wrong, cases))
    print(f"{len(cases)} tests: {passed} passed, {wrong} failed")
    if arguments.only:
        for case in cases:
            if case.reason:
                print(f"{case.name}: expected to pass, but got {case.reason}")
        return int(passed < len(cases) or not cases)
    import onnx
    text = text_of(cases, f"Debian's libonnx-testdata" if arguments.data else f"the Python package onnx {onnx.__version__}")
    if arguments.update:
        with open(arguments.table, "w") as file:
            file.write(text)
        return int(wrong > 0)
    with open(arguments.table) as file:
        old = file.read().splitlines()
    changed = [line for line in text.splitlines() if line not in old] + [line for line in old if line not in text.splitlines()]
    for line in changed:
        print("not in both tables:", line)
    return int(wrong > 0 or bool(changed))
