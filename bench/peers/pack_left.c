// Cost and saving of a second, packed copy of a matrix, stored by the producer in the order in
// which a product reads the transposed matrix as left operand: one thread, operands in memory, a
// JSON line per width. Prints medians and least times in ms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cc -O3 -march=native pack_left.c -o pack_left && ./pack_left 1536 384
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
  ROWS = 2048,  // of the matrix, which the product sums over
  TILE = 32,    // rows and columns of a tile of results
  LINES = 8,    // panels of 32 lines that are packed together
  BLOCK = 1024, // rows of a block
  RUNS = 15,
  CACHES = 192 << 20 // more bytes than any cache has
};
typedef uint32_t Pairs __attribute__((vector_size(64)));
typedef uint32_t Words __attribute__((vector_size(64), aligned(4)));
typedef uint16_t Halves __attribute__((vector_size(32)));

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + 1e-6 * (double)time.tv_nsec;
}

static void *allocate(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    exit(1);
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 1, bytes);
  return memory;
}

static volatile uint32_t sink;
static void empty_caches(char *other) {
  for (size_t i = 0; i < CACHES; i += 64)
    sink += (uint32_t)other[i]++;
}

static inline Pairs low(Pairs a, Pairs b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline Pairs high(Pairs a, Pairs b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

// 32 rows of 32 numbers become 32 lines of 16 pairs of neighbours in k.
static inline void pack(const uint16_t *from, long stride, char *to, long line_bytes) {
  for (int column = 0; column < TILE; column += 16) {
    Pairs square[16], turned[16];
    for (int i = 0; i < 16; ++i) {
      Halves even, odd;
      memcpy(&even, from + 2 * i * stride + column, sizeof even);
      memcpy(&odd, from + (2 * i + 1) * stride + column, sizeof odd);
      square[i] = __builtin_convertvector(even, Pairs) | __builtin_convertvector(odd, Pairs) << 16;
    }
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 8; ++i) {
        turned[2 * i] = low(square[i], square[i + 8]);
        turned[2 * i + 1] = high(square[i], square[i + 8]);
      }
      memcpy(square, turned, sizeof square);
    }
    for (int i = 0; i < 16; ++i)
      memcpy(to + (column + i) * line_bytes, &square[i], sizeof square[i]);
  }
}

// Epilogue of a product: rounds tiles of sums to bf16 and stores rows of 64 bytes; a packed tile is
// a single piece of 2 KB.
static void produce(const float *sums, uint16_t *matrix, long columns, char *packed) {
  for (long row = 0; row < ROWS; row += TILE)
    for (long column = 0; column < columns; column += TILE) {
      uint16_t tile[TILE * TILE];
      for (int i = 0; i < TILE * TILE; ++i) {
        uint32_t bits;
        memcpy(&bits, &sums[i], sizeof bits);
        tile[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      }
      for (int i = 0; i < TILE; ++i)
        memcpy(matrix + (row + i) * columns + column, tile + i * TILE, 2 * TILE);
      if (packed)
        pack(tile, TILE, packed + (column / TILE * (ROWS / TILE) + row / TILE) * 2048, 64);
    }
}

// Packing in a weight gradient: panels that are packed in one sweep fit into the second-level
// cache.
static void pack_all(const uint16_t *matrix, long columns, char *scratch, long ahead) {
  const long line_bytes = 2 * (BLOCK + TILE);
  for (long first = 0; first < columns; first += LINES * TILE)
    for (long block = 0; block < ROWS; block += BLOCK)
      for (long row = block; row < block + BLOCK; row += TILE)
        for (long column = first; column < first + LINES * TILE && column < columns;
             column += TILE) {
          if (ahead && row + ahead < ROWS)
            for (int i = 0; i < TILE; ++i)
              __builtin_prefetch(matrix + (row + ahead + i) * columns + column);
          pack(matrix + row * columns + column, columns,
               scratch + (column - first) * line_bytes + 2 * (row - block), line_bytes);
        }
}

static void read_all(const char *packed, size_t bytes) {
  Pairs sum = {0};
  for (size_t i = 0; i < bytes; i += sizeof sum)
    sum += *(const Words *)(packed + i);
  sink += sum[0];
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(long columns, char *other) {
  static const char *const names[] = {"write", "write_both", "pack", "pack_prefetched",
                                      "read_packed"};
  enum { KINDS = sizeof names / sizeof *names };
  size_t bytes = (size_t)(ROWS * columns) * 2;
  uint16_t *matrix = allocate(bytes);
  char *packed = allocate(bytes), *scratch = allocate(2 * LINES * TILE * (BLOCK + TILE));
  float *sums = allocate(4 * TILE * TILE);
  for (int i = 0; i < TILE * TILE; ++i)
    sums[i] = (float)rand() / (float)RAND_MAX;
  double times[KINDS][RUNS];
  for (int run = 0; run < RUNS; ++run)
    for (int kind = 0; kind < KINDS; ++kind) {
      empty_caches(other);
      double start = now();
      if (kind < 2)
        produce(sums, matrix, columns, kind ? packed : NULL);
      else if (kind < 4)
        pack_all(matrix, columns, scratch, kind == 3 ? TILE : 0);
      else
        read_all(packed, bytes);
      times[kind][run] = now() - start;
    }
  printf("{\"name\": \"pack_left\", \"rows\": %d, \"columns\": %ld", ROWS, columns);
  for (int kind = 0; kind < KINDS; ++kind) {
    qsort(times[kind], RUNS, sizeof(double), compare);
    printf(", \"%s\": %.3f, \"%s_least\": %.3f", names[kind], times[kind][RUNS / 2], names[kind],
           times[kind][0]);
  }
  printf("}\n");
  munmap(matrix, bytes);
  munmap(packed, bytes);
}

int main(int argc, char **argv) {
  char *other = allocate(CACHES);
  for (int i = 1; i < argc; ++i)
    if (atol(argv[i]) > 0 && atol(argv[i]) % TILE == 0)
      measure(atol(argv[i]), other);
  return 0;
}
