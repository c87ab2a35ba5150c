// NAME.h: the C interface of a model, in C99.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ampc {
extern const unsigned char commonHeader[];
extern const std::size_t commonHeaderSize;
} // namespace ampc
using namespace ampc;

/// "f32 [8, 10]", and what else the caller has to know.
static std::string describe(const TensorInfo &tensor, int64_t batch = 0) {
  std::string text;
  raw_string_ostream os(text);
  os << dtypeName(tensor.dtype) << " [";
  interleaveComma(tensor.dims, os);
  os << "]";
  if (tensor.batched && tensor.dims[0] == batch)
    os << ", the first dimension is the batch";
  else if (tensor.batched)
    os << ", " << tensor.dims[0] / batch << " rows for each of the batch";
  if (tensor.labelLimit) {
    os << ", values in [0, " << tensor.labelLimit << ")";
    if (tensor.labelIgnore < 0 || tensor.labelIgnore >= tensor.labelLimit)
      os << ", or " << tensor.labelIgnore << " for rows to leave out";
  }
  if (tensor.dtype == AMPC_BF16 || tensor.dtype == AMPC_F16)
    os << ", as bit patterns";
  if (tensor.dtype == AMPC_I1)
    os << ", 0 or 1 in a byte each";
  return text;
}

/// Comments must not end early, whatever the user's names hold.
static std::string inComment(std::string text) {
  for (size_t at; (at = text.find("*/")) != std::string::npos;)
    text.replace(at, 2, "* /");
  return text;
}

namespace {
class HeaderWriter {
public:
  HeaderWriter(const ModelInfo &model, raw_ostream &os) : model(model), name(model.name), os(os) {}
  void write(ArrayRef<std::string> functions);

private:
  void writeSymbols(ArrayRef<std::string> functions);
  void writeState();
  void writeProgram(const ProgramInfo &program);
  void writeTensors();

  const ModelInfo &model;
  const std::string &name;
  raw_ostream &os;
};
} // namespace

/// With libraries of two models of one name a linker would take the first for both. So every
/// library has its functions under a symbol of its own, too, which stands for its header, and the
/// plain names keep a second library from being linked.
void HeaderWriter::writeSymbols(ArrayRef<std::string> functions) {
  os << "\n/* Calls reach the library that was written with this header. With that of another "
        "model "
        "of this name, the program does\n"
        "   not link: give one of them another name (ampc compile --name). */\n";
  for (const std::string &function : functions)
    os << "#define " << function << " " << symbolForHeader(model, function) << "\n";
}

void HeaderWriter::writeState() {
  os << "/* A training state of the model: parameters, moments, counters, memory and threads. Two "
        "states are independent;\n"
        "   calls on one state must not overlap, except as said at `workspace`. */\n"
        "typedef struct "
     << name << "_state " << name << "_state;\n\n";
  os << "/* AMPC_ABI_VERSION of the library; compare with the header's. */\nint32_t " << name
     << "_abi_version(void);\n";
  os << "/* Bytes of a state with these options (null: defaults), for options.memory; 0 if threads "
        "is out of range. */\n"
     << "size_t " << name << "_state_bytes(const ampc_options *options);\n";
  os << "/* Makes a state (options null: defaults): AMPC_OK, or AMPC_E_ARG, AMPC_E_MEMORY, "
        "AMPC_E_CPU_UNSUPPORTED, with the\n"
        "   reason in options.error. All memory is taken here. The environment variable AMPC_ISA "
        "(plain, avx2, avx512,\n"
        "   avx512bf16, amx, reference) overrides the choice of instructions. */\n"
     << "ampc_status " << name << "_create(const ampc_options *options, " << name
     << "_state **state);\n"
     << "void " << name << "_destroy(" << name << "_state *state);\n"
     << "void " << name << "_set_hooks(" << name << "_state *state, const ampc_hooks *hooks);\n";
  os << "/* Why the last call on this state failed; empty after a call that did not. */\n"
     << "const char *" << name << "_last_error(const " << name << "_state *state);\n"
     << "const char *" << name << "_status_string(ampc_status status);\n"
     << "/* \"plain\", \"avx2\", \"avx512\", \"avx512bf16\" or \"amx\". */\n"
     << "const char *" << name << "_tier(const " << name << "_state *state);\n\n";
  os << "/* Writes a checkpoint (safetensors) that replaces `path` at once when it is complete and "
        "on disk: AMPC_OK, or\n"
        "   AMPC_E_IO. Gradients are not saved. */\n"
     << "ampc_status " << name << "_save(" << name << "_state *state, const char *path);\n"
     << "/* Reads a checkpoint; flags 0 or AMPC_LOAD_WEIGHTS. AMPC_OK, or AMPC_E_ARG, AMPC_E_IO, "
        "AMPC_E_MEMORY or\n"
        "   AMPC_E_CKPT_MISMATCH, which leave the state as it was. */\n"
     << "ampc_status " << name << "_load(" << name
     << "_state *state, const char *path, uint32_t flags);\n\n";
}

