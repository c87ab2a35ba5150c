// Hashes and version that prove a checkpoint whole, for all its readers: runtime and tools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Proof.h"
#include <string.h>

uint64_t ampc_rt_hash_bytes(uint64_t hash, const unsigned char *data, size_t bytes) {
  const uint64_t factor = 0x9E3779B97F4A7C15ull;
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    hash = (hash ^ word) * factor;
    hash ^= hash >> 29;
  }
  for (; bytes; ++data, --bytes) {
    hash = (hash ^ *data) * factor;
    hash ^= hash >> 29;
  }
  return hash;
}

char *ampc_rt_find_header_hash(char *header, size_t bytes) {
  static const char key[] = "\"" AMPC_HEADER_HASH_KEY "\":\"";
  const size_t length = sizeof key - 1;
  for (size_t i = 0; i + length + AMPC_HASH_DIGITS <= bytes; ++i)
    if (header[i] == '"' && !memcmp(header + i, key, length))
      return header + i + length;
  return NULL;
}

uint64_t ampc_rt_header_hash(const char *header, size_t bytes) {
  return ampc_rt_hash_bytes(AMPC_DATA_HASH_SEED, (const unsigned char *)header, bytes);
}

bool ampc_rt_parse_hash(const char *text, char end, uint64_t *hash) {
  *hash = 0;
  for (int i = 0; i < AMPC_HASH_DIGITS; ++i) {
    char c = text[i];
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
      return false;
    *hash = *hash << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return text[AMPC_HASH_DIGITS] == end;
}

bool ampc_rt_check_header(ampc_rt_proof *proof, char *header, size_t bytes) {
  char *digits = ampc_rt_find_header_hash(header, bytes);
  proof->has_header_hash = digits != NULL;
  if (!digits)
    return true;
  uint64_t hash;
  bool is_hash = ampc_rt_parse_hash(digits, '"', &hash);
  memset(digits, '0', AMPC_HASH_DIGITS);
  return is_hash && hash == ampc_rt_header_hash(header, bytes);
}

void ampc_rt_note_proof(ampc_rt_proof *proof, const char *key, const char *value) {
  if (!strcmp(key, AMPC_FORMAT_KEY))
    proof->format = value;
  else if (!strcmp(key, AMPC_VERSION_KEY))
    proof->version = value;
  else if (!strcmp(key, AMPC_DATA_HASH_KEY))
    proof->has_data_hash = ampc_rt_parse_hash(value, 0, &proof->data_hash);
}

bool ampc_rt_is_foreign(const ampc_rt_proof *proof) {
  return proof->format && strcmp(proof->format, AMPC_FORMAT);
}

bool ampc_rt_is_newer(const ampc_rt_proof *proof) {
  return !ampc_rt_is_foreign(proof) && proof->version &&
         strcmp(proof->version, AMPC_FORMAT_VERSION);
}

bool ampc_rt_lacks_proof(const ampc_rt_proof *proof) {
  return !ampc_rt_is_foreign(proof) && proof->version &&
         !(proof->has_header_hash && proof->has_data_hash);
}
