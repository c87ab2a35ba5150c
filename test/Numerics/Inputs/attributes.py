# Unusual attribute values without a numeric test.
#
# Attributes and kinds come from the definitions of the ops. Every kind has classes of values that were wrong before; a class counts if the
# op's verifier accepts a value of the class in some test, so that ranges, and shapes that follow from the attribute, need no list here.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import json
import re
import struct
import subprocess


def fits_bf16(x):
    return struct.pack(">f", x)[2:] == b"\0\0" and struct.unpack(">f", struct.pack(">f", x))[0] == x


def numbers(text):
    """Of 0.3 : f64, array<i64: 1, 2> or dense<[1.0, 2.0]> : tensor<2xf32>."""
    inner = re.search(r"<(?:i\d+: )?(.*)>(?: : .*)?$", text)
    found = re.findall(r"-?\d+(?:\.\d+(?:[eE][-+]?\d+)?)?", inner[1].split("> : ")[0] if inner else text.split(" : ")[0])
    return [float(x) if "." in x else int(x) for x in found]


def first(change):
    """Changes the first element of an array."""
    def apply(text):
        values = numbers(text)
        return f"array<i64: {', '.join(map(str, [change(values[0])] + values[1:]))}>" if values else None
    return apply


def constant(value):
    return lambda text: f"{value} : {text.split(' : ')[-1]}"


def splat(value):
    def apply(text):
        kind = text.split(" : ")[-1]
        return f"dense<{value}> : {kind}" if re.search(r"f\d+>$", kind) else None
    return apply


# By kind and class: predicate of a value, and values made from another value.
CLASSES = {
    "real": {
        "negative": (lambda v: v[0] < 0, constant(-1.5)),
        "zero": (lambda v: v[0] == 0, constant(0.0)),
        "that 16 bits round": (lambda v: not fits_bf16(v[0]), constant(0.3)),
        "of 1000 or more": (lambda v: v[0] >= 1000, constant(1000.0)),
    },
    "integer": {
        "negative": (lambda v: v[0] < 0, constant(-1)),
        "zero": (lambda v: v[0] == 0, constant(0)),
        "of 31 bits or more": (lambda v: v[0] >= 2**31 - 1, constant(2**31 - 1), constant(2**32)),
    },
    "array": {
        "with a negative element": (lambda v: min(v, default=0) < 0, first(lambda _: -1)),
        "with a zero": (lambda v: 0 in v, first(lambda _: 0)),
        "with a 3 or more": (lambda v: max(v, default=0) >= 3, first(lambda _: 3)),
        "with unequal elements": (lambda v: len(set(v)) > 1, first(lambda x: x + 1)),
        "without elements": (lambda v: not v, lambda _: "array<i64>"),
    },
    "elements": {
        "negative": (lambda v: min(v) < 0, splat(-1.5)),
        "zero": (lambda v: 0 in v, splat(0.0)),
        "that 16 bits round": (lambda v: not all(map(fits_bf16, v)), splat(0.3)),
    },
}
# TableGen's classes of attributes; names have no unusual values.
KINDS = {"FloatAttrBase": "real", "DenseArrayAttrBase": "array", "ElementsAttrBase": "elements", "FlatSymbolRefAttr": "name",
         "StringBasedAttr": "name"}


def kind_of(records, record):
    """Kind, and the cases of an enum."""
    while record.get("baseAttr"):
        record = records[record["baseAttr"]["def"]]
    supers = record["!superclasses"] + [record["!name"]]
    if "UnitAttr" in supers:
        return "unit", []
    if "EnumAttr" in supers:
        return "enum", [records[case["def"]]["str"] for case in records[record["enum"]["def"]]["enumerants"]]
    if "EnumAttrInfo" in supers:  # a number in generic form
        return "enum", [f"{records[case['def']]['value']} : i32" for case in record["enumerants"]]
    if any(re.search("IntegerAttrBase$", name) for name in supers):
        return "integer", []
    for name in supers:
        if name in KINDS:
            return KINDS[name], []
    raise SystemExit(f"expected a known kind of attribute, but got {record['!name']} of {supers}")


