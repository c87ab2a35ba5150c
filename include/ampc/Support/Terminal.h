// Standard error and standard output for text of models, files and users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_TERMINAL_H
#define AMPC_SUPPORT_TERMINAL_H

#include "llvm/Support/raw_ostream.h"
#include <string>

namespace ampc {
/// Spells the code points that a terminal obeys, as inMessage() does; newlines and tabs pass, since
/// messages and tables have their own. Colors pass as calls, never as text.
///   showing << "tensor w\x1B[2J"  prints  tensor w\x1B[2J  with four characters for the ESC
class ShowingStream : public llvm::raw_ostream {
public:
  explicit ShowingStream(llvm::raw_ostream &to) : raw_ostream(/*unbuffered=*/true), to(to) {}
  ~ShowingStream() override { flush(); }

  raw_ostream &changeColor(enum Colors color, bool bold, bool background) override {
    to.changeColor(color, bold, background);
    return *this;
  }
  raw_ostream &resetColor() override {
    to.resetColor();
    return *this;
  }
  raw_ostream &reverseColor() override {
    to.reverseColor();
    return *this;
  }
  bool is_displayed() const override { return to.is_displayed(); }
  bool has_colors() const override { return to.has_colors(); }
  void enable_colors(bool enable) override { to.enable_colors(enable); }

  /// Appends all further text, as it was written, to a string too; null: to none.
  void copyTo(std::string *string) { copy = string; }

private:
  void write_impl(const char *text, size_t length) override;
  uint64_t current_pos() const override { return to.tell(); }

  llvm::raw_ostream &to;
  std::string *copy = nullptr;
  std::string begun; ///< a UTF-8 sequence whose last bytes come with the next write
};

/// Standard error, and standard output for tables: whatever a foreign file is called, and whatever
/// a name or a line in such a file holds. Data for other programs (models, JSON) goes to
/// llvm::outs() itself, byte by byte.
ShowingStream &messages();
llvm::raw_ostream &results();
} // namespace ampc
#endif
