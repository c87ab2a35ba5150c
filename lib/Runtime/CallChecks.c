// Checks of a call's arguments, before anything runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Exchange.h"
#include "lib/Runtime/Run.h"
#include <string.h>

/* True for finite, non-negative numbers. Tests the bits: a comparison with NaN may trap in the
   host's floating-point environment. */
static bool isFactor(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits < 0x7f800000 || bits == 0x80000000;
}

ampc_status ampc_rt_check_in(const ampc_state *state, const ampc_program *program,
                             const ampc_run_in *in, char *error) {
  uint64_t expected = sizeof(ampc_run_in) + sizeof(void *) * (uint64_t)program->input_count;
  if (!in)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: in is null", program->name);
  if (in->size < expected)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: expected in->size of at least %u, but got %u",
                        program->name, expected, (uint64_t)in->size);
  if (in->flags & ~(uint32_t)(AMPC_RUN_CHECK_FINITE | AMPC_RUN_NO_ROWS))
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "%s: expected in->flags of 0 or AMPC_RUN_CHECK_FINITE, but got %u",
                        program->name, (uint64_t)in->flags);
  if (in->flags & AMPC_RUN_NO_ROWS && (in->valid || !ampc_rt_may_lack_rows(state, program)))
    return ampc_rt_fail(
        error, AMPC_E_ARG,
        "%s: expected in->flags without AMPC_RUN_NO_ROWS, which is for in->valid of "
        "0 in training calls of several ranks with short batches",
        program->name);
  if (!isFactor(in->lr_factor))
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "%s: expected in->lr_factor to be finite and not negative", program->name);
  if (in->workspace && ampc_rt_is_training(program))
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "%s: expected in->workspace to be null in a training call", program->name);
  if ((uintptr_t)in->workspace % AMPC_ALIGN)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: expected in->workspace aligned to 64 bytes",
                        program->name);
  if ((program->kind == AMPC_PROGRAM_GRAD || program->kind == AMPC_PROGRAM_APPLY) && !state->split)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: expected a state created with want_split",
                        program->name);
  if (in->valid > (uint32_t)program->batch)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: expected in->valid in [0, %d], but got %u",
                        program->name, (int64_t)program->batch, (uint64_t)in->valid);
  if (in->valid && in->valid < (uint32_t)program->batch && !program->short_batch)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "%s: expected a full batch of %d rows, but got %u: %s mixes rows",
                        program->name, (int64_t)program->batch, (uint64_t)in->valid,
                        program->mixing ? program->mixing : "the model");
  return AMPC_OK;
}

ampc_status ampc_rt_check_inputs(const ampc_state *state, const ampc_program *program,
                                 const ampc_run_in *in, int64_t valid, char *error) {
  for (int32_t i = 0; i < program->input_count; ++i) {
    const ampc_tensor *input = &program->inputs[i];
    const void *data = in->inputs[i];
    if (!data)
      return ampc_rt_fail(error, AMPC_E_ARG, "%s: input '%s' is null", program->name, input->name);
    if ((uintptr_t)data % (uintptr_t)ampc_rt_dtype_bytes(input->dtype))
      return ampc_rt_fail(error, AMPC_E_ARG,
                          "%s: input '%s': expected data aligned to the element size",
                          program->name, input->name);
    const struct ampc_rt_device *device = state->model->device;
    bool has_labels = ampc_rt_has_labels(input), checks_finite = in->flags & AMPC_RUN_CHECK_FINITE;
    if (!(has_labels || checks_finite) || (device && device->holds(state, data)))
      continue;
    ampc_status status =
        has_labels ? ampc_rt_check_labels(program, input, data, valid, error) : AMPC_OK;
    if (!status && checks_finite)
      status = ampc_rt_check_finite(program, input, data, valid, error);
    if (status)
      return status;
  }
  return AMPC_OK;
}

ampc_status ampc_rt_check_out(const ampc_program *program, const void *out, char *error) {
  if (ampc_rt_is_training(program)) {
    const ampc_train_out *report = out; /* null: the caller wants no report */
    if (report && report->size < offsetof(ampc_train_out, grad_norm))
      return ampc_rt_fail(error, AMPC_E_ARG,
                          "%s: expected out->size to be sizeof(ampc_train_out), %u, but got %u",
                          program->name, (uint64_t)sizeof *report, (uint64_t)report->size);
    return AMPC_OK;
  }
  const ampc_run_out *run = out;
  uint64_t expected = sizeof(ampc_run_out) + sizeof(void *) * (uint64_t)program->output_count;
  if (!run)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: out is null", program->name);
  if (run->size < expected)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: expected out->size of at least %u, but got %u",
                        program->name, expected, (uint64_t)run->size);
  for (int32_t i = 0; i < program->output_count; ++i) {
    if (!run->outputs[i])
      return ampc_rt_fail(error, AMPC_E_ARG, "%s: output '%s' is null", program->name,
                          program->outputs[i].name);
    if ((uintptr_t)run->outputs[i] % (uintptr_t)ampc_rt_dtype_bytes(program->outputs[i].dtype))
      return ampc_rt_fail(error, AMPC_E_ARG,
                          "%s: output '%s': expected memory aligned to the element size",
                          program->name, program->outputs[i].name);
  }
  return AMPC_OK;
}
