! What beside.mlir reports beside the loss, in Fortran.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program numbers_of_steps
  use, intrinsic :: iso_c_binding
  use Sum
  implicit none
  type(Sum_model) :: model
  type(train_step_numbers) :: beside
  real(c_float) :: x(1, 4), y(1, 4)
  integer(c_int) :: status

  x(1, :) = (/1.0, 2.0, -3.0, 0.5/)
  y(1, :) = (/2.0, -1.0, 0.25, 4.0/)
  call model%create(status)
  call model%train_step(x, y(:, 1:3), status, numbers=beside) ! refused
  call show()
  call model%train_step(x, y, status, numbers=beside)
  call show()
  call model%train_step(x(:, 1:2), y(:, 1:2), status, numbers=beside)
  call show()
contains
  subroutine show()
    print '(i0, 5f8.4)', status, beside%report, beside%Report_, beside%class_, beside%a_term, beside%train_step_numbers
  end subroutine
end program
