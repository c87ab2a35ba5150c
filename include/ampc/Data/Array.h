// Arrays in files: .npy, safetensors and text tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_ARRAY_H
#define AMPC_DATA_ARRAY_H

#include "ampc/Data/File.h"
#include "ampc/Data/OutputFile.h"
#include "ampc/Runtime/Common.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
/// Element types of files: the types of a model's tensors in the order of ampc_dtype, then types
/// that only files have, such as u16.
enum class Element : uint8_t { F32, F64, F16, BF16, I1, I8, I16, I32, I64, U8, U16, U32, U64 };
constexpr Element elementOf(int32_t dtype) { return static_cast<Element>(dtype); }
static_assert(elementOf(AMPC_F32) == Element::F32 && elementOf(AMPC_BF16) == Element::BF16 &&
              elementOf(AMPC_I64) == Element::I64 && elementOf(AMPC_U8) == Element::U8);
constexpr bool isReal(Element element) { return element <= Element::BF16; }

/// A row-major array in a file that is mapped into memory; copies share the mapping.
struct Array {
  Element element = Element::F32;
  std::vector<int64_t> dims;
  const void *data = nullptr;
  std::shared_ptr<void> mapping;
  int64_t firstLine = 0; ///< of a text table: line number, from 1, of the first row; else 0

  int64_t count() const;
  int64_t bytes() const;
  /// Tells the system (madvise) that `bytes` bytes from `begin` on will be read soon.
  void prefetch(int64_t begin, int64_t bytes) const;
};

int64_t bytesOf(Element element);
inline int64_t bytesOf(ampc_dtype dtype) { return bytesOf(elementOf(dtype)); }
/// Name of a type in messages: "f32", "i64", ...
const char *nameOf(Element element);
inline const char *nameOf(ampc_dtype dtype) { return nameOf(elementOf(dtype)); }

/// Reads .npy versions 1 to 3, little-endian, row-major; `error` says what was expected.
/// Specification: numpy.lib.format.
std::optional<Array> readNpy(const std::string &path, std::string &error);

/// Writes .npy version 1 in pieces. The file appears at `path` when closed. Methods return false
/// with a message in `error`.
class NpyWriter {
public:
  /// `dtype` may not be bf16, a type that NumPy lacks.
  bool open(const std::string &path, ampc_dtype dtype, const std::vector<int64_t> &dims,
            std::string &error);
  /// Appends the next elements in row-major order.
  bool write(const void *data, int64_t bytes, std::string &error);
  bool close(std::string &error);

private:
  OutputFile file;
  std::string path;
};
bool writeNpy(const std::string &path, ampc_dtype dtype, const std::vector<int64_t> &dims,
              const void *data, std::string &error);

/// Reads the tensor `name` of a safetensors file.
std::optional<Array> readSafetensors(const std::string &path, const std::string &name,
                                     std::string &error);
struct NamedArray {
  std::string name;
  Array array;
};
/// All tensors with an element type of Element; names of the remaining tensors go to `skipped`.
std::optional<std::vector<NamedArray>>
readSafetensors(const std::string &path, std::vector<std::string> &skipped, std::string &error);

/// Replaces the file atomically; false with a message in `error`.
bool writeSafetensors(const std::string &path, const std::vector<NamedArray> &tensors,
                      std::string &error);

/// Reads a text table as f64 [rows, columns]. Cells are separated by commas (or semicolons; in .tsv
/// by tabs). A first line with a non-numeric cell holds column names. `columns`: empty, or a
/// comma-separated list of names, numbers (from 1) and ranges of numbers. Needs a temporary file of
/// 8 bytes per cell. `fillsEmpty`: an empty cell becomes NaN instead of an error.
std::optional<Array> readTable(const std::string &path, const std::string &columns, bool fillsEmpty,
                               std::string &error);

/// Reads a data source: "FILE.npy", "FILE.safetensors:NAME", "FILE.csv" or "FILE.csv:COLUMNS"; .tsv
/// is like .csv. Example: `data.csv:x,3-5`.
std::optional<Array> readArray(const std::string &source, std::string &error,
                               bool fillsEmpty = false);
/// Path of the file in a data source: "w.safetensors:fc1" -> "w.safetensors".
std::string fileOf(const std::string &source);
} // namespace ampc
#endif
