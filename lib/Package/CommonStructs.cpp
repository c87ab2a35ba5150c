// Description of ampc/Runtime/Common.h for bindings that cannot include the header; static
// assertions check every field.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Interface.h"
#include <type_traits>

using namespace ampc;

namespace {
/// Field with offset and size in the C struct.
struct Placed {
  CommonField field;
  size_t offset, size, alignment;
  bool isFloat;
};
} // namespace

#define AMPC_FIELD(record, name, type)                                                             \
  Placed {                                                                                         \
    {#name, CType::type}, offsetof(record, name), sizeof(record::name),                            \
        alignof(decltype(record::name)), std::is_floating_point_v<decltype(record::name)>          \
  }

/// Whether `fields` covers a struct of `size` bytes and `alignment` completely: the only gaps are
/// C's padding.
template <size_t count>
static constexpr bool isComplete(const Placed (&fields)[count], size_t size, size_t alignment) {
  size_t end = 0;
  for (const Placed &placed : fields) {
    end = (end + placed.alignment - 1) / placed.alignment * placed.alignment;
    bool isFloat = placed.field.type == CType::Float || placed.field.type == CType::Double;
    if (placed.offset != end || placed.isFloat != isFloat)
      return false;
    end += placed.size;
  }
  return (end + alignment - 1) / alignment * alignment == size;
}
#define AMPC_CHECK(record, fields)                                                                 \
  static_assert(isComplete(fields, sizeof(record), alignof(record)),                               \
                "the fields differ from the fields of " #record)

static constexpr Placed tensorFields[] = {AMPC_FIELD(ampc_tensor, name, Text),
                                          AMPC_FIELD(ampc_tensor, dtype, Int32),
                                          AMPC_FIELD(ampc_tensor, rank, Int32),
                                          AMPC_FIELD(ampc_tensor, dims, Dims),
                                          AMPC_FIELD(ampc_tensor, bytes, Int64),
                                          AMPC_FIELD(ampc_tensor, batched, Int32),
                                          AMPC_FIELD(ampc_tensor, memory_rank, Int32),
                                          AMPC_FIELD(ampc_tensor, label_limit, Int64),
                                          AMPC_FIELD(ampc_tensor, label_ignore, Int64),
                                          AMPC_FIELD(ampc_tensor, label_least, Int64),
                                          AMPC_FIELD(ampc_tensor, label_run_count, Int32),
                                          AMPC_FIELD(ampc_tensor, label_runs, Dims)};
AMPC_CHECK(ampc_tensor, tensorFields);

static constexpr Placed trainOutFields[] = {AMPC_FIELD(ampc_train_out, size, UInt32),
                                            AMPC_FIELD(ampc_train_out, loss, Float),
                                            AMPC_FIELD(ampc_train_out, grad_norm, Float),
                                            AMPC_FIELD(ampc_train_out, loss_scale, Float),
                                            AMPC_FIELD(ampc_train_out, found_inf, UInt8),
                                            AMPC_FIELD(ampc_train_out, skipped, UInt8),
                                            AMPC_FIELD(ampc_train_out, reserved, UInt16),
                                            AMPC_FIELD(ampc_train_out, learning_rate, Float),
                                            AMPC_FIELD(ampc_train_out, step, UInt64),
                                            AMPC_FIELD(ampc_train_out, loss_double, Double),
                                            AMPC_FIELD(ampc_train_out, nonfinite, UInt64),
                                            AMPC_FIELD(ampc_train_out, numbers, Numbers),
                                            AMPC_FIELD(ampc_train_out, skipped_in_row, UInt64)};
AMPC_CHECK(ampc_train_out, trainOutFields);

static constexpr Placed hooksFields[] = {
    AMPC_FIELD(ampc_hooks, size, UInt32),      AMPC_FIELD(ampc_hooks, reserved, UInt32),
    AMPC_FIELD(ampc_hooks, context, Data),     AMPC_FIELD(ampc_hooks, on_step, Function),
    AMPC_FIELD(ampc_hooks, on_span, Function), AMPC_FIELD(ampc_hooks, on_log, Function)};
AMPC_CHECK(ampc_hooks, hooksFields);

static constexpr Placed optionsFields[] = {AMPC_FIELD(ampc_options, size, UInt32),
                                           AMPC_FIELD(ampc_options, threads, Int32),
                                           AMPC_FIELD(ampc_options, seed, UInt64),
                                           AMPC_FIELD(ampc_options, want_split, Int32),
                                           AMPC_FIELD(ampc_options, reserved, Int32),
                                           AMPC_FIELD(ampc_options, memory, Data),
                                           AMPC_FIELD(ampc_options, memory_bytes, Size),
                                           AMPC_FIELD(ampc_options, allocate, Function),
                                           AMPC_FIELD(ampc_options, release, Function),
                                           AMPC_FIELD(ampc_options, allocator_context, Data),
                                           AMPC_FIELD(ampc_options, parallel_for, Function),
                                           AMPC_FIELD(ampc_options, parallel_context, Data),
                                           AMPC_FIELD(ampc_options, hooks, Hooks),
                                           AMPC_FIELD(ampc_options, error, Room),
                                           AMPC_FIELD(ampc_options, error_bytes, Size),
                                           AMPC_FIELD(ampc_options, device, Text),
                                           AMPC_FIELD(ampc_options, stream, Data),
                                           AMPC_FIELD(ampc_options, initial_data, Text),
                                           AMPC_FIELD(ampc_options, shares, Int32),
                                           AMPC_FIELD(ampc_options, pin_threads, Int32),
                                           AMPC_FIELD(ampc_options, denormals, Int32),
                                           AMPC_FIELD(ampc_options, skip_limit, UInt64),
                                           AMPC_FIELD(ampc_options, comm, Data),
                                           AMPC_FIELD(ampc_options, comm_seconds, Int32)};
AMPC_CHECK(ampc_options, optionsFields);

template <size_t count> static std::vector<CommonField> fieldsOf(const Placed (&placed)[count]) {
  std::vector<CommonField> fields;
  for (const Placed &field : placed)
    fields.push_back(field.field);
  return fields;
}

llvm::ArrayRef<CommonStruct> ampc::commonStructs() {
  static const std::vector<CommonField> tensor = fieldsOf(tensorFields),
                                        trainOut = fieldsOf(trainOutFields),
                                        hooks = fieldsOf(hooksFields),
                                        options = fieldsOf(optionsFields);
  static const CommonStruct structs[] = {{"ampc_tensor", tensor},
                                         {"ampc_train_out", trainOut},
                                         {"ampc_hooks", hooks},
                                         {"ampc_options", options}};
  return structs;
}

llvm::ArrayRef<CommonConstant> ampc::commonConstants() {
#define AMPC_VALUE(name)                                                                           \
  {                                                                                                \
    #name, name                                                                                    \
  }
  static const CommonConstant constants[] = {AMPC_VALUE(AMPC_ABI_VERSION),
                                             AMPC_VALUE(AMPC_OK),
                                             AMPC_VALUE(AMPC_W_STEP_SKIPPED),
                                             AMPC_VALUE(AMPC_E_ARG),
                                             AMPC_VALUE(AMPC_E_SHAPE),
                                             AMPC_VALUE(AMPC_E_DTYPE),
                                             AMPC_VALUE(AMPC_E_CPU_UNSUPPORTED),
                                             AMPC_VALUE(AMPC_E_MEMORY),
                                             AMPC_VALUE(AMPC_E_IO),
                                             AMPC_VALUE(AMPC_E_CKPT_MISMATCH),
                                             AMPC_VALUE(AMPC_E_NONFINITE_LOSS),
                                             AMPC_VALUE(AMPC_E_NONFINITE_GRADIENT),
                                             AMPC_VALUE(AMPC_E_DEVICE),
                                             AMPC_VALUE(AMPC_E_STALLED),
                                             AMPC_VALUE(AMPC_E_PEER),
                                             AMPC_VALUE(AMPC_F32),
                                             AMPC_VALUE(AMPC_F64),
                                             AMPC_VALUE(AMPC_F16),
                                             AMPC_VALUE(AMPC_BF16),
                                             AMPC_VALUE(AMPC_I1),
                                             AMPC_VALUE(AMPC_I8),
                                             AMPC_VALUE(AMPC_I16),
                                             AMPC_VALUE(AMPC_I32),
                                             AMPC_VALUE(AMPC_I64),
                                             AMPC_VALUE(AMPC_U8),
                                             AMPC_VALUE(AMPC_ROLE_PARAM),
                                             AMPC_VALUE(AMPC_ROLE_BUFFER),
                                             AMPC_VALUE(AMPC_ROLE_MOMENT),
                                             AMPC_VALUE(AMPC_ROLE_STEP),
                                             AMPC_VALUE(AMPC_ROLE_GRADIENT),
                                             AMPC_VALUE(AMPC_ROLE_EMA),
                                             AMPC_VALUE(AMPC_ROLE_RANDOM),
                                             AMPC_VALUE(AMPC_ROLE_SCALE),
                                             AMPC_VALUE(AMPC_ROLE_WORKING),
                                             AMPC_VALUE(AMPC_SKIPS_TO_LOG),
                                             AMPC_VALUE(AMPC_SHARES_FIXED),
                                             AMPC_VALUE(AMPC_SHARES_DYNAMIC),
                                             AMPC_VALUE(AMPC_DENORMALS_KEEP),
                                             AMPC_VALUE(AMPC_DENORMALS_FLUSH),
                                             AMPC_VALUE(AMPC_ALL_GATHER),
                                             AMPC_VALUE(AMPC_ALL_TO_ALL),
                                             AMPC_VALUE(AMPC_RUN_CHECK_FINITE),
                                             AMPC_VALUE(AMPC_RUN_NO_ROWS),
                                             AMPC_VALUE(AMPC_LOAD_ALL),
                                             AMPC_VALUE(AMPC_LOAD_WEIGHTS),
                                             AMPC_VALUE(AMPC_LOAD_AVERAGES)};
#undef AMPC_VALUE
  return constants;
}
