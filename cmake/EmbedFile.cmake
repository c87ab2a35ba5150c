# Turns files into an array of a C++ source.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run as a script: INPUT, NAME, OUTPUT.
if(CMAKE_SCRIPT_MODE_FILE)
  set(bytes)
  foreach(file IN LISTS INPUT)
    file(READ ${file} content HEX)
    string(APPEND bytes "${content}")
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(WRITE ${OUTPUT} "// Generated from ${INPUT}.\n#include <cstddef>\nnamespace ampc {\n"
    "alignas(8) extern const unsigned char ${NAME}[] = {${bytes}0};\nextern const std::size_t ${NAME}Size = sizeof ${NAME} - 1;\n"
    "} // namespace ampc\n")
  return()
endif()

set(AMPC_EMBED_FILE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
# `output` in the build folder defines ampc::`name`, the content of files in order (with a 0 behind, which does not
# count), and ampc::`name`Size.
function(ampc_embed_file input name output)
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
    COMMAND ${CMAKE_COMMAND} "-DINPUT=${input}" -DNAME=${name} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${output}
            -P ${AMPC_EMBED_FILE_SCRIPT}
    DEPENDS ${input} ${AMPC_EMBED_FILE_SCRIPT} VERBATIM)
endfunction()
