// Which folders kernels' text may come from, as those allow who started this process.
#pragma once

#include <filesystem>
#include <vector>

namespace assay::device {

/// Any text may lie in the folder, and include files from it: the command line names it.
void allow_texts(const std::filesystem::path& folder);

/// Texts that lie in the folder may include files from all of it: it is a manifest's, or a project's.
void allow_project(const std::filesystem::path& folder);

/// Does the file lie in a folder of allow_texts(), or in `folder`? Links are resolved.
bool may_hold_text(const std::filesystem::path& folder, const std::filesystem::path& file);

/// The folders that a text may include files from, beside its own: those of allow_texts(), and those of
/// allow_project() in which it lies.
std::vector<std::filesystem::path> text_folders_of(const std::filesystem::path& text);

/// The project around a file that no manifest names: the nearest folder above it that is under version
/// control; else the working directory, if the file lies in it; else the file's folder. Neither / nor the
/// user's home is a project.
std::filesystem::path project_around(const std::filesystem::path& file);

/// A path with its links resolved, as far as it exists; without a `/` at the end.
std::filesystem::path resolved(const std::filesystem::path& path);

/// `file` is `folder`, or lies in it; of two paths that are resolved.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace assay::device
