// C interface of a model as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Interface.h"
#include "lib/Package/Mirrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace ampc;

// ---- Types ----

static constexpr char pointer[] = "ctypes.c_void_p", inFortran[] = "type(c_ptr)";
static constexpr TypeInfo types[] = {
    {CType::Void, "void", "None", "", 0},
    {CType::Int32, "int32_t", "ctypes.c_int32", "integer(c_int32_t)", 4},
    {CType::UInt8, "uint8_t", "ctypes.c_uint8", "integer(c_int8_t)", 1},
    {CType::UInt16, "uint16_t", "ctypes.c_uint16", "integer(c_int16_t)", 2},
    {CType::UInt32, "uint32_t", "ctypes.c_uint32", "integer(c_int32_t)", 4},
    {CType::Int64, "int64_t", "ctypes.c_int64", "integer(c_int64_t)", 8},
    {CType::UInt64, "uint64_t", "ctypes.c_uint64", "integer(c_int64_t)", 8},
    {CType::Float, "float", "ctypes.c_float", "real(c_float)", 4},
    {CType::Double, "double", "ctypes.c_double", "real(c_double)", 8},
    {CType::Size, "size_t", "ctypes.c_size_t", "integer(c_size_t)", 8},
    {CType::Status, "ampc_status", "ctypes.c_int", "integer(c_int)", 0},
    {CType::Text, "const char *", "ctypes.c_char_p", inFortran, 8},
    {CType::Room, "char *", pointer, inFortran, 8},
    {CType::Data, "void *", pointer, inFortran, 8},
    {CType::ConstData, "const void *", pointer, inFortran, 8},
    {CType::Dims, "const int64_t *", "ctypes.POINTER(ctypes.c_int64)", inFortran, 8},
    {CType::Numbers, "const double *", "ctypes.POINTER(ctypes.c_double)", inFortran, 8},
    {CType::Elements, "@ *", pointer, inFortran, 8},
    {CType::ConstElements, "const @ *", pointer, inFortran, 8},
    {CType::Function, "", pointer, "type(c_funptr)", 8},
    {CType::Hooks, "ampc_hooks", "ampc_hooks", "type(ampc_hooks)", sizeof(ampc_hooks)},
    {CType::ConstHooks, "const ampc_hooks *", pointer, inFortran, 0},
    {CType::Options, "const ampc_options *", pointer, inFortran, 0},
    {CType::TrainOut, "ampc_train_out *", pointer, inFortran, 0},
    {CType::Tensor, "const ampc_tensor *", "ctypes.POINTER(ampc_tensor)", inFortran, 0},
    {CType::State, "@_state *", pointer, inFortran, 0},
    {CType::ConstState, "const @_state *", pointer, inFortran, 0},
    {CType::NewState, "@_state **", pointer, inFortran, 0},
    {CType::View, "struct DLManagedTensor **", pointer, inFortran, 0},
    {CType::In, "const @_in *", pointer, inFortran, 0},
    {CType::Out, "@_out *", pointer, inFortran, 0}};

const TypeInfo &ampc::infoOf(CType type) {
  const TypeInfo &info = types[size_t(type)];
  assert(info.type == type && "the table has another order");
  return info;
}

// ---- Functions of every library ----

ArrayRef<FunctionInfo> ampc::stateFunctions() {
  static const FunctionInfo functions[] = {
      {versionFunction,
       false,
       CType::Int32,
       {},
       "AMPC_ABI_VERSION of the library; compare with the header's."},
      {"state_bytes",
       true,
       CType::Size,
       {{CType::Options, "options"}},
       "Bytes of a state with these options (null: defaults), for options.memory; 0 if threads is "
       "out of range."},
      {"create",
       true,
       CType::Status,
       {{CType::Options, "options"}, {CType::NewState, "state"}},
       "Makes a state (options null: defaults): AMPC_OK, or AMPC_E_ARG, AMPC_E_MEMORY, "
       "AMPC_E_CPU_UNSUPPORTED, with the\n"
       "   reason in options.error. All memory is allocated here. The environment variable "
       "AMPC_ISA "
       "(plain, avx2, avx512,\n"
       "   avx512bf16, amx, amxfp16, reference) overrides the choice of instructions."},
      {"destroy", false, CType::Void, {{CType::State, "state"}}, ""},
      {"set_hooks",
       false,
       CType::Void,
       {{CType::State, "state"}, {CType::ConstHooks, "hooks"}},
       ""},
      {"last_error",
       false,
       CType::Text,
       {{CType::ConstState, "state"}},
       "Error message of the last call on this state; empty after a call without an error."},
      {"status_string", false, CType::Text, {{CType::Status, "status"}}, ""},
      {"tier",
       false,
       CType::Text,
       {{CType::ConstState, "state"}},
       "\"plain\", \"avx2\", \"avx512\", \"avx512bf16\", \"amx\" or \"amxfp16\"."},
      {"save",
       false,
       CType::Status,
       {{CType::State, "state"}, {CType::Text, "path"}},
       "Writes a checkpoint (safetensors) that replaces `path` at once when it is complete and "
       "on disk: AMPC_OK, or\n"
       "   AMPC_E_IO. Gradients are not saved."},
      {"load",
       false,
       CType::Status,
       {{CType::State, "state"}, {CType::Text, "path"}, {CType::UInt32, "flags"}},
       "Reads a checkpoint; flags 0, AMPC_LOAD_WEIGHTS or AMPC_LOAD_AVERAGES. AMPC_OK, or "
       "AMPC_E_ARG, AMPC_E_IO, AMPC_E_MEMORY or\n"
       "   AMPC_E_CKPT_MISMATCH, which leave the state unchanged."},
      {"workspace_bytes",
       true,
       CType::Size,
       {},
       "Bytes of a workspace. A call with a workspace, aligned to 64 bytes, runs on the calling "
       "thread alone and writes only\n   to the workspace and the outputs: any number of calls of "
       "eval and exports on one state may overlap, with a workspace\n   each, as long as no other "
       "call changes the state. After an error, the workspace begins with the message."}};
  return functions;
}

