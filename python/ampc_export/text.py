# The text of a model.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import numpy as np

from ampc_export import modules
from ampc_export.sizes import listed

BARE = re.compile(r"[A-Za-z_.$][\w.$]*")


MOVES = {"reshape", "transpose", "broadcast_to", "cast"}  # ops on the operands of a layer, which do not get the layer's name


def symbol(name):
    if BARE.fullmatch(name):
        return "@" + name
    return '@"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _digits(x):
    text = f"{x:.3g}"
    return text if "." in text or "inf" in text else (text.replace("e", ".0e") if "e" in text else text + ".0")


def first_values(array, is_param):
    """A rule that gives values of the same size; the very values are in the file of weights."""
    if array.dtype.kind != "f":
        return "#train.zeros"
    lowest, highest = float(array.min()), float(array.max())
    if lowest == highest:
        fixed = {0.0: "#train.zeros", 1.0: "#train.ones"}
        return fixed.get(lowest, f"#train.fill<{_digits(lowest)}>")
    deviation, mean = float(array.std(dtype=np.float64)), float(array.mean(dtype=np.float64))
    if not is_param or not np.isfinite(deviation):
        return "#train.zeros"
    if abs(mean) < deviation / 4:
        bound = max(-lowest, highest)
        if bound < 1.9 * deviation:  # a uniform distribution ends at 1.73 deviations
            return f"#train.uniform<low = {_digits(-bound)}, high = {_digits(bound)}>"
        mean = 0.0
    given = f"mean = {_digits(mean)}, " if mean else ""
    return f"#train.normal<{given}std = {_digits(deviation)}>"


class Function:
    """Names of values while one function is written."""

    def __init__(self, state_names, owner=""):
        self.names, self.taken, self.lines, self.owner = {}, set(state_names), [], owner

    def fresh(self, wanted):
        base = re.sub(r"[^\w.]", "_", wanted) or "v"
        base = f"v{base}" if base[0].isdigit() else base
        name, number = base, 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name

    def add(self, value, wanted):
        self.names[value] = "%" + self.fresh(wanted)
        return self.names[value]

    def relative(self, state):
        return state.name[len(self.owner) + 1:] if self.owner else state.name

    def use(self, value):
        if value not in self.names:
            name = self.relative(value.state)
            if BARE.fullmatch(name):
                self.names[value] = "%" + name
            else:
                read = self.add(value, re.sub(r"\W", "_", name))
                self.lines.append(f"{read} = train.read {symbol(name)}")
        return self.names[value]

    def op(self, op):
        operands = [self.use(value) for value in op.operands]
        form = op.form.replace("@{", "{@")
        text = re.sub(r"\{(@?)(\d+)\}",
                      lambda m: symbol(self.relative(op.symbols[int(m[2])])) if m[1] else operands[int(m[2])], form)
        made = self.results(op)
        self.lines.append(f"{', '.join(made)} = {text}" if made else text)

    def results(self, op):
        """Names of the results, new."""
        mnemonic = re.match(r"train\.(\w+)", op.form)[1]
        wanted = mnemonic if mnemonic in MOVES else op.label or mnemonic
        return [self.add(result, "c" if mnemonic in ("constant", "iota") else wanted) for result in op.results]


class _Call:
    """A use of a module in the place of its ops."""

    def __init__(self, use):
        self.use, self.regions = use, modules.common_regions(use.instances[0].ops)
        self.operands, self.results = use.inputs, use.outputs

    def write(self, function, constants):
        use = self.use
        operands = ", ".join(function.use(value) for value in use.inputs)
        made = ", ".join(function.add(value, use.name.split(".")[-1] if not use.name[-1].isdigit() else use.module.name)
                         for value in use.outputs)
        function.lines.append(f"{made} = train.apply {symbol(use.name)}({operands})")


class _Single:
    """An op; a constant of one form is written once."""

    def __init__(self, op, around):
        self.op, self.regions, self.operands, self.results = op, op.regions[around:], op.operands, op.results

    def write(self, function, constants):
        op = self.op
        if op.block is not None:
            _write_loop(function, op, constants)
        elif op.operands or not op.form.startswith(("train.constant", "train.iota")):
            function.op(op)
        elif op.form in constants:
            function.names[op.results[0]] = function.names[constants[op.form]]
        else:
            function.op(op)
            constants[op.form] = op.results[0]


def _items(ops, uses, around):
    """Ops, with what lies in a module as one call; `around` regions are those of the whole."""
    place = {op: (use, use.instances[0].ops[0]) for use in uses for call in use.instances for op in call.ops}
    for op in ops:
        if op not in place:
            yield _Single(op, around)
        elif op is place[op][1]:
            yield _Call(place[op][0])


def _write_items(function, items, results, constants, depth=0):
    """Items in their order; `results` are the values that are read behind them."""
    at = 0
    while at < len(items):
        region = items[at].regions[depth] if len(items[at].regions) > depth else None
        end = at + 1
        while region and end < len(items) and items[end].regions[depth:depth + 1] == (region,):
            end += 1
        if region is None:
            items[at].write(function, constants)
        else:
            later = {value for item in items[end:] for value in item.operands} | set(results)
            _write_region(function, region, items[at:end], later, constants, depth)
        at = end


