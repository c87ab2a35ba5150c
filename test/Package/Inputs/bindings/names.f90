! Calls the Fortran interface of names.mlir, rightly and wrongly.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program names
  use, intrinsic :: iso_c_binding
  use a_Hard
  implicit none
  type(a_Hard_model) :: model
  type(ampc_train_out) :: report
  real(c_float) :: x(4, 8), bias(3), scores(3, 8), image(4, 16), weights(12), loss
  integer(c_int16_t) :: flags(3, 8), bits(3, 8), narrow(3)
  integer(c_int32_t) :: label(16)
  integer(c_int) :: status
  integer :: i

  call model%create(status, seed=1_c_int64_t, threads=1)
  x = 0.25
  bias = (/1.0, 2.0, 3.0/)
  flags = 16256_c_int16_t ! 1 in bf16
  ! Five of eight rows, as every second column: neither is contiguous.
  call model%Model(x(:, 1:8:2), bias, 2.0, flags(:, 1:8:2), bits(:, 1:4), scores(:, 1:4), status)
  print '(i0, 3f6.1, i7)', status, scores(:, 4), bits(3, 4)

  call model%Model(x(1:3, :), bias, 2.0, flags, bits, scores, status)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%Model(x, bias, 2.0, flags(:, 1:7), bits, scores, status)
  print '(i0, 2a)', status, ' ', model%last_error()

  image = 0.5
  label = (/(mod(i, 3), i = 1, 16)/)
  call model%train_step(image, label, status, report=report, lr_factor=0.5)
  print '(i0, f8.4, i2)', status, report%loss, report%step
  call model%eval(image, label, loss, status)
  print '(i0, a, l1)', status, ' lower: ', loss < report%loss
  label(16) = 3
  call model%train_step(image, label, status)
  print '(i0, 2a)', status, ' ', model%last_error()

  label(16) = 0
  call model%train_step(image, label, status, lr_factor=0.0)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%train_step(image, label, status, lr_factor=-1.0)
  print '(i0, 2a)', status, ' ', model%last_error()

  call model%set('narrow', (/1_c_int16_t, 2_c_int16_t, 3_c_int16_t/), status)
  call model%get('narrow', narrow, status)
  print '(i0, 3i2)', status, narrow
  call model%get('narrow', weights(1:3), status)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%a_run(scores(:, :4), status)
  print '(i0, f4.1)', status, scores(1, 1)
  call model%get('a.b', weights(1:11), status)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%load('none', status)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%create(status, device='tpu')
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%create(status, shares=2)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%create(status, denormals=2)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%create(status, threads=1, denormals=AMPC_DENORMALS_FLUSH, shares=AMPC_SHARES_DYNAMIC, pin_threads=.true.)
  print '(i0, 2a)', status, ' dynamic: ', model%last_error()
  call model%destroy()
end program