ArrayRef<FunctionInfo> ampc::tensorFunctions() {
  static const FunctionInfo functions[] = {
      {"tensor_count", true, CType::Int32, {}, ""},
      {"tensor",
       true,
       CType::Tensor,
       {{CType::Int32, "number"}},
       "Null if no tensor has that number."},
      {"tensor_role", true, CType::Int32, {{CType::Int32, "number"}}, "An ampc_role, or -1."},
      {"find_tensor",
       true,
       CType::Int32,
       {{CType::Text, "tensor_name"}},
       "Number of the tensor of that name, or -1."},
      {"tensor_data",
       false,
       CType::Data,
       {{CType::State, "state"}, {CType::Int32, "number"}},
       "The tensor's memory, valid as long as the state; null for gradients without want_split."},
      {"get",
       false,
       CType::Status,
       {{CType::State, "state"},
        {CType::Int32, "number"},
        {CType::Data, "data"},
        {CType::Size, "bytes"}},
       "Copies of a whole tensor, wherever the state is; set also rebuilds working copies."},
      {"set",
       false,
       CType::Status,
       {{CType::State, "state"},
        {CType::Int32, "number"},
        {CType::ConstData, "data"},
        {CType::Size, "bytes"}},
       ""},
      {"dlpack",
       false,
       CType::Status,
       {{CType::State, "state"}, {CType::Int32, "number"}, {CType::View, "view"}},
       "A view of the tensor's memory for other libraries: the struct is DLManagedTensor of "
       "dlpack.h, without a\n   version number. AMPC_OK, or AMPC_E_ARG or AMPC_E_MEMORY. The "
       "caller owns the description and frees the description\n   with `deleter`; the memory is "
       "the state's."},
      {"refresh",
       false,
       CType::Status,
       {{CType::State, "state"}},
       "To be called after parameters were written through pointers."}};
  return functions;
}

// ---- Programs ----

/// `numbers`: limit, ignored label, minimum. Example: {10, -1, 0} -> "[0, 10), or -1 for rows to
/// leave out".
static void describeLimits(raw_ostream &os, ArrayRef<int64_t> numbers) {
  os << '[' << numbers[2] << ", " << numbers[0] << ')';
  if (numbers[1] < numbers[2] || numbers[1] >= numbers[0])
    os << ", or " << numbers[1] << " for rows to leave out";
}

/// Keeps lines of the header readable; the tables have all runs.
static constexpr size_t mostRunsShown = 32;

static void describeRuns(raw_ostream &os, ArrayRef<int64_t> numbers) {
  size_t count = numbers.size() / 4;
  for (size_t i = 0; i < std::min(count, mostRunsShown); ++i) {
    ArrayRef<int64_t> run = numbers.slice(4 * i, 4);
    os << (i ? "; " : ", elements of a row in turn: ") << run[0];
    if (run[1])
      describeLimits(os << " in ", run.drop_front());
    else
      os << " of any value";
  }
  if (count > mostRunsShown)
    os << "; and so on";
}

