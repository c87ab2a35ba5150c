# Wrappers that keep the CMakeLists.txt of a folder to a few lines.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Include path = path in the repository; generated files have the same path in the build folder.
function(ampc_use_mlir target)
  # For the build only: installed tools export no headers.
  target_include_directories(${target} SYSTEM PUBLIC "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR};${PROJECT_BINARY_DIR}/include>")
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
    -Wall -Wextra -Wno-unused-parameter)
  if(target STREQUAL "AMPCDialects")
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  else()
    target_precompile_headers(${target} REUSE_FROM AMPCDialects)
  endif()
  add_dependencies(${target} ampc-precompiled-checksum)
endfunction()

# Checksum by which ccache knows the precompiled header: headers of this project inside, and the version of MLIR.
function(ampc_checksum_precompiled)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mlir-dialects/*/*.h ${PROJECT_SOURCE_DIR}/mlir-dialects/Train/*/*.h)
  foreach(generated Train/Interfaces Train/InterfacesAttr Kernel/KernelInterfaces)
    list(APPEND headers ${PROJECT_BINARY_DIR}/mlir-dialects/${generated}.h.inc)
  endforeach()
  foreach(kind Attrs Dialect Enums Ops Types)
    foreach(name Amp Kernel Train)
      list(APPEND headers ${PROJECT_BINARY_DIR}/mlir-dialects/${name}/${name}${kind}.h.inc)
    endforeach()
  endforeach()
  set(checksum ${PROJECT_BINARY_DIR}/mlir-dialects/CMakeFiles/AMPCDialects.dir/cmake_pch.hxx.pch.sum)
  add_custom_command(OUTPUT ${checksum}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${PROJECT_SOURCE_DIR}/cmake/Precompiled.h "-DFOLDERS=${PROJECT_SOURCE_DIR};${PROJECT_BINARY_DIR}"
      -DTEXT=${MLIR_VERSION} -DOUT=${checksum} -P ${PROJECT_SOURCE_DIR}/cmake/Checksum.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h ${PROJECT_SOURCE_DIR}/cmake/Checksum.cmake ${headers} VERBATIM)
  add_custom_target(ampc-precompiled-checksum DEPENDS ${checksum})
  add_dependencies(ampc-precompiled-checksum ampc-tablegen)
endfunction()

# Headers take most of a compilation; every library shares the same precompiled set.
function(ampc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  ampc_use_mlir(${name})
  add_dependencies(${name} ampc-tablegen ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} AMPCLLVM)
endfunction()

function(ampc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  ampc_use_mlir(${name})
  add_dependencies(${name} ampc-tablegen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} AMPCLLVM)
  # LLVM's libraries lie outside the loader's path, for the installed tool too. Libraries of ops use the symbols of the tool.
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# Generated code of the dialect `name` from File.td in the current folder.
function(ampc_add_dialect file name)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}Ops.h.inc -gen-op-decls -dialect=${name})
  mlir_tablegen(${file}Ops.cpp.inc -gen-op-defs -dialect=${name})
  mlir_tablegen(${file}Dialect.h.inc -gen-dialect-decls -dialect=${name})
  mlir_tablegen(${file}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
  mlir_tablegen(${file}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
  mlir_tablegen(${file}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
  mlir_tablegen(${file}Types.h.inc -gen-typedef-decls -typedefs-dialect=${name})
  mlir_tablegen(${file}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${name})
  mlir_tablegen(${file}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${file}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(ampc-${name}-tablegen)
  add_dependencies(ampc-tablegen ampc-${name}-tablegen)
endfunction()

function(ampc_add_interfaces path)
  get_filename_component(file ${path} NAME)
  set(LLVM_TARGET_DEFINITIONS ${path}.td)
  mlir_tablegen(${file}.h.inc -gen-op-interface-decls)
  mlir_tablegen(${file}.cpp.inc -gen-op-interface-defs)
  mlir_tablegen(${file}Attr.h.inc -gen-attr-interface-decls)
  mlir_tablegen(${file}Attr.cpp.inc -gen-attr-interface-defs)
  add_public_tablegen_target(ampc-${file}-tablegen)
  add_dependencies(ampc-tablegen ampc-${file}-tablegen)
endfunction()

# Passes.td beside the public header; `group` names the registration function.
function(ampc_add_passes group)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${group})
  add_public_tablegen_target(ampc-${group}-passes-tablegen)
  add_dependencies(ampc-tablegen ampc-${group}-passes-tablegen)
endfunction()
