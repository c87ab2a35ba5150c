# The ONNX project's node tests: every model imported, compiled for the CPU, and run on the test's inputs; outputs are compared.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""node-tests.py FOLDER TABLE [--data=DIR] [--only=PATTERN,...] [--update] [--verbose]

The tests are those of the Python package onnx, or with --data those of a folder, as Debian's libonnx-testdata has them. Models are put into
files of many, which are taken apart again where something goes wrong. Inputs of a test are inputs of the file; where the test cannot be imported
and more inputs have to be known, they become initializers, and the table says so. --only takes some of the tests, for which the rows of the
table are not compared, but none of which may fail or be missing from those that pass."""
import argparse
import collections
import fnmatch
import glob
import os
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import node_tests_table as table

RELATIVE, ABSOLUTE = 1e-3, 1e-7  # of the project's own runner
NARROW = 2**-7                   # of one rounding to bf16
MANY, ROWS = 40, 977             # models in a file, rows of its batch
NUMBERS = {getattr(TensorProto, name) for name in ("FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "BOOL", "FLOAT16", "DOUBLE",
                                                   "UINT32", "UINT64", "BFLOAT16")}
# Tests whose outputs are a draw of random numbers.
RANDOM = ["test_training_dropout", "test_training_dropout_default", "test_training_dropout_mask", "test_training_dropout_default_mask",
          "test_bernoulli*"]


class Case:
    """A test: a model, arrays for the inputs and arrays for the outputs; `known` are the inputs whose values are part of the file."""

    def __init__(self, name, model, inputs, outputs):
        self.name, self.model = name, model
        self.inputs, self.outputs = inputs, outputs
        self.known, self.reason, self.share = set(), None, None

    @property
    def op(self):
        nodes = self.model.graph.node
        if self.name.startswith("test_gradient_of"):  # the last of several
            return nodes[-1].op_type
        return nodes[0].op_type if nodes else "no node"

    @property
    def opsets(self):
        return tuple(sorted((each.domain, each.version) for each in self.model.opset_import))

    def obstacle(self):
        """The part of the case that ampc's tensors cannot hold, found before any import."""
        if any(fnmatch.fnmatch(self.name, pattern) for pattern in RANDOM):
            return "outputs that are random"
        for info in list(self.model.graph.input) + list(self.model.graph.output):
            kind = info.type.WhichOneof("value")
            if kind != "tensor_type":
                return f"{kind.removesuffix('_type')}s"
            if info.type.tensor_type.elem_type not in NUMBERS:
                return f"tensors of {TensorProto.DataType.Name(info.type.tensor_type.elem_type).lower()}"
        if any(array.size == 0 for array in self.inputs + self.outputs):
            return "tensors without elements"
        if self.model.functions:
            return "functions"
        return None

    def is_narrow(self):
        """Whether a tensor has 16 bits. Tensors of ampc's functions do not: functions compute in f32, and the precision is decided later."""
        values = list(self.model.graph.input) + list(self.model.graph.output)
        casts = [attribute.i for node in self.model.graph.node for attribute in node.attribute if attribute.name in ("to", "dtype")]
        types = {info.type.tensor_type.elem_type for info in values} | set(casts)
        return bool(types & {TensorProto.FLOAT16, TensorProto.BFLOAT16})

    def know_more(self):
        """Integers first, then all but the first input; False when there is nothing more to know."""
        names = [info.name for info in self.model.graph.input]
        rest = set(names[1:]) or set(names)
        whole = {name for name, array in zip(names, self.inputs) if array.dtype.kind in "iub" and name in rest}
        if len(names) == 1:
            rest = whole
        for known in (whole, rest):
            if known > self.known:
                self.known = known
                return True
        return False


def packaged():
    from onnx.backend.test.case import model, node
    # Gradient nodes refer to nodes of a model, so gradient tests are model tests.
    gradients = [case for case in model.collect_testcases() if case.name.startswith("test_gradient_of")]
    for case in node.collect_testcases(None) + gradients:
        yield case.name, case.model, *case.data_sets[0]


def stored(folder):
    for path in sorted(path for places in ("node/*", "simple/test_gradient_of*", "*") for path in glob.glob(f"{folder}/{places}/model.onnx")):
        model, place = onnx.load(path), os.path.dirname(path)
        arrays = [[], []]
        try:
            for kind, into in zip(("input", "output"), arrays):
                for i in range(len(getattr(model.graph, kind))):
                    with open(f"{place}/test_data_set_0/{kind}_{i}.pb", "rb") as file:
                        tensor = onnx.load_tensor_from_string(file.read())
                    if getattr(model.graph, kind)[i].type.tensor_type.elem_type == TensorProto.BFLOAT16:
                        tensor.data_type = TensorProto.BFLOAT16  # older files say that its bits are UINT16
                    into.append(numpy_helper.to_array(tensor))
        except Exception:  # sequences and strings are no tensors: readers differ, and no test here needs such values
            arrays = [[], []]
        yield os.path.basename(place), model, *arrays


