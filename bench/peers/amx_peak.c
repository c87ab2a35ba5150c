// Times TDPBF16PS with all operands in registers: the peak of a core with AMX, as a JSON line.
// Prints nothing where the processor or Linux refuses AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cc -O2 amx_peak.c -o amx_peak
#define _GNU_SOURCE
#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 15, STEPS = 20000, TILE_BYTES = 1024 };

static bool has_amx(void) {
  enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_BF16) && (d & AMX_TILE) &&
         syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Random bf16 in [0.5, 1) and (-1, -0.5]: zeros would raise the clock.
static void fill(uint16_t *tile, uint64_t *state) {
  for (int i = 0; i < TILE_BYTES / 2; ++i) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    tile[i] = (uint16_t)(0x3f00 | (*state >> 40 & 0x807f));
  }
}

// Four sums, two tiles of each side, as in the micro-kernel.
__attribute__((target("amx-tile,amx-bf16"))) static void products(int steps) {
  for (int i = 0; i < steps; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
}

__attribute__((target("amx-tile,amx-bf16"))) static double least_seconds(void) {
  _Alignas(64) uint8_t config[64] = {1};
  static _Alignas(64) uint16_t tiles[4][TILE_BYTES / 2];
  static _Alignas(64) float sums[TILE_BYTES / 4];
  uint64_t state = 1;
  for (int i = 0; i < 8; ++i) {
    config[16 + 2 * i] = 64;
    config[48 + i] = 16;
  }
  for (int i = 0; i < 4; ++i)
    fill(tiles[i], &state);
  _tile_loadconfig(config);
  _tile_loadd(4, tiles[0], 64);
  _tile_loadd(5, tiles[1], 64);
  _tile_loadd(6, tiles[2], 64);
  _tile_loadd(7, tiles[3], 64);
  double least = 1e9;
  for (int batch = 0; batch < BATCHES; ++batch) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    double start = now();
    products(STEPS);
    _tile_stored(3, sums, 64); // waits for the last product
    double seconds = now() - start;
    least = seconds < least ? seconds : least;
  }
  _tile_release();
  return least;
}

int main(void) {
  if (!has_amx())
    return 0;
  double flop = 4.0 * STEPS * 2 * 16 * 16 * 32;
  printf("{\"name\": \"amx_peak\", \"gflops\": %.1f}\n", flop / least_seconds() * 1e-9);
  return 0;
}
