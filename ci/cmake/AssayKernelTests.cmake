# assay_add_kernel_tests(MANIFEST kernels.toml [KERNELS name...] [LABELS label...] [CASES n] [PREFIX text]
#                        [MODES mode...] [NUMERICS all|strict|...] [PROGRAM target] [TIMEOUT seconds]
#                        [GOLDEN directory])
#
# One CTest test for each kernel of the manifest (or those named) and each mode (fast and checked), named
# PREFIX.KERNEL/MODE; PREFIX is the manifest's name without ".toml". A test runs `assay verify` and passes as it does.
# The manifest is read when CTest runs, so that a kernel added to it is tested without configuring anew; one that
# cannot be read is a test that fails.
#
# CASES: in each mode; nothing: the program's default. NUMERICS: which arithmetic the tests of fast mode run too;
# nothing: all. PROGRAM: what runs the tests, a target of a program that links assay::cli; nothing: assay itself.
# TIMEOUT: for each test, in seconds; nothing: 300. GOLDEN: a directory of golden files; each kernel that one of them
# is for has a test PREFIX.KERNEL/golden/MODE beside each of its others, which runs `assay verify --golden`. The
# directory is read when CTest runs; kernels that no file is for have no such test, unless KERNELS names them: then it
# fails. So does a test PREFIX.golden, where the directory cannot be read or no file of it is for any kernel.

function(assay_add_kernel_tests)
  cmake_parse_arguments(T "" "MANIFEST;CASES;PREFIX;NUMERICS;PROGRAM;TIMEOUT;GOLDEN" "KERNELS;LABELS;MODES" ${ARGN})
  if(NOT T_MANIFEST)
    message(FATAL_ERROR "assay_add_kernel_tests: name a manifest: MANIFEST kernels.toml")
  endif()
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_add_kernel_tests: unknown arguments: ${T_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(manifest "${T_MANIFEST}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(name "${manifest}" NAME_WE)
  if(T_GOLDEN)
    get_filename_component(T_GOLDEN "${T_GOLDEN}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  foreach(default "PREFIX=${name}" "PROGRAM=assay::program" "TIMEOUT=300" "NUMERICS=all" "MODES=fast;checked")
    string(REGEX MATCH "^[A-Z]+" field "${default}")
    if(NOT T_${field})
      string(REGEX REPLACE "^[A-Z]+=" "" T_${field} "${default}")
    endif()
  endforeach()
  get_property(count DIRECTORY PROPERTY _assay_kernel_tests)
  math(EXPR count "0${count} + 1")
  set_property(DIRECTORY PROPERTY _assay_kernel_tests ${count})
  set(file "${CMAKE_CURRENT_BINARY_DIR}/assay_kernel_tests_${count}")
  set(text "set(program [==[$<TARGET_FILE:${T_PROGRAM}>]==])\n")
  foreach(field MANIFEST KERNELS LABELS MODES CASES NUMERICS PREFIX TIMEOUT GOLDEN)
    string(APPEND text "set(${field} [==[${T_${field}}]==])\n")
  endforeach()
  string(REPLACE "[==[${T_MANIFEST}]==]" "[==[${manifest}]==]" text "${text}")
  file(GENERATE OUTPUT "${file}_$<CONFIG>.cmake"
       CONTENT "${text}include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/AssayKernelTestsInclude.cmake]==])\n")
  file(WRITE "${file}.cmake"
       "if(EXISTS [==[${file}_\${CTEST_CONFIGURATION_TYPE}.cmake]==])\n  include([==[${file}_\${CTEST_CONFIGURATION_TYPE}.cmake]==])\nelse()\n  include([==[${file}_${CMAKE_BUILD_TYPE}.cmake]==])\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}.cmake")
endfunction()
