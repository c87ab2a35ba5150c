# cmake -DFILES=... -DTEXT=... -DOUT=... -P Checksum.cmake: writes a checksum of the files and the text.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(sums ${TEXT})
foreach(file ${FILES})
  file(SHA256 ${file} sum)
  list(APPEND sums ${sum})
endforeach()
string(SHA256 sum "${sums}")
file(WRITE ${OUT} "${sum}\n")
