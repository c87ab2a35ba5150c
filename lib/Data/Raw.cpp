// Raw little-endian elements, whose type and shape the data source names, e.g.
// `pixels.bin:ui8[?, 28, 28]`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "ampc/Data/Mapping.h"
#include "lib/Data/Text.h"
#include <charconv>

using namespace ampc;

/// Types as in models, where u8 is ui8, and as in messages.
static std::optional<Element> elementNamed(std::string_view name) {
  std::string spelled(name);
  if (name.substr(0, 2) == "ui")
    spelled.erase(1, 1);
  for (Element element = Element::F32; element <= Element::U64;
       element = static_cast<Element>(static_cast<uint8_t>(element) + 1))
    if (spelled == nameOf(element))
      return element;
  return std::nullopt;
}

namespace {
struct RawType {
  Element element = Element::F32;
  std::vector<int64_t> dims; ///< without the rows if `anyRows`
  bool anyRows = false;      ///< the first dimension is `?`

  /// Parses TYPE[SIZE, ...]; false for another text.
  bool parse(std::string_view text);
  /// Bytes of all elements of `dims`; nothing for too many.
  std::optional<int64_t> bytes() const;
  std::string text() const;
};

bool RawType::parse(std::string_view text) {
  size_t open = text.find('[');
  if (open == text.npos || text.back() != ']')
    return false;
  std::optional<Element> type = elementNamed(trimmed(text.substr(0, open)));
  if (!type)
    return false;
  element = *type;
  std::string_view sizes = text.substr(open + 1, text.size() - open - 2);
  for (bool more = !trimmed(sizes).empty(), first = true; more; first = false) {
    size_t comma = sizes.find(',');
    std::string_view size = trimmed(sizes.substr(0, comma));
    more = comma != sizes.npos;
    sizes.remove_prefix(more ? comma + 1 : sizes.size());
    if (first && size == "?") {
      anyRows = true;
      continue;
    }
    int64_t number = -1;
    auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), number);
    if (problem != std::errc() || end != size.data() + size.size() || number < 0)
      return false;
    dims.push_back(number);
  }
  return true;
}

std::optional<int64_t> RawType::bytes() const {
  std::optional<int64_t> count = countElements(dims);
  return count ? std::optional(*count * bytesOf(element)) : std::nullopt;
}

std::string RawType::text() const {
  std::string name = nameOf(element), sizes;
  if (name[0] == 'u')
    name.insert(1, "i");
  for (int64_t dim : dims)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(dim);
  return name + "[" + sizes + "]";
}
} // namespace

std::optional<Array> ampc::readRaw(const std::string &path, const std::string &type,
                                   std::string &error) {
  auto fail = [&](const std::string &message) {
    error = path + ": " + message;
    return std::nullopt;
  };
  RawType raw;
  if (!raw.parse(type))
    return fail(
        "expected type and shape of raw elements, as in " + path +
        ":ui8[?, 28, 28], with f16, bf16, f32, f64, i1, i8 to i64 or ui8 to ui64, but got " +
        (type.empty() ? "none" : "'" + type + "'"));
  std::optional<int64_t> bytes = raw.bytes();
  if (!bytes || (raw.anyRows && !*bytes))
    return fail(std::string("expected ") + (bytes ? "rows of at least one byte" : "fewer bytes") +
                ", but got " + raw.text());
  std::optional<Mapping> file = mapFile(path, error);
  if (!file)
    return std::nullopt;
  if (raw.anyRows ? file->bytes % *bytes : file->bytes - *bytes)
    return fail(std::string("expected ") + (raw.anyRows ? "rows of " : "") +
                std::to_string(*bytes) + " bytes, " + raw.text() + ", but got " +
                std::to_string(file->bytes) + (raw.anyRows ? " bytes" : ""));
  if (raw.anyRows)
    raw.dims.insert(raw.dims.begin(), file->bytes / *bytes);
  return Array{raw.element, raw.dims, file->data, file->owner, 0};
}
