// Text of foreign files in messages: a terminal would obey control characters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeModel.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace fake;

namespace {
std::string replace(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Checkpoints without version and hash, whose headers may be edited.
struct Shown : testing::Test {
  std::string path, header, data;
  ampc_state *state = nullptr;

  void SetUp() override {
    std::string pattern = testing::TempDir() + "/ampc-XXXXXX";
    path = std::string(mkdtemp(pattern.data())) + "/state";
    ampc_options options = {};
    options.size = sizeof options;
    ASSERT_EQ(ampc_rt_create(&model, &options, &state), AMPC_OK);
    ASSERT_EQ(ampc_rt_save(state, path.c_str()), AMPC_OK) << ampc_rt_last_error(state);
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    uint64_t length;
    memcpy(&length, text.data(), 8);
    header = text.substr(8, length), data = text.substr(8 + length);
    size_t begin = header.find("\"version\":"), end = header.find("\"model\":");
    ASSERT_NE(begin, std::string::npos);
    header.erase(begin, end - begin);
  }
  void TearDown() override { ampc_rt_destroy(state); }

  void expectMessage(const std::string &edited, const std::string &words) {
    uint64_t length = edited.size();
    std::ofstream(path, std::ios::binary)
        << std::string(reinterpret_cast<char *>(&length), 8) << edited << data;
    EXPECT_EQ(ampc_rt_load(state, path.c_str(), 0), AMPC_E_CKPT_MISMATCH);
    std::string message = ampc_rt_last_error(state);
    EXPECT_NE(message.find(words), std::string::npos) << words << " in " << message;
  }

  /// `name` as every kind of name in a checkpoint, and in the checkpoint's path.
  void expectSpelled(const std::string &name, const std::string &spelled) {
    std::string quoted = name;
    if (name.size() == 1 && (unsigned(name[0]) < 0x20 || name == "\"" || name == "\\")) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", unsigned(name[0]));
      quoted = escape;
    }
    quoted = "X" + quoted;
    std::string other = replace(header, "\"0000000000001234\"", "\"0000000000009999\"");
    expectMessage(replace(header, "\"w\":", "\"" + quoted + "\":"), "no tensor 'X" + spelled + "'");
    expectMessage(replace(header, "\"BF16\"", "\"" + quoted + "\""), "but got X" + spelled);
    expectMessage(replace(other, "\"fake\"", "\"" + quoted + "\""),
                  "but got a state of X" + spelled);
    expectMessage(replace(other, "\"sgd\"", "\"" + quoted + "\""),
                  "but got a state of X" + spelled);
    expectMessage(replace(header, "\"ampc\"", "\"" + quoted + "\""), "format 'X" + spelled + "'");
    EXPECT_EQ(ampc_rt_load(state, (path + "-none" + name).c_str(), 0), AMPC_E_IO);
    std::string message = ampc_rt_last_error(state);
    EXPECT_NE(message.find("-none" + spelled + ": no such"), std::string::npos) << message;
  }
};
} // namespace

TEST_F(Shown, SpellsEveryByteThatIsNotPrintable) {
  for (int byte = 1; byte < 256; ++byte) {
    char spelled[8];
    bool isPrintable = byte >= 0x20 && byte < 0x7f;
    snprintf(spelled, sizeof spelled, isPrintable ? "%c" : "\\x%02X", byte);
    if (byte != '/') // parts folders
      expectSpelled(std::string(1, char(byte)), spelled);
  }
}

TEST_F(Shown, SpellsControlsOfUnicodeAndWhatIsNotUtf8) {
  expectSpelled("\xC2\x9B", "\\u{9B}");             // the CSI of C1
  expectSpelled("\xD8\x9C", "\\u{061C}");           // mark of the direction
  expectSpelled("\xE2\x80\x8F", "\\u{200F}");       // the same
  expectSpelled("\xE2\x80\xA8", "\\u{2028}");       // separator of lines
  expectSpelled("\xE2\x80\xAE", "\\u{202E}");       // override
  expectSpelled("\xE2\x81\xA9", "\\u{2069}");       // end of an isolate
  expectSpelled("\xC0\x9B", "\\xC0\\x9B");          // overlong
  expectSpelled("\xE0\x82\x9B", "\\xE0\\x82\\x9B"); // overlong
  expectSpelled("\xED\xA0\x80", "\\xED\\xA0\\x80"); // surrogate
  expectSpelled("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
  expectSpelled("\xE2\x80", "\\xE2\\x80"); // incomplete sequence
  for (const char *text : {"\xC3\xB6", "\xE2\x80\x90", "\xF0\x9F\x98\x80", "\xC2\xA0"})
    expectSpelled(text, text);
}
