# Header-only libraries of the distribution that come without a CMake package.
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(random123 INTERFACE IMPORTED)
target_include_directories(random123 INTERFACE "${RANDOM123_INCLUDE}")
add_library(xxhash INTERFACE IMPORTED)
target_include_directories(xxhash INTERFACE "${XXHASH_INCLUDE}")
set(HeaderOnly_FOUND TRUE)
