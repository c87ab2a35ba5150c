// Optimizers and groups of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_OPTIMIZER
#define AMPC_TRAIN_OPTIMIZER
include "mlir-dialects/Train/Base.td"

class Train_OptimizerAttr<string cppName, string keyword, list<string> methods = []>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<OptimizerAttrInterface, methods>]> {
  let assemblyFormat = "`<` struct(params) `>`";
  // Parameters besides `lr` whose numbers may be values of the step.
  list<string> variable = [];
  string names = !interleave(!foreach(name, variable, "\""#name#"\""), ", ");
  code shared = [{
    double $cppClass::getLearningRate() const { return getLr().convertToDouble(); }
    ::llvm::ArrayRef<::llvm::StringLiteral> $cppClass::getVariableNumbers() const {
      static constexpr ::llvm::StringLiteral names[] = {}]#names#[{};
      return names;
    }
  }];
  let extraClassDefinition = shared;
  let genVerifyDecl = 1;
}
def MomentsIn : OptionalParameter<"::mlir::Type">;
// `moments = bf16` keeps moments in 16 bits, rounded stochastically; the rule computes in f32.
class Train_NarrowOptimizerAttr<string cppName, string keyword, list<string> methods>
    : Train_OptimizerAttr<cppName, keyword, methods#["getMomentType"]> {
  let extraClassDefinition =
      shared#"::mlir::Type $cppClass::getMomentType() const { return getMoments(); }\n";
}
def Train_SgdAttr : Train_NarrowOptimizerAttr<"Sgd", "sgd", ["getRowUpdate", "getMomentumName"]> {
  let summary = "Stochastic gradient descent with momentum, dampening 0, as in torch.optim.SGD";
  let variable = ["momentum", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.0">:$momentum, RealOr<"0.0">:$weight_decay,
      DefaultValuedParameter<"bool", "false">:$nesterov, MomentsIn:$moments);
}
def Train_AdamAttr : Train_NarrowOptimizerAttr<"Adam", "adam", ["getRowUpdate", "isLazy"]> {
  let summary = "Adam with L2 weight decay (Kingma and Ba 2015)";
  let description = [{
    With `lazy`, rows of a table that no index of the step names keep their values and moments, as with
    torch.optim.SparseAdam; otherwise the moments of such rows decay, and continue to change the rows.
  }];
  let variable = ["beta1", "beta2", "eps", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-8">:$eps,
      RealOr<"0.0">:$weight_decay, DefaultValuedParameter<"bool", "false">:$lazy,
      MomentsIn:$moments);
}
def Train_AdamWAttr : Train_NarrowOptimizerAttr<"AdamW", "adamw", ["getRowUpdate", "isLazy"]> {
  let summary = "AdamW: Adam with decoupled weight decay (Loshchilov and Hutter 2019)";
  let description = "`lazy` as for `#train.adam`; weights decay in the rows that are updated.";
  let variable = ["beta1", "beta2", "eps", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-8">:$eps,
      RealOr<"0.01">:$weight_decay, DefaultValuedParameter<"bool", "false">:$lazy,
      MomentsIn:$moments);
}
def Train_AdagradAttr
    : Train_OptimizerAttr<"Adagrad", "adagrad", ["getInitialMoment", "getRowUpdate"]> {
  let summary = "Adagrad (Duchi et al. 2011)";
  let variable = ["eps", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"1e-10">:$eps, RealOr<"0.0">:$initial_accumulator,
      RealOr<"0.0">:$weight_decay);
}
def Train_RowwiseAdagradAttr
    : Train_OptimizerAttr<"RowwiseAdagrad",
                          "rowwise_adagrad", ["getInitialMoment", "getRowUpdate"]> {
  let summary = "Adagrad with one accumulator per row: the sum of the rows' mean squared gradients";
  let description = [{
    Rows are indexed by the first dimension. The accumulators of a table of vectors take 1/width of the table's
    memory (the rule of large recommendation models, Mudigere et al. 2022).
  }];
  let variable = ["eps", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"1e-8">:$eps, RealOr<"0.0">:$initial_accumulator,
      RealOr<"0.0">:$weight_decay);
}
def Train_RmspropAttr : Train_OptimizerAttr<"Rmsprop", "rmsprop", ["getMomentumName"]> {
  let summary = "RMSprop with momentum (Tieleman and Hinton 2012), as in torch.optim.RMSprop";
  let variable = ["alpha", "eps", "momentum", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.99">:$alpha, RealOr<"1e-8">:$eps,
      RealOr<"0.0">:$momentum, RealOr<"0.0">:$weight_decay);
}
def Train_LambAttr : Train_OptimizerAttr<"Lamb", "lamb", ["getRowUpdate"]> {
  let summary = "LAMB: Adam with a layer-wise trust ratio (You et al. 2020)";
  let variable = ["beta1", "beta2", "eps", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-6">:$eps,
      RealOr<"0.01">:$weight_decay);
}
def Train_LionAttr : Train_NarrowOptimizerAttr<"Lion", "lion", []> {
  let summary = "Lion: the sign of a blend of momentum and gradient, with decoupled weight "
                "decay (Chen et al. 2023)";
  let variable = ["beta1", "beta2", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.99">:$beta2,
      RealOr<"0.0">:$weight_decay, MomentsIn:$moments);
}
def Train_AdafactorAttr : Train_OptimizerAttr<"Adafactor", "adafactor", ["getRowUpdate"]> {
  let summary =
      "Adafactor: Adam without a first moment, with a second moment per row and per column "
      "(Shazeer and Stern 2018), as in torch.optim.Adafactor";
  let description = [{
    The last two dimensions are a matrix, leading dimensions count matrices; a vector has a second moment per
    element. At step t, second moments keep the share 1 - t^-`decay` of the old value. The rate is the smaller of
    `lr` and 1/sqrt(t), times the root mean square of the parameter, bounded below by `eps2`. An update whose root
    mean square exceeds `clip_threshold` is scaled down to the threshold. `eps1` bounds the root of second moments
    below; 0 stands for 2^-63, whose square is the smallest normal number of f32.
  }];
  let variable = ["decay", "eps2", "clip_threshold", "weight_decay"];
  let parameters = (ins Real:$lr, RealOr<"0.8">:$decay, RealOr<"1.1920928955078125e-7">:$eps1,
      RealOr<"1e-3">:$eps2, RealOr<"1.0">:$clip_threshold, RealOr<"0.0">:$weight_decay);
}
def Train_MuonAttr : Train_OptimizerAttr<"Muon", "muon", ["getRowUpdate", "multipliesMatrices"]> {
  let summary = "Muon: momentum orthogonalized by Newton-Schulz iterations (Jordan et al. "
                "2024), as in torch.optim.Muon; AdamW for vectors";
  let description = [{
    A parameter of rank 2 is a matrix of its first dimension by its second; of a higher rank, of its first
    dimension by all other dimensions. The update is multiplied by sqrt(max(1, rows / columns)), with `match_adamw`
    by 0.2 sqrt(max(rows, columns)), which gives the update the size of an AdamW update (Liu et al. 2025). Operands
    of products are rounded to bf16 with `--precision=bf16`, sums and all else are in the parameter's type.
    Parameters of rank 0 and 1 have AdamW with the rate `adamw_lr`, `beta1`, `beta2`, `adamw_eps` and without
    weight decay; embeddings and the last layer want a group with `#train.adamw`. A schedule scales both rates.
  }];
  let variable = ["momentum", "weight_decay", "eps", "beta1", "beta2", "adamw_eps"];
  let parameters = (ins Real:$lr, RealOr<"0.95">:$momentum,
      DefaultValuedParameter<"bool", "true">:$nesterov, RealOr<"0.1">:$weight_decay,
      RealOr<"1e-7">:$eps, WholeOr<"5">:$iterations,
      DefaultValuedParameter<"bool", "false">:$match_adamw, RealOr<"3e-4">:$adamw_lr,
      RealOr<"0.9">:$beta1, RealOr<"0.95">:$beta2, RealOr<"1e-10">:$adamw_eps);
}

#endif
