# Clang, LLVM and its linker as libraries, linked into the program: it starts in a third of the time of one that loads
# them, and needs none of their packages where it runs.
set(llvm /usr/lib/llvm-19)
find_path(CLANG_INCLUDE clang/Frontend/CompilerInstance.h PATHS "${llvm}/include" NO_DEFAULT_PATH REQUIRED)
find_program(LLVM_CONFIG llvm-config PATHS "${llvm}/bin" NO_DEFAULT_PATH REQUIRED)
add_library(clang_libraries INTERFACE IMPORTED)
target_include_directories(clang_libraries SYSTEM INTERFACE "${CLANG_INCLUDE}")
target_compile_definitions(clang_libraries INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                           __STDC_LIMIT_MACROS)
set(archives)
foreach(name lldELF lldCommon clangFrontend clangDriver clangSerialization clangCodeGen clangParse clangSema clangAnalysis
             clangAPINotes clangEdit clangAST clangASTMatchers clangLex clangSupport clangBasic)
  find_library(CLANG_LIBRARY_${name} NAMES lib${name}.a PATHS "${llvm}/lib" NO_DEFAULT_PATH REQUIRED)
  list(APPEND archives "${CLANG_LIBRARY_${name}}")
endforeach()
execute_process(COMMAND "${LLVM_CONFIG}" --link-static --libfiles all OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(found UNIX_COMMAND "${found}")
list(FILTER found EXCLUDE REGEX "Polly")  # not installed; compiler/left_out.cpp stands for it
list(APPEND archives ${found})
list(JOIN archives "," archives)
target_link_libraries(clang_libraries INTERFACE "$<LINK_GROUP:RESCAN,${archives}>" z zstd)
target_link_options(clang_libraries INTERFACE -no-pie LINKER:--gc-sections)
set(ClangLibraries_FOUND TRUE)
