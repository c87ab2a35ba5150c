// Trains a compiled model on random data, to compare numbers and to take times.
// gpu-model LIBRARY.so NAME TABLES check STEPS BOUND [RESULT] | record STEPS RESULT |
//           time STEPS | kernels STEPS | load STEPS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBRARY.so is libNAME.a linked as a shared library, TABLES the symbol of its ampc_model.
// check: the same steps on CPU and GPU; losses and tensors may differ by BOUND (0: no bit), as a
// share of the largest number; RESULT gets the losses' bits and a hash and the first numbers of
// each tensor as text. record: the same of the GPU alone. time: the median step, with inputs on the
// device. kernels: the median time of each in STEPS steps. load: makes a state alone, with all
// functions.
#include "ampc/Runtime/Runtime.h"
#include "bench/gpu/Device.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 16, MOST_KERNELS = 4096, SHOWN = 8 };

typedef struct {
  ampc_status (*create)(const ampc_options *, ampc_state **);
  void (*destroy)(ampc_state *);
  ampc_status (*step)(ampc_state *, const void *, void *);
  ampc_status (*get)(ampc_state *, int32_t, void *, size_t);
  void *(*data)(ampc_state *, int32_t);
  void (*set_hooks)(ampc_state *, const ampc_hooks *);
  const char *(*last_error)(const ampc_state *);
  const char *(*tier)(const ampc_state *);
} Functions;

static Functions model;
static const ampc_model *tables;
static const ampc_program *program;
static const char *name;

static void *find(void *library, const char *suffix) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s_%s", name, suffix);
  void *found = dlsym(library, symbol);
  if (!found)
    end("failed %s: the library has no %s", name, symbol);
  return found;
}

static void openModel(const char *path, const char *symbol) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  tables = library ? dlsym(library, symbol) : NULL;
  if (!tables)
    end("failed %s: %s", name, dlerror());
  for (int32_t p = 0; p < tables->program_count && !program; ++p)
    if (tables->programs[p].kind == AMPC_PROGRAM_TRAIN)
      program = &tables->programs[p];
  if (!program || program->input_count > MOST_INPUTS)
    end("failed %s: expected a training step of at most %d inputs", name, MOST_INPUTS);
  void *found[] = {find(library, "create"),      find(library, "destroy"),
                   find(library, program->name), find(library, "get"),
                   find(library, "tensor_data"), find(library, "set_hooks"),
                   find(library, "last_error"),  find(library, "tier")};
  memcpy(&model, found, sizeof model);
}

static ampc_state *createState(const char *device) {
  char message[512] = "";
  ampc_state *state = NULL;
  ampc_options options = {.size = sizeof options,
                          .seed = 1,
                          .error = message,
                          .error_bytes = sizeof message,
                          .device = device};
  if (model.create(&options, &state) != AMPC_OK)
    end("failed %s: %s", name, message);
  return state;
}

/* Uniform on [-1, 1), from a linear congruential generator (constants of Knuth's MMIX). */
static float uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (float)(*seed >> 40) / (1 << 23) - 1.0f;
}

static int64_t countOf(const ampc_tensor *tensor) {
  return tensor->bytes / ampc_rt_dtype_bytes(tensor->dtype);
}

static void putNumber(const ampc_tensor *tensor, unsigned char *place, uint64_t *seed) {
  float real = uniform(seed);
  int64_t limit = tensor->label_limit ? tensor->label_limit : 2;
  int64_t whole = (int64_t)((*seed >> 33) % (uint64_t)limit);
  double wide = real;
  _Float16 half = (_Float16)real;
  const void *from = tensor->dtype == AMPC_F32   ? (void *)&real
                     : tensor->dtype == AMPC_F64 ? (void *)&wide
                     : tensor->dtype == AMPC_F16 ? (void *)&half
                                                 : (void *)&whole;
  if (tensor->dtype == AMPC_BF16)
    from = (unsigned char *)&real + 2;
  memcpy(place, from, (size_t)ampc_rt_dtype_bytes(tensor->dtype));
}

/* Structs of inputs begin with these members; an array stands for the pointers of any program. */
typedef struct {
  uint32_t size, valid;
  float lr_factor;
  uint32_t flags;
  void *workspace;
  void *inputs[MOST_INPUTS];
} In;

static In drawInputs(uint64_t seed) {
  In in = {.size =
               (uint32_t)(offsetof(In, inputs) + sizeof(void *) * (size_t)program->input_count)};
  for (int32_t i = 0; i < program->input_count; ++i) {
    const ampc_tensor *tensor = &program->inputs[i];
    unsigned char *data = malloc((size_t)tensor->bytes);
    if (!data)
      end("failed %s: no memory", name);
    for (int64_t k = 0; k < countOf(tensor); ++k)
      putNumber(tensor, data + k * ampc_rt_dtype_bytes(tensor->dtype), &seed);
    in.inputs[i] = data;
  }
  return in;
}

