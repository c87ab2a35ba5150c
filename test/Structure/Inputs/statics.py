# Finds variables that live as long as the process or a thread and may change: state travels in objects, so that two compilations, two
# states, two commands in one process do not see each other. Options of a command line (llvm::cl, CountOption) are the exception as a whole; every
# other exception has its reason.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

once = "LLVM registers its targets once per process"
handler = "LLVM has one handler of fatal errors per process"
signals = "a signal handler has no argument"
driver = "the CUDA driver's interface has one state per process or thread"
exceptions = {
    ("lib/Codegen/NVPTX/PTXEmission.cpp", "once"): once,
    ("lib/Package/ObjectWriter.cpp", "once"): once,
    ("lib/Codegen/NVPTX/PTXEmission.cpp", "current"): handler,
    ("lib/Codegen/NVPTX/PTXEmission.cpp", "mutex"): handler,
    ("lib/Codegen/NVPTX/PTXEmission.cpp", "count"): handler,
    ("lib/Comm/MPIProcesses.c", "text"): "MPI has one name per process, and the table returns a pointer to it",
    ("lib/Data/Mapping.cpp", "mappings"): signals,
    ("lib/Data/Mapping.cpp", "shortened"): signals,
    ("lib/Data/Mapping.cpp", "otherwise"): signals,
    ("lib/Import/ONNX/Nodes.cpp", "ID"): "address by which llvm::ErrorInfo tells types of errors",
    ("lib/Import/ONNX/Nodes.h", "ID"): "address by which llvm::ErrorInfo tells types of errors",
    ("lib/Pipelines/OpLibrary.cpp", "all"): "a loaded library stays in the process",
    ("lib/Precision/Policies/Registry.cpp", "all"): "registry of policies, to which programs add policies at their start",
    ("lib/PTXSim/Driver/DriverDevices.cpp", "instance"): driver,
    ("lib/PTXSim/Driver/DriverDevices.cpp", "stack"): driver,
    ("lib/PTXSim/Driver/DriverDevices.cpp", "lastError"): driver,
    ("lib/PTXSim/Driver/DriverDevices.cpp", "limits"): driver,
    ("lib/PTXSim/Driver/DriverMemory.cpp", "defaultPool"): driver,
    ("lib/PTXSim/Driver/DriverStreams.cpp", "own"): driver,
    ("lib/PTXSim/Driver/EntryPoints.cpp", "handle"): driver,
    ("lib/PTXSim/Driver/Report.cpp", "instance"): driver,
    ("lib/PTXSim/Machine/Atomic.cpp", "locks"): "locks by address of the host's memory, which all machines of a process share",
    ("mlir-dialects/SourceWalk.h", "numVisitedSources"): "count of visited values for --timing, which no result depends on",
    ("tools/StandardError.cpp", "spelledError"): "write() replaces the C library's function and has no argument for an object",
    ("tools/ampc/Endings.cpp", "stopSignals"): signals,
    ("tools/ampc/Endings.cpp", "caught"): signals,
    ("tools/ampc/Endings.cpp", "reproducer"): signals,
    ("tools/ampc/Endings.cpp", "outOfMemory"): signals,
    ("tools/ampc/Endings.cpp", "made"): signals,
    ("tools/ampc/Main.cpp", "commandLine"): "the words of main(), for messages and for the handler of crashes",
}
folders = ("lib", "tools", "mlir-dialects", "include")
no_code = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
# With a storage class, anywhere: type and name, up to an initializer or the end. Arguments with a literal are no parameters.
stored = re.compile(r"(?:^|(?<=[;{}]))\s*((?:static|inline|thread_local|_Thread_local)\b[^;{}()=]*?\w)\s*(?:\[[^\]]*\]\s*)*"
                    r"(?=[;={]|\((?:[^;{}=<]*,)?\s*(?:\"\"|-?\d))", re.M)
# At the left margin, where namespaces have their variables; not a declaration of another kind.
others = ("using|typedef|return|namespace|class|struct|union|enum|template|friend|extern|goto|case|public|private|protected|static|else|inline|"
          "constexpr|thread_local|_Thread_local|volatile")
margin = re.compile(rf"^(?!(?:{others})\b)([A-Za-z_][\w:<>,*& ]*[ *&>]\w[\w:]*)(?:\[[^\]]*\])*\s*(?:=[^;]*|\{{[^;]*\}})?;", re.M)
constant = re.compile(r"\bcl::|Options?\b|\bconstexpr\b|\bconst\b(?![^<]*\*(?!\s*const))")


def variables(text):
    """Offsets and names of variables that may change."""
    for pattern in (stored, margin):
        for found in pattern.finditer(text):
            declaration = " ".join(found[1].split())
            words = declaration.replace("*", " ").replace("&", " ").split()
            if not constant.search(declaration) and "operator" not in declaration and len(words) > 1 + (pattern is stored):
                yield found.start(1), re.split(r"\W+", declaration)[-1]


def main():
    root, wrong, used = pathlib.Path(sys.argv[1]), [], set()
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*") if path.suffix in (".cpp", ".h", ".c", ".inc", ".def")):
        file = str(path.relative_to(root))
        text = no_code.sub(lambda found: '""' if found[0][0] in "R\"" else " " + "\n" * found[0].count("\n"), path.read_text())
        for at, name in sorted(set(variables(text))):
            used.add((file, name))
            if (file, name) not in exceptions:
                wrong.append(f"{file}:{text.count(chr(10), 0, at) + 1}: expected state in an object, but got the variable {name}, which lives "
                             f"as long as the process or a thread")
    wrong += [f"{file}: expected an exception that is needed, but got {name}" for file, name in exceptions if (file, name) not in used]
    print("".join(line + "\n" for line in wrong), end="")
    sys.exit(bool(wrong))


main()
