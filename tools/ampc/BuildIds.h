// Identity of the running program: another build of the compiler may make other code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_BUILDIDS_H
#define TOOLS_AMPC_BUILDIDS_H

#include "ampc/Package/Cache.h"

namespace ampc {
/// Adds the build IDs of the program and of all libraries in the process, those of --load included.
/// A file without a build ID is known by its path, size and time of the last change.
void addBuildIds(CacheKey &key);
} // namespace ampc
#endif
