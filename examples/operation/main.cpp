#include <assay/cli.hpp>

int main(int argc, char** argv) { return assay::cli::run(argc, argv); }
