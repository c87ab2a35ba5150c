// Launch file: kernel, arguments, and destinations of results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PTXSIM_LAUNCHFILE_H
#define TOOLS_AMPC_PTXSIM_LAUNCHFILE_H

#include "ampc/PTXSim/PTXSim.h"
#include "tools/ampc-ptxsim/Arrays.h"

namespace ptxsim {

/// One argument, from a line such as
///   arg in x.npy             contents of a file
///   arg out y.npy f32 64 64  a fresh buffer, written to the file afterwards
///   arg inout w.npy new.npy  contents of a file, written to another one afterwards
///   arg zero f32 64          a buffer of zeros
///   arg i32 42               a scalar: i32, u32, i64, u64, f32, f64
///   arg map f16 128B @0 64 32 box 64 32   a tensor map over line 0, sizes innermost first
/// or `buffer` with in, out, inout or zero: memory that the kernel only reaches through a map.
/// Lines of both kinds are counted from 0.
struct LaunchArgument {
  enum Kind { Buffer, Scalar, Map } kind = Scalar;
  Array array; ///< initial contents; no bytes: zeros if initialised
  bool initialized = false;
  bool passed = true; ///< false for a `buffer`
  std::string output; ///< path to write to, or empty
  std::vector<uint8_t> scalar;
  TensorMapInfo map;
  size_t mapOf = 0;
  std::string name;
};

struct LaunchFile {
  std::string kernel;
  LaunchConfig config;
  std::vector<LaunchArgument> arguments;
};

/// Lines: `kernel NAME`, `grid X [Y [Z]]`, `block X [Y [Z]]`, `shared BYTES`, `cluster X [Y [Z]]`,
/// `arg ...`, `buffer ...`; '#' starts a comment. Throws Error(Argument) with the line number.
LaunchFile readLaunchFile(const std::string &path);
/// Parses lines from the command line, a line per element.
LaunchFile parseLaunch(const std::vector<std::string> &lines, const std::string &name);

} // namespace ptxsim
#endif