/// What a call returns beside AMPC_OK and AMPC_E_ARG.
static SmallVector<StringRef> otherStatuses(const ProgramInfo &program) {
  SmallVector<StringRef> statuses;
  bool allows = program.nonfinite == AMPC_NONFINITE_ALLOW;
  if (program.kind > AMPC_PROGRAM_APPLY)
    return statuses;
  if (program.lossOutput >= 0 && (program.scaleSlot < 0 || allows))
    statuses.push_back("AMPC_E_NONFINITE_LOSS");
  if (!allows && program.kind != AMPC_PROGRAM_GRAD)
    statuses.push_back(program.nonfinite == AMPC_NONFINITE_SKIP ? "AMPC_W_STEP_SKIPPED"
                                                                : "AMPC_E_NONFINITE_GRADIENT");
  return statuses;
}

void HeaderWriter::writeProgram(const ProgramInfo &program) {
  bool training = program.kind <= AMPC_PROGRAM_APPLY;
  const char *const docs[] = {
      "Forward, backward and update.",
      "Forward and backward: leaves the gradients in the state (needs want_split).",
      "Updates from the gradients in the state, once per grad (needs want_split).",
      "The loss, in inference mode; changes nothing.", "Inference; changes nothing."};
  std::string prefix = name + "_" + program.name;
  os << "/* ---- " << prefix << " ---- */\ntypedef struct {\n"
     << "  uint32_t size;      /* sizeof of this struct */\n  uint32_t valid;     /* rows of the "
        "batch that are there and count; 0: all";
  if (program.batch)
    os << " " << program.batch << (program.shortBatch ? "" : ", and fewer are not supported");
  os << " */\n  float lr_factor;    /* factor on the learning rate; 0: 1 */\n  uint32_t flags;     "
        "/* 0 */\n"
     << "  void *workspace;    /* "
     << (training ? "null" : "null, or see " + name + "_workspace_bytes") << " */\n";
  for (const TensorInfo &input : program.inputs)
    os << "  const " << cTypeOf(input.dtype) << " *" << input.field << "; /* "
       << describe(input, program.batch) << " */\n";
  os << "} " << prefix << "_in;\n";
  if (!training) {
    os << "typedef struct {\n  uint32_t size;      /* sizeof of this struct */\n  uint32_t "
          "reserved;\n";
    for (const TensorInfo &output : program.outputs)
      os << "  " << cTypeOf(output.dtype) << " *" << output.field << "; /* "
         << describe(output, program.batch) << " */\n";
    os << "} " << prefix << "_out;\n";
  }
  os << "/* " << docs[program.kind] << (training ? " `out` may be null." : "")
     << "\n   AMPC_OK or AMPC_E_ARG";
  for (StringRef status : otherStatuses(program))
    os << ", " << status;
  os << ". */\nampc_status " << prefix << "(" << (training ? "" : "const ") << name
     << "_state *state, const " << prefix << "_in *in, "
     << (training ? std::string("ampc_train_out") : prefix + "_out") << " *out);\n\n";
}

