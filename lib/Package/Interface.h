// C interface of a model as data: single source of the header, the bindings and the library's
// functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_INTERFACE_H
#define LIB_PACKAGE_INTERFACE_H

#include "lib/Package/ModelInfo.h"

namespace ampc {
/// Types of parameters, results and fields.
enum class CType {
  Void,
  Int32,
  UInt8,
  UInt16,
  UInt32,
  Int64,
  UInt64,
  Float,
  Double,
  Size,
  Status,
  Text,      ///< const char *
  Room,      ///< char *, output
  Data,      ///< void *
  ConstData, ///< const void *
  Dims,      ///< const int64_t *
  Numbers,   ///< const double *
  Elements,  ///< of a tensor, output
  ConstElements,
  Function, ///< function pointer
  Hooks,    ///< struct by value
  ConstHooks,
  Options, ///< const ampc_options *
  TrainOut,
  Tensor, ///< const ampc_tensor *
  State,
  ConstState,
  NewState, ///< output
  View,     ///< struct DLManagedTensor **
  In,       ///< pointers to the structs of a call
  Out
};

/// Spelling of a type per language. In C, @ stands for the model's name, the call's name, or the
/// element type. Example: "@_state *".
struct TypeInfo {
  CType type;
  const char *c, *python, *fortran;
  int64_t bytes; ///< of a field; 0: never a field
};
const TypeInfo &infoOf(CType type);

struct ParameterInfo {
  CType type;
  llvm::StringLiteral name;
};
/// Function of every library.
struct FunctionInfo {
  llvm::StringLiteral name; ///< without the model's prefix
  bool ofModel;             ///< the runtime's function has the model as first parameter
  CType result;
  llvm::SmallVector<ParameterInfo, 4> parameters;
  llvm::StringLiteral doc; ///< empty: none, or shared with the previous function
};
/// Functions in the order of the header; calls come between `workspace_bytes` and `tensor_count`.
llvm::ArrayRef<FunctionInfo> stateFunctions();
llvm::ArrayRef<FunctionInfo> tensorFunctions();
/// Sole function of a library without a counterpart in the runtime.
constexpr llvm::StringLiteral versionFunction = "abi_version";

struct FieldInfo {
  CType type;
  std::string name, doc;
  const TensorInfo *tensor = nullptr; ///< for tensor elements
};
/// A program as a function (state, in, out), with the structs of the parameters.
struct CallInfo {
  const ProgramInfo *program;
  bool trains;                           ///< writes the state; `out` is an ampc_train_out
  bool draws;                            ///< draws random numbers, from a seed of the call
  std::vector<FieldInfo> in, out;        ///< fields of the structs
  std::vector<ParameterInfo> parameters; ///< parameters of the function
  std::string doc;
};
std::vector<CallInfo> callsOf(const ModelInfo &model);
/// Tensors of the state that callers see.
std::vector<const SlotInfo *> shownSlots(const ModelInfo &model);

/// Description such as "f32 [8, 10]", plus constraints for the caller. `batch`: batch size of the
/// program. `asBits`: for languages without 16-bit floats.
std::string describe(const TensorInfo &tensor, int64_t batch = 0, bool asBits = true);
/// Rows of a batched tensor per row of the batch. Example: tensor [32, 5], batch 8 -> 4.
inline int64_t rowsPerBatch(const TensorInfo &tensor, const ProgramInfo &program) {
  return tensor.dims[0] / program.batch;
}

/// Struct of ampc/Runtime/Common.h.
struct CommonField {
  const char *name;
  CType type;
};
struct CommonStruct {
  const char *name;
  llvm::ArrayRef<CommonField> fields;
};
/// Structs in order of dependence: a struct follows the structs of its fields.
llvm::ArrayRef<CommonStruct> commonStructs();
struct CommonConstant {
  const char *name;
  int32_t value;
};
/// Statuses, element types, roles, and flags.
llvm::ArrayRef<CommonConstant> commonConstants();
} // namespace ampc
#endif
