// Messages: formatting without stdio, status texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Shown.h"
#include "lib/Runtime/Internal.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>

void ampc_rt_put_char(ampc_rt_text *text, char c) {
  if (text->length + 1 < text->capacity) {
    text->data[text->length] = c;
    text->data[text->length + 1] = 0;
  }
  ++text->length;
}

void ampc_rt_put(ampc_rt_text *text, const char *string) {
  for (; *string; ++string)
    ampc_rt_put_char(text, *string);
}

/* Names of checkpoints and models are text of other people: a terminal would obey control codes. */
static void putShown(ampc_rt_text *text, const char *string) {
  for (size_t length = strlen(string); length;) {
    char spelled[AMPC_SHOWN_MOST];
    size_t written, read = ampc_show(string, length, spelled, &written);
    for (size_t i = 0; i < written; ++i)
      ampc_rt_put_char(text, spelled[i]);
    string += read;
    length -= read;
  }
}

static void putNumber(ampc_rt_text *text, uint64_t value) {
  char digits[20];
  int count = 0;
  do
    digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count)
    ampc_rt_put_char(text, digits[--count]);
}

static void putHex(ampc_rt_text *text, uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4)
    ampc_rt_put_char(text, "0123456789abcdef"[value >> shift & 15]);
}

static void printList(ampc_rt_text *text, void (*putString)(ampc_rt_text *, const char *),
                      const char *format, va_list values) {
  for (; *format; ++format) {
    if (*format != '%') {
      ampc_rt_put_char(text, *format);
      continue;
    }
    switch (*++format) {
    case 's':
      putString(text, va_arg(values, const char *));
      break;
    case 'd': {
      int64_t value = va_arg(values, int64_t);
      if (value < 0)
        ampc_rt_put_char(text, '-');
      putNumber(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
      break;
    }
    case 'u':
      putNumber(text, va_arg(values, uint64_t));
      break;
    case 'x':
      putHex(text, va_arg(values, uint64_t));
      break;
    }
  }
}

void ampc_rt_print(ampc_rt_text *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  printList(text, ampc_rt_put, format, values);
  va_end(values);
}

void ampc_rt_tell(ampc_rt_text *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  printList(text, putShown, format, values);
  va_end(values);
}

ampc_status ampc_rt_fail(char *error, ampc_status status, const char *format, ...) {
  if (!error)
    return status;
  ampc_rt_text text = {error, AMPC_ERROR_BYTES, 0};
  va_list values;
  va_start(values, format);
  printList(&text, putShown, format, values);
  va_end(values);
  return status;
}

// strerror is neither thread-safe nor free of locale data; these are the cases that users meet.
const char *ampc_rt_errno_text(int number) {
  switch (number) {
  case ENOENT:
    return "no such file or directory";
  case EACCES:
  case EPERM:
    return "permission denied";
  case EROFS:
    return "read-only file system";
  case ENOSPC:
    return "no space left on device";
  case EDQUOT:
    return "disk quota exceeded";
  case EFBIG:
    return "file too large";
  case EISDIR:
    return "is a directory";
  case ENXIO:
  case ESPIPE:
    return "is not a regular file";
  case ELOOP:
    return "too many symbolic links";
  case ENOTDIR:
    return "not a directory";
  case EMFILE:
  case ENFILE:
    return "too many open files";
  case ENAMETOOLONG:
    return "file name too long";
  case EAGAIN:
    return "the temporary files of the same folder, .NAME.ampc-new, are locked by other processes";
  case EIO:
    return "input/output error";
  default:
    return "operation failed";
  }
}

const char *ampc_rt_status_string(ampc_status status) {
  switch (status) {
  case AMPC_OK:
    return "ok";
  case AMPC_W_STEP_SKIPPED:
    return "step skipped: gradients were not finite";
  case AMPC_E_ARG:
    return "invalid argument";
  case AMPC_E_SHAPE:
    return "tensor has another shape";
  case AMPC_E_DTYPE:
    return "tensor has another element type";
  case AMPC_E_CPU_UNSUPPORTED:
    return "not supported by this processor";
  case AMPC_E_MEMORY:
    return "out of memory or threads";
  case AMPC_E_IO:
    return "input/output error";
  case AMPC_E_CKPT_MISMATCH:
    return "checkpoint is damaged or belongs to another model";
  case AMPC_E_NONFINITE_LOSS:
    return "loss is infinite or NaN";
  case AMPC_E_NONFINITE_GRADIENT:
    return "gradients are infinite or NaN";
  case AMPC_E_DEVICE:
    return "the GPU or its driver is missing, or failed";
  case AMPC_E_STALLED:
    return "too many steps in a row were skipped";
  case AMPC_E_PEER:
    return "another rank makes another call, or does not answer";
  }
  return "unknown status";
}

const char *ampc_rt_last_error(const ampc_state *state) {
  return state ? state->error : "no state";
}

void ampc_rt_put_shape(ampc_rt_text *text, const int64_t *dims, int32_t rank) {
  ampc_rt_put_char(text, '[');
  for (int32_t i = 0; i < rank; ++i)
    ampc_rt_print(text, i ? ", %d" : "%d", dims[i]);
  ampc_rt_put_char(text, ']');
}
