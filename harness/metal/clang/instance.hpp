// An instance of clang. Clang's types stay within this folder.
#pragma once

#include <clang/Frontend/CompilerInstance.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay::metal {

/// One that reads a file, with arguments of `clang -cc1`; null where it does not take these. `consumer` is
/// asked twice: for what clang says of its arguments, and of the file.
std::unique_ptr<clang::CompilerInstance> instance_for(
    const std::vector<std::string>& arguments, const std::string& file,
    const std::function<clang::DiagnosticConsumer*()>& consumer);

/// Has it read that text in place of the file.
void read_instead(clang::CompilerInstance& compiler, const std::string& file, const std::string& text);

}  // namespace assay::metal
