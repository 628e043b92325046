// A safetensors file as a person reads it.
#pragma once

#include <filesystem>
#include <string>

namespace assay::golden {

/// What the file holds, in lines: its metadata; of each tensor name, type, shape, range, special values, how
/// many different ones, the first elements, and a histogram; where the metadata name an operation that is
/// known here, what its weights are made of (codes, levels, symbols) and what of it is out of the ordinary.
///
/// Any safetensors file can be shown, whoever wrote it; names and values are escaped. Tensors are read a
/// piece at a time. Throws FormatError, one line that names the file, where it cannot be read.
std::string show(const std::filesystem::path& path);

}  // namespace assay::golden
