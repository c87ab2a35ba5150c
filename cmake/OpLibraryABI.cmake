# Writes OUTPUT, a header with the name of the interface that libraries of ops are compiled against: versions, and a hash of FILES.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(text)
foreach(file ${FILES})
  file(READ ${file} content)
  string(APPEND text "${content}")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Generated: changes with every header that libraries of ops include.
#define AMPC_OP_LIBRARY_ABI \"ampc @VERSION@ (LLVM @LLVM@, interface @hash@)\"
" @ONLY)
file(TOUCH ${OUTPUT})
