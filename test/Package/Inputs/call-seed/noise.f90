! Seeds of calls in Fortran.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program main
  use, intrinsic :: iso_c_binding
  use noise
  implicit none
  type(noise_model) :: model
  integer(c_int) :: status
  real(c_float) :: a(2, 4), b(2, 4)
  call model%create(status)
  call model%sample(a, status, seed=7_c_int64_t)
  print '(i0, 2f10.6)', status, a(:, 1)
  call model%sample(b, status)
  print '(a, l1)', 'other: ', maxval(abs(a - b)) > 0.0
end program
