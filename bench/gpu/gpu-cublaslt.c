// Times a product by NVIDIA's cuBLASLt, which is loaded at run time.
// gpu-cublaslt LIBRARY M N K LAYOUT REPEATS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors and result are bf16, sums f32, all row-major. LAYOUT: NN, NT or TN; T: the factor is
// stored transposed. cuBLASLt is column-major, so the factors are passed in reverse order. Prints
// the median of REPEATS runs of the algorithm that cuBLASLt's heuristic ranks first; see
// timeMedian.
#include "bench/gpu/Device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Own declarations of the part of cuBLASLt's interface (CUDA 12) that is called here.
enum { COMPUTE_F32 = 68, TYPE_F32 = 0, TYPE_BF16 = 14, TRANSPOSE_A = 3, TRANSPOSE_B = 4 };
enum { WORKSPACE_BYTES = 1 };
typedef struct {
  uint64_t algorithm[8];
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
} Heuristic;
#define CUBLASLT_FUNCTIONS(F)                                                                      \
  F(create, "cublasLtCreate", (void **))                                                           \
  F(create_product, "cublasLtMatmulDescCreate", (void **, int, int))                               \
  F(set_product, "cublasLtMatmulDescSetAttribute", (void *, int, const void *, size_t))            \
  F(create_layout, "cublasLtMatrixLayoutCreate", (void **, int, uint64_t, uint64_t, int64_t))      \
  F(create_preference, "cublasLtMatmulPreferenceCreate", (void **))                                \
  F(set_preference, "cublasLtMatmulPreferenceSetAttribute", (void *, int, const void *, size_t))   \
  F(heuristic, "cublasLtMatmulAlgoGetHeuristic",                                                   \
    (void *, void *, void *, void *, void *, void *, void *, int, Heuristic *, int *))             \
  F(multiply, "cublasLtMatmul",                                                                    \
    (void *, void *, const void *, const void *, void *, const void *, void *, const void *,       \
     const void *, void *, void *, void *, const void *, void *, size_t, void *))

static struct {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
  CUBLASLT_FUNCTIONS(MEMBER)
#undef MEMBER
} lt;

static void ok(int result, const char *what) {
  if (result)
    end("failed: cuBLASLt, %s: status %d", what, result);
}

static void openLibrary(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    end("failed: %s", dlerror());
#define FIND(name, symbol, parameters)                                                             \
  {                                                                                                \
    void *found = dlsym(library, symbol);                                                          \
    if (!found)                                                                                    \
      end("failed: %s has no %s", path, symbol);                                                   \
    memcpy(&lt.name, &found, sizeof found);                                                        \
  }
  CUBLASLT_FUNCTIONS(FIND)
#undef FIND
}

/* Rows of `columns` numbers are columns there. */
static void *layout(uint64_t rows, uint64_t columns) {
  void *made;
  ok(lt.create_layout(&made, TYPE_BF16, columns, rows, (int64_t)columns), "layout");
  return made;
}

typedef struct {
  void *handle, *product, *a, *b, *c;
  ampc_cuda_address left, right, result, workspace;
  Heuristic chosen;
} Run;

enum { ROOM = 64 << 20 };

static void prepare(Run *run, uint64_t m, uint64_t n, uint64_t k, const char *kind) {
  int yes = 1;
  void *preference;
  size_t room = ROOM;
  int found = 0;
  ok(lt.create(&run->handle), "create");
  ok(lt.create_product(&run->product, COMPUTE_F32, TYPE_F32), "product");
  /* Result^T = right^T left^T: cuBLASLt's first factor is the right factor. */
  if (kind[1] == 'T')
    ok(lt.set_product(run->product, TRANSPOSE_A, &yes, sizeof yes), "transpose");
  if (kind[0] == 'T')
    ok(lt.set_product(run->product, TRANSPOSE_B, &yes, sizeof yes), "transpose");
  run->a = kind[1] == 'T' ? layout(n, k) : layout(k, n);
  run->b = kind[0] == 'T' ? layout(k, m) : layout(m, k);
  run->c = layout(m, n);
  run->right = allocateRandom(k * n);
  run->left = allocateRandom(m * k);
  run->result = allocateRandom(m * n);
  run->workspace = allocate(room);
  ok(lt.create_preference(&preference), "preference");
  ok(lt.set_preference(preference, WORKSPACE_BYTES, &room, sizeof room), "workspace");
  ok(lt.heuristic(run->handle, run->product, run->a, run->b, run->c, run->c, preference, 1,
                  &run->chosen, &found),
     "heuristic");
  if (!found)
    end("failed: cuBLASLt has no algorithm");
}

static void multiply(const void *context) {
  const Run *run = context;
  float one = 1, zero = 0;
#define POINTER(address) (void *)(uintptr_t)(address)
  ok(lt.multiply(run->handle, run->product, &one, POINTER(run->right), run->a, POINTER(run->left),
                 run->b, &zero, POINTER(run->result), run->c, POINTER(run->result), run->c,
                 run->chosen.algorithm, POINTER(run->workspace), ROOM, NULL),
     "product");
#undef POINTER
}

int main(int argc, char **argv) {
  if (argc != 7)
    end("usage: gpu-cublaslt LIBRARY M N K LAYOUT REPEATS");
  uint64_t m = strtoull(argv[2], NULL, 10), n = strtoull(argv[3], NULL, 10),
           k = strtoull(argv[4], NULL, 10);
  int repeats = atoi(argv[6]);
  static Run run;
  openDevice();
  openLibrary(argv[1]);
  prepare(&run, m, n, k, argv[5]);
  printf("cublaslt %s %s %s %s %.4f ms\n", argv[5], argv[2], argv[3], argv[4],
         timeMedian(multiply, &run, repeats));
  return 0;
}
