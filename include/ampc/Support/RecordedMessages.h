// Copy of the messages of a compilation, for later runs that skip the compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_RECORDEDMESSAGES_H
#define AMPC_SUPPORT_RECORDEDMESSAGES_H

#include <string>

namespace ampc {
/// Appends the text of messages() to a string, too, during the lifetime of the object. Only one
/// object at a time.
class RecordedMessages {
public:
  explicit RecordedMessages(std::string &to);
  ~RecordedMessages();
  RecordedMessages(const RecordedMessages &) = delete;
};
} // namespace ampc
#endif
