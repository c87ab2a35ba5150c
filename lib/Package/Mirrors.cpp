// Enums of the compiler as numbers of the runtime's tables: equal values, or a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "ampc/Runtime/Model.h"
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;

#define AMPC_SAME(compiler, runtime)                                                               \
  static_assert(int32_t(compiler) == int32_t(runtime), #compiler " is not " #runtime)

AMPC_SAME(kernel::Space::state, AMPC_SPACE_STATE);
AMPC_SAME(kernel::Space::arena, AMPC_SPACE_ARENA);
AMPC_SAME(kernel::Space::input, AMPC_SPACE_INPUT);
AMPC_SAME(kernel::Space::output, AMPC_SPACE_OUTPUT);
AMPC_SAME(kernel::Space::constant, AMPC_SPACE_CONSTANT);
AMPC_SAME(kernel::Space::control, AMPC_SPACE_CONTROL);
static_assert(kernel::getMaxEnumValForSpace() == AMPC_SPACE_CONTROL, "a space is missing");

AMPC_SAME(train::NonFinite::allow, AMPC_NONFINITE_ALLOW);
AMPC_SAME(train::NonFinite::skip, AMPC_NONFINITE_SKIP);
AMPC_SAME(train::NonFinite::fail, AMPC_NONFINITE_FAIL);
static_assert(train::getMaxEnumValForNonFinite() == AMPC_NONFINITE_FAIL, "a mode is missing");

AMPC_SAME(Initializer::Constant, AMPC_INIT_CONSTANT);
AMPC_SAME(Initializer::Uniform, AMPC_INIT_UNIFORM);
AMPC_SAME(Initializer::Normal, AMPC_INIT_NORMAL);
AMPC_SAME(Initializer::TruncatedNormal, AMPC_INIT_TRUNCATED_NORMAL);
AMPC_SAME(Initializer::Data, AMPC_INIT_DATA);
static_assert(Initializer::Data == AMPC_INIT_DATA, "a kind is missing");

/// Whether row i of the table is for number i, and the last row for the last number.
template <typename Row, size_t size>
static constexpr bool isComplete(const Row (&table)[size], int32_t last) {
  for (size_t i = 0; i < size; ++i)
    if (table[i].number != int32_t(i))
      return false;
  return size == size_t(last) + 1;
}

// ---- Types of elements ----

namespace {
struct DType {
  int32_t number;
  const char *name, *inC, *inNumpy, *inFortran;
};
} // namespace

static constexpr DType dtypes[] = {{AMPC_F32, "f32", "float", "float32", "real(c_float)"},
                                   {AMPC_F64, "f64", "double", "float64", "real(c_double)"},
                                   {AMPC_F16, "f16", "uint16_t", "float16", "integer(c_int16_t)"},
                                   {AMPC_BF16, "bf16", "uint16_t", "uint16", "integer(c_int16_t)"},
                                   {AMPC_I1, "i1", "uint8_t", "bool", "logical(c_bool)"},
                                   {AMPC_I8, "i8", "int8_t", "int8", "integer(c_int8_t)"},
                                   {AMPC_I16, "i16", "int16_t", "int16", "integer(c_int16_t)"},
                                   {AMPC_I32, "i32", "int32_t", "int32", "integer(c_int32_t)"},
                                   {AMPC_I64, "i64", "int64_t", "int64", "integer(c_int64_t)"},
                                   {AMPC_U8, "u8", "uint8_t", "uint8", "integer(c_int8_t)"}};
static_assert(isComplete(dtypes, AMPC_U8), "a type is missing");

std::optional<int32_t> ampc::dtypeOf(Type element) {
  // A type's name is MLIR's spelling, except for unsigned integers.
  std::string text;
  llvm::raw_string_ostream(text) << element;
  for (const DType &dtype : dtypes)
    if (text == (dtype.number == AMPC_U8 ? "ui8" : dtype.name))
      return dtype.number;
  return std::nullopt;
}
const char *ampc::dtypeName(int32_t dtype) { return dtypes[dtype].name; }
const char *ampc::cTypeOf(int32_t dtype) { return dtypes[dtype].inC; }
const char *ampc::numpyTypeOf(int32_t dtype) { return dtypes[dtype].inNumpy; }
const char *ampc::fortranTypeOf(int32_t dtype) { return dtypes[dtype].inFortran; }

// ---- State ----

namespace {
struct StateKind {
  int32_t number;
  const char *name;
};
} // namespace

static constexpr StateKind roles[] = {
    {AMPC_ROLE_PARAM, "param"},   {AMPC_ROLE_BUFFER, "buffer"},     {AMPC_ROLE_MOMENT, "moment"},
    {AMPC_ROLE_STEP, "step"},     {AMPC_ROLE_GRADIENT, "gradient"}, {AMPC_ROLE_EMA, "ema"},
    {AMPC_ROLE_RANDOM, "random"}, {AMPC_ROLE_SCALE, "scale"},       {AMPC_ROLE_WORKING, "working"}};
static_assert(isComplete(roles, AMPC_ROLE_WORKING), "a role is missing");

/// Roles of buffers added by passes follow the roles of the model's own state.
static constexpr int32_t numberOf(train::StateRole role) {
  return AMPC_ROLE_MOMENT + int32_t(role);
}
AMPC_SAME(numberOf(train::StateRole::Moment), AMPC_ROLE_MOMENT);
AMPC_SAME(numberOf(train::StateRole::Step), AMPC_ROLE_STEP);
AMPC_SAME(numberOf(train::StateRole::Gradient), AMPC_ROLE_GRADIENT);
AMPC_SAME(numberOf(train::StateRole::Ema), AMPC_ROLE_EMA);
AMPC_SAME(numberOf(train::StateRole::Random), AMPC_ROLE_RANDOM);
AMPC_SAME(numberOf(train::StateRole::Scale), AMPC_ROLE_SCALE);
AMPC_SAME(numberOf(train::StateRole::Working), AMPC_ROLE_WORKING);
static_assert(AMPC_ROLE_MOMENT + train::getMaxEnumValForStateRole() == AMPC_ROLE_WORKING,
              "a role is missing");

int32_t ampc::roleOf(StateOpInterface state) {
  if (isa<train::ParamOp>(*state))
    return AMPC_ROLE_PARAM;
  std::optional<train::StateRole> role = state.getStateRole();
  return role ? numberOf(*role) : int32_t(AMPC_ROLE_BUFFER);
}
const char *ampc::roleName(int32_t role) { return roles[role].name; }

// ---- Programs ----

namespace {
struct ProgramKind {
  int32_t number; ///< of the role
  std::optional<int32_t> kind;
};
} // namespace

static constexpr ProgramKind programs[] = {{int32_t(train::Role::Loss), std::nullopt},
                                           {int32_t(train::Role::Grad), AMPC_PROGRAM_GRAD},
                                           {int32_t(train::Role::Train), AMPC_PROGRAM_TRAIN},
                                           {int32_t(train::Role::Apply), AMPC_PROGRAM_APPLY},
                                           {int32_t(train::Role::Eval), AMPC_PROGRAM_EVAL},
                                           {int32_t(train::Role::Export), AMPC_PROGRAM_EXPORT},
                                           {int32_t(train::Role::Derive), AMPC_PROGRAM_DERIVE},
                                           {int32_t(train::Role::Part), AMPC_PROGRAM_PART}};
static_assert(isComplete(programs, train::getMaxEnumValForRole()), "a role is missing");

std::optional<int32_t> ampc::programKindOf(train::Role role) {
  return programs[int32_t(role)].kind;
}

static constexpr int64_t controls[] = {offsetof(ampc_control, valid),
                                       offsetof(ampc_control, lr_factor)};
AMPC_SAME(train::Control::Valid, 0);
AMPC_SAME(train::Control::LrFactor, 1);
static_assert(std::size(controls) == train::getMaxEnumValForControl() + 1, "a control is missing");

int64_t ampc::offsetOf(train::Control control) { return controls[int32_t(control)]; }
