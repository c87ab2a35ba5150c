// Instructions allowed by .target and .version, from the list that target-check.py compares with
// ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/KernelSuite.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ptxsim;

namespace {

std::string moduleOf(const std::string &target, const std::string &version,
                     const std::string &instruction) {
  return ".version " + version + "\n.target " + target +
         "\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<16>; .reg .b64 "
         "%rd<8>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .b128 %q<4>;\n.reg "
         ".pred %p<4>; .shared .align 16 .b8 s[1024];\n" +
         instruction + "\nret;\n}\n";
}

std::string errorOf(const std::string &text) {
  try {
    Device device;
    device.load(Module::parse(text));
    return "";
  } catch (const Error &e) {
    return e.what();
  }
}

TEST(Targets, AreThoseOfEachInstruction) {
  std::ifstream file(PTXSIM_INPUT_DIR "/targets.txt");
  ASSERT_TRUE(file.good());
  const std::vector<std::string> targets = {"sm_50", "sm_53", "sm_60", "sm_61", "sm_70",  "sm_75",
                                            "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
  const std::vector<std::string> versions = {"4.0", "4.1", "4.2", "4.3", "5.0", "6.0", "6.1", "6.2",
                                             "6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4",
                                             "7.5", "7.6", "7.7", "7.8", "8.0", "8.1", "8.2", "8.3",
                                             "8.4", "8.5", "8.6", "8.7", "8.8", "9.0"};
  unsigned rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string target, version, instruction;
    words >> target >> version >> std::ws;
    std::getline(words, instruction);
    rows++;
    // Some of these instructions are not supported, with another message.
    EXPECT_EQ(errorOf(moduleOf(target, version, instruction)).find("needs ."), std::string::npos)
        << line << ": " << errorOf(moduleOf(target, version, instruction));
    bool specific = target.back() == 'a';
    std::string plain = specific ? target.substr(0, target.size() - 1) : target;
    auto at = std::find(targets.begin(), targets.end(), plain);
    ASSERT_NE(at, targets.end()) << line;
    if (specific || at != targets.begin()) {
      std::string before = specific ? plain : *std::prev(at);
      EXPECT_NE(errorOf(moduleOf(before, "9.0", instruction)).find("needs .target"),
                std::string::npos)
          << before << ": " << line;
    }
    auto now = std::find(versions.begin(), versions.end(), version);
    ASSERT_NE(now, versions.end()) << line;
    if (now == versions.begin())
      continue;
    // An older version lacks the instruction, or the target as well.
    std::string message = errorOf(moduleOf(target, *std::prev(now), instruction));
    EXPECT_TRUE(message.find("needs .version " + version) != std::string::npos ||
                message.find(".target " + target + " needs .version") != std::string::npos)
        << line << ": " << message;
  }
  EXPECT_GT(rows, 100u);
}

TEST(Targets, OfOneChipRunOnNoOther) {
  const std::string fence = "wgmma.fence.sync.aligned;";
  EXPECT_EQ(errorOf(moduleOf("sm_90a", "8.0", fence)), "");
  for (const char *target : {"sm_80", "sm_90", "sm_100", "sm_100a", "sm_120a"})
    EXPECT_NE(
        errorOf(moduleOf(target, "9.0", fence))
            .find("wgmma.fence.sync.aligned: needs .target sm_90a, but got " + std::string(target)),
        std::string::npos)
        << target;
}

TEST(Targets, AndVersionsMustExist) {
  auto message = [](const char *target, const char *version) {
    return errorOf(moduleOf(target, version, ""));
  };
  EXPECT_EQ(message("sm_90a", "8.0"), "");
  EXPECT_EQ(message("sm_100f", "8.8"), "");
  EXPECT_NE(message("sm_90a", "99.0").find("1:10: expected a .version of 4.0 to 9.0, but got 99.0"),
            std::string::npos)
      << message("sm_90a", "99.0");
  EXPECT_NE(message("sm_90a", "7.9").find("expected a .version"), std::string::npos);
  EXPECT_NE(message("sm_999", "9.0")
                .find("2:9: expected a .target such as sm_80 or sm_90a, but "
                      "got 'sm_999'"),
            std::string::npos);
  EXPECT_NE(message("sm_80a", "9.0").find("expected a .target"), std::string::npos);
  EXPECT_NE(
      message("sm_90a", "7.8").find(".target sm_90a needs .version 8.0 or later, but got 7.8"),
      std::string::npos);
  EXPECT_NE(message("sm_120", "8.6").find("needs .version 8.7"), std::string::npos);
}

} // namespace
