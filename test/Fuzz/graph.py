# Models in MLIR's generic form, and files of tensors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import struct

import numpy as np

TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": np.uint16, "BOOL": np.bool_, "I8": np.int8, "I16": np.int16,
         "I32": np.int32, "I64": np.int64, "U8": np.uint8}


def read_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, at in json.loads(data[8:8 + size]).items():
        begin, end = (8 + size + offset for offset in at["data_offsets"])
        array = np.frombuffer(data[begin:end], TYPES[at["dtype"]]).reshape(at["shape"])
        if at["dtype"] == "BF16":
            array = (np.atleast_1d(array).astype(np.uint32) << 16).view(np.float32).reshape(at["shape"])
        tensors[name] = array
    return tensors


class Op:
    def __init__(self, name, operands, results, attributes, operand_types, result_types):
        self.name, self.operands, self.results, self.attributes = name, operands, results, attributes
        self.operand_types, self.result_types, self.body, self.arguments = operand_types, result_types, None, []

    def __getitem__(self, key):
        return self.attributes.get(key)


class Function:
    def __init__(self, name, inputs):
        self.name, self.inputs, self.arguments, self.types, self.ops = name, inputs, [], [], []


class Knob:
    """First value and range; `schedule` and the name of its step, or None."""

    def __init__(self, op):
        self.first, self.low, self.high = constant_of(op["init"]), op["low"], op["high"]
        self.schedule, self.step = op["schedule"], op["step"] and op["step"].lstrip("@")


class Model:
    """`rows`: first values of buffers with a row per row of the batch; `passed`: those of which callers have the rows."""

    def __init__(self):
        self.params, self.buffers, self.functions, self.steps, self.exports, self.inits = {}, {}, {}, [], {}, {}
        self.knobs, self.rows, self.passed, self.follows = {}, {}, set(), []


def split_top(text, separator=","):
    """Parts between separators outside of brackets and strings."""
    parts, depth, start, inside = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"':
            inside = not inside
        elif inside:
            continue
        elif c in "(<[{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == separator and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def closing(text, at):
    """Position behind the bracket that closes the bracket at `at`."""
    depth, inside = 0, False
    for i in range(at, len(text)):
        c = text[i]
        if c == '"':
            inside = not inside
        elif inside:
            continue
        elif c in "(<[{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
            if not depth:
                return i + 1
    raise ValueError(f"no end of {text[at:at + 40]}")


def tensor_type(text):
    """(shape, element) of `tensor<4x8xf32>`."""
    parts = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text.strip())
    return tuple(int(n) for n in parts[1].split("x") if n), parts[2]


def numpy_type(element):
    return {"f64": np.float64, "f32": np.float64, "f16": np.float64, "bf16": np.float64, "i1": np.bool_, "i8": np.int8, "i32": np.int32,
            "i64": np.int64}[element]


def of_bits(digits, element):
    bits = np.array(int(digits, 16))
    wide = {"f64": lambda: bits.astype(np.uint64).view(np.float64), "f32": lambda: bits.astype(np.uint32).view(np.float32),
            "f16": lambda: bits.astype(np.uint16).view(np.float16), "bf16": lambda: (bits.astype(np.uint32) << 16).view(np.float32)}[element]()
    return "NaN" if np.isnan(wide) else "Infinity" if wide > 0 else "-Infinity"


def dense(text):
    """A constant; of floats in double precision."""
    body, kind = re.fullmatch(r"dense<(.*)> : (tensor<.*>)", text, re.S).groups()
    shape, element = tensor_type(kind)
    if body.startswith('"0x'):
        raw = bytes.fromhex(body[3:-1])
        kinds = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "i64": np.int64, "i8": np.int8, "i1": np.bool_}
        if element == "bf16":
            values = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(raw, kinds[element])
        return np.array(np.broadcast_to(values.astype(numpy_type(element)).reshape(shape if values.size > 1 else ()), shape))
    # Infinities and NaN stand there by their bits.
    body = re.sub("0x([0-9A-F]+)", lambda found: of_bits(found[1], element), body)
    values = np.array(json.loads(body.replace("true", "1").replace("false", "0")) if body else [], np.float64)
    if element == "f32":
        values = values.astype(np.float32)  # the text has as many digits as f32 needs
    return np.array(np.broadcast_to(values, shape), numpy_type(element))


