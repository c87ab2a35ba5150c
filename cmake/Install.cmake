# The installed tree, in components:
#   compiler  bin/ampc, the CMake package with engines for ranks, licence, documentation, examples, man page and completions
#   dev       ampc-opt, ampc-reduce and ampc-lsp-server, and the headers for libraries of ops
#   mpi       lib/ampc/libampc_mpi.so, which `ampc train` opens under a launcher; where the build has found MPI
#   static    as compiler, with the program of AMPC_STATIC=ON; installed only if `cmake --install` names the component
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)
set(package lib/cmake/ampc)
set(AMPC_INSTALL_BIN ${CMAKE_INSTALL_BINDIR})
configure_package_config_file(cmake/ampcConfig.cmake.in ampcConfig.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS AMPC_INSTALL_BIN AMPC_INSTALL_OP_HEADERS)
write_basic_package_version_file(ampcConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# Man page and completions, printed by the compiler from the table of options.
set(manual ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual})
foreach(form man bash zsh fish)
  add_custom_command(OUTPUT ${manual}/${form} COMMAND ampc help ${form} > ${manual}/${form} DEPENDS ampc VERBATIM)
  list(APPEND forms ${manual}/${form})
endforeach()
add_custom_target(manual ALL DEPENDS ${forms})

foreach(component compiler static)
  set(for COMPONENT ${component})
  if(component STREQUAL static)
    list(APPEND for EXCLUDE_FROM_ALL)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/ampcConfig.cmake ${PROJECT_BINARY_DIR}/ampcConfigVersion.cmake cmake/AmpcAddModel.cmake cmake/AmpcAddMpi.cmake
          DESTINATION ${package} ${for})
  install(FILES lib/Comm/MPI.c lib/Comm/MPIProcesses.c lib/Comm/Threads.c DESTINATION ${package}/engines/lib/Comm ${for})
  install(FILES include/ampc/Comm/MPI.h include/ampc/Comm/Processes.h include/ampc/Comm/Threads.h DESTINATION ${package}/engines/include/ampc/Comm ${for})
  install(FILES include/ampc/Runtime/Common.h DESTINATION ${package}/engines/include/ampc/Runtime ${for})
  install(FILES LICENSE README.md CHANGELOG.md SECURITY.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} ${for})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} ${for} FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.svg)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/ampc ${for})
  install(FILES ${manual}/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME ampc.1 ${for})
  install(FILES ${manual}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ampc ${for})
  install(FILES ${manual}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _ampc ${for})
  install(FILES ${manual}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ampc.fish ${for})
endforeach()
install(FILES cmake/AmpcAddOpLibrary.cmake DESTINATION ${package} COMPONENT dev)
install(TARGETS ampc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
if(AMPC_STATIC)
  # A target, since `--strip` does not strip PROGRAMS.
  install(TARGETS ampc-static RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT static EXCLUDE_FROM_ALL)
endif()
install(TARGETS ampc-opt ampc-reduce ampc-lsp-server RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)

# Debian package: the shared program, which --load needs; Debian has LLVM's libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "ampc maintainers <maintainers@users.noreply.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiles a model into the program that trains it")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL compiler dev)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | c-compiler")
# LLVM lies in a folder of RUNPATH, and dpkg-shlibdeps finds the package of libMLIR there; libLLVM is a link to another folder.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libllvm${LLVM_VERSION_MAJOR})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LLVM_LIBRARY_DIR})
include(CPack)
