// Ops and attributes of the dialects, read from TableGen records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_DEFINITIONS_H
#define TEST_FUZZ_DEFINITIONS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace ampc::fuzz {
/// An operand or attribute of an op.
struct Argument {
  std::string name;
  std::string constraint; ///< name of the record, without Optional and defaults: "F64Attr"
  std::string summary;    ///< summary of the constraint: "ranked tensor of ..."
  bool isOperand = false, isOptional = false, isVariadic = false;
  std::vector<std::string> cases; ///< of an enumeration, as text of attributes
};

struct OpDefinition {
  std::string name; ///< with the dialect
  std::vector<Argument> arguments;
  std::vector<std::string> resultSummaries;
  bool hasOptionalResult = false; ///< the last result
  /// Shapes of tensors and lists of numbers in the documentation's example.
  std::vector<std::vector<int64_t>> exampleShapes;
  struct List {
    std::string word; ///< word before the list, often the attribute's name
    size_t length;
  };
  std::vector<List> exampleLists;
};

/// A parameter of an attribute, such as `lr`.
struct Parameter {
  std::string name, cppType;
  bool hasDefault = false;
};
struct AttrDefinition {
  std::string name; ///< with the dialect: "train.adam"
  std::string format;
  std::vector<Parameter> parameters;
};

struct Definitions {
  std::vector<OpDefinition> ops; ///< tensors in, tensors out
  std::vector<AttrDefinition> initialisers, optimizers, schedules, scalings;
  static llvm::Expected<Definitions> read(llvm::StringRef path);
  /// The ops of another file of records that are in none so far.
  llvm::Error add(llvm::StringRef path);
};
} // namespace ampc::fuzz
#endif
