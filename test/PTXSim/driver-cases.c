// Cases of the driver library, a case per run: driver-cases.py sets the environment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ptxsim-driver-cases CASE
#include "test/PTXSim/driver-cases.h"

int failures;

const char *testModule(const char *target) {
  static char text[4096];
  snprintf(text, sizeof text,
           ".version 8.6\n.target %s\n.address_size 64\n"
           ".extern .shared .align 16 .b8 dynamic[];\n"
           ".visible .entry put(.param .u64 p, .param .u32 v)\n{\n"
           ".reg .b64 %%rd<2>; .reg .b32 %%r<2>;\nld.param.u64 %%rd0, [p]; ld.param.u32 %%r0, "
           "[v];\nst.global.u32 [%%rd0], %%r0;\nret;\n}\n"
           ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n"
           ".reg .b64 %%rd<2>; .reg .b32 %%r<3>;\nld.param.u64 %%rd0, [p]; ld.param.u32 %%r0, "
           "[v];\nld.global.u32 %%r1, [%%rd0]; add.u32 %%r1, %%r1, %%r0; st.global.u32 [%%rd0], "
           "%%r1;\nret;\n}\n"
           ".visible .entry move(.param .u64 to, .param .u64 from)\n{\n"
           ".reg .b64 %%rd<2>; .reg .b32 %%r<2>;\nld.param.u64 %%rd0, [to]; ld.param.u64 %%rd1, "
           "[from];\nld.global.u32 %%r0, [%%rd1]; st.global.u32 [%%rd0], %%r0;\nret;\n}\n"
           ".visible .entry wide()\n{\n.reg .b32 %%r<2>;\nmov.u32 %%r0, dynamic; st.shared.u32 "
           "[%%r0], 1;\nret;\n}\n"
           ".visible .entry bounded() .maxntid 64, 1, 1\n{\nret;\n}\n"
           ".visible .entry stop()\n{\ntrap;\n}\n",
           target);
  return text;
}

CUcontext begin(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  return context;
}

CUfunction kernelNamed(const char *name) {
  static CUmodule module;
  CUfunction function = NULL;
  const char *chip = getenv("PTXSIM_CAPABILITY");
  if (!module)
    OK(cuModuleLoadData(&module, testModule(!chip || chip[0] == '9' ? "sm_90" : "sm_75")));
  OK(cuModuleGetFunction(&function, module, name));
  return function;
}

CUresult launchOne(CUfunction function, CUstream stream, CUdeviceptr pointer, unsigned value) {
  void *arguments[] = {&pointer, &value};
  return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

unsigned readWord(CUdeviceptr pointer) {
  unsigned value = 0xdead;
  OK(cuMemcpyDtoH_v2(&value, pointer, 4));
  return value;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"limits", caseLimits},
               {"chip", caseChip},
               {"text", caseText},
               {"sticky", caseSticky},
               {"memory", caseMemory},
               {"memory-limit", caseMemoryLimit},
               {"marks", caseMarks},
               {"no-marks", caseNoMarks},
               {"leaks", caseLeaks},
               {"contexts", caseContexts},
               {"devices", caseDevices},
               {"capture", caseCapture},
               {"capture-errors", caseCaptureErrors},
               {"graphs", caseGraphs},
               {"report", caseReport},
               {"entry-points", caseEntryPoints}};
  for (size_t k = 0; argc == 2 && k < sizeof cases / sizeof *cases; k++)
    if (!strcmp(argv[1], cases[k].name)) {
      cases[k].run();
      printf("%d failures\n", failures);
      return failures != 0;
    }
  printf("expected the name of a case\n");
  return 2;
}
