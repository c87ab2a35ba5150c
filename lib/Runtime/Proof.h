// Hashes and version that prove a checkpoint whole. The runtime reads this in C, the tools in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_PROOF_H
#define AMPC_LIB_RUNTIME_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Metadata of ampc's checkpoints, first in the header: the format's name, a version, which makes
   the hashes mandatory, and a hash of the header's bytes in which the digits of that hash are
   zeros. With the data's hash, which is a part of the header, it covers the whole file. Older files
   have no version and no hash of the header. */
#define AMPC_FORMAT_KEY "format"
#define AMPC_FORMAT "ampc"
#define AMPC_VERSION_KEY "version"
#define AMPC_FORMAT_VERSION "2"
#define AMPC_HEADER_HASH_KEY "header_hash"
#define AMPC_DATA_HASH_KEY "data_hash"
enum { AMPC_HASH_DIGITS = 16 };

#define AMPC_DATA_HASH_SEED 0x616d7063ull

#ifdef __cplusplus
extern "C" {
#endif

/* Hash of tensors in the order of the file: the hash of a tensor is the seed of the next tensor.
   Hashing a tensor in pieces gives the same value if all pieces but the last are multiples of
   8 bytes. */
uint64_t ampc_rt_hash_bytes(uint64_t hash, const unsigned char *data, size_t bytes);

/* Address of the digits of the header's hash, null in a header without hash. A search for the key
   with its quotes is exact: inside a JSON string the quotes would have backslashes. */
char *ampc_rt_find_header_hash(char *header, size_t bytes);
/* The hash of a header, with zeros in place of its own digits. */
uint64_t ampc_rt_header_hash(const char *header, size_t bytes);
/* Parses 16 lower-case hexadecimal digits that the character `end` follows. */
bool ampc_rt_parse_hash(const char *text, char end, uint64_t *hash);

/* The metadata by which a file proves that it is whole. Starts as zeros; the texts are the
   header's. */
typedef struct {
  const char *format, *version; /* or null */
  bool has_header_hash, has_data_hash;
  uint64_t data_hash;
} ampc_rt_proof;
/* Compares the header with its hash, before any other part is read; false if they differ. Leaves
   zeros in the digits of the hash. */
bool ampc_rt_check_header(ampc_rt_proof *proof, char *header, size_t bytes);
/* Notes a pair of metadata if the key belongs to the proof. */
void ampc_rt_note_proof(ampc_rt_proof *proof, const char *key, const char *value);
/* True for a file of another program, whose key "version" has another meaning. Valid after all
   metadata are noted. */
bool ampc_rt_is_foreign(const ampc_rt_proof *proof);
/* True for a file of a later ampc, whose hashes and names may have another meaning. */
bool ampc_rt_is_newer(const ampc_rt_proof *proof);
/* True for a file that lacks a hash demanded by the file's version. */
bool ampc_rt_lacks_proof(const ampc_rt_proof *proof);

#ifdef __cplusplus
}
#endif

#endif
