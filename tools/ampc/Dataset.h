// Files with the rows of inputs, checked as a whole before the first step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_DATASET_H
#define TOOLS_AMPC_DATASET_H

#include "ampc/Runtime/Model.h"
#include "tools/ampc/Sources.h"

namespace ampc {
/// Data of the inputs of a list of programs.
class Dataset {
public:
  struct Field {
    Source source;
    Array array;
    ampc_tensor tensor; ///< of the first program that has the input
    Converter converter;
    int64_t rows = 0, width = 0; ///< elements per row; an input without rows counts as a single row
  };
  struct Options {
    std::string option = "data"; ///< for messages
    bool finite = true;          ///< reals have to be
    /// Where inputs that hold no rows may come from, if not from the sources; or null.
    const Dataset *fallback = nullptr;
  };
  /// Opens the file of every input that a program has. False with a message if something is missing
  /// or does not fit: the message names all inputs without data.
  bool open(llvm::ArrayRef<const ampc_program *> programs, const Sources &sources,
            const Options &options, std::string &error);
  /// Field of an input of any of the programs.
  const Field &get(llvm::StringRef input) const;
  /// Null if there is none.
  const Field *find(llvm::StringRef input) const;

private:
  bool add(const ampc_tensor &tensor, const Source &source, const Options &options,
           std::string &error);
  std::vector<Field> fields;
};

/// Whether an input, or the output of that name, is a total over all data: see weighEvaluation.
bool isTotal(const ampc_tensor &tensor);
/// Whether an input, or the output of that name, holds the rows of a buffer: see passRowState.
bool isRowState(const ampc_tensor &tensor);
/// Whether the tool supplies an input, which no file has.
inline bool isSupplied(const ampc_tensor &tensor) { return isTotal(tensor) || isRowState(tensor); }
/// "[5, 4]".
std::string shapeText(llvm::ArrayRef<int64_t> dims);
/// Whether the tensors take the same data: equal types, rows of equal shape.
bool takeSameRows(const ampc_tensor &one, const ampc_tensor &other);
/// "f32, rows of [5]": for messages.
std::string describe(const ampc_tensor &tensor);
} // namespace ampc
#endif
