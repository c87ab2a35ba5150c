// Options of all commands on GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_DEVICEOPTIONS_H
#define TOOLS_AMPC_DEVICEOPTIONS_H

#include "ampc/Package/Package.h"

namespace ampc {
/// --gpu-images.
DeviceImages deviceImages();
/// --device, or null; valid until the program ends.
const char *deviceName();
} // namespace ampc
#endif
