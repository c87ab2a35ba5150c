# A room that needs no LLVM, alone: -DAMPC_ONLY=ptxsim configures, tests and installs the PTX interpreter.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(NOT AMPC_ONLY STREQUAL ptxsim)
  message(FATAL_ERROR "expected AMPC_ONLY to be ptxsim or empty, but got ${AMPC_ONLY}")
endif()
include(CTest)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
foreach(folder lib/PTXSim tools/ampc-ptxsim test/PTXSim bench/ptxsim)
  add_subdirectory(${folder})
endforeach()

# find_package(PTXSim) gives PTXSim::PTXSim; lib/ptxsim holds libcuda.so.1 alone, for LD_LIBRARY_PATH.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/PTXSim)
install(TARGETS ampc-ptxsim)
install(TARGETS PTXSim EXPORT PTXSim)
install(EXPORT PTXSim NAMESPACE PTXSim:: DESTINATION ${package} FILE PTXSimTargets.cmake)
file(WRITE ${PROJECT_BINARY_DIR}/PTXSimConfig.cmake [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/PTXSimTargets.cmake)
]])
write_basic_package_version_file(PTXSimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PTXSimConfig.cmake ${PROJECT_BINARY_DIR}/PTXSimConfigVersion.cmake DESTINATION ${package})
install(FILES include/ampc/PTXSim/PTXSim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ampc/PTXSim)
install(PROGRAMS $<TARGET_FILE:PTXSimDriver> DESTINATION ${CMAKE_INSTALL_LIBDIR}/ptxsim RENAME libcuda.so.1)
install(FILES LICENSE lib/PTXSim/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ptxsim)
