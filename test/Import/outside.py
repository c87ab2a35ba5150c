# Indices outside their axis, at random: nodes that read give 0, nodes that write leave the update out.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""outside.py FOLDER SEED...: per seed one graph of nodes whose indices are computed, and lie inside or outside of their axes, beside NumPy. Nodes
of known indices, which lie inside, are among them."""
import importlib
import os
import subprocess
import sys

import numpy as np

import nodes
from families import Case

NODES = 12
REDUCTIONS = {"none": lambda old, new: new, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


class Draw:
    """Nodes of a seed, and the inputs of the graph."""

    def __init__(self, seed):
        self.rng, self.inputs, self.cases = np.random.default_rng(seed), {}, []

    def shape(self, least=1):
        return tuple(int(n) for n in self.rng.integers(2, 5, self.rng.integers(least, 4)))

    def data(self, shape):
        return self.rng.integers(1, 9, shape).astype(np.float32)

    def given(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = array
        return name

    def places(self, shape, size, known):
        """Half of the computed indices lie outside of the axis."""
        return self.rng.integers(-size, size, shape) if known else self.rng.integers(-2 * size, 2 * size, shape)

    def index(self, array, known):
        """A computed index is a sum of two inputs: the runtime refuses an input that is an index outside of the axis."""
        if known:
            return array
        moved = self.rng.integers(-9, 9, array.shape)
        return (self.given(array - moved), self.given(moved))

    def add(self, op, operands, expected, **attributes):
        self.cases.append(Case(op, operands, expected, attributes))


def at(place, size):
    """None outside."""
    return int(place) % size if -size <= place < size else None


def gather(draw, known):
    data = draw.data(draw.shape())
    axis = int(draw.rng.integers(data.ndim))
    index = draw.places(draw.shape(), data.shape[axis], known)
    lines = [np.zeros_like(np.take(data, 0, axis)) if at(p, data.shape[axis]) is None else np.take(data, at(p, data.shape[axis]), axis)
             for p in index.ravel()]
    expected = np.moveaxis(np.stack(lines).reshape(*index.shape, *lines[0].shape), range(index.ndim), range(axis, axis + index.ndim))
    draw.add("Gather", [draw.given(data), draw.index(index, known)], expected, axis=axis)


def along(draw, known):
    """Data, and an index of fewer lines or as many."""
    data = draw.data(draw.shape())
    axis = int(draw.rng.integers(data.ndim))
    shape = [int(draw.rng.integers(1, n + 1)) for n in data.shape]
    return data, axis, draw.places(shape, data.shape[axis], known)


def place_of(position, axis, number):
    return (*position[:axis], number, *position[axis + 1:])


def gather_elements(draw, known):
    data, axis, index = along(draw, known)
    expected = np.zeros(index.shape, np.float32)
    for position, place in np.ndenumerate(index):
        number = at(place, data.shape[axis])
        expected[position] = 0 if number is None else data[place_of(position, axis, number)]
    draw.add("GatherElements", [draw.given(data), draw.index(index, known)], expected, axis=axis)


def scatter_elements(draw, known):
    data, axis, index = along(draw, known)
    how = draw.rng.choice(list(REDUCTIONS))
    updates, expected, taken = draw.data(index.shape), data.copy(), set()
    for position, place in np.ndenumerate(index):
        number = at(place, data.shape[axis])
        target = None if number is None else place_of(position, axis, number)
        if target in taken and how == "none":  # which update counts is open
            return
        if target is not None:
            expected[target] = REDUCTIONS[how](expected[target], updates[position])
            taken.add(target)
    draw.add("ScatterElements", [draw.given(data), draw.index(index, known), draw.given(updates)], expected, axis=axis, reduction=str(how))


def points(draw, known, batch):
    """Data, and an index whose last dimension names elements of the dimensions behind `batch`."""
    data = draw.data(draw.shape(batch + 1))
    depth = int(draw.rng.integers(1, data.ndim - batch + 1))
    shape = (*data.shape[:batch], *draw.shape())
    return data, np.stack([draw.places(shape, n, known) for n in data.shape[batch:batch + depth]], -1)


def target_of(place, sizes):
    numbers = tuple(at(p, n) for p, n in zip(place, sizes))
    return None if None in numbers else numbers


def gather_nd(draw, known):
    batch = int(draw.rng.integers(0, 2))
    data, index = points(draw, known, batch)
    outer, depth = index.shape[:-1], index.shape[-1]
    expected = np.zeros((*outer, *data.shape[batch + depth:]), np.float32)
    for position in np.ndindex(*outer):
        target = target_of(index[position], data.shape[batch:])
        if target is not None:
            expected[position] = data[position[:batch] + target]
    draw.add("GatherND", [draw.given(data), draw.index(index, known)], expected, batch_dims=batch)


def scatter_nd(draw, known):
    data, index = points(draw, known, 0)
    how = draw.rng.choice(list(REDUCTIONS))
    outer, depth = index.shape[:-1], index.shape[-1]
    updates, expected, taken = draw.data((*outer, *data.shape[depth:])), data.copy(), set()
    for position in np.ndindex(*outer):
        target = target_of(index[position], data.shape)
        if target in taken and how == "none":
            return
        if target is not None:
            expected[target] = REDUCTIONS[how](expected[target], updates[position])
            taken.add(target)
    draw.add("ScatterND", [draw.given(data), draw.index(index, known), draw.given(updates)], expected, reduction=str(how))


def one_hot(draw, known):
    depth = int(draw.rng.integers(2, 5))
    index = draw.places(draw.shape(), depth, False)  # outside of all classes, known or not
    expected = np.zeros((*index.shape, depth), np.float32)
    for position, place in np.ndenumerate(index):
        if at(place, depth) is not None:
            expected[(*position, at(place, depth))] = 1
    draw.add("OneHot", [draw.index(index, known), np.array(depth), np.float32([0, 1])], expected)


KINDS = (gather, gather_elements, scatter_elements, gather_nd, scatter_nd, one_hot)


def written(draw):
    """The graph, with a sum in front of every index that is computed."""
    sums, cases = [], []
    for case in draw.cases:
        operands = list(case.operands)
        for i, operand in enumerate(operands):
            if isinstance(operand, tuple):
                sums.append(f'node {{ op_type: "Add" input: "{operand[0]}" input: "{operand[1]}" output: "sum{len(sums)}" }}')
                operands[i] = f"sum{len(sums) - 1}"
        cases.append(case._replace(operands=operands))
    head, node, rest = nodes.graph(cases, draw.inputs, 18).partition('node { op_type: "Neg"')
    return "\n".join([head, *sums, node + rest])


def run(seed, folder):
    """How many nodes there are, and how many are wrong."""
    draw = Draw(seed)
    while len(draw.cases) < NODES:
        KINDS[draw.rng.integers(len(KINDS))](draw, bool(draw.rng.integers(4) == 0))
    draw.inputs = {"rows": np.zeros(977, np.float32), **draw.inputs}
    name = f"outside_{seed}"
    with open(f"{folder}/{name}.txt", "w") as file:
        file.write(written(draw))
    with open(f"{folder}/{name}.txt") as text, open(f"{folder}/{name}.onnx", "wb") as binary:
        subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], stdin=text, stdout=binary, check=True)
    subprocess.run(["ampc", "compile", f"{folder}/{name}.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    results = list(importlib.import_module(name).Model(threads=1).predict(*draw.inputs.values()).values())[1:]
    wrong = 0
    for case, got in zip(draw.cases, results, strict=True):
        if got.shape != case.expected.shape or not np.array_equal(got, case.expected):
            wrong += 1
            print(f"seed {seed}: {case.op} {case.attributes}: expected\n{case.expected}\nbut got\n{got}")
    return len(draw.cases), wrong


def refused(folder):
    """An input used directly as index is checked: the error has the row and the range."""
    data = np.arange(20, dtype=np.float32).reshape(4, 5)
    index = {"nd": np.array([[0, 1], [3, -5]]), "elements": np.array([[1], [3]])}
    cases = [Case("GatherND", [data, "nd"], None, {}), Case("GatherElements", [data, "elements"], None, {"axis": 1}),
             Case("ScatterND", [data, "nd", np.float32([1, 2])], None, {}),
             Case("ScatterElements", [data, "elements", np.float32([[1], [2]])], None, {"axis": 1})]
    for case in cases:
        name = case.op.lower()
        own = next(each for each in case.operands if isinstance(each, str))
        inputs = {"rows": np.zeros(977, np.float32), own: index[own]}
        with open(f"{folder}/{name}.txt", "w") as file:
            file.write(nodes.graph([case], inputs, 18))
        with open(f"{folder}/{name}.txt") as text, open(f"{folder}/{name}.onnx", "wb") as binary:
            subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], stdin=text, stdout=binary, check=True)
        subprocess.run(["ampc", "compile", f"{folder}/{name}.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        model = importlib.import_module(name).Model(threads=1)
        for outside in (5, -6):
            inputs[own] = index[own].copy()
            inputs[own][1, -1] = outside
            try:
                model.predict(*inputs.values())
                print(f"{case.op}: {outside} is taken")
            except Exception as reason:
                print(f"{case.op}: {reason}")


def main():
    folder, *seeds = sys.argv[1:]
    sys.path.insert(0, folder)
    if not seeds:
        refused(folder)
    for seed in seeds:
        first, _, last = seed.partition("-")
        for each in range(int(first), int(last or first) + 1):
            print("seed %d: %d nodes, %d wrong" % (each, *run(each, folder)))


if __name__ == "__main__":
    main()
