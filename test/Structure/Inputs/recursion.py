# Finds recursive functions along operands or users. Without a memo such functions count paths, and deep models overflow the stack: walks go
# through mlir-dialects/SourceWalk.h. Every exception has the reason why few ops are visited.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

views = "one view: a view of a view is folded"
calls = "programs within programs"
depth = "at most 8 values that have one reader each"
overloads = "another function of that name"
loops = "loops in loops, at most 8 deep"
exceptions = {
    ("lib/Conversion/TrainToKernel/Converter.cpp", "tensor"): overloads,
    ("lib/Conversion/TrainToKernel/Converter.cpp", "view"): overloads,
    ("lib/Export/ONNX/FunctionGraph.cpp", "emit"): calls,
    ("lib/Export/ONNX/FunctionGraph.cpp", "emitCall"): calls,
    ("lib/Export/ONNX/FunctionGraph.cpp", "emitRegion"): calls,
    ("lib/Import/ONNX/Converter.cpp", "take"): overloads,
    ("lib/Import/ONNX/Print.cpp", "printLoop"): loops,
    ("lib/Import/ONNX/Print.cpp", "printOp"): loops,
    ("lib/Import/ONNX/Raise.cpp", "takeApart"): depth,
    ("lib/Import/ONNX/RaiseAttention.cpp", "keysOf"): "reshapes, one behind the other",
    ("lib/Import/ONNX/RaiseBatchNorm.cpp", "takeFactor"): depth,
    ("lib/Import/ONNX/RaiseLoss.cpp", "complementOf"): overloads,
    ("lib/Import/ONNX/RaiseLoss.cpp", "takeTerms"): depth,
    ("lib/Kernel/Chunking/ChunkRows.cpp", "eraseDeadViewsOf"): views,
    ("lib/Kernel/Fusion/Fuse.cpp", "isSummed"): views,
    ("lib/Kernel/Fusion/FuseReductions.cpp", "findConsumers"): views,
    ("lib/Kernel/Fusion/SinkCasts.cpp", "narrow"): views,
    ("lib/Kernel/Fusion/IterationDomain.cpp", "earliestGradient"): views,
    ("lib/Kernel/Fusion/IterationDomain.cpp", "isReadElementwise"): views,
    ("lib/Kernel/Fusion/Views.cpp", "findConsumers"): views,
    ("lib/Kernel/Fusion/Views.cpp", "hasOtherConsumer"): views,
    ("lib/Kernel/Packing/PackWeights.cpp", "goesWith"): calls,
    ("lib/Kernel/Packing/PadLeadingDimension.cpp", "findViewsOfMemory"): views,
    ("lib/Kernel/Planning/ListScheduler.cpp", "emit"): views,
    ("lib/Kernel/Planning/ListScheduler.cpp", "findConsumers"): views,
    ("lib/Kernel/Planning/ListScheduler.cpp", "release"): views,
    ("lib/Precision/Casts.cpp", "insertCast"): overloads,
    ("lib/Precision/EmitCasts.cpp", "castTo"): "moves of a parameter, each with one operand and kept by type",
    ("lib/Precision/EmitCasts.cpp", "storageFreeForm"): "moves of a parameter, each with one operand and kept by type",
    ("lib/Precision/Ranges.cpp", "constantMisfit"): overloads,
    ("lib/Precision/Ranges.cpp", "rangeOf"): "at most 6 ops, kept by value and depth",
    ("lib/Report/ReadPlan.cpp", "lastReader"): views,
    ("lib/Codegen/Common/KernelCode.cpp", "addOp"): "ops within ops",
    ("lib/Codegen/Common/Slices.cpp", "findResults"): views,
    ("lib/Train/Model/Indices.cpp", "addLimits"): loops,
    ("lib/Train/Model/Indices.cpp", "addLimitsOf"): loops,
    ("lib/Train/Model/Indices.cpp", "addLimitsOfLoop"): loops,
    ("lib/Train/Model/InlineCalls.cpp", "inlineCall"): calls,
    ("lib/Train/Model/InlineCalls.cpp", "inlineCalls"): calls,
    ("lib/Train/Observe/Observe.cpp", "add"): overloads,
    ("lib/Train/Step/MicroBatchAnalysis.cpp", "visit"): loops,
    ("lib/Train/Step/MicroBatchAnalysis.cpp", "visitLoop"): loops,
    ("lib/Train/Step/MicroBatchAnalysis.cpp", "visitRounds"): loops,
    ("lib/Train/Step/WeighMicroBatches.cpp", "collectDependences"): "once, for sets of ops that each hold an op once",
    ("mlir-dialects/Kernel/Constraints.cpp", "of"): overloads,
    ("mlir-dialects/Kernel/Constraints.cpp", "ofResult"): overloads,
    ("mlir-dialects/Train/Program/Modules.cpp", "expand"): calls,
    ("mlir-dialects/Train/Program/Modules.cpp", "expandBlock"): calls,
    ("mlir-dialects/Train/Program/Modules.cpp", "expandFor"): calls,
    ("mlir-dialects/Train/Program/Modules.cpp", "expandOp"): calls,
    ("mlir-dialects/Train/Program/Modules.cpp", "inlineCall"): calls,
    ("mlir-dialects/Train/Program/Origin.cpp", "originOf"): overloads,
    ("mlir-dialects/Train/Program/Origin.cpp", "originsOf"): overloads,
    ("mlir-dialects/Train/Text/Results.cpp", "inferResults"): overloads,
}
keywords = {"if", "for", "while", "switch", "return", "sizeof", "catch", "assert", "defined"}
edges = re.compile(r"getOperands?\(|getOpOperands?\(|getDefiningOp|getUsers\(|getUses\(|->operand|->user")


