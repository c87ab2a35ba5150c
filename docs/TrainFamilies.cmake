# Reference pages of the train dialect: an index, and a page per op family.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# PAGE|TITLE|DEFINITIONS, the latter names of files in folders of mlir-dialects/Train. Every op of Reference.td is on one page.
set(AMPC_TRAIN_FAMILIES
  "models|Models, functions and training steps|Model,Origin,Modules,Knob,Follow,Gradients"
  "initializers|Initialisers|Initializer"
  "optimizers|Optimizers and updates|Optimizer,Update"
  "schedules|Learning rate schedules|Schedule"
  "pointwise|Pointwise ops|Pointwise"
  "functions|Elementary functions and rounding|Functions"
  "activations|Activations|Activation"
  "shapes|Shapes and data movement|Shape,Moves"
  "tables|Tables and lookups|Table"
  "indexing|Gather, scatter and sort|Indexing"
  "reductions|Reductions and scans|Reduction,Scan"
  "loops|Loops|Loops"
  "recurrent|Recurrent layers|Recurrent"
  "products|Matrix products and einsum|Contraction,Einsum"
  "attention|Attention|Attention"
  "convolutions|Convolutions and pools|Convolution,Pool,Windows"
  "losses|Losses|Loss,CompositeLoss"
  "norms|Norms|Norm,CompositeNorm"
  "random|Random numbers|Random"
  "sampling|Padding, slices and interpolation|Sampling"
  "micro-batches|Whole-batch numbers of micro-batches|Parts")

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(AMPC_TRAIN_FAMILIES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  return()
endif()

# Run as a script: TABLEGEN, SOURCE, MLIR_INCLUDE, OUTPUT. Semicolons and brackets of the pages have a meaning in CMake lists,
# so that pages are single strings, and only names become lists.

# Documentation of the definitions in `file`: `intro` before the table of contents, `entries` behind.
function(document file intro entries)
  execute_process(COMMAND ${TABLEGEN} ${file} -gen-dialect-doc -dialect=train -I ${MLIR_INCLUDE} -I ${SOURCE}
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${text}" "[TOC]" toc)
  string(SUBSTRING "${text}" 0 ${toc} before)
  math(EXPR toc "${toc} + 5")
  string(SUBSTRING "${text}" ${toc} -1 after)
  set(${intro} "${before}" PARENT_SCOPE)
  set(${entries} "${after}" PARENT_SCOPE)
endfunction()

# Names in `text` of ops and attributes with a section, e.g. `abs` and `#train.adam`.
function(names_of text ops attributes)
  string(REGEX MATCHALL "\n### `train[.][a-z0-9_]+`" found "${text}")
  list(TRANSFORM found REPLACE "\n### `train[.]([a-z0-9_]+)`" "\\1")
  set(${ops} "${found}" PARENT_SCOPE)
  string(REGEX MATCHALL "(\n|Syntax: `)#train[.][a-z0-9_]+(<\n|`)" found "${text}")
  list(TRANSFORM found REPLACE ".*(#train[.][a-z0-9_]+).*" "\\1")
  set(${attributes} "${found}" PARENT_SCOPE)
endfunction()

set(all)
set(rows)
foreach(family IN LISTS AMPC_TRAIN_FAMILIES)
  string(REPLACE "|" ";" family "${family}")
  list(GET family 0 page)
  list(GET family 1 title)
  list(GET family 2 definitions)
  string(REPLACE "," ";" definitions "${definitions}")
  set(root "include \"mlir-dialects/Train/Base.td\"\n")
  foreach(definition IN LISTS definitions)
    file(GLOB file RELATIVE ${SOURCE} ${SOURCE}/mlir-dialects/Train/*/${definition}.td)
    string(APPEND root "include \"${file}\"\n")
  endforeach()
  file(WRITE ${OUTPUT}/train-${page}.td "${root}")
  document(${OUTPUT}/train-${page}.td intro entries)
  file(REMOVE ${OUTPUT}/train-${page}.td)
  file(WRITE ${OUTPUT}/train/${page}.md "<!-- Generated from mlir-dialects/Train; a page of the train dialect -->\n\n# ${title}\n\n\
A family of the [train dialect](../train-dialect.md).\n${entries}")
  names_of("${entries}" ops attributes)
  list(APPEND all ${ops})
  list(APPEND ops ${attributes})
  list(JOIN ops "`, `" names)
  string(APPEND rows "| [${title}](train/${page}.md) | `${names}` |\n")
endforeach()

document(${SOURCE}/mlir-dialects/Train/Reference.td intro entries)
names_of("${entries}" expected attributes)
list(SORT all)
list(SORT expected)
if(NOT all STREQUAL expected)
  message(FATAL_ERROR "expected each op of Reference.td on the page of one family, ${expected}, but got ${all}")
endif()
file(WRITE ${OUTPUT}/train-dialect.md "${intro}## Families\n\n| family | ops and attributes |\n|---|---|\n${rows}")
