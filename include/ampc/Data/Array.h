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
/// What files hold: the types of a model's tensors, in their order, and those that only files have.
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
  int64_t firstLine = 0; ///< of text: the line, counted from 1, of the first row; else 0

  int64_t count() const;
  int64_t bytes() const;
  /// Asks the system to read a part of the file that will be needed soon.
  void prefetch(int64_t begin, int64_t bytes) const;
};

int64_t bytesOf(Element element);
inline int64_t bytesOf(ampc_dtype dtype) { return bytesOf(elementOf(dtype)); }
/// "f32", "i64", ...; what messages call a type.
const char *nameOf(Element element);
inline const char *nameOf(ampc_dtype dtype) { return nameOf(elementOf(dtype)); }

/// Reads versions 1 to 3 of the format, little-endian and in C order; `error` says what was
/// expected. Specification: numpy.lib.format.
std::optional<Array> readNpy(const std::string &path, std::string &error);

/// Writes version 1, piece by piece. The file is there when it is closed. Methods are false with a
/// message in `error`.
class NpyWriter {
public:
  /// `dtype` is not bf16, which NumPy lacks.
  bool open(const std::string &path, ampc_dtype dtype, const std::vector<int64_t> &dims,
            std::string &error);
  /// The next elements, in row-major order.
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
/// All tensors whose type is an Element; names of others go to `skipped`.
std::optional<std::vector<NamedArray>>
readSafetensors(const std::string &path, std::vector<std::string> &skipped, std::string &error);

/// Replaces the file at once; false with a message in `error`.
bool writeSafetensors(const std::string &path, const std::vector<NamedArray> &tensors,
                      std::string &error);

/// Reads numbers separated by commas (semicolons; of .tsv: tabs) as [rows, columns] of f64. A first
/// line with a cell that is no number holds names. `columns`: empty, or names and numbers (from 1)
/// and ranges of numbers, separated by commas. Needs a temporary file of 8 bytes per cell.
/// `fillsEmpty`: an empty cell is a NaN, and no error.
std::optional<Array> readTable(const std::string &path, const std::string &columns, bool fillsEmpty,
                               std::string &error);

/// "FILE.npy", "FILE.safetensors:NAME", "FILE.csv", "FILE.csv:COLUMNS"; .tsv is like .csv.
std::optional<Array> readArray(const std::string &source, std::string &error,
                               bool fillsEmpty = false);
/// The file that such a text names.
std::string fileOf(const std::string &source);
} // namespace ampc
#endif
