// Registry of all converters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include "lib/Import/ONNX/GraphSlice.h"

using namespace ampc::onnx;

const Entry *ampc::onnx::findEntry(llvm::StringRef domain, llvm::StringRef op) {
  static const llvm::StringMap<const Entry *> table = [] {
    llvm::StringMap<const Entry *> all;
    for (llvm::ArrayRef<Entry> family :
         {pointwiseEntries(), shapeEntries(), productEntries(), imageEntries(), reductionEntries(),
          indexEntries(), recurrentEntries(), poolEntries(), orderEntries(), attentionEntries(),
          sequenceEntries(), knownEntries()})
      for (const Entry &entry : family)
        all[entry.op] = &entry;
    for (const Entry &entry : trainingEntries())
      all[(trainingDomain + "." + entry.op).str()] = &entry;
    return all;
  }();
  return table.lookup(domain.empty() ? op.str() : (domain + "." + op).str());
}
