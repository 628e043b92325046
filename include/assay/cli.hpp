// The program as a function: a program of one's own that links operations and devices of one's own besides
// has all of its commands. Link assay::cli.
#pragma once

namespace assay::cli {

/// `int main(int argc, char** argv) { return assay::cli::run(argc, argv); }`: the exit status.
int run(int argc, char** argv);

}  // namespace assay::cli
