// Compares the decoder's tables with the forms that tests have covered: a form without a test
// fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/PlainForms.h"
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>

using namespace ptxsim;

namespace {

std::vector<std::string> split(const std::string &opcode) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= opcode.size();) {
    size_t dot = std::min(opcode.find('.', at), opcode.size());
    words.push_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

/// Optional modifiers of a form, by spelling.
std::vector<std::string> modifiersOf(const PlainForm &form) {
  const std::pair<unsigned, const char *> all[] = {
      {Optional::Nearest, "rn"},  {Optional::Directed, "rz"}, {Optional::Directed, "rm"},
      {Optional::Directed, "rp"}, {Optional::Ftz, "ftz"},     {Optional::Sat, "sat"},
      {Optional::NaN, "NaN"},     {Optional::Relu, "relu"},   {Optional::XorsignAbs, "xorsign"}};
  std::vector<std::string> result;
  for (const auto &m : all)
    if (form.optional & m.first)
      result.push_back(m.second);
  return result;
}

/// Forms and modifiers that no tested instruction shows.
std::set<std::string> missingForms() {
  std::set<std::string> missing;
  for (const PlainForm &form : plainForms()) {
    std::vector<std::string> optional = modifiersOf(form);
    for (unsigned type = 0; type < 32; type++) {
      if (!(form.types >> type & 1))
        continue;
      std::string name = std::string(form.name) + "." + typeName(Type(type)) + "/" +
                         std::to_string(form.operands.size());
      std::set<std::string> needed{name};
      for (const std::string &m : optional)
        needed.insert(name + " ." + m);
      for (const TestedInstruction &tested : testedInstructions()) {
        std::vector<std::string> words = split(tested.first);
        if (words[0] != form.mnemonic() || tested.second != form.operands.size())
          continue;
        std::vector<std::string> wanted = {std::string(form.mnemonic()), typeName(Type(type))};
        for (std::string_view w : selectingWords(form))
          wanted.emplace_back(w);
        std::vector<std::string> rest;
        for (const std::string &w : words)
          if (std::find(wanted.begin(), wanted.end(), w) == wanted.end())
            rest.push_back(w);
        bool ok = words.size() == rest.size() + wanted.size();
        for (const std::string &w : rest)
          ok &= w == "abs" || std::find(optional.begin(), optional.end(), w) != optional.end();
        if (!ok)
          continue;
        needed.erase(name);
        for (const std::string &w : rest)
          needed.erase(name + " ." + w);
      }
      missing.insert(needed.begin(), needed.end());
    }
  }
  std::set<std::string> mnemonics;
  for (const TestedInstruction &tested : testedInstructions())
    mnemonics.insert(split(tested.first)[0]);
  for (const std::string &m : decodableMnemonics())
    if (!mnemonics.count(m))
      missing.insert(m);
  return missing;
}

/// Runs behind all tests, and only when none was left out.
class Coverage : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*" || testing::UnitTest::GetInstance()->Failed())
      return;
    for (const std::string &form : missingForms())
      ADD_FAILURE() << "no test compares " << form;
  }
};
const testing::Environment *const coverage = testing::AddGlobalTestEnvironment(new Coverage);

TEST(Coverage, FindsAFormWithoutATest) {
  std::set<TestedInstruction> saved;
  saved.swap(testedInstructions());
  noteTested("add.rn.f32 %d, %a, %b; { .reg .b32 t; min.s32 t, %a, 3; mov.b64 {t, _}, %a; }");
  std::set<std::string> missing = missingForms();
  saved.swap(testedInstructions());
  EXPECT_EQ(missing.count("add.f32/3"), 0u);
  EXPECT_EQ(missing.count("add.f32/3 .rn"), 0u);
  EXPECT_EQ(missing.count("add.f32/3 .rz"), 1u);
  EXPECT_EQ(missing.count("add.f64/3"), 1u);
  EXPECT_EQ(missing.count("min.s32/3"), 0u);
  EXPECT_EQ(missing.count("min.relu.s32/3"), 1u);
  EXPECT_EQ(missing.count("mov"), 0u);
  EXPECT_EQ(missing.count("mma"), 1u);
}

} // namespace
