# LLVM, MLIR, protobuf and zlib: shared libraries for every program but ampc-static, which links the archives.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
option(AMPC_STATIC "Also make static/bin/ampc, one program that needs libc and libm alone; packages install it" OFF)

# Whether the program that is linked sets the property AMPC_STATIC: all of ampc's own archives are the same for both.
set(static $<BOOL:$<TARGET_PROPERTY:AMPC_STATIC>>)
set(shared $<NOT:${static}>)
add_library(AMPCLLVM INTERFACE)
target_link_libraries(AMPCLLVM INTERFACE $<${shared}:MLIR> $<${shared}:LLVM>)
add_library(AMPCProtobuf INTERFACE)
find_package(Protobuf REQUIRED)
target_include_directories(AMPCProtobuf SYSTEM INTERFACE ${Protobuf_INCLUDE_DIRS})
target_link_libraries(AMPCProtobuf INTERFACE $<${shared}:protobuf::libprotobuf-lite>)
add_library(AMPCZlib INTERFACE)
find_package(ZLIB REQUIRED)
target_link_libraries(AMPCZlib INTERFACE $<${shared}:ZLIB::ZLIB>)
if(NOT AMPC_STATIC)
  return()
endif()

if(AMPC_SANITIZE)
  message(FATAL_ERROR "AMPC_STATIC=ON: expected AMPC_SANITIZE to be empty, but got ${AMPC_SANITIZE}")
endif()
function(ampc_find_archive variable name package)
  find_library(${variable} lib${name}.a)
  if(NOT ${variable})
    message(FATAL_ERROR "AMPC_STATIC=ON: expected lib${name}.a, which Debian's ${package} has, but found none")
  endif()
endfunction()
ampc_find_archive(AMPC_LIBZ z zlib1g-dev)
ampc_find_archive(AMPC_LIBZSTD zstd libzstd-dev)
ampc_find_archive(AMPC_LIBPROTOBUF protobuf-lite libprotobuf-dev)
target_link_libraries(AMPCZlib INTERFACE $<${static}:${AMPC_LIBZ}>)

# A single linker script for 662 archives libMLIR*.a and libLLVM*.a; the linker takes the objects that define needed symbols.
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(APPEND archives ${AMPC_LIBZ} ${AMPC_LIBZSTD} ${AMPC_LIBPROTOBUF})
list(JOIN archives "\n  " archives)
set(AMPC_ARCHIVES ${PROJECT_BINARY_DIR}/static/archives.ld)
file(CONFIGURE OUTPUT ${AMPC_ARCHIVES} CONTENT "GROUP(\n  @archives@\n)\n" @ONLY)
target_link_libraries(AMPCLLVM INTERFACE $<${static}:${AMPC_ARCHIVES}>)

# The program `name`, as bin/OUTPUT of the folder static.
function(ampc_add_static_tool name output)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  ampc_use_mlir(${name})
  add_dependencies(${name} ampc-tablegen)
  target_compile_definitions(${name} PRIVATE AMPC_STATIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} AMPCLLVM ${CMAKE_DL_LIBS} Threads::Threads)
  target_link_options(${name} PRIVATE -fuse-ld=lld -static-libstdc++ -static-libgcc LINKER:--gc-sections,-O1)
  set_target_properties(${name} PROPERTIES AMPC_STATIC ON OUTPUT_NAME ${output} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static/bin
    SKIP_BUILD_RPATH ON INSTALL_RPATH "")
endfunction()
