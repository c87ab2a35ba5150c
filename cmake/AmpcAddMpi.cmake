# ampc_add_mpi: the MPI engine of models that several processes train.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#[[
  ampc_add_mpi(TARGET)

Compiles the engine into the program TARGET, which can then include <ampc/Comm/MPI.h>, and links MPI's C library. The model is
compiled with --ranks:

    ampc_add_model(digits SOURCE digits.mlir OPTIONS --ranks=4)
    add_executable(app app.c)
    target_link_libraries(app PRIVATE digits)
    ampc_add_mpi(app)
]]
function(ampc_add_mpi target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ampc_add_mpi(${target}): expected a target, such as one of add_executable")
  endif()
  find_package(MPI REQUIRED COMPONENTS C)
  # Folder of engines: of an installed ampc, or of the source tree.
  set(engines ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/engines)
  if(NOT EXISTS ${engines})
    set(engines ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
  endif()
  target_sources(${target} PRIVATE ${engines}/lib/Comm/MPI.c)
  target_include_directories(${target} PRIVATE ${engines}/include)
  target_link_libraries(${target} PRIVATE MPI::MPI_C)
endfunction()
