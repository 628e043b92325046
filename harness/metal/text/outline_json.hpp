// An outline as the compiler's process writes it and the loader reads it.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/metal/text/outline.hpp"

namespace assay::device {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryShape, name, kind, offset, size, align, count, read_only, single,
                                   constant, parts)
}  // namespace assay::device

namespace assay::metal {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ThreadPlace, attribute, text, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlinedParameter, name, named, written, attribute, pointer, reference,
                                   read_only, constant, threadgroup, atomic, open_array, indexed, pointers,
                                   components, used_components, line, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlinedConstant, index, name, type, asked, compared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NamedNumbers, name, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlinedStride, variable, place, each, by, by_value, by_scalar)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlinedBegin, place, of_place, of, number, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlinedArray, name, sides, of_simdgroups, chosen_by)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Syntax, bodies, closed, statements, conditions, operators, calls,
                                   subscripts, lists, unset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outline, kernels, used, parameters, constants, named, strides, begins,
                                   arrays, waits, in_simdgroups, syntax)
}  // namespace assay::metal
