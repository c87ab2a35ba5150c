// Times C = A * B by OpenBLAS (f32) and oneDNN (f32 and bf16, weights prepacked), one JSON line
// each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cc -O2 gemm_peers.c -o gemm_peers -I VENV/include -L VENV/lib -Wl,-rpath,VENV/lib -lopenblas
// -ldnnl
//    -fopenmp -lm
// gemm_peers M N K [THREADS]
//
// A is M x K, B is K x N, C is M x N, all row-major; bf16 products are summed and stored in f32.
// OpenBLAS packs both operands inside the timed call; oneDNN gets B prepacked, in oneDNN's layout.
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if DNNL_VERSION_MAJOR != 3
#error "expected oneDNN 3.x, whose C interface is used here"
#endif

enum { BATCHES = 15 };

typedef struct {
  long m, n, k;
  int threads;
} Problem;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *allocate(size_t bytes) {
  void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!memory) {
    fprintf(stderr, "gemm_peers: expected %zu bytes of memory\n", bytes);
    exit(1);
  }
  return memory;
}

// Uniform in [-0.5, 0.5): zeros would raise the clock and flatter every kernel.
static float random_float(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)(*state >> 40) / 16777216.0f - 0.5f;
}

static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static float from_bf16(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

static float *random_matrix(long elements, bool round_to_bf16, uint64_t seed) {
  float *values = allocate((size_t)elements * sizeof *values);
  for (long i = 0; i < elements; ++i) {
    float value = random_float(&seed);
    values[i] = round_to_bf16 ? from_bf16(to_bf16(value)) : value;
  }
  return values;
}

// A wrong layout must not pass for a fast peer: compare some elements with f64 dot products.
static void check(const char *peer, Problem p, const float *a, const float *b, const float *c) {
  uint64_t state = 7;
  for (int sample = 0; sample < 200; ++sample) {
    long i = (long)((random_float(&state) + 0.5f) * (float)p.m);
    long j = (long)((random_float(&state) + 0.5f) * (float)p.n);
    double sum = 0;
    for (long k = 0; k < p.k; ++k)
      sum += (double)a[i * p.k + k] * (double)b[k * p.n + j];
    if (!(fabs(sum - (double)c[i * p.n + j]) <= 1e-6 * (double)p.k)) {
      fprintf(stderr, "gemm_peers: %s: C[%ld,%ld]: expected %g, but got %g\n", peer, i, j, sum,
              (double)c[i * p.n + j]);
      exit(1);
    }
  }
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

typedef void (*RunFunction)(void *context);

static void measure(const char *peer, const char *version, const char *kernel, const char *dtype,
                    bool prepacked, Problem p, RunFunction run, void *context) {
  double flop = 2.0 * (double)p.m * (double)p.n * (double)p.k;
  int calls = (int)(4e9 / flop) + 1;
  double seconds[BATCHES];
  run(context);
  for (int batch = 0; batch < BATCHES; ++batch) {
    double start = now();
    for (int call = 0; call < calls; ++call)
      run(context);
    seconds[batch] = (now() - start) / calls;
  }
  qsort(seconds, BATCHES, sizeof *seconds, compare_doubles);
  printf("{\"name\": \"gemm\", \"peer\": \"%s\", \"version\": \"%s\", \"kernel\": \"%s\", "
         "\"dtype\": \"%s\", \"prepacked\": %s, \"m\": %ld, \"n\": %ld, \"k\": %ld, "
         "\"threads\": %d, \"seconds\": %.9g, \"gflops\": %.1f, \"median_gflops\": %.1f}\n",
         peer, version, kernel, dtype, prepacked ? "true" : "false", p.m, p.n, p.k, p.threads,
         seconds[0], flop / seconds[0] * 1e-9, flop / seconds[BATCHES / 2] * 1e-9);
  fflush(stdout);
}

typedef struct {
  Problem problem;
  const float *a, *b;
  float *c;
} OpenBlasCall;

static void run_openblas(void *context) {
  OpenBlasCall *call = context;
  Problem p = call->problem;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p.m, (int)p.n, (int)p.k, 1.0f,
              call->a, (int)p.k, call->b, (int)p.n, 0.0f, call->c, (int)p.n);
}

static void measure_openblas(Problem p) {
  OpenBlasCall call = {p, random_matrix(p.m * p.k, false, 1), random_matrix(p.k * p.n, false, 2),
                       allocate((size_t)(p.m * p.n) * sizeof(float))};
  openblas_set_num_threads(p.threads);
  run_openblas(&call);
  check("openblas", p, call.a, call.b, call.c);
  char version[64] = "";
  sscanf(openblas_get_config(), "OpenBLAS %63s", version);
  measure("openblas", version, openblas_get_corename(), "f32", false, p, run_openblas, &call);
  free((void *)call.a);
  free((void *)call.b);
  free(call.c);
}

static void require(dnnl_status_t status, const char *what) {
  if (status == dnnl_success)
    return;
  fprintf(stderr, "gemm_peers: oneDNN: %s: status %d\n", what, (int)status);
  exit(1);
}

typedef struct {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t matmul;
  dnnl_exec_arg_t arguments[3];
} OneDnnCall;

static void run_onednn(void *context) {
  OneDnnCall *call = context;
  require(dnnl_primitive_execute(call->matmul, call->stream, 3, call->arguments), "execute");
  require(dnnl_stream_wait(call->stream), "wait");
}

static dnnl_memory_desc_t make_layout(long rows, long columns, dnnl_data_type_t type,
                                      dnnl_format_tag_t tag) {
  dnnl_memory_desc_t layout;
  dnnl_dims_t shape = {rows, columns};
  require(dnnl_memory_desc_create_with_tag(&layout, 2, shape, type, tag), "layout");
  return layout;
}

// A oneDNN memory in `layout` that holds the row-major f32 `values` (reordered, rounded if bf16).
static dnnl_memory_t make_memory(OneDnnCall *call, const_dnnl_memory_desc_t layout, long rows,
                                 long columns, float *values) {
  dnnl_memory_desc_t plain = make_layout(rows, columns, dnnl_f32, dnnl_ab);
  dnnl_memory_t source, memory;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t reorder;
  require(dnnl_memory_create(&source, plain, call->engine, values), "memory");
  require(dnnl_memory_create(&memory, layout, call->engine, DNNL_MEMORY_ALLOCATE), "memory");
  require(dnnl_reorder_primitive_desc_create(&description, plain, call->engine, layout,
                                             call->engine, NULL),
          "reorder");
  require(dnnl_primitive_create(&reorder, description), "reorder");
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, memory}};
  require(dnnl_primitive_execute(reorder, call->stream, 2, arguments), "reorder");
  require(dnnl_stream_wait(call->stream), "wait");
  dnnl_primitive_destroy(reorder);
  dnnl_primitive_desc_destroy(description);
  dnnl_memory_destroy(source);
  dnnl_memory_desc_destroy(plain);
  return memory;
}

