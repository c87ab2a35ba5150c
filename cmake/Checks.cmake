# Builds that check themselves: assertions, sanitizers, libFuzzer.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(AMPC_ASSERTIONS)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
  set(CMAKE_C_FLAGS_RELEASE "-O1 -g1")
endif()
if(NOT AMPC_SANITIZE)
  return()
endif()
string(REPLACE "," ";" sanitizers "${AMPC_SANITIZE}")
if("fuzzer" IN_LIST sanitizers)
  list(REMOVE_ITEM sanitizers fuzzer)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(sanitizers)
  list(JOIN sanitizers "," sanitizers)
  # Every finding ends the program, so that a test fails. Left out: vptr, since LLVM has no type information; function,
  # which reads type information in front of a function, where a compiled model has none.
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize=vptr,function -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # The sanitizers' runtime is in the program that loads a shared library.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:LINKER:-z,undefs>)
endif()
