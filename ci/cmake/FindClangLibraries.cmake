# Clang, LLVM and its linker as libraries. LLVM's own CMake packages ask for what other programs than ours need.
set(llvm /usr/lib/llvm-19)
find_path(CLANG_INCLUDE clang/Frontend/CompilerInstance.h PATHS "${llvm}/include" NO_DEFAULT_PATH REQUIRED)
add_library(clang_libraries INTERFACE IMPORTED)
target_include_directories(clang_libraries SYSTEM INTERFACE "${CLANG_INCLUDE}")
target_compile_definitions(clang_libraries INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                           __STDC_LIMIT_MACROS)
foreach(name lldELF lldCommon clang-cpp LLVM-19)
  find_library(CLANG_LIBRARY_${name} ${name} PATHS "${llvm}/lib" NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(clang_libraries INTERFACE "${CLANG_LIBRARY_${name}}")
endforeach()
target_link_libraries(clang_libraries INTERFACE z zstd)
set(ClangLibraries_FOUND TRUE)
