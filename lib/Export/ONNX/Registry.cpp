// Registry of all ops with a counterpart in ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"

using namespace ampc::exporting;

Emit ampc::exporting::findEmit(llvm::StringRef op) {
  static const llvm::StringMap<Emit> table = [] {
    llvm::StringMap<Emit> all;
    for (const std::vector<Entry> &family :
         {pointwiseEntries(), moveEntries(), productEntries(), imageEntries(), normEntries(),
          lossEntries(), recurrentEntries()})
      for (const Entry &each : family)
        all[each.op] = each.emit;
    return all;
  }();
  return table.lookup(op);
}