static ampc_train_out run(ampc_state *state, const In *in) {
  ampc_train_out out = {.size = sizeof out};
  if (model.step(state, in, &out) < 0)
    end("failed %s: %s", name, model.last_error(state));
  return out;
}

//===--- check --------------------------------------------------------------------------------===//

static double realOf(const ampc_tensor *tensor, const unsigned char *data, int64_t number) {
  float real;
  double wide;
  _Float16 half;
  uint16_t bits;
  const unsigned char *at = data + number * ampc_rt_dtype_bytes(tensor->dtype);
  switch (tensor->dtype) {
  case AMPC_F64:
    return memcpy(&wide, at, sizeof wide), wide;
  case AMPC_F16:
    return memcpy(&half, at, sizeof half), (double)half;
  case AMPC_BF16:
    memcpy(&bits, at, sizeof bits);
    uint32_t whole = (uint32_t)bits << 16;
    return memcpy(&real, &whole, sizeof real), real;
  default:
    return memcpy(&real, at, sizeof real), real;
  }
}

static bool isReal(const ampc_tensor *tensor) { return tensor->dtype <= AMPC_BF16; }

/* The largest difference as a share of the largest number; 0 for equal bits. */
static double distance(const ampc_tensor *tensor, const unsigned char *a, const unsigned char *b) {
  double most = 0, size = 1e-30;
  if (!memcmp(a, b, (size_t)tensor->bytes))
    return 0;
  if (!isReal(tensor))
    return INFINITY;
  for (int64_t i = 0; i < countOf(tensor); ++i) {
    double x = realOf(tensor, a, i), y = realOf(tensor, b, i), apart = fabs(x - y);
    if (!(apart <= most))
      most = isnan(apart) ? INFINITY : apart;
    size = fmax(size, fabs(y));
  }
  return most > 0 ? most / size : 1e-30; /* zeros of two signs */
}

static void describe(FILE *file, const ampc_tensor *tensor, const unsigned char *data) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (int64_t i = 0; i < tensor->bytes; ++i)
    hash = (hash ^ data[i]) * 1099511628211u;
  fprintf(file, "%s %016llx", tensor->name, (unsigned long long)hash);
  for (int64_t i = 0; isReal(tensor) && i < SHOWN && i < countOf(tensor); ++i)
    fprintf(file, " %.9g", realOf(tensor, data, i));
  fprintf(file, "\n");
}

static bool hasMoments(void) {
  for (int32_t s = 0; s < tables->slot_count; ++s)
    if (tables->slots[s].role == AMPC_ROLE_MOMENT)
      return true;
  return false;
}

/* Rules that divide a gradient by its own size take full steps on gradients that are rounding
   errors (of a bias of keys); so moments are compared, not parameters, if bits may differ. */
static double compareTensors(ampc_state *device, ampc_state *host, double bound, FILE *file,
                             const char **where) {
  double worst = 0;
  bool skipsParameters = bound > 0 && hasMoments();
  for (int32_t s = 0; s < tables->slot_count; ++s) {
    const ampc_tensor *tensor = &tables->slots[s].tensor;
    if (tables->slots[s].role == AMPC_ROLE_WORKING || tables->slots[s].role == AMPC_ROLE_GRADIENT)
      continue;
    unsigned char *a = malloc((size_t)tensor->bytes), *b = malloc((size_t)tensor->bytes);
    if (!a || !b || model.get(device, s, a, (size_t)tensor->bytes) ||
        (host && model.get(host, s, b, (size_t)tensor->bytes)))
      end("failed %s: cannot read %s", name, tensor->name);
    double apart = host ? distance(tensor, a, b) : 0;
    bool skipped = skipsParameters && tables->slots[s].role == AMPC_ROLE_PARAM;
    if (apart > worst && !skipped) {
      worst = apart;
      *where = tensor->name;
    }
    if (file)
      describe(file, tensor, a);
    free(a);
    free(b);
  }
  return worst;
}