static void measure_onednn(Problem p, bool bf16) {
  OneDnnCall call;
  omp_set_num_threads(p.threads);
  require(dnnl_engine_create(&call.engine, dnnl_cpu, 0), "engine");
  require(dnnl_stream_create(&call.stream, call.engine, dnnl_stream_default_flags), "stream");

  dnnl_data_type_t type = bf16 ? dnnl_bf16 : dnnl_f32;
  dnnl_memory_desc_t a_layout = make_layout(p.m, p.k, type, dnnl_ab);
  dnnl_memory_desc_t b_layout = make_layout(p.k, p.n, type, dnnl_format_tag_any);
  dnnl_memory_desc_t c_layout = make_layout(p.m, p.n, dnnl_f32, dnnl_ab);
  dnnl_primitive_desc_t description;
  if (dnnl_matmul_primitive_desc_create(&description, call.engine, a_layout, b_layout, NULL,
                                        c_layout, NULL) == dnnl_unimplemented) {
    fprintf(stderr, "gemm_peers: oneDNN has no %s product on this processor\n",
            bf16 ? "bf16" : "f32");
    return;
  }
  require(dnnl_primitive_create(&call.matmul, description), "matmul");

  float *a = random_matrix(p.m * p.k, bf16, 1), *b = random_matrix(p.k * p.n, bf16, 2);
  float *c = allocate((size_t)(p.m * p.n) * sizeof *c);
  dnnl_memory_t a_memory = make_memory(&call, a_layout, p.m, p.k, a);
  dnnl_memory_t b_memory = make_memory(
      &call, dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0), p.k, p.n, b);
  dnnl_memory_t c_memory;
  require(dnnl_memory_create(&c_memory, c_layout, call.engine, c), "C");
  call.arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, a_memory};
  call.arguments[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, b_memory};
  call.arguments[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, c_memory};

  run_onednn(&call);
  check("onednn", p, a, b, c);
  const char *kernel = "";
  require(dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &kernel), "kernel");
  const dnnl_version_t *library = dnnl_version();
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", library->major, library->minor, library->patch);
  measure("onednn", version, kernel, bf16 ? "bf16" : "f32", true, p, run_onednn, &call);

  dnnl_memory_destroy(a_memory);
  dnnl_memory_destroy(b_memory);
  dnnl_memory_destroy(c_memory);
  dnnl_primitive_destroy(call.matmul);
  dnnl_primitive_desc_destroy(description);
  dnnl_memory_desc_destroy(a_layout);
  dnnl_memory_desc_destroy(b_layout);
  dnnl_memory_desc_destroy(c_layout);
  dnnl_stream_destroy(call.stream);
  dnnl_engine_destroy(call.engine);
  free(a);
  free(b);
  free(c);
}

static long parse_size(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end != text && *end == '\0' && value > 0 && value < 1 << 20)
    return value;
  fprintf(stderr, "gemm_peers: expected a positive size, but got '%s'\n", text);
  exit(2);
}

int main(int count, char **arguments) {
  if (count < 4 || count > 5) {
    fprintf(stderr, "usage: gemm_peers M N K [THREADS]\n");
    return 2;
  }
  Problem p = {parse_size(arguments[1]), parse_size(arguments[2]), parse_size(arguments[3]),
               count == 5 ? (int)parse_size(arguments[4]) : 1};
  measure_openblas(p);
  measure_onednn(p, false);
  measure_onednn(p, true);
  return 0;
}
