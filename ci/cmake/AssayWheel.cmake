# What goes into the Python package's wheel: the program, as the script `assay`, and the kernels that it finds there.
set(ASSAY_BUILT "" CACHE FILEPATH "A program `assay` that is built already, to be packed as it is")
if(ASSAY_BUILT)
  install(PROGRAMS "${ASSAY_BUILT}" DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python RENAME assay)
else()
  install(PROGRAMS $<TARGET_FILE:assay> DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kernels/" DESTINATION "${SKBUILD_DATA_DIR}/share/assay/kernels"
        COMPONENT python FILES_MATCHING PATTERN "*.metal" PATTERN "*.h" PATTERN "*.toml")
