// Figures of the number formats and layouts (docs/formats.md), worked out by the code that everything else is
// held against: what documents state of formats and no kernel has to run for.
#pragma once

#include "assay/problem.hpp"

namespace assay::profile {

/// By name, as docs/claims.toml writes them but with `format_` for `format.`:
///   codes_per_word, first_bit_of_code_I        packed 4-bit codes
///   fp4_twice_C, fp4_half_C                    twice the value of FP4 code C, which is whole; its bits as a
///   half half_of_1024, value_of_half_0x6400         the magic bias s4_code_of_zero how S4 stores the value 0
///   trellis_tile, trellis_tile_bytes_B         side of a tile; bytes of a tile at B bits
///   trellis_first_bit_B_I, trellis_bytes_B_I   of index I of a tile at B bits; in how many bytes it lies
///   rans_symbols, rans_slots, rans_scale_bits, rans_lower_bound, rans_state_bytes
const Dims& format_figures();

}  // namespace assay::profile