def plain(value):
    """Numbers of types that NumPy has."""
    array = numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def cases_of(arguments):
    warnings.simplefilter("ignore")
    cache = os.path.join(arguments.folder, "cases.pickle")
    if os.path.exists(cache):
        with open(cache, "rb") as file:
            found = pickle.load(file)
    else:
        found = list(stored(arguments.data) if arguments.data else packaged())
        with open(cache, "wb") as file:
            pickle.dump(found, file)
    patterns = arguments.only.split(",") if arguments.only else ["*"]
    cases = []
    for name, model, inputs, outputs in found:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        tensors = all(info.type.WhichOneof("value") == "tensor_type" for info in list(model.graph.input) + list(model.graph.output))
        arrays = [[plain(each) for each in group] for group in (inputs, outputs)] if tensors else [[], []]
        cases.append(Case(name, model, *arrays))
    return cases


# ---- Many models as a single file ----

def rename(graph, prefix):
    """Names of values and nodes, also in graphs inside of nodes."""
    for node in graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name:
                    names[i] = prefix + name
        node.name = prefix + (node.name or node.op_type)
        for attribute in node.attribute:
            if node.op_type == "Gradient" and attribute.name == "y":
                attribute.s = prefix.encode() + attribute.s
            elif node.op_type == "Gradient":
                attribute.strings[:] = [prefix.encode() + each for each in attribute.strings]
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                rename(inner, prefix)
    for group in (graph.input, graph.output, graph.initializer):
        for each in group:
            each.name = prefix + each.name


def used_by(graph, names):
    names.update(info.name for info in graph.output)
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                used_by(inner, names)


def merged(cases):
    """(a model of all cases, arrays of the inputs by name, arrays of real initializers, which are state)"""
    whole, inputs, states = onnx.ModelProto(), {}, {}
    whole.CopyFrom(cases[0].model)
    whole.graph.Clear()
    whole.graph.name = "nodes"
    # The first input's leading dimension is the batch, which leads the results: a size that no test has.
    whole.graph.input.append(onnx.helper.make_tensor_value_info("rows", TensorProto.FLOAT, [ROWS]))
    whole.graph.output.append(onnx.helper.make_tensor_value_info("used", TensorProto.FLOAT, [ROWS]))
    whole.graph.node.append(onnx.helper.make_node("Neg", ["rows"], ["used"]))
    inputs["rows"] = np.zeros(ROWS, np.float32)
    for case in cases:
        graph = onnx.GraphProto()
        graph.CopyFrom(case.model.graph)
        prefix = case.name + "/"
        kept, used = [], set()
        used_by(graph, used)
        for info, array in zip(graph.input, case.inputs):
            name = prefix + info.name
            if info.name in case.known:
                tensor = numpy_helper.from_array(array, info.name)
                if info.type.tensor_type.elem_type == TensorProto.BFLOAT16:
                    tensor = onnx.helper.make_tensor(info.name, TensorProto.BFLOAT16, array.shape, array.ravel())
                graph.initializer.append(tensor)
            elif info.name in used:  # other inputs are no arguments of the function
                inputs[name] = array
                info.type.tensor_type.shape.Clear()
                for size in array.shape:
                    info.type.tensor_type.shape.dim.add().dim_value = size
                kept.append(info)
        del graph.value_info[:]
        kept = [onnx.ValueInfoProto.FromString(info.SerializeToString()) for info in kept]
        del graph.input[:]
        graph.input.extend(kept)
        rename(graph, prefix)
        for tensor in graph.initializer:
            states[tensor.name] = plain(numpy_helper.to_array(tensor))
        whole.graph.MergeFrom(graph)
    return whole, inputs, states


# ---- Import, compile, run ----

FAULT = re.compile(r"'(test_[^'/]*)/(?:[^']|'(?! \())*?'(?: \([^)]*\))?: (.*)")


def ampc(*words):
    return subprocess.run(["ampc", *words], capture_output=True, text=True)


def first_line(text):
    lines = [line for line in text.splitlines() if "error" in line or line.startswith("  ")] or text.splitlines() or ["no message"]
    return lines[0].strip()


def without_names(reason):
    """The reason without the name and the path of the test."""
    reason = re.sub(r"^(ampc: )?(error: )?", "", reason)
    return re.sub(r"'?test_[^'/\s]*/", "'", reason).strip()