void HeaderWriter::writeTensors() {
  os << "/* ---- Tensors of the state, numbered from 0; without working copies ----\n";
  auto isShown = [](const SlotInfo &slot) { return slot.role != AMPC_ROLE_WORKING; };
  for (auto [number, slot] : enumerate(make_filter_range(model.slots, isShown)))
    os << inComment(("   " + Twine(number) + "  " + slot.tensor.name + "  " +
                     describe(slot.tensor) + "  " + roleName(slot.role))
                        .str())
       << "\n";
  os << "*/\nint32_t " << name << "_tensor_count(void);\n"
     << "/* Null if there is none of that number. */\n"
     << "const ampc_tensor *" << name << "_tensor(int32_t number);\n"
     << "/* An ampc_role, or -1. */\nint32_t " << name << "_tensor_role(int32_t number);\n"
     << "/* Number of the tensor of that name, or -1. */\nint32_t " << name
     << "_find_tensor(const char *tensor_name);\n"
     << "/* The tensor's memory, valid as long as the state; null for gradients without "
        "want_split. */\n"
     << "void *" << name << "_tensor_data(" << name << "_state *state, int32_t number);\n"
     << "/* Copies of a whole tensor, wherever the state is; set also rebuilds working copies. */\n"
     << "ampc_status " << name << "_get(" << name
     << "_state *state, int32_t number, void *data, size_t bytes);\n"
     << "ampc_status " << name << "_set(" << name
     << "_state *state, int32_t number, const void *data, size_t bytes);\n"
     << "/* A view of the tensor's memory for other libraries: dlpack.h has the struct, which is "
        "the one without a version\n"
        "   number. AMPC_OK, or AMPC_E_ARG or AMPC_E_MEMORY. The caller's is the description, "
        "which "
        "its `deleter` frees; the\n"
        "   memory is the state's. */\n"
     << "struct DLManagedTensor;\nampc_status " << name << "_dlpack(" << name
     << "_state *state, int32_t number, struct DLManagedTensor **view);\n"
     << "/* To be called after parameters were written through their pointers. */\n"
     << "ampc_status " << name << "_refresh(" << name << "_state *state);\n";
}

void HeaderWriter::write(ArrayRef<std::string> functions) {
  std::string guard = "AMPC_MODEL_" + name, hash = "0x" + model.contentHash + "u";
  os << "/* C interface of the compiled model " << name << ", written by ampc. Link with lib"
     << name << ".a and -pthread. */\n"
     << "#ifndef " << guard << "\n#define " << guard << " " << hash << "\n\n"
     << StringRef(reinterpret_cast<const char *>(commonHeader), commonHeaderSize);
  writeSymbols(functions);
  os << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  writeState();
  os << "/* Bytes of a workspace. A call with one, aligned to 64 bytes, keeps to the calling "
        "thread and writes only there and to\n"
        "   its outputs: any number of such calls of eval and exports on one state may overlap, "
        "with one workspace each, as\n"
        "   long as no other call changes the state. After an error, the workspace begins with the "
        "message. */\n"
     << "size_t " << name << "_workspace_bytes(void);\n\n";
  for (const ProgramInfo &program : model.programs)
    if (isPublic(program))
      writeProgram(program);
  writeTensors();
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#elif " << guard << " != " << hash
     << "\n#error \"two compiled models are called " << name
     << ": give one of them another name (ampc compile --name)\"\n#endif\n";
}

std::string ampc::symbolForHeader(const ModelInfo &model, StringRef function) {
  return (function + "_of_header_" + model.contentHash).str();
}

std::string ampc::writeHeader(const ModelInfo &model, ArrayRef<std::string> functions) {
  std::string text;
  raw_string_ostream os(text);
  HeaderWriter(model, os).write(functions);
  return text;
}
