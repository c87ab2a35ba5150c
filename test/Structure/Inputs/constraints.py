# Checks that constraints of ops, verifiers and error tests agree, by number: constraints.py [SOURCE]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A page of the reference lists "Constraints:" 1., 2., ... of an op, or "Constraints of INTERFACE" for all ops with the interface. In the
# verifier the check of a number ends by the comment `// 3.`, or `// 3. to 5.`; called functions verify... are included, unless the call has
# a number itself. A test says `// constraint kernel.gemm 3` right before the expected error.
import pathlib
import re
import sys

dialects = {"train": "Train", "amp": "Amp", "kernel": "Kernel"}
# Interfaces, whose verifiers are free functions, checks by the dialect on behalf of ops, and attributes.
entries = {
    "KernelOpInterface": ["verifyKernel"],
    "FusedKernelOpInterface": ["verifyFused"],
    "PlanAttr": ["PlanAttr::verify"],
    "ScoreTileAttr": ["ScoreTileAttr::verify"],
    "AttentionPlanAttr": ["AttentionPlanAttr::verify"],
    "BlockingAttr": ["BlockingAttr::verify"],
    "FilterBlockingAttr": ["FilterBlockingAttr::verify"],
    "AttentionBlockingAttr": ["AttentionBlockingAttr::verify"],
    "ProgramOpInterface": ["verifySignature", "TrainDialect::verifyRegionArgAttribute", "TrainDialect::verifyRegionResultAttribute"],
}
NUMBER = r"// (\d+)\.(?: to (\d+)\.)?$"


def listed(text):
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, re.M)]


def described(source):
    """Name of an op or interface -> (numbers of the constraints, folder in mlir-dialects)."""
    found = {}
    for dialect, folder in dialects.items():
        pages = [source / f"docs/reference/{dialect}-dialect.md", *sorted((source / f"docs/reference/{dialect}").glob("*.md"))]
        page = "\n".join(file.read_text() for file in pages)
        for interface, text in re.findall(r"^Constraints of (\w+)[^\n]*:\n(.*?)(?=^Constraints|^\[TOC\]|^## )", page, re.M | re.S):
            found[interface] = (listed(text), folder)
        for op, text in re.findall(r"^### `([\w.]+)`(.*?)(?=^###? |\Z)", page, re.M | re.S):
            if "\nConstraints:\n" in text:  # up to the example
                found[op] = (listed(text.split("\nConstraints:\n", 1)[1].split("\n```", 1)[0]), folder)
    return found


def functions(folder):
    """Name of a verifying function, with the class -> lines of the text."""
    found = {}
    for path in sorted(folder.rglob("*.cpp")):
        lines, i = path.read_text().split("\n"), 0
        while i < len(lines):
            start = i
            named = re.match(r"(?!\s|//|#).*?((?:\w+::)?verify\w*)\(", lines[i])
            i += 1
            if not named or not re.match(r"(static )?LogicalResult ", lines[start]) or lines[start].endswith(";"):
                continue
            while i < len(lines) and lines[i - 1] != "}" and not lines[start].endswith("}"):
                i += 1
            found[re.sub(r"^(ampc|kernel|train)::", "", named[1])] = lines[start:i]
    return found


def of_op(op):
    name = "".join(part.capitalize() for part in op.split(".")[1].split("_")) + "Op"
    return [f"{name}::{kind}" for kind in ("verify", "verifyRegions", "verifySymbolUses")]


def number_of(lines, i):
    """The number at the end of the condition or call that begins in line i."""
    depth = 0
    for line in lines[i:]:
        number = re.search(NUMBER, line)
        code = re.sub(r'"[^"]*"|//.*', "", line)
        depth += code.count("(") - code.count(")")
        if number or depth <= 0:
            return number
    return None


def verified(names, known):
    """(numbers in the named functions and in all functions called, lines of errors without a number)"""
    numbers, loose, open_names, seen = set(), [], list(names), set(names)
    while open_names:
        lines, has_number = known.get(open_names.pop(), []), False
        for i, line in enumerate(lines):
            number = re.search(NUMBER, line)
            if number:
                numbers |= set(range(int(number[1]), int(number[2] or number[1]) + 1))
                has_number = True
            elif not number_of(lines, i):
                for call in re.findall(r"\b(verify\w+)\(", line):
                    if call in known and call not in seen and call not in sum(entries.values(), []):
                        seen.add(call)
                        open_names.append(call)
            if re.search(r"emit(Op)?Error\(", line):
                if not has_number:
                    loose.append(line.strip())
                has_number = False
    return numbers, loose


def tested(source):
    found = {}
    for path in sorted((source / "test/Dialect").rglob("*.mlir")):
        lines = path.read_text().split("\n")
        for line, after in zip(lines, lines[1:]):
            mark = re.match(r"\s*// constraint ([\w.]+) (\d+)$", line)
            if mark and "expected-error" in after:
                found.setdefault(mark[1], set()).add(int(mark[2]))
    return found


def main():
    source = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3]
    known = {folder: functions(source / "mlir-dialects" / folder) for folder in dialects.values()}
    texts, tests, wrong, count = described(source), tested(source), [], 0
    for name, (numbers, folder) in sorted(texts.items()):
        checks, loose = verified(entries.get(name) or of_op(name), known[folder])
        count += len(numbers)
        if numbers != list(range(1, len(numbers) + 1)):
            wrong.append(f"{name}: expected constraints from 1 on, but got {numbers}")
        for number in sorted(set(numbers) - checks):
            wrong.append(f"{name}: expected a check `// {number}.` in the verifier")
        for number in sorted(checks - set(numbers)):
            wrong.append(f"{name}: expected constraint {number}, which the verifier checks, in the description")
        for number in sorted(set(numbers) - tests.get(name, set())):
            wrong.append(f"{name}: expected a test `// constraint {name} {number}` before its error")
        wrong += [f"{name}: expected the number of a constraint before {line}" for line in loose]
    for name in sorted(tests):
        for number in sorted(tests[name] - set(texts.get(name, ([], ""))[0])):
            wrong.append(f"{name}: expected constraint {number}, which a test names, in the description")
    # Every verifier documents its checks; tensor ops of train document checks by error messages only.
    named = {check for name in texts for check in entries.get(name) or of_op(name)}
    for folder in ("Amp", "Kernel"):
        for function in sorted(known[folder]):
            if re.match(r"\w+Op::verify", function) and function not in named:
                wrong.append(f"{function}: expected constraints of the op in its description")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{count} constraints, {len(wrong)} faults")
    sys.exit(bool(wrong))


main()
