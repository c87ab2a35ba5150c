# Libraries of ops for `ampc --load`, in this project and in others.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   ampc_add_op_library(NAME DEFINITIONS File.td DIALECT dialect SOURCES file.cpp...)
#
# compiles libNAME.so from the sources and from files that File.td generates (FileOps.h.inc, FileOps.cpp.inc, FileDialect.h.inc and
# FileDialect.cpp.inc, in the build folder), and writes libNAME.json, the records from which ampc-fuzz makes random models.
# The symbols of ampc come from the program that loads the library.

# Headers of ops: of the installed package, or of the source tree, which sets the list.
if(NOT AMPC_OP_INCLUDE_DIRS)
  set(AMPC_OP_INCLUDE_DIRS ${AMPC_INSTALLED_OP_HEADERS})
endif()

function(ampc_add_op_library name)
  cmake_parse_arguments(ARG "" "DEFINITIONS;DIALECT" "SOURCES" ${ARGN})
  foreach(needed DEFINITIONS DIALECT SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "ampc_add_op_library(${name}): expected ${needed}")
    endif()
  endforeach()
  if(NOT MLIR_FOUND)
    find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
  endif()
  get_filename_component(definitions ${ARG_DEFINITIONS} ABSOLUTE)
  get_filename_component(file ${ARG_DEFINITIONS} NAME_WE)
  set(includes -I ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(folder ${AMPC_OP_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    list(APPEND includes -I ${folder})
  endforeach()
  file(GLOB known CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.td)
  foreach(folder ${AMPC_OP_INCLUDE_DIRS})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/mlir-dialects/*.td ${folder}/mlir-dialects/Train/*.td ${folder}/mlir-dialects/Train/*/*.td)
    list(APPEND known ${more})
  endforeach()
  set(generated)
  foreach(pair Ops.h.inc=-gen-op-decls Ops.cpp.inc=-gen-op-defs Dialect.h.inc=-gen-dialect-decls Dialect.cpp.inc=-gen-dialect-defs)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 suffix)
    list(GET pair 1 action)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${file}${suffix})
    add_custom_command(OUTPUT ${output}
      COMMAND ${MLIR_TABLEGEN_EXE} ${action} -dialect=${ARG_DIALECT} ${includes} ${definitions} -o ${output}
      DEPENDS ${definitions} ${known} VERBATIM)
    list(APPEND generated ${output})
  endforeach()
  set(records ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.json)
  add_custom_command(OUTPUT ${records}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen --dump-json ${includes} ${definitions} -o ${records}
    DEPENDS ${definitions} ${known} VERBATIM)
  add_library(${name} SHARED ${ARG_SOURCES} ${generated} ${records})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR} ${AMPC_OP_INCLUDE_DIRS})
  target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti -fvisibility-inlines-hidden)
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  target_link_options(${name} PRIVATE -Wl,-z,undefs)
  if(TARGET ampc-tablegen)
    add_dependencies(${name} ampc-tablegen)
  endif()
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