def defined(dialect, skipped):
    """(op, attribute) -> (kind, cases, optional, default)."""
    includes = subprocess.run(["llvm-config", "--includedir"], check=True, capture_output=True, text=True).stdout.strip()
    records = json.loads(subprocess.run(["llvm-tblgen", "--dump-json", "-I", dialect.parents[1], "-I", includes, dialect / "Reference.td"],
                                        check=True, capture_output=True, text=True).stdout)
    result = {}
    for name in records["!instanceof"]["Op"]:
        op = records[name]
        if op["opName"] in skipped:
            continue
        for argument, label in op["arguments"]["args"]:
            record = records[argument["def"]]
            if "AttrConstraint" in record["!superclasses"] or "Attr" in record["!superclasses"]:
                kind, cases = kind_of(records, record)
                default = (record.get("defaultValue") or "").split("::")[-1]
                numbered = records[record["baseAttr"]["def"]].get("enumerants", []) if record.get("baseAttr") else []
                default = next((f"{records[case['def']]['value']} : i32" for case in numbered if records[case["def"]]["str"] == default), default)
                result[op["opName"], label] = (kind, cases, bool(record.get("isOptional")), default)
    return result


def split(text):
    """name = value, name = value: commas inside brackets do not count."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return dict(part.strip().partition(" = ")[::2] for part in parts if part.strip())


OP = re.compile(r'^(.*"train\.(\w+)"\([^)]*\))(?: <\{(.*)\}>)?( : .*| \(\{)$')


def used(tests):
    """(modules in generic form, ops of the modules as (module, line, op, attributes))"""
    sources = [test.read_text() for test in sorted(tests.glob("*.mlir"))]
    run = subprocess.run(["ampc-opt", "--split-input-file", "--mlir-print-op-generic"], input="\n// -----\n".join(sources),
                         check=True, capture_output=True, text=True)
    modules, ops = [module.split("\n") for module in run.stdout.split("// -----\n")], []
    for m, module in enumerate(modules):
        for i, line in enumerate(module):
            if match := OP.match(line):
                ops.append((m, i, match[2], split(match[3] or "")))
    return modules, ops


def accepted(modules, probes):
    """Probes (module, line, text) that the verifiers accept: accepted modules are printed."""
    texts = []
    for k, (m, i, line) in enumerate(probes):
        text = "\n".join(modules[m][:i] + [line] + modules[m][i + 1:])
        texts.append(re.sub(r'("train.model"\(\) <\{sym_name = )"\w+"', rf'\g<1>"probe{k}"', text))
    run = subprocess.run(["ampc-opt", "--split-input-file", "--mlir-print-op-generic"], input="\n// -----\n".join(texts),
                         capture_output=True, text=True)
    return {int(k) for k in re.findall(r'sym_name = "probe(\d+)"', run.stdout)}


def missing(dialect, tests, skipped):
    attributes = defined(dialect, skipped)
    modules, ops = used(tests)
    values = {}  # (op, attribute) -> texts, None if absent
    for _, _, op, given in ops:
        for at in attributes:
            if at[0] == op:
                values.setdefault(at, []).append(given.get(at[1]))
    lacking, probes = [], []
    for (op, label), (kind, cases, optional, default) in attributes.items():
        texts = values.get((op, label), [])
        given = [text for text in texts if text is not None]
        lack = lambda what: lacking.append(f"{op}: {label} {what}")
        if not given:
            lack("in any test")
        elif optional and not default and None not in texts:
            lack("absent")
        if kind == "unit" and None not in texts:
            lack("absent")
        for case in cases:
            if not (any(re.search(rf"\b{case}\b", text) for text in given) or (case == default and None in texts)):
                lack(case)
        for name, (belongs, *makers) in CLASSES.get(kind, {}).items():
            if any(belongs(numbers(text)) for text in given):
                continue
            for (m, i, other, attrs), make in itertools.product(ops, makers):
                if other == op and label in attrs and (made := make(attrs[label])):
                    changed = ", ".join(f"{k} = {v}" if v else k for k, v in (attrs | {label: made}).items())
                    head, _, _, tail = OP.match(modules[m][i]).groups()
                    probes.append((op, label, name, made, m, i, f"{head} <{{{changed}}}>{tail}"))
    taken = accepted(modules, [probe[4:] for probe in probes])
    for k, (op, label, name, made, *_) in enumerate(probes):
        line = f"{op}: {label} {name}"
        if k in taken and not any(known.startswith(line) for known in lacking):
            lacking.append(f"{line}, such as {made}")
    return lacking, len(attributes)
