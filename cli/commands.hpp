// The subcommands of `assay`. What each returns is the exit status.
#pragma once

#include "cli/arguments.hpp"

namespace assay::cli {

int run_command(const ListArguments& arguments);
int run_command(const VerifyArguments& arguments);
int run_command(const CheckArguments& arguments);
int run_command(const InitArguments& arguments);
int run_command(const LoadArguments& arguments);
int run_command(const FuzzArguments& arguments);
int run_command(const ReplayArguments& arguments);
int run_command(const GoldenMakeArguments& arguments);
int run_command(const GoldenCheckArguments& arguments);
int run_command(const GoldenShowArguments& arguments);
int run_command(const ProfileArguments& arguments);
int run_command(const ClaimsArguments& arguments);
int run_command(const MutateArguments& arguments);
int run_command(const RepairArguments& arguments);
int run_command(const MergeArguments& arguments);
int run_command(const CacheArguments& arguments);
int run_command(const WatchArguments& arguments);
int run_command(const CompletionArguments& arguments);
int run_command(const ServeArguments& arguments);

}  // namespace assay::cli
