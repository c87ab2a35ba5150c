// Event files of TensorBoard: TFRecords of Event messages, written without TensorFlow.
// Record: length (8 bytes), masked CRC of the length, data, masked CRC of the data. Messages:
// tensorflow/core/util/event.proto (wall_time = 1, step = 2, file_version = 3, summary = 5,
// session_log = 7 with status = 1, where 1 is START) and framework/summary.proto (value = 1 with
// tag = 1, simple_value = 2).
#include "ampc/Data/Log.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

uint32_t ampc::crc32c(const void *data, size_t bytes) {
  auto *cursor = static_cast<const unsigned char *>(data);
  uint32_t crc = ~0u;
  for (; bytes; --bytes) {
    crc ^= *cursor++;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

namespace {
/// Masked CRC of TFRecord: rotated and shifted, so that the CRC of a CRC does not degenerate.
uint32_t masked(const void *data, size_t bytes) {
  uint32_t crc = crc32c(data, bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}
void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
template <typename T> void putFixed(std::string &out, int field, T value) { // 4 or 8 bytes
  out += static_cast<char>(field << 3 | (sizeof value == 8 ? 1 : 5));
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}
void putBytes(std::string &out, int field, const std::string &value) {
  out += static_cast<char>(field << 3 | 2);
  putVarint(out, value.size());
  out += value;
}
std::string startEvent() {
  using namespace std::chrono;
  std::string event;
  putFixed(event, 1, duration<double>(system_clock::now().time_since_epoch()).count());
  return event;
}
} // namespace

bool TensorBoardWriter::record(const std::string &event, std::string &error) {
  std::string out;
  uint64_t length = event.size();
  auto put = [&out](const auto &value) {
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
  };
  put(length);
  put(masked(&length, sizeof length));
  out += event;
  put(masked(event.data(), event.size()));
  if (std::fwrite(out.data(), 1, out.size(), file.get()) == out.size() && !std::fflush(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}

bool TensorBoardWriter::open(const std::string &folder, std::string &error) {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  path = folder + "/events.out.tfevents." +
         std::to_string(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())) +
         "." + host + "." + std::to_string(getpid());
  if (mkdir(folder.c_str(), 0777) && errno != EEXIST) {
    error = folder + ": " + std::strerror(errno);
    return false;
  }
  file.reset(std::fopen(path.c_str(), "ab"));
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  std::string event = startEvent();
  putBytes(event, 3, "brain.Event:2");
  return record(event, error);
}

bool TensorBoardWriter::restart(int64_t step, std::string &error) {
  std::string log, event = startEvent();
  log += static_cast<char>(1 << 3);
  putVarint(log, 1);
  event += static_cast<char>(2 << 3);
  putVarint(event, static_cast<uint64_t>(step));
  putBytes(event, 7, log);
  return record(event, error);
}

bool TensorBoardWriter::scalar(const std::string &tag, int64_t step, float value,
                               std::string &error) {
  std::string entry, summary, event = startEvent();
  putBytes(entry, 1, tag);
  putFixed(entry, 2, value);
  putBytes(summary, 1, entry);
  event += static_cast<char>(2 << 3);
  putVarint(event, static_cast<uint64_t>(step));
  putBytes(event, 5, summary);
  return record(event, error);
}
