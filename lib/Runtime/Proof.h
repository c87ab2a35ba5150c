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

/* The hash of tensors in the order of the file: each one's is the seed of the next. A tensor in
   parts is the same as a whole, if all parts but the last are multiples of 8 bytes. */
uint64_t ampc_rt_hash_bytes(uint64_t hash, const unsigned char *data, size_t bytes);

/* Finds the digits of the header's hash; null: it has none. No string of JSON can have this text
   inside, since its quotes would have backslashes. */
char *ampc_rt_find_header_hash(char *header, size_t bytes);
/* The hash of a header, with zeros in place of its own digits. */
uint64_t ampc_rt_header_hash(const char *header, size_t bytes);
/* 16 hexadecimal digits, as the writer prints them, and no more than `end` behind them. */
bool ampc_rt_parse_hash(const char *text, char end, uint64_t *hash);

/* The metadata by which a file proves that it is whole. Starts as zeros; the texts are the
   header's. */
typedef struct {
  const char *format, *version; /* or null */
  bool has_header_hash, has_data_hash;
  uint64_t data_hash;
} ampc_rt_proof;
/* Before anything else is read: false if the header differs from its hash, whose digits are zeros
   afterwards. */
bool ampc_rt_check_header(ampc_rt_proof *proof, char *header, size_t bytes);
/* Takes one pair of metadata, if it is a part of the proof. */
void ampc_rt_note_proof(ampc_rt_proof *proof, const char *key, const char *value);
/* Another program's file, whose version means something else. All metadata are noted. */
bool ampc_rt_is_foreign(const ampc_rt_proof *proof);
/* A file of a later ampc, whose hashes and names may mean something else. */
bool ampc_rt_is_newer(const ampc_rt_proof *proof);
/* A file without one of the hashes that its version demands. */
bool ampc_rt_lacks_proof(const ampc_rt_proof *proof);

#ifdef __cplusplus
}
#endif

#endif
