// Runs an instruction over many operand values and compares with a host computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_PTXSIM_INSTRUCTIONHARNESS_H
#define TEST_PTXSIM_INSTRUCTIONHARNESS_H

#include "test/PTXSim/KernelSuite.h"
#include <gtest/gtest.h>
#include <set>

namespace ptxsim {

/// Operands and result of an instruction as raw bits; predicates are 0 or 1.
struct Operation {
  std::string text;                 ///< e.g. "add.s32 %d, %a, %b;"
  std::string result;               ///< register type of %d: "b16", "b32", "b64" or "pred"
  std::vector<std::string> sources; ///< register types of %a, %b, %c
};
using Inputs = std::vector<std::array<uint64_t, 3>>;

/// Runs the operation for every triple; the number of triples is arbitrary.
std::vector<uint64_t> execute(const Operation &operation, const Inputs &inputs,
                              const Options &options = Options());
/// All triples from the given values (pairs or singles if there are fewer sources).
Inputs combinations(const std::vector<uint64_t> &values, size_t sources);

extern const std::vector<uint64_t> edge16, edge32, edge64; ///< integers
extern const std::vector<uint64_t> edgeF16, edgeBF16, edgeF32, edgeF64;

/// Compares all results; `want` gets raw operands and returns raw bits.
void check(const Operation &operation, const Inputs &inputs,
           const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &want);
/// As check, for floating-point results of that width (16: f16, 15: bf16, 32, 64; negative: pairs):
/// any NaN equals any NaN.
void checkFloat(int kind, const Operation &operation, const Inputs &inputs,
                const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &want);

/// Opcode with modifiers, and the number of tested operands. Example: {"add.s32", 3}.
using TestedInstruction = std::pair<std::string, unsigned>;
/// All instructions whose results a test has compared; CoverageTest.cpp compares the set with the
/// decoder.
std::set<TestedInstruction> &testedInstructions();
/// Adds the instructions of a text whose results the caller compares.
void noteTested(const std::string &text);

/// Wraps a body into a module with a kernel "k" with pointer parameters p0, p1, ...
std::string wrap(const std::string &body, unsigned parameters, const std::string &target = "sm_90a",
                 const std::string &directives = "");
/// Runs kernel "k" of the text on a warp; all buffers have `bytes` bytes. Returns the last buffer.
std::vector<uint8_t> runKernel(const std::string &text, const LaunchConfig &config,
                               const std::vector<std::vector<uint8_t>> &buffers, size_t resultBytes,
                               const Options &options = Options(),
                               std::vector<Finding> *findings = nullptr);
/// Runs `text` on a warp or block: %a is the lane's input, %d the 32-bit result, %l the thread.
std::vector<uint32_t> onWarp(const std::string &text, const std::vector<uint32_t> &inputs,
                             unsigned threads = 32);
/// Different numbers for onWarp.
std::vector<uint32_t> lanes(size_t n = 32);
/// Comparisons of floats, by C++ operators.
struct FloatComparison {
  const char *op;
  bool (*f)(double, double);
};
inline constexpr FloatComparison floatComparisons[] = {
    {"eq", [](double a, double b) { return a == b; }},
    {"ne", [](double a, double b) { return a < b || a > b; }},
    {"lt", [](double a, double b) { return a < b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"gt", [](double a, double b) { return a > b; }},
    {"ge", [](double a, double b) { return a >= b; }},
    {"equ", [](double a, double b) { return !(a < b || a > b); }},
    {"neu", [](double a, double b) { return !(a == b); }},
    {"ltu", [](double a, double b) { return !(a >= b); }},
    {"leu", [](double a, double b) { return !(a > b); }},
    {"gtu", [](double a, double b) { return !(a <= b); }},
    {"geu", [](double a, double b) { return !(a < b); }},
    {"num", [](double a, double b) { return a == a && b == b; }},
    {"nan", [](double a, double b) { return a != a || b != b; }}};
float asFloat(uint64_t bits);
uint64_t asBits(float value);
double asDouble(uint64_t bits);
uint64_t asBits(double value);

} // namespace ptxsim
#endif
