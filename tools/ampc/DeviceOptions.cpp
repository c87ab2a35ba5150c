// Options of all commands on GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/DeviceOptions.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Session.h"
#include "llvm/Support/CommandLine.h"

using namespace ampc;
namespace cl = llvm::cl;

static cl::opt<DeviceImages>
    images("gpu-images", cl::desc("code of targets that are GPUs (default: both)"),
           cl::values(clEnumValN(DeviceImages::PTX, "ptx", "text, which the driver assembles"),
                      clEnumValN(DeviceImages::Cubin, "cubin", "machine code, by ptxas"),
                      clEnumValN(DeviceImages::Both, "both",
                                 "machine code, and the text of sm_80 for later GPUs")),
           cl::init(DeviceImages::Both), cl::sub(cl::SubCommand::getAll()));

static cl::opt<std::string> device("device",
                                   cl::desc("device of commands that run a model: cpu, cuda or "
                                            "cuda:N (default: the first target that is available)"),
                                   cl::sub(cl::SubCommand::getAll()));

DeviceImages ampc::deviceImages() { return images; }
const char *ampc::deviceName() { return device.empty() ? nullptr : device.c_str(); }

SessionOptions SessionOptions::ofCommandLine() { return {deviceName(), deviceImages(), isQuiet()}; }
