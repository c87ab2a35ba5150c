// Data sources by format, and the formats that hold arrays beside those of Array.h: .npz files and
// raw elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_FORMATS_H
#define AMPC_DATA_FORMATS_H

#include "ampc/Data/Array.h"

namespace ampc {
/// Formats by extension: .npy, .npz, .safetensors, .csv and .tsv, and .bin, .raw and .dat.
enum class FileFormat : uint8_t { Npy, Npz, Safetensors, Table, Raw };
/// Format of a file, e.g. "w.npz" -> Npz; nothing for other extensions.
std::optional<FileFormat> formatOf(const std::string &path);

/// Reads the array `name` of a .npz file, or for an empty name the array `input` or the only array.
/// Example: of {a, b} and input b, "b". A stored array is mapped; a deflated array is unpacked into
/// memory, at most 1032 bytes for each byte of the file. Elements may lie at any address.
std::optional<Array> readNpz(const std::string &path, const std::string &name,
                             const std::string &input, std::string &error);

/// Reads raw little-endian elements, row-major, of the type and shape in `type`. Example: 24 bytes
/// as "f32[2, 3]"; "ui8[?, 28]" has as many rows as the file.
std::optional<Array> readRaw(const std::string &path, const std::string &type, std::string &error);

/// Reads a data source as readArray does: "FILE.npy", "FILE.npz", "FILE.npz:NAME",
/// "FILE.safetensors:NAME", "FILE.csv", "FILE.csv:COLUMNS" or "FILE.bin:TYPE[SIZES]". `input`: the
/// array of a .npz file if the source has no name.
std::optional<Array> readSource(const std::string &source, const std::string &input,
                                std::string &error, bool fillsEmpty = false);
} // namespace ampc
#endif
