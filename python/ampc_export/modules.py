# Parts of a graph that are equal but for their state: written once, as a module, and used under their own names.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

from ampc_export.graph import nested

SMALLEST = 3  # ops that are worth a module


class Instance:
    """One call of a submodule: the ops in it, what goes in, and what others read of it."""

    def __init__(self, key, ops):
        self.key, self.ops, self.path = key, ops, key[-1][0]
        inside = {result for op in ops for result in op.results}
        self.inside, self.inputs, self.outputs, self.states = inside, [], [], {}
        self.class_name = key[-1][2]
        for op in ops:
            for value in op.operands:
                if value not in inside:
                    self._take(value)
            for state in (state for inner in nested([op]) for state in inner.symbols):
                self._own(state)

    def _relative(self, state):
        return state.name[len(self.path) + 1:] if state.name.startswith(self.path + ".") else None

    def _own(self, state):
        self.states[self._relative(state)] = state

    def _take(self, value):
        if value.state is not None and self._relative(value.state) is not None:
            self._own(value.state)
        elif value not in self.inputs:
            self.inputs.append(value)

    def signature(self):
        """Equal for calls that one text can stand for; None if it cannot stand alone."""
        if None in self.states or not self.states or len(self.ops) < SMALLEST:
            return None
        numbers = {value: f"in{i}" for i, value in enumerate(self.inputs)}
        lines = [f"{v.type}" for v in self.inputs]
        lines += sorted(f"{name}:{state.value.type}:{state.is_param}:{state.frozen}:{state.order}" for name, state in self.states.items())
        lines += self._described(self.ops, numbers)
        lines.append(str([numbers[v] for v in self.outputs]))
        lines.append(str(_regions_of(list(nested(self.ops)))))
        return "\n".join(lines)

    def _described(self, ops, numbers):
        """A line per op, and the rounds of loops behind the lines of these."""
        def named(values):
            return [numbers.get(v) or f"state {self._relative(v.state)}" for v in values]

        def number(values):
            for value in values:
                numbers[value] = f"v{len(numbers)}"
        for op in ops:
            number(op.results)
            symbols = [self._relative(state) for state in op.symbols]
            yield f"{op.form} {named(op.operands)} {symbols} {[r.type for r in op.results]}"
            if (block := op.block) is not None:
                number([block.index, *block.carried, *block.rows])
                yield from self._described(block.ops, numbers)
                yield f"next {named(block.following)} {named(block.each)}"


def common_regions(ops):
    """The regions that all of the ops are in."""
    around = ops[0].regions
    for op in ops:
        while op.regions[:len(around)] != around:
            around = around[:-1]
    return around


def _regions_of(ops):
    """The kinds of the regions around the ops, and by number those that each of them is in beyond these."""
    around, numbers = common_regions(ops), {}
    inner = [[(numbers.setdefault(region, len(numbers)), region.kind) for region in op.regions[len(around):]] for op in ops]
    return [region.kind for region in around], inner


class Module:
    """What stands for several instances."""

    def __init__(self, name, example):
        self.name, self.example = name, example


class Use:
    """A module under a name: of one instance, or of several in turn (`times`)."""

    def __init__(self, module, name, instances, times=None):
        self.module, self.name, self.instances, self.times = module, name, instances, times

    @property
    def inputs(self):
        return self.instances[0].inputs

    @property
    def outputs(self):
        return self.instances[-1].outputs


def _instances(ops):
    """All calls of submodules whose ops follow one another."""
    places = {}
    for at, op in enumerate(ops):
        for depth in range(1, len(op.path) + 1):
            places.setdefault(op.path[:depth], []).append(at)
    for key, found in places.items():
        if found[-1] - found[0] == len(found) - 1:
            yield Instance(key, [ops[at] for at in found])