def blanked(text):
    """Without comments and strings, which may have brackets; every place stays the same."""
    text = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m.group()) - 2) + '"', text)


def behind(text, at, opening, closing):
    depth = 1
    while at < len(text) and depth:
        depth += (text[at] == opening) - (text[at] == closing)
        at += 1
    return at


def functions(text):
    """(name, body) of every definition, lambdas with a name included."""
    for match in re.finditer(r"\b(\w+)\s*\(", text):
        if match.group(1) in keywords:
            continue
        end = behind(text, match.end(), "(", ")")
        head = re.match(r"\s*(?:const|override|noexcept|\s)*(?:->\s*[\w:<>&* ]+)?\{", text[end : end + 300])
        if head and not re.search(r"(?:return|else|[(,=!|+?])\s*$", text[: match.start()][-40:]):
            yield match.group(1), text[end + head.end() : behind(text, end + head.end(), "{", "}")]
    for match in re.finditer(r"std::function<[^;=]*>\s+(\w+)\s*=\s*\[[^\]]*\]\([^{]*\{", text):
        yield match.group(1), text[match.end() : behind(text, match.end(), "{", "}")]


def recursions(text):
    """Names of functions that come back to themselves through functions of the file, and read uses."""
    found = list(functions(blanked(text)))
    calls = {}
    for name, body in found:
        own = {m.group(2) for m in re.finditer(r"(\.|->|\w::)?\b(\w+)\s*\(", body) if not m.group(1)}
        own |= {m.group(1) for m in re.finditer(r",\s*(\w+)\)", body)}  # handed to an algorithm
        calls.setdefault(name, set()).update(own)
    reads = {name for name, body in found if edges.search(body)}

    def reached(name):
        todo, seen = list(calls[name]), set()
        while todo:
            each = todo.pop()
            if each in calls and each not in seen:
                seen.add(each)
                todo += calls[each]
        return seen

    reachable = {name: reached(name) for name in calls}
    for name in calls:
        cycle = {other for other in reachable[name] if name in reachable[other]}
        if cycle & reads:
            yield name


def main():
    root = pathlib.Path(sys.argv[1])
    faults, used = [], set()
    for top in ("lib", "mlir-dialects", "tools", "include"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".cpp", ".h") or "PTXSim" in path.parts:
                continue
            for name in recursions(path.read_text()):
                entry = (str(path.relative_to(root)), name)
                used.add(entry)
                if entry not in exceptions:
                    faults.append(f"{entry[0]}: expected a SourceWalk, but {name} calls itself along operands or users")
    faults += [f"expected an exception that is needed, but got {entry}" for entry in exceptions if entry not in used]
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