std::string ampc::describe(const TensorInfo &tensor, int64_t batch, bool asBits) {
  std::string text;
  raw_string_ostream os(text);
  os << dtypeName(tensor.dtype) << " [";
  interleaveComma(tensor.dims, os);
  os << "]";
  if (tensor.batched && (!batch || tensor.dims[0] == batch)) // 0: state
    os << ", the first dimension is the batch";
  else if (tensor.batched)
    os << ", " << tensor.dims[0] / batch << " rows for each of the batch";
  if (tensor.labelLimit) {
    os << ", values in ";
    describeLimits(os, {tensor.labelLimit, tensor.labelIgnore, tensor.labelLeast});
  }
  describeRuns(os, tensor.labelRuns);
  if (asBits && (tensor.dtype == AMPC_BF16 || tensor.dtype == AMPC_F16))
    os << ", as bit patterns";
  if (asBits && tensor.dtype == AMPC_I1)
    os << ", 0 or 1 in a byte each";
  return text;
}

/// Status codes of a call other than AMPC_OK and AMPC_E_ARG.
static std::string otherStatuses(const ProgramInfo &program) {
  std::string statuses;
  bool allows = program.nonfinite == AMPC_NONFINITE_ALLOW;
  if (program.kind > AMPC_PROGRAM_APPLY)
    return statuses;
  if (program.lossOutput >= 0 && (program.scaleSlot < 0 || allows))
    statuses += ", AMPC_E_NONFINITE_LOSS";
  if (!allows && program.kind != AMPC_PROGRAM_GRAD)
    statuses += program.nonfinite == AMPC_NONFINITE_SKIP
                    ? ", AMPC_W_STEP_SKIPPED, AMPC_E_STALLED (options.skip_limit)"
                    : ", AMPC_E_NONFINITE_GRADIENT, AMPC_E_STALLED (options.skip_limit)";
  return statuses;
}

/// Steps draw from the state's generator, so only other programs take a seed.
static bool takesSeed(const ProgramInfo &program) {
  return program.drawsRandom && program.kind > AMPC_PROGRAM_APPLY;
}

static std::vector<FieldInfo> inFields(const ModelInfo &model, const ProgramInfo &program,
                                       bool trains) {
  std::string rows = "valid rows of the batch; 0: all";
  if (program.batch)
    rows += " " + std::to_string(program.batch) +
            (program.shortBatch ? ""
             : program.mixing.empty()
                 ? ", and fewer are not supported"
                 : ", and fewer are not supported: " + program.mixing + " mixes rows");
  std::vector<FieldInfo> fields = {
      {CType::UInt32, "size", "sizeof of this struct"},
      {CType::UInt32, "valid", rows},
      {CType::Float, "lr_factor", "factor on the learning rate; 0: 1"},
      {CType::UInt32, "flags", "0, or AMPC_RUN_CHECK_FINITE"},
      {CType::Data, "workspace",
       trains ? "null" : "null, or see " + model.name + "_workspace_bytes"}};
  for (const TensorInfo &input : program.inputs)
    fields.push_back({CType::ConstElements, input.field, describe(input, program.batch), &input});
  if (takesSeed(program))
    fields.push_back({CType::UInt64, "seed",
                      "of random numbers; 0: numbers of the state, which repeat until the next "
                      "step; else numbers of a new state of this seed"});
  return fields;
}

static std::vector<FieldInfo> outFields(const ProgramInfo &program) {
  std::vector<FieldInfo> fields = {{CType::UInt32, "size", "sizeof of this struct"},
                                   {CType::UInt32, "reserved", ""}};
  for (const TensorInfo &output : program.outputs)
    fields.push_back({CType::Elements, output.field, describe(output, program.batch), &output});
  return fields;
}

static CallInfo callOf(const ModelInfo &model, const ProgramInfo &program) {
  static const char *const docs[] = {
      "Forward, backward and update.",
      "Forward and backward: leaves the gradients in the state (needs want_split).",
      "Updates from the gradients in the state, once per grad (needs want_split).",
      "The loss, in inference mode; changes nothing.", "Inference; changes nothing."};
  bool trains = program.kind <= AMPC_PROGRAM_APPLY;
  CallInfo call{&program, trains, takesSeed(program), inFields(model, program, trains), {}, {}, {}};
  if (!trains)
    call.out = outFields(program);
  call.parameters = {{trains ? CType::State : CType::ConstState, "state"},
                     {CType::In, "in"},
                     {trains ? CType::TrainOut : CType::Out, "out"}};
  call.doc = std::string(docs[program.kind]) + (trains ? " `out` may be null." : "") +
             "\n   AMPC_OK or AMPC_E_ARG" + otherStatuses(program) + ".";
  return call;
}

std::vector<CallInfo> ampc::callsOf(const ModelInfo &model) {
  std::vector<CallInfo> calls;
  for (const ProgramInfo &program : model.programs)
    if (isPublic(program))
      calls.push_back(callOf(model, program));
  return calls;
}

std::vector<const SlotInfo *> ampc::shownSlots(const ModelInfo &model) {
  std::vector<const SlotInfo *> slots;
  for (const SlotInfo &slot : model.slots)
    if (slot.role != AMPC_ROLE_WORKING)
      slots.push_back(&slot);
  return slots;
}