def imported(cases, folder):
    """The cases that can be imported, each with as many known inputs as necessary; all other cases get a reason."""
    while cases:
        whole, inputs, states = merged(cases)
        path = f"{folder}/nodes.onnx"
        onnx.save(whole, path)
        done = ampc("import", path, "-o", f"{folder}/nodes.mlir")
        if done.returncode == 0:
            return cases, inputs, states
        faults = {}
        for line in done.stderr.splitlines():
            if found := FAULT.search(line):
                faults.setdefault(found[1], found[2])
        if not faults:
            if len(cases) > 1:
                return [], None, first_line(done.stderr)
            faults = {cases[0].name: first_line(done.stderr)}
        rest = []
        for case in cases:
            if case.name in faults and not ("no converter" not in faults[case.name] and case.know_more()):
                case.reason = without_names(faults[case.name])
            else:
                rest.append(case)
        cases = rest
    return [], {}, {}


RUN = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
import nodes, numpy as np
with open(sys.argv[1] + "/run.pickle", "rb") as file:
    inputs, states = pickle.load(file)
model = nodes.Model(threads=1)
for name in model.tensors:
    if name in states:
        model[name] = states[name]
call = nodes._CALLS["predict"]
given = []
assert len(call.inputs) == len(inputs), "expected an argument for every input"
for operand, array in zip(call.inputs, inputs):
    kind = np.dtype(nodes._NUMPY[operand.dtype])
    assert array.dtype.kind == "f" or np.array_equal(array.astype(kind), array), f"expected integers of {kind}"
    given.append(array.astype(kind))
results = model.predict(*given)
results = list(results.values()) if isinstance(results, dict) else [results]
with open(sys.argv[1] + "/results.pickle", "wb") as file:
    pickle.dump([np.asarray(each) for each in results], file)
"""


def compiled(folder, inputs, states):
    """Results, or a message."""
    for path in glob.glob(f"{folder}/*nodes.*") + glob.glob(f"{folder}/results.pickle"):
        if not path.endswith((".mlir", ".onnx", ".safetensors")):  # which the import has just written
            os.remove(path)
    done = ampc("compile", f"{folder}/nodes.mlir", "--bindings=python", "-o", folder)
    if done.returncode:
        return None, "compile: " + first_line(done.stderr)
    with open(f"{folder}/run.pickle", "wb") as file:
        pickle.dump((list(inputs.values()), states), file)
    done = subprocess.run([sys.executable, "-c", RUN, folder], capture_output=True, text=True)
    if done.returncode:
        return None, f"run ({done.returncode}): " + (done.stderr.strip().splitlines() or [""])[-1]
    with open(f"{folder}/results.pickle", "rb") as file:
        return pickle.load(file), ""


def compare(case, results):
    """The share of the tolerance that the worst element uses."""
    case.share = 0.0
    for got, want in zip(results, case.outputs, strict=True):
        if got.shape != want.shape:
            case.reason = f"wrong: expected a shape of {list(want.shape)}, but got {list(got.shape)}"
            return
        got, want = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore"):
            same = (got == want) | (np.isnan(got) & np.isnan(want))
            share = np.where(same, 0, np.abs(got - want) / (ABSOLUTE + RELATIVE * np.abs(want)))
        worst = share.max()
        if not worst <= 1:
            at = np.unravel_index(np.argmax(np.where(np.isnan(share), np.inf, share)), share.shape)
            case.reason = f"wrong: expected {want[at]:.6g}, but got {got[at]:.6g}"
            if case.is_narrow() and np.all(same | (np.abs(got - want) <= NARROW * (1 + np.abs(want)))):
                case.reason = "values of 16 bits, which ampc computes in f32"
        case.share = max(case.share, float(worst))


def check(cases, folder):
    """Halves a group that does not import, compile or run as a whole."""
    cases, inputs, states = imported(cases, folder)
    if not cases and inputs is None:
        return False
    if not cases:
        return True
    results, message = compiled(folder, inputs, states)
    if results is None:
        if len(cases) == 1:
            refuses = message.startswith("compile: ampc: error") or "nodes.Error: predict: input" in message
            cases[0].reason = ("refused: " if refuses else "wrong: ") + without_names(message.split("nodes.Error: ")[-1])
            return True
        return cases
    at = 1
    for case in cases:
        many = len(case.model.graph.output)
        compare(case, results[at:at + many])
        at += many
    return True


def check_all(cases, folder):
    done = check(cases, folder)
    if done is True:
        return
    rest = cases if done is False else done
    for half in (rest[:len(rest) // 2], rest[len(rest) // 2:]):
        check_all(half, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("table")
    parser.add_argument("--data")
    parser.add_argument("--only")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    cases = cases_of(arguments)
    groups = collections.defaultdict(list)
    for case in cases:
        case.reason = case.obstacle()
        if not case.reason:
            groups[case.opsets].append(case)
    for opsets, group in groups.items():
        for start in range(0, len(group), MANY):
            part = group[start:start + MANY]
            check_all(part, arguments.folder)
            if arguments.verbose:
                print(opsets, start, flush=True)
                for case in part:
                    print(" ", case.name, case.reason or f"passed {case.share:.2g}", sorted(case.known), flush=True)
    sys.exit(table.report(cases, arguments))


main()