static int checkModel(int steps, double bound, const char *path, bool alone) {
  ampc_state *device = createState("cuda"), *host = alone ? NULL : createState("cpu");
  FILE *file = path ? fopen(path, "w") : NULL;
  const char *where = "the loss";
  double worst = 0;
  for (int step = 0; step < steps; ++step) {
    In in = drawInputs((uint64_t)step + 7);
    double a = run(device, &in).loss_double, b = host ? run(host, &in).loss_double : a;
    worst = fmax(worst, isfinite(a) ? fabs(a - b) / fmax(fabs(b), 1e-30) : INFINITY);
    if (file)
      fprintf(file, "loss %a\n", a);
    for (int32_t i = 0; i < program->input_count; ++i)
      free(in.inputs[i]);
  }
  double lossWorst = worst;
  worst = fmax(worst, compareTensors(device, host, bound, file, &where));
  if (host)
    printf("%s %s on %s: losses %.2g apart, the state %.2g (%s), bound %.2g\n",
           worst <= bound ? "ok" : "differs", name, model.tier(device), lossWorst, worst, where,
           bound);
  if (file)
    fclose(file);
  model.destroy(device);
  if (host)
    model.destroy(host);
  return 0;
}

//===--- time and kernels ---------------------------------------------------------------------===//

static void upload(In *in) {
  for (int32_t i = 0; i < program->input_count; ++i) {
    size_t bytes = (size_t)program->inputs[i].bytes;
    ampc_cuda_address place = allocate(bytes);
    check(driver.to_device(place, in->inputs[i], bytes, NULL), "copy");
    check(driver.synchronize(NULL), "copy");
    free(in->inputs[i]);
    in->inputs[i] = (void *)(uintptr_t)place;
  }
}

static int byValue(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int timeModel(int steps) {
  ampc_state *state = createState("cuda");
  In in = drawInputs(7);
  upload(&in);
  double *seconds = malloc(sizeof *seconds * (size_t)steps);
  for (int step = -3; step < steps; ++step) {
    uint64_t begin = ampc_rt_now_ns();
    run(state, &in);
    if (step >= 0)
      seconds[step] = 1e-9 * (double)(ampc_rt_now_ns() - begin);
  }
  qsort(seconds, (size_t)steps, sizeof *seconds, byValue);
  printf("time %s on %s: median %.6f s, least %.6f s of %d steps\n", name, model.tier(state),
         seconds[steps / 2], seconds[0], steps);
  model.destroy(state);
  return 0;
}

static struct {
  int count, step, steps;
  double *seconds; /* of each kernel in each step */
  char names[MOST_KERNELS][96];
} spans;

static void addSpan(void *context, const char *kernel, uint64_t begin, uint64_t stop) {
  (void)context;
  if (spans.count >= MOST_KERNELS)
    return;
  snprintf(spans.names[spans.count], sizeof *spans.names, "%s", kernel);
  spans.seconds[spans.count++ * spans.steps + spans.step] = 1e-9 * (double)(stop - begin);
}

static int timeKernels(int steps) {
  ampc_state *state = createState("cuda");
  In in = drawInputs(7);
  upload(&in);
  run(state, &in);
  spans.steps = steps;
  spans.seconds = malloc(sizeof *spans.seconds * MOST_KERNELS * (size_t)steps);
  if (!spans.seconds)
    end("failed %s: no memory", name);
  ampc_hooks hooks = {.size = sizeof hooks, .on_span = addSpan};
  model.set_hooks(state, &hooks);
  run(state, &in); /* the first makes the events */
  for (spans.step = 0; spans.step < steps; ++spans.step) {
    spans.count = 0;
    run(state, &in);
  }
  for (int i = 0; i < spans.count; ++i) {
    double *seconds = spans.seconds + (size_t)i * (size_t)steps;
    qsort(seconds, (size_t)steps, sizeof *seconds, byValue);
    printf("kernel %s %d %.4f ms %s\n", name, i, 1e3 * seconds[steps / 2], spans.names[i]);
  }
  model.destroy(state);
  return 0;
}

static int loadModel(void) {
  ampc_state *state = createState("cuda");
  printf("ok %s loads on %s: %d kernels\n", name, model.tier(state), tables->kernel_count);
  model.destroy(state);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 6)
    end("usage: gpu-model LIBRARY NAME TABLES check STEPS BOUND [RESULT] | record STEPS RESULT | "
        "time STEPS | kernels STEPS | load STEPS");
  name = argv[2];
  int steps = atoi(argv[5]);
  openModel(argv[1], argv[3]);
  if (steps < 1)
    end("failed: expected at least one step");
  if (!strcmp(argv[4], "check") && argc > 6)
    return checkModel(steps, atof(argv[6]), argc > 7 ? argv[7] : NULL, false);
  if (!strcmp(argv[4], "record") && argc > 6)
    return checkModel(steps, 0, argv[6], true);
  if (!strcmp(argv[4], "load"))
    return loadModel();
  openDevice();
  return !strcmp(argv[4], "time") ? timeModel(steps) : timeKernels(steps);
}