def _find_outputs(instances, functions):
    readers = {}
    for ops, results in functions:
        for op in ops:
            for value in op.operands:
                readers.setdefault(value, []).append(op)
        for value in results:
            readers.setdefault(value, []).append(None)
    for instance in instances:
        mine = set(instance.ops)
        made = [result for op in instance.ops for result in op.results]
        instance.outputs = [v for v in made if any(op not in mine for op in readers.get(v, []))]


def _name(text, taken):
    base = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    base = re.sub(r"\W", "_", base).strip("_") or "part"
    base = f"m{base}" if base[0].isdigit() else base
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _groups(candidates, all_ops):
    """Outermost first: groups of two or more paths with one signature."""
    by_path = {}
    for instance in candidates:
        by_path.setdefault(instance.path, []).append(instance)
    by_signature = {}
    for path, calls in by_path.items():
        signatures = {call.signature() for call in calls}
        draws = any("random" in op.form or "dropout" in op.form for call in calls for op in nested(call.ops))
        if len(signatures) == 1 and None not in signatures and not (draws and len(calls) > 1):
            by_signature.setdefault(signatures.pop(), []).append(path)
    groups = sorted((paths for paths in by_signature.values() if len(paths) > 1), key=lambda paths: paths[0].count("."))
    taken, chosen = set(), []
    for paths in groups:
        free = [p for p in paths if not taken & {op for call in by_path[p] for op in call.ops}]
        if len(free) > 1:
            chosen.append([by_path[p] for p in free])
            taken |= {op for p in free for call in by_path[p] for op in call.ops}
    return chosen


def _chains(module, group):
    """Uses of the instances: PREFIX.0, PREFIX.1, ... that feed one another are one use."""
    uses, rest = [], [calls for calls in group]
    by_path = {calls[0].path: calls for calls in group if len(calls) == 1}
    for path in list(by_path):
        prefix = path.rpartition(".")[0]
        if not prefix or not path.endswith(".0"):
            continue
        chain = [by_path[path][0]]
        while (following := by_path.get(f"{prefix}.{len(chain)}")) and _feeds(chain[-1], following[0]):
            chain.append(following[0])
        if len(chain) > 1:
            uses.append(Use(module, prefix, chain, times=len(chain)))
            rest = [calls for calls in rest if calls[0] not in chain]
    return uses + [Use(module, calls[0].path, [call]) for calls in rest for call in calls]


def _feeds(before, after):
    return (len(before.outputs) == 1 and after.inputs == before.outputs and len(after.outputs) == 1
            and len(before.inputs) == 1 and before.readers_elsewhere == 0)


def find(functions):
    """Modules and uses for `functions`, a list of (ops, results)."""
    whole, seen = [], set()
    for ops, _ in functions:
        whole += [op for op in ops if op not in seen]
        seen |= set(ops)
    candidates = list(_instances(whole))
    # A call whose ops are only partly in a function cannot be a use of a module.
    sets = [set(ops) for ops, _ in functions]
    candidates = [c for c in candidates if all(s.isdisjoint(c.ops) or s.issuperset(c.ops) for s in sets)]
    _find_outputs(candidates, functions)
    by_key = {}
    for candidate in candidates:
        by_key[candidate.key] = candidate
    modules, uses, names = [], [], set()
    for group in _groups(candidates, whole):
        flat = [call for calls in group for call in calls]
        ops_of = {id(call): set(call.ops) for call in flat}
        for call in flat:
            follower = next((other for other in flat if other is not call and set(call.outputs) & set(other.inputs)), None)
            mine = ops_of[id(call)] | (ops_of[id(follower)] if follower else set())
            call.readers_elsewhere = sum(
                bool(set(op.operands) & set(call.outputs)) for ops, _ in functions for op in ops if op not in mine)
            call.readers_elsewhere += sum(value in call.outputs for _, results in functions for value in results)
        module = Module(_name(flat[0].class_name, names), flat[0])
        modules.append(module)
        uses += _chains(module, group)
    return modules, uses
