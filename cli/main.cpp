// assay: verifies quantized GEMM kernels. Exit status 0, 1 when a kernel is rejected, 2 when nothing could be
// judged.
#include "assay/cli.hpp"

int main(int argc, char** argv) { return assay::cli::run(argc, argv); }
