// Canonicalization and CSE that preserve provenance.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Program/CommonSubexpressions.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSIMPLIFY
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Whether an attribute is an annotation or a list of annotations; `meaning` is the part that takes
/// part in comparisons.
static bool isAnnotation(Attribute value, Attribute &meaning) {
  auto isOne = [](Attribute one) { return isa<AnnotationAttrInterface>(one); };
  if (isOne(value)) {
    meaning = cast<AnnotationAttrInterface>(value).getMeaning();
    return true;
  }
  auto list = dyn_cast<ArrayAttr>(value);
  return list && !list.empty() && llvm::all_of(list, isOne);
}

namespace {
/// Removes annotations (AnnotationAttrInterface) of `root` and nested ops until destruction: equal
/// ops may differ in annotations, and CSE compares all attributes.
class ScopedAnnotationRemoval {
public:
  explicit ScopedAnnotationRemoval(Operation *root);
  ~ScopedAnnotationRemoval();

private:
  Operation *root;
  DenseMap<Operation *, DictionaryAttr> taken; // all attributes, by op
};

/// Origins of ops that a pattern creates: the origin of the op that the pattern matched.
class OriginListener : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &, Operation *op) override { root = originOf(op); }
  void notifyPatternEnd(const Pattern &, LogicalResult) override { root = {}; }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (!originOf(op))
      setOrigin(op, root);
  }

private:
  train::OriginAttr root;
};
} // namespace

ScopedAnnotationRemoval::ScopedAnnotationRemoval(Operation *root) : root(root) {
  root->walk([&](Operation *op) {
    DictionaryAttr all = op->getRawDictionaryAttrs();
    bool hasAnnotations = false;
    SmallVector<NamedAttribute> kept; // in dictionary order
    for (NamedAttribute attribute : all) {
      Attribute meaning;
      if (!isAnnotation(attribute.getValue(), meaning)) {
        kept.push_back(attribute);
        continue;
      }
      hasAnnotations = true;
      if (meaning)
        kept.emplace_back(attribute.getName(), meaning);
    }
    if (!hasAnnotations)
      return;
    taken.try_emplace(op, all);
    op->setDiscardableAttrs(DictionaryAttr::getWithSorted(op->getContext(), kept));
  });
}

ScopedAnnotationRemoval::~ScopedAnnotationRemoval() {
  // Erased ops are not visited, and no op was created meanwhile that could have the address of an
  // erased op.
  root->walk([&](Operation *op) {
    if (DictionaryAttr all = taken.lookup(op))
      op->setDiscardableAttrs(all);
  });
}

namespace {
struct TrainSimplify : ampc::impl::TrainSimplifyBase<TrainSimplify> {
  using TrainSimplifyBase::TrainSimplifyBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    SmallVector<FunctionOpInterface> programs;
    getOperation()->walk<WalkOrder::PreOrder>([&](FunctionOpInterface program) {
      programs.push_back(program);
      return WalkResult::skip();
    });
    parallelForEach(&getContext(), programs, [&](FunctionOpInterface each) { simplify(each); });
  }

private:
  void simplify(FunctionOpInterface program) const {
    OriginListener listener;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal()
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setListener(&listener);
    // Canonicalization may stop at the iteration limit; partly canonical forms are valid.
    if (canonical)
      (void)applyPatternsGreedily(program, patterns, config);
    ScopedAnnotationRemoval aside(program);
    IRRewriter rewriter(program.getContext());
    removeCommonSubexpressions(rewriter, program);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