def _write_region(function, region, items, later, constants, depth):
    """A region yields what is read behind it; names of values in it end with it."""
    yielded = [value for item in items for value in item.results if value in later]
    outer_names, outer_lines = dict(function.names), function.lines
    function.lines = []
    _write_items(function, items, yielded, dict(constants), depth + 1)
    inner = function.lines + ["amp.yield " + ", ".join(function.use(value) for value in yielded)]
    inner_names, function.names, function.lines = function.names, outer_names, outer_lines
    made = [function.add(value, inner_names[value][1:]) for value in yielded]
    if made:
        function.lines += [f"{', '.join(made)} = amp.autocast {region.kind} {{", *(f"  {line}" for line in inner), "}"]


def _bindings(function, word, inner, outer):
    """carry %h = %h0, %c = %c0"""
    return f" {word} " + ", ".join(f"{function.add(v, v.hint)} = {name}" for v, name in zip(inner, outer)) if inner else ""


def _write_loop(function, op, constants):
    """A round in braces; what a round reads from outside is named before the loop."""
    block, given = op.block, [function.use(value) for value in op.operands]
    carried, outer_lines = len(block.carried), function.lines
    head = _bindings(function, "carry", block.carried, given) + _bindings(function, "over", block.rows, given[carried:])
    options = op.form.removeprefix("train.scan")
    if " index" in options:
        options = options.replace(" index", f" index {function.add(block.index, 'i')}")
    function.lines = []
    _write_items(function, list(_items(block.ops, [], len(op.regions))), [*block.following, *block.each], dict(constants))
    parts = [("", block.following), ("each ", block.each)]
    ends = [word + ", ".join(function.use(value) for value in values) for word, values in parts if values]
    inner, function.lines = function.lines + [f"train.next {' '.join(ends)}"], outer_lines
    function.lines += [f"{', '.join(function.results(op))} = train.scan{head}{options} {{", *(f"  {line}" for line in inner), "}"]


def _body(function, ops, uses, results):
    """Ops, with what lies in a module as `train.apply`, and autocast regions as those of amp."""
    around = len(modules.common_regions(ops)) if function.owner else 0
    _write_items(function, list(_items(ops, uses, around)), results, {})
    function.lines.append("train.return " + ", ".join(function.use(value) for value in results))
    return function.lines


def _declare(name, state, init=None):
    kind = "param" if state.is_param else "buffer"
    init = init or first_values(state.array, state.is_param)
    order = f"train.outside = {{order = array<i64: {', '.join(map(str, state.order))}>}}" if state.order else ""
    said = ", ".join(part for part in ("frozen" * state.frozen, order) if part)
    return f"train.{kind} {symbol(name)} : {state.value.type} = {init}" + (f" {{{said}}}" if said else "")


def _module(module):
    example = module.example
    names = list(example.states)
    function = Function(names, example.path)
    arguments = ", ".join(f"{function.add(v, 'x' if len(example.inputs) == 1 else v.hint or 'x')}: {v.type}"
                          for v in example.inputs)
    body = _body(function, example.ops, [], example.outputs)
    lines = [f"  train.model @{module.name} {{"]
    lines += [f"    {_declare(name, state)}" for name, state in example.states.items()]
    lines += [f"    train.func @apply({arguments}) {{"] + [f"      {line}" for line in body] + ["    }", "  }"]
    return lines


class Program:
    """A function of the model: ops, arguments, and results."""

    def __init__(self, name, inputs, ops, results, called=None):
        self.name, self.inputs, self.ops, self.results, self.called = name, inputs, ops, results, called


def _function(program, states, uses):
    function = Function([state.name for state in states])
    arguments = ", ".join(f"{function.add(v, v.hint)}: {v.type}" for v in program.inputs)
    if program.called:
        made = ", ".join(function.add(v, v.hint or "y") for v in program.called.results)
        given = ", ".join(function.use(v) for v in program.called.inputs)
        function.lines.append(f"{made} = train.call @{program.called.name}({given})")
    body = _body(function, program.ops, uses, program.results)
    return [f"  train.func @{program.name}({arguments}) {{"] + [f"    {line}" for line in body] + ["  }"]


def model(name, batch, programs, states, endings):
    """`endings`: lines behind the functions."""
    found, uses = modules.find([(program.ops, program.results) for program in programs])
    owned = {state.name for use in uses for call in use.instances for state in call.states.values()}
    lines = [f"train.model @{name}" + (f"(batch = {batch})" if batch else "") + " {"]
    for module in found:
        lines += _module(module)
    declared, used = set(), {id(use): use for use in uses}
    order = {state.name: at for at, state in enumerate(states)}
    entries = [(order[state.name], f"  {_declare(state.name, state)}") for state in states if state.name not in owned]
    for use in used.values():
        if use.name not in declared:
            declared.add(use.name)
            first = min(order[state.name] for state in use.instances[0].states.values())
            times = f" times {use.times}" if use.times else ""
            entries.append((first, f"  train.use @{use.module.name} as {symbol(use.name)}{times}"))
    lines += [line for _, line in sorted(entries, key=lambda entry: entry[0])]
    for program in programs:
        lines += _function(program, states, uses)
    return "\n".join(lines + [f"  {ending}" for ending in endings] + ["}"]) + "\n"


def group(names, optimizer):
    return f"#train.group<params = {listed(names)}, optimizer = {optimizer}>"
