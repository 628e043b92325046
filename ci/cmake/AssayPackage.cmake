# What `cmake --install` leaves for find_package(assay): the program, the libraries, the face, and how to link them.
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY assay_modules)
install(TARGETS ${modules} EXPORT assayTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/assay")
# By itself: who only runs kernels' tests links nothing.
install(TARGETS assay EXPORT assayProgramTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# What both start, where harness/metal/compile/toolchain.cpp looks for it.
install(TARGETS assay_compiler RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/assay")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/assay")
foreach(export assayTargets assayProgramTargets)
  install(EXPORT ${export} NAMESPACE assay:: DESTINATION "${package}")
endforeach()
# What is installed is what whoever builds the program has built.
add_dependencies(assay ${modules} assay_compiler)
# Not beside the program: find_package() looks there, if the folder is in the PATH, and would find no libraries.
set(made "${PROJECT_BINARY_DIR}/package")
file(REMOVE "${PROJECT_BINARY_DIR}/assayConfig.cmake" "${PROJECT_BINARY_DIR}/assayConfigVersion.cmake")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/assayConfig.cmake.in" "${made}/assayConfig.cmake"
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${made}/assayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${made}/assayConfig.cmake" "${made}/assayConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/AssayKernelTests.cmake" "${CMAKE_CURRENT_LIST_DIR}/AssayKernelTestsInclude.cmake"
        DESTINATION "${package}")
# Runs divided among the nodes of a cluster.
install(PROGRAMS "${PROJECT_SOURCE_DIR}/ci/cluster/shard.sh" "${PROJECT_SOURCE_DIR}/ci/cluster/merge.sh"
                 "${PROJECT_SOURCE_DIR}/ci/cluster/slurm_array.sh"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/cluster")
install(FILES "${PROJECT_SOURCE_DIR}/ci/cluster/kubernetes_job.yaml" DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/cluster")
