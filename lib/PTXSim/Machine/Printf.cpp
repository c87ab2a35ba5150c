// printf in kernels: lanes print to stdout in lane order, when reached.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Control.h"
#include <cstdio>
#include <cstring>

namespace ptxsim {

namespace {

/// Reads defined memory of a lane; faults on undefined bytes.
class Reader {
public:
  Reader(Warp &w, unsigned lane) : w(w), lane(lane) {}
  template <class T> T read(Space space, uint64_t address) {
    Target t = resolve(w, space, address, sizeof(T), AccessKind::Read, lane);
    if (t.shadow && !checkDefined(w, t.shadow, sizeof(T), lane, address))
      fault(w, ErrorKind::Memory, "printf reads uninitialized memory, at address " + hex(address),
            1u << lane);
    T value;
    std::memcpy(&value, t.data, sizeof value);
    return value;
  }
  std::string text(uint64_t address) {
    std::string result;
    while (char c = char(read<uint8_t>(Space::Generic, address++)))
      result += c;
    return result;
  }
  /// Next argument, aligned to the argument's size.
  template <class T> T next() {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value = read<T>(Space::Generic, base + at);
    at += sizeof(T);
    return value;
  }
  uint64_t base = 0;

private:
  Warp &w;
  unsigned lane;
  uint64_t at = 0;
};

template <class T> std::string formatted(const std::string &spec, T value) {
  char text[512];
  std::snprintf(text, sizeof text, spec.c_str(), value);
  return text;
}

/// Formats a conversion such as "%-8.3lf"; `at` moves from behind the '%' to behind the conversion.
std::string convert(Reader &reader, const std::string &format, size_t &at) {
  std::string spec = "%";
  bool wide = false;
  while (at < format.size() && std::strchr("-+ #0123456789.*hlqjzt", format[at])) {
    char c = format[at++];
    if (c == '*')
      spec += std::to_string(reader.next<int32_t>());
    else if (std::strchr("lqjzt", c))
      wide = true; // 64 bits on the device
    else if (c != 'h')
      spec += c;
  }
  char kind = at < format.size() ? format[at++] : '%';
  switch (kind) {
  case 'd':
  case 'i':
    return wide ? formatted(spec + "lld", static_cast<long long>(reader.next<int64_t>()))
                : formatted(spec + "d", reader.next<int32_t>());
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return wide ? formatted(spec + "ll" + kind,
                            static_cast<unsigned long long>(reader.next<uint64_t>()))
                : formatted(spec + kind, reader.next<uint32_t>());
  case 'c':
    return formatted(spec + kind, reader.next<int32_t>());
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    return formatted(spec + kind, reader.next<double>());
  case 'p':
    return "0x" + formatted("%llx", static_cast<unsigned long long>(reader.next<uint64_t>()));
  case 's':
    return formatted(spec + kind, reader.text(reader.next<uint64_t>()).c_str());
  case '%':
    return "%";
  default: // unknown conversions print as on the driver
    return spec + kind;
  }
}

} // namespace

void executePrintf(Warp &w, const Inst &i) {
  const uint32_t *offsets = slotsOf(w, i);
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    Reader reader(w, l);
    std::string format = reader.text(reader.read<uint64_t>(Space::Local, offsets[0])), out;
    reader.base = reader.read<uint64_t>(Space::Local, offsets[1]);
    for (size_t at = 0; at < format.size();)
      if (format[at++] == '%')
        out += convert(reader, format, at);
      else
        out += format[at - 1];
    std::fwrite(out.data(), 1, out.size(), stdout);
    if (!i.count)
      continue;
    Target result = resolve(w, Space::Local, offsets[2], 4, AccessKind::Write, l);
    int32_t printed = 0; // the number of arguments; unused by programs
    std::memcpy(result.data, &printed, 4);
    if (result.shadow)
      std::memset(result.shadow, Shadow::Defined, 4);
  }
}

} // namespace ptxsim