def attribute(text):
    text = text.strip()
    if text.startswith("dense<"):
        return dense(text)
    if found := re.fullmatch(r"array<i(?:32|64)(?:: (.*))?>", text):
        return [int(n) for n in found[1].split(",")] if found[1] else []
    if found := re.fullmatch(r"array<f64(?:: (.*))?>", text):
        return [attribute(n.strip() + " : f64") for n in found[1].split(",")] if found[1] else []
    if found := re.fullmatch(r"(\S+) : f64", text):
        return float(found[1]) if not found[1].startswith("0x") else struct.unpack(">d", bytes.fromhex(found[1][2:]))[0]
    if found := re.fullmatch(r"(-?\d+) : s?i\d+", text):
        return int(found[1])
    if found := re.fullmatch(r"#train<\s*\w+\s+(\w+)\s*>", text):
        return found[1]
    if text.startswith("{"):
        return {key.strip('"'): value for key, value in attributes(text[1:-1]).items()}
    if text.startswith("["):
        return [attribute(part) for part in split_top(text[1:-1])]
    return text.strip('"')


def attributes(text):
    result = {}
    for part in split_top(text):
        key, equals, value = part.partition(" = ")
        result[key.strip()] = attribute(value) if equals else True
    return result


def parameters(text):
    """(name, numbers) of `#train.adam<lr = 0.1>`."""
    name, body = re.fullmatch(r"#\w+\.(\w+)(?:<(.*)>)?", text.strip(), re.S).groups()
    values = {}
    for part in split_top(body or ""):
        key, _, value = part.partition(" = ")
        values[key.strip()] = value.strip() if not re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", value.strip(), re.I) else float(value)
    return name, values


def constant_of(init):
    """The number of `#train.zeros`, `#train.ones` or `#train.fill<0.5>`."""
    name, body = re.fullmatch(r"#train\.(\w+)(?:<(.*)>)?", init.strip()).groups()
    return {"zeros": 0.0, "ones": 1.0}[name] if body is None else float(body)


OP = re.compile(r'(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)')


def types_of(text):
    operands, results = text.split(") -> ")
    results = results.strip()
    results = split_top(results[1:-1]) if results.startswith("(") else [results]
    return [tensor_type(t) for t in split_top(operands[1:])], [tensor_type(t) for t in results if t]


def arguments_of(line):
    """(name, type) of the arguments in `^bb0(%arg0: tensor<4xf32>):`."""
    pairs = (argument.split(": ") for argument in split_top(line[line.index("(") + 1:line.rindex(")")]))
    return [(name, tensor_type(kind)) for name, kind in pairs]


def parse_ops(lines):
    """Ops until the region ends."""
    ops = []
    for line in lines:
        text = line.strip()
        if text.startswith("})"):
            return ops, text
        if text.startswith("^"):
            ops.append(text)
            continue
        found = OP.match(text)
        rest, attrs = text[found.end():].lstrip(), {}
        while rest.startswith(("<{", "{")):
            end = closing(rest, 0)
            inner = rest[2:end - 2] if rest.startswith("<{") else rest[1:end - 1]
            attrs.update(attributes(inner))
            rest = rest[end:].lstrip()
        body = None
        if rest.startswith("({"):
            body, rest = parse_ops(lines)
            rest = rest[2:].lstrip()
            if rest.startswith("{"):
                end = closing(rest, 0)
                attrs.update(attributes(rest[1:end - 1]))
                rest = rest[end:].lstrip()
        name, count, kind, operands = found.groups()
        results = [f"{name}#{i}" for i in range(int(count))] if count else [name] if name else []
        operand_types, result_types = types_of(rest.lstrip(": "))
        op = Op(kind, [o.strip() for o in operands.split(",") if o.strip()], results, attrs, operand_types, result_types)
        if body and isinstance(body[0], str):
            op.arguments = arguments_of(body.pop(0))
        op.body = body
        ops.append(op)
    return ops, ""


def read_model(path):
    with open(path) as file:
        ops, _ = parse_ops(iter(file.read().splitlines()))
    model = Model()
    for op in ops[0].body[0].body:
        name = op["sym_name"]
        if op.name == "train.param":
            model.params[name], model.inits[name] = tensor_type(op["type"]), op["init"]
        elif op.name == "train.buffer":
            model.buffers[name] = tensor_type(op["type"])
            if op["train.per_row"]:
                model.rows[name] = constant_of(op["init"])
            if op["train.passed"]:
                model.passed.add(name)
        elif op.name == "train.knob":
            model.knobs[name] = Knob(op)
        elif op.name == "train.follow":
            model.follows.append(op)
        elif op.name == "train.func":
            names = [re.search(r'#train.input<"(\w+)"', each.get("train.is", "")) for each in (op["arg_attrs"] or [])]
            function = Function(name, [found and found[1] for found in names])
            for argument, kind in op.arguments:
                function.arguments.append(argument)
                function.types.append(kind)
            function.ops = op.body
            model.functions[name] = function
        elif op.name == "train.step":
            model.steps.append(op)
        elif op.name == "train.export":
            model.exports[op["name"]] = op["function"].lstrip("@")
    return model
