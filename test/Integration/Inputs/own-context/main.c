/* An application with a context, a stream and a kernel of its own trains two models. Each model has
   a twin on the CPU, with the same bits in f32 if the CPU sums in sixteen lanes.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "classes.h"
#include "cuda.h"
#include "plane.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32, COLUMNS = 8, CLASSES = 5, STEPS = 4, NUMBERS = ROWS * COLUMNS };

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("line %d: expected %s\n", __LINE__, #condition);                                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* Sums of other lanes have another order, and so other last bits. */
static bool isSame(float loss, float twin, const char *tier) {
  float off = loss > twin ? loss - twin : twin - loss;
  return strncmp(tier, "avx512", 6) && strncmp(tier, "amx", 3) ? off <= 1e-6f * twin : off == 0;
}

/* data[i] *= factor. */
static const char text[] =
    ".version 6.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 count) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [data]; ld.param.f32 %f1, [factor]; ld.param.u32 %r1, [count];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4; setp.ge.u32 %p, %r2, %r1; @%p ret;\n"
    "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.f32 %f2, [%rd3]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rd3], %f2; ret;\n}\n";

typedef struct {
  void *context, *stream, *module, *scale;
} Own;

static Own own;

static void open(void) {
  int device;
  CHECK(cuInit(0) == 0 && cuDeviceGet(&device, 0) == 0);
  CHECK(cuCtxCreate_v2(&own.context, 0, device) == 0);
  CHECK(cuStreamCreate(&own.stream, 1) == 0);
  CHECK(cuModuleLoadData(&own.module, text) == 0);
  CHECK(cuModuleGetFunction(&own.scale, own.module, "scale") == 0);
}

/* Handles alive after the end are leaks; only the interpreter's driver counts. */
static void end(void) {
  int (*count)(int, size_t *);
  void *found = dlsym(RTLD_DEFAULT, "ptxsimCountLive");
  size_t live = 0;
  CHECK(cuModuleUnload(own.module) == 0 && cuStreamDestroy_v2(own.stream) == 0);
  CHECK(cuCtxDestroy_v2(own.context) == 0);
  memcpy(&count, &found, sizeof count);
  if (found)
    CHECK(count(0, &live) == 0 && live == 0);
  puts(found ? "nothing is alive" : "not counted");
}

/* The library restores the thread's context. */
static void checkCurrent(void) {
  void *current = NULL;
  CHECK(cuCtxGetCurrent(&current) == 0 && current == own.context);
}

static void scale(Address data, float factor, unsigned count) {
  void *parameters[] = {&data, &factor, &count};
  CHECK(cuLaunchKernel(own.scale, (count + 63) / 64, 1, 1, 64, 1, 1, 0, own.stream, parameters,
                       NULL) == 0);
}

static Address allocate(size_t bytes) {
  Address place = 0;
  CHECK(cuMemAlloc_v2(&place, bytes) == 0);
  return place;
}

static const void *pointer(Address place) { return (const void *)(uintptr_t)place; }

static plane_state *createPlane(const char *device, void *stream) {
  plane_state *state = NULL;
  ampc_options options = {.size = sizeof options, .seed = 3, .device = device, .stream = stream};
  CHECK(plane_create(&options, &state) == AMPC_OK);
  return state;
}

static classes_state *createClasses(const char *device, void *stream) {
  classes_state *state = NULL;
  ampc_options options = {.size = sizeof options, .seed = 3, .device = device, .stream = stream};
  CHECK(classes_create(&options, &state) == AMPC_OK);
  return state;
}

static float trainPlane(plane_state *state, const void *x, const void *y) {
  plane_train_step_in in = {.size = sizeof in, .x = x, .y = y};
  ampc_train_out out = {.size = sizeof out};
  CHECK(plane_train_step(state, &in, &out) == AMPC_OK);
  checkCurrent();
  return out.loss;
}

static ampc_status tryClasses(classes_state *state, const void *x, const void *label, float *loss) {
  classes_train_step_in in = {.size = sizeof in, .x = x, .label = label};
  ampc_train_out out = {.size = sizeof out};
  ampc_status status = classes_train_step(state, &in, &out);
  checkCurrent();
  *loss = out.loss;
  return status;
}

static float trainClasses(classes_state *state, const void *x, const void *label) {
  float loss;
  CHECK(tryClasses(state, x, label, &loss) == AMPC_OK);
  return loss;
}

static void predict(const classes_state *state, const void *x, void *logits) {
  classes_predict_in in = {.size = sizeof in, .x = x};
  classes_predict_out out = {.size = sizeof out, .out = logits};
  CHECK(classes_predict(state, &in, &out) == AMPC_OK);
  checkCurrent();
}

typedef struct {
  float x[NUMBERS], y[ROWS];
  int32_t label[ROWS];
} Batch;

/* Uniform on [-1, 1), from a linear congruential generator (constants of Knuth's MMIX). */
static float uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (float)(*seed >> 40) / (1 << 23) - 1.0f;
}

