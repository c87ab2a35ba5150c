# ampc_add_model: a model as a library target of a CMake project.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#[[
  ampc_add_model(TARGET SOURCE model.mlir [NAME name] [TIERS tier...] [OPTIONS option...])

Compiles `model.mlir` when it or the compiler changes. Whoever links TARGET can include <name.h>. NAME is what files and functions
are called; without it they are called as the train.model, for which the file is searched. TIERS are those to compile
code for, as avx2 and avx512; without them all. OPTIONS go to `ampc compile`.

    ampc_add_model(digits SOURCE digits.mlir)
    ampc_add_model(digits-double SOURCE digits.mlir NAME digits64 OPTIONS --precision=f64)
    target_link_libraries(app PRIVATE digits digits-double)

AMPC_EXECUTABLE names another compiler, for instance the host's when cross-compiling.
]]
function(ampc_add_model target)
  cmake_parse_arguments(ARG "" "SOURCE;NAME" "TIERS;OPTIONS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ampc_add_model(${target}): expected SOURCE, NAME, TIERS or OPTIONS, but got ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCE)
    message(FATAL_ERROR "ampc_add_model(${target}): expected SOURCE model.mlir")
  endif()
  get_filename_component(source ${ARG_SOURCE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_OPTIONS MATCHES "(^|;)--?name(=|;|$)")
    message(FATAL_ERROR "ampc_add_model(${target}): expected NAME name in place of the option --name")
  endif()
  set(name_option)
  if(ARG_NAME)
    set(name_option --name=${ARG_NAME})
  else()
    _ampc_model_name(ARG_NAME ${target} ${source})
  endif()

  if(ARG_TIERS)
    list(JOIN ARG_TIERS "," tiers)
    list(APPEND ARG_OPTIONS --tiers=${tiers})
  endif()

  # A folder per target: two targets may compile the same model with different options.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.ampc)
  set(library ${folder}/lib${ARG_NAME}.a)
  set(compiler ampc::ampc)
  if(AMPC_EXECUTABLE)
    set(compiler ${AMPC_EXECUTABLE})
  endif()
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${library} ${folder}/${ARG_NAME}.h
    COMMAND ${compiler} compile ${source} -o ${folder} ${name_option} ${ARG_OPTIONS}
    DEPENDS ${source} ${compiler} COMMENT "Compiling the model ${ARG_NAME}" VERBATIM)
  add_custom_target(${target}-model DEPENDS ${library} ${folder}/${ARG_NAME}.h)

  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${folder})
  # Only models of type f64 call the mathematics library. The manifest names the library, but is written after this
  # file is read; so libm is always named, and --as-needed drops a library that no symbol needs.
  target_link_libraries(${target} INTERFACE Threads::Threads $<$<PLATFORM_ID:Linux>:-Wl,--push-state,--as-needed,-lm,--pop-state>)
  add_dependencies(${target} ${target}-model)
endfunction()

# The name of the first train.model in a file.
function(_ampc_model_name result target source)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "ampc_add_model(${target}): expected the model ${source}, but there is no such file")
  endif()
  file(STRINGS ${source} line REGEX "^[ \t]*train\\.model[ \t]+@" LIMIT_COUNT 1)
  if(NOT line MATCHES "train\\.model[ \t]+@([A-Za-z_][A-Za-z0-9_]*)")
    message(FATAL_ERROR "ampc_add_model(${target}): expected a train.model in ${source}, or NAME")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
