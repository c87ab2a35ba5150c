// Random models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_GENERATOR_H
#define TEST_FUZZ_GENERATOR_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/Fuzz/Sampler.h"

namespace ampc::train {
class NextOp;
class ScanOp;
} // namespace ampc::train

namespace ampc::fuzz {
/// Generator of a model: parameters and buffers, one or two losses with steps, exports, regions.
class Generator : Surroundings {
public:
  Generator(const Definitions &definitions, uint64_t seed, mlir::MLIRContext *context);
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  llvm::ArrayRef<mlir::Value> values() override { return pool; }
  mlir::Value makeLeaf(mlir::RankedTensorType type) override;
  mlir::FlatSymbolRefAttr makeBuffer(mlir::RankedTensorType type) override;
  void dropBuffer(mlir::FlatSymbolRefAttr buffer) override;

  void chooseExtents();
  mlir::Value makeInput(mlir::RankedTensorType type);
  mlir::Value makeOrdered(mlir::RankedTensorType type);
  mlir::Value makeConstant(mlir::RankedTensorType type);
  mlir::Value readState(llvm::StringRef kind, mlir::RankedTensorType type);
  std::string makeState(llvm::StringRef kind, mlir::RankedTensorType type);
  train::FuncOp openFunction(llvm::StringRef name);
  void closeFunction(train::FuncOp func, mlir::ValueRange results);
  void fillBody();
  mlir::Value makeConstant(llvm::ArrayRef<double> numbers, mlir::RankedTensorType type);
  mlir::Value multiplyByLeaf(mlir::Value value);
  mlir::Value makeTruths();
  mlir::Value makeWholeNumbers();
  mlir::Value makeLookups();
  mlir::Value makeMaskedAttention();
  mlir::Value makeAngles();
  mlir::Value makeNarrowWeights();
  mlir::Value makeWeights();
  mlir::Value makeSequence(int64_t rounds);
  mlir::Value makePassed(mlir::Value argument, llvm::ArrayRef<mlir::Value> made);
  llvm::SmallVector<mlir::Value> fillRound(int depth);
  train::NextOp closeRound(mlir::Block &block, size_t carried, size_t first,
                           llvm::ArrayRef<mlir::Value> made);
  void readAgain(train::ScanOp scan);
  mlir::Value makeLoop(int depth);
  mlir::Value makeRows(mlir::RankedTensorType type);
  mlir::RankedTensorType makeRowsType();
  mlir::Operation *sampleOneOf(llvm::ArrayRef<llvm::StringRef> names);
  mlir::Attribute makeOpenInit();
  mlir::Value averageCounted(mlir::Value rows);
  mlir::Value makeTerm();
  mlir::Value addTerms(mlir::Value loss);
  void addFragment();
  mlir::Value reduceToScalar(mlir::Value value);
  mlir::Value addSlope(mlir::Value loss);
  mlir::Value makeLoss();
  void makeWrites();
  void makeRegion(mlir::Block &body);
  void chooseComputeTypes(mlir::Block &body);
  void makeHelper();
  void makeExport(int number);
  void makeStep(int number, train::FuncOp loss);
  train::GroupAttr withLimits(train::GroupAttr group);
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::Type result = {});
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);

  const Definitions &definitions;
  // Separate streams: models without gradients inside, transposed inputs, fragments or loops stay
  // the same.
  Random random, gradients, orders, fragments, loops;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  Sampler sampler;
  train::ModelOp model;
  mlir::Block *body = nullptr;
  llvm::SmallVector<mlir::Value> pool;
  llvm::SmallVector<std::string> learned; // parameters of steps so far
  train::FuncOp helper;
  int inputs = 0;
  bool hasOwnBatch = false;  // no other extent is that of the batch
  bool drawsLookups = false; // whole numbers may name no element
  bool leavesFans = false;   // fans of initializers follow from the ops that read the parameters
};
/// Text of a model that differentiation accepts. Parameters on which a loss does not depend are
/// removed from the step; if that is not enough, another model is generated.
std::string makeModel(const Definitions &definitions, uint64_t seed, mlir::MLIRContext *context);
} // namespace ampc::fuzz
#endif