static void draw(Batch *batch, uint64_t seed) {
  for (int i = 0; i < NUMBERS; ++i)
    batch->x[i] = uniform(&seed);
  for (int row = 0; row < ROWS; ++row) {
    batch->y[row] = batch->x[row * COLUMNS] - 2 * batch->x[row * COLUMNS + 1];
    batch->label[row] = (row * 7 + (int)(seed >> 60)) % CLASSES;
  }
}

/* Layout of DLPack. */
struct DLManagedTensor {
  void *data;
  int32_t type, number, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
  void *context;
  void (*deleter)(struct DLManagedTensor *self);
};

static void checkView(const struct DLManagedTensor *view, int32_t type, const void *data) {
  CHECK(view->data == data && view->type == type && view->number == 0 && view->rank == 2);
  CHECK(view->code == 2 && view->bits == 32 && view->lanes == 1 && view->offset == 0);
  CHECK(view->shape[0] == COLUMNS && view->shape[1] == CLASSES);
  CHECK(view->strides[0] == CLASSES && view->strides[1] == 1);
}

/* The application halves the weights through views, with a kernel of its own on the device. */
static void halve(classes_state *device, classes_state *host) {
  int32_t w = classes_find_tensor("w");
  struct DLManagedTensor *view = NULL, *other = NULL;
  CHECK(classes_dlpack(device, w, &view) == AMPC_OK && classes_dlpack(host, w, &other) == AMPC_OK);
  checkView(view, 2, classes_tensor_data(device, w));
  checkView(other, 1, classes_tensor_data(host, w));
  scale((Address)(uintptr_t)view->data, 0.5f, COLUMNS * CLASSES);
  CHECK(cuStreamSynchronize(own.stream) == 0);
  for (int i = 0; i < COLUMNS * CLASSES; ++i)
    ((float *)other->data)[i] *= 0.5f;
  CHECK(classes_refresh(device) == AMPC_OK && classes_refresh(host) == AMPC_OK);
  view->deleter(view);
  other->deleter(other);
  CHECK(classes_dlpack(device, 99, &view) == AMPC_E_ARG && view == NULL);
  CHECK(classes_dlpack(device, w, NULL) == AMPC_E_ARG);
  CHECK(!strcmp(classes_last_error(device), "dlpack: tensor is null"));
}

/* Outputs in memory of the device and of the host. */
static void checkPredictions(const classes_state *device, const classes_state *host, const float *x,
                             Address xOnDevice) {
  float logits[3][ROWS * CLASSES];
  Address place = allocate(sizeof logits[0]);
  predict(host, x, logits[0]);
  predict(device, x, logits[1]);
  predict(device, pointer(xOnDevice), (void *)(uintptr_t)place);
  CHECK(cuMemcpyDtoH_v2(logits[2], place, sizeof logits[2]) == 0);
  CHECK(!memcmp(logits[0], logits[1], sizeof logits[0]));
  CHECK(!memcmp(logits[0], logits[2], sizeof logits[0]));
  CHECK(cuMemFree_v2(place) == 0);
}

int main(void) {
  open();
  /* Two models on the application's stream, a third in the device's primary context. */
  plane_state *plane = createPlane("cuda", own.stream), *other = createPlane("cuda", NULL),
              *planeTwin = createPlane("cpu", NULL);
  classes_state *classes = createClasses("cuda", own.stream),
                *classesTwin = createClasses("cpu", NULL);
  checkCurrent();
  Address x = allocate(sizeof(float) * NUMBERS), label = allocate(sizeof(int32_t) * ROWS);
  Batch batch;
  for (int step = 0; step < STEPS; ++step) {
    draw(&batch, (uint64_t)step);
    CHECK(cuMemcpyHtoDAsync_v2(x, batch.x, sizeof batch.x, own.stream) == 0);
    CHECK(cuMemcpyHtoDAsync_v2(label, batch.label, sizeof batch.label, own.stream) == 0);
    scale(x, 0.25f, NUMBERS);
    float loss = trainPlane(plane, pointer(x), batch.y);
    CHECK(loss == trainPlane(other, pointer(x), batch.y));
    float second = trainClasses(classes, pointer(x), step % 2 ? pointer(label) : batch.label);
    for (int i = 0; i < NUMBERS; ++i)
      batch.x[i] *= 0.25f;
    CHECK(isSame(loss, trainPlane(planeTwin, batch.x, batch.y), plane_tier(planeTwin)));
    CHECK(
        isSame(second, trainClasses(classesTwin, batch.x, batch.label), classes_tier(classesTwin)));
    if (step == 1)
      halve(classes, classesTwin);
  }
  checkPredictions(classes, classesTwin, batch.x, x);
  batch.label[3] = CLASSES;
  float loss;
  CHECK(cuMemcpyHtoDAsync_v2(label, batch.label, sizeof batch.label, own.stream) == 0);
  CHECK(tryClasses(classes, pointer(x), pointer(label), &loss) == AMPC_E_ARG);
  checkPredictions(classes, classesTwin, batch.x, x);
  CHECK(cuMemFree_v2(x) == 0 && cuMemFree_v2(label) == 0);
  plane_destroy(plane);
  plane_destroy(other);
  plane_destroy(planeTwin);
  classes_destroy(classes);
  classes_destroy(classesTwin);
  end();
  return 0;
}
