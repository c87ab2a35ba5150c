// Error codes of the driver for invalid calls, a line per call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codes are results, so that nothing here ends the program but a driver that does not start.
#include "bench/gpu/Device.h"
#include <stdio.h>
#include <string.h>

static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".extern .shared .align 16 .b8 dyn[];\n"
                           ".visible .entry wide() { .reg .b32 %r; mov.u32 %r, dyn; ret; }\n"
                           ".visible .entry bounded() .maxntid 64 { ret; }\n"
                           ".visible .entry traps() { trap; ret; }\n"
                           ".visible .entry wild() { .reg .b64 %rd; mov.b64 %rd, 16;\n"
                           "  st.global.u32 [%rd], 1; ret; }\n";
static const char later[] =
    ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char wrong[] = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { "
                            "foo.bar; ret; }\n";

static void told(const char *what, int result) { printf("%s: %d\n", what, result); }

static int launch(void *function, unsigned grid, unsigned gridY, unsigned block, unsigned shared,
                  void *stream) {
  ampc_cuda_config config = {{grid, gridY, 1}, {block, 1, 1}, shared, stream, NULL, 0};
  return driver.launch(&config, function, NULL, NULL);
}

static int launchCluster(void *function, unsigned grid, unsigned cluster) {
  ampc_cuda_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = AMPC_CUDA_LAUNCH_CLUSTER;
  attribute.value.cluster[0] = cluster;
  attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
  ampc_cuda_config config = {{grid, 1, 1}, {1, 1, 1}, 0, NULL, &attribute, 1};
  return driver.launch(&config, function, NULL, NULL);
}

static void refuseLoads(void) {
  void *module;
  told("PTX for a later chip", driver.load_module(&module, later, 0, NULL, NULL));
  told("PTX that is none", driver.load_module(&module, wrong, 0, NULL, NULL));
  char elf[64] = "\177ELF\2\1\1";
  told("a damaged cubin", driver.load_module(&module, elf, 0, NULL, NULL));
}

static void refuseLaunches(void *module) {
  void *wide, *bounded, *none;
  told("an unknown function", driver.function(&none, module, "none"));
  told("functions",
       driver.function(&wide, module, "wide") | driver.function(&bounded, module, "bounded"));
  told("48 KB of shared memory", launch(wide, 1, 1, 1, 49152, NULL));
  told("more of it", launch(wide, 1, 1, 1, 49168, NULL));
  told("the attribute for 1 MB",
       driver.set_function(wide, AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES, 1 << 20));
  told("a grid of 0", launch(wide, 0, 1, 1, 0, NULL));
  told("a grid of 65536 along y", launch(wide, 1, 65536, 1, 0, NULL));
  told("a block of 1025", launch(wide, 1, 1, 1025, 0, NULL));
  told("a block beyond .maxntid", launch(bounded, 1, 1, 65, 0, NULL));
  told("a cluster of 16", launchCluster(wide, 16, 16));
  told("a cluster that does not divide the grid", launchCluster(wide, 15, 2));
  told("a free of what is none", driver.free(12345));
  told("none of these stick", driver.synchronize(NULL));
}

static void refuseInCapture(void *module) {
  void *stream, *function, *graph = NULL;
  ampc_cuda_address place = 0;
  told("a stream", driver.create_stream(&stream, AMPC_CUDA_NON_BLOCKING));
  told("its capture", driver.begin_capture(stream, AMPC_CUDA_CAPTURE_THREAD));
  driver.function(&function, module, "wide");
  told("a launch in it", launch(function, 1, 1, 1, 0, stream));
  told("an allocation in it", driver.allocate(&place, 16));
  told("a wait for the stream in it", driver.synchronize(stream));
  told("its end", driver.end_capture(stream, &graph));
}

static void refuseAfterError(void *module, const char *name) {
  void *function;
  driver.function(&function, module, name);
  printf("%s\n", name);
  told("  the launch", launch(function, 1, 1, 1, 0, NULL));
  told("  the wait", driver.synchronize(NULL));
  told("  what comes after", driver.synchronize(NULL));
}

int main(int argc, char **argv) {
  void *module;
  openDevice();
  check(driver.load_module(&module, text, 0, NULL, NULL), "the kernels");
  if (argc > 1) /* the fault ends the context: a process per fault */
    refuseAfterError(module, argv[1]);
  else {
    refuseLoads();
    refuseLaunches(module);
    refuseInCapture(module);
  }
  return 0;
}
