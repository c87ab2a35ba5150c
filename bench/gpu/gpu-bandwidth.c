// Memory bandwidth of the device in GB/s: nominal, by clock and bus, and measured by copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/Device.h"
#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_CLOCK_KHZ = 36, BUS_BITS = 37, RUNS = 10 };

/* GB/s of a copy, which reads and writes every byte. */
static double copySpeed(size_t bytes) {
  ampc_cuda_address from = allocate(bytes), to = allocate(bytes);
  void *events[2];
  float milliseconds, least = 0;
  for (int i = 0; i < 2; ++i)
    check(driver.create_event(&events[i], 0), "event");
  check(driver.fill(from, 0x5a, bytes, NULL), "fill");
  for (int run = 0; run < RUNS; ++run) {
    check(driver.record(events[0], NULL), "event");
    check(driver.copy(to, from, bytes, NULL), "copy");
    check(driver.record(events[1], NULL), "event");
    check(driver.wait_event(events[1]), "copy");
    check(driver.elapsed(&milliseconds, events[0], events[1]), "time");
    if (run == 0 || milliseconds < least)
      least = milliseconds;
  }
  return least > 0 ? 2e-6 * (double)bytes / least : 0;
}

int main(int argc, char **argv) {
  int device, clock = 0, bits = 0;
  openDevice();
  check(driver.device(&device, 0), "device");
  check(driver.device_attribute(&clock, MEMORY_CLOCK_KHZ, device), "clock");
  check(driver.device_attribute(&bits, BUS_BITS, device), "bus");
  /* Two transfers a clock. */
  printf("bandwidth peak %.0f GB/s copy %.0f GB/s\n", 2e-6 * clock * bits / 8,
         copySpeed(argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)1 << 30));
  return 0;
}
