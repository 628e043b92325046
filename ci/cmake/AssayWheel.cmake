# What goes into the Python package's wheel: the program, as the script `assay`, the compiler that it starts and the
# kernels that it finds there.
set(ASSAY_BUILT "" CACHE FILEPATH "A program `assay` that is built already, to be packed as it is")
if(ASSAY_BUILT)
  get_filename_component(folder "${ASSAY_BUILT}" DIRECTORY)
  install(PROGRAMS "${ASSAY_BUILT}" DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python RENAME assay)
  install(PROGRAMS "${folder}/assay-compiler" DESTINATION "${SKBUILD_DATA_DIR}/libexec/assay" COMPONENT python)
else()
  install(PROGRAMS $<TARGET_FILE:assay> DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  install(PROGRAMS $<TARGET_FILE:assay_compiler> DESTINATION "${SKBUILD_DATA_DIR}/libexec/assay" COMPONENT python)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kernels/" DESTINATION "${SKBUILD_DATA_DIR}/share/assay/kernels"
        COMPONENT python FILES_MATCHING PATTERN "*.metal" PATTERN "*.h" PATTERN "*.toml")
