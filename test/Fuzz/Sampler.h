// Random uses of an op, found by trial with the op's type inference and verifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_SAMPLER_H
#define TEST_FUZZ_SAMPLER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "test/Fuzz/Definitions.h"
#include "test/Fuzz/Random.h"

namespace ampc::fuzz {
/// Parts of the surrounding model that the sampler uses.
class Surroundings {
public:
  virtual ~Surroundings() = default;
  /// Values that ops may read, the most recent most likely.
  virtual llvm::ArrayRef<mlir::Value> values() = 0;
  /// A new value of a type: a parameter, input, constant, ... Null if there is none.
  virtual mlir::Value makeLeaf(mlir::RankedTensorType type) = 0;
  /// A new buffer.
  virtual mlir::FlatSymbolRefAttr makeBuffer(mlir::RankedTensorType type) = 0;
  virtual void dropBuffer(mlir::FlatSymbolRefAttr buffer) = 0;
};

class Sampler {
public:
  Sampler(Surroundings &around, Random &random, mlir::MLIRContext *context);
  /// Extents that shapes are made of.
  std::vector<int64_t> extents;
  int64_t mostElements = 4096;
  /// Limit of an op: the f64 form of a model runs about ten times, in code without vectors.
  int64_t mostFlops = 1 << 28;

  mlir::RankedTensorType randomType(llvm::StringRef summary);
  /// An op at the builder's place, valid and with operands of the surroundings, or null.
  mlir::Operation *sample(const OpDefinition &definition, mlir::OpBuilder &builder);
  mlir::Attribute parameters(const AttrDefinition &definition);

private:
  struct Draft;
  llvm::SmallVector<int64_t> randomShape();
  void limit(llvm::MutableArrayRef<int64_t> shape);
  llvm::SmallVector<int64_t> shapeLike(llvm::ArrayRef<int64_t> example, Draft &draft);
  mlir::Type randomElement(llvm::StringRef summary);
  mlir::RankedTensorType typeLike(llvm::ArrayRef<mlir::RankedTensorType> known,
                                  llvm::StringRef summary);
  void chooseOperands(const OpDefinition &definition, Draft &draft);
  void chooseAttributes(const OpDefinition &definition, Draft &draft);
  mlir::Attribute attribute(const OpDefinition &definition, const Argument &argument, Draft &draft);
  size_t lengthLike(llvm::StringRef name, const OpDefinition &definition, const Draft &draft);
  llvm::SmallVector<int64_t> numbers(llvm::StringRef name, const OpDefinition &definition,
                                     Draft &draft);
  std::string equation(const Draft &draft);
  bool chooseResults(const OpDefinition &definition, Draft &draft);
  bool isValid(const OpDefinition &definition, Draft &draft, mlir::OpBuilder &builder);
  bool learn(Draft &draft, llvm::StringRef message);
  mlir::Operation *finish(Draft &draft, mlir::OpBuilder &builder);

  Surroundings &around;
  Random &random;
  mlir::MLIRContext *context;
};
} // namespace ampc::fuzz
#endif
