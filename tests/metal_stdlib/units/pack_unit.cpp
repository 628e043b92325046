// Normalised integers: every code of 8 and of 16 bits, and what is no code.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

extern "C" {

void pack_every_code_comes_back() {
  for (uint code = 0; code < 65536; ++code) {
    const uint word = code << 16 | (65535 - code);
    CHECK(pack_float_to_unorm2x16(unpack_unorm2x16_to_float(word)) == word);
    // -32768 is not a number that anything is packed to.
    const bool lowest = code == 32768 || code == 32767;
    CHECK(lowest || pack_float_to_snorm2x16(unpack_snorm2x16_to_float(word)) == word);
    const uint four = (code & 255) * 0x01000001 ^ code << 8;
    CHECK(pack_float_to_unorm4x8(unpack_unorm4x8_to_float(four)) == four);
    CHECK(pack_half_to_unorm4x8(unpack_unorm4x8_to_half(four)) == four);
  }
  CHECK(pack_half_to_snorm4x8(unpack_snorm4x8_to_half(0x7F8101FFu)) == 0x7F8101FFu);
}

void pack_codes_are_divided_by_the_largest() {
  for (uint code = 0; code < 65536; ++code) {
    const float2 two = unpack_unorm2x16_to_float(code << 16);
    CHECK(two.x == 0 && two.y == float(code) / 65535.0f);
    CHECK(unpack_unorm2x16_to_half(code).x == half(double(code) / double(65535)));
    CHECK(unpack_snorm2x16_to_float(code).x == max(float(short(code)) / 32767.0f, -1.0f));
    CHECK(unpack_snorm2x16_to_half(code << 16).y ==
          half(max(double(short(code)) / double(32767), double(-1))));
  }
  for (uint code = 0; code < 256; ++code) {
    CHECK(all(unpack_unorm4x8_to_float(code << 8) == float4(0, float(code) / 255.0f, 0, 0)));
    CHECK(unpack_unorm4x8_to_half(code << 24).w == half(float(code) / 255.0f));
    CHECK(unpack_snorm4x8_to_float(code << 16).z == max(float(char(code)) / 127.0f, -1.0f));
    CHECK(unpack_snorm4x8_to_half(code).x == half(max(float(char(code)) / 127.0f, -1.0f)));
  }
}

void pack_clamps_and_rounds_to_even() {
  CHECK(pack_float_to_unorm4x8(float4(-1, 2, NAN, 1)) == 0xFF00FF00u);
  CHECK(pack_float_to_snorm4x8(float4(-2, 2, NAN, -1)) == 0x81007F81u);
  CHECK(pack_float_to_snorm2x16(float2(-INFINITY, INFINITY)) == 0x7FFF8001u);
  CHECK(pack_half_to_unorm2x16(half2(-1, INFINITY)) == 0xFFFF0000u &&
        pack_half_to_snorm2x16(half2(NAN)) == 0);
  CHECK(pack_float_to_unorm4x8(float4(0.5f)) == 0x80808080u);          // 127.5
  CHECK(pack_float_to_snorm2x16(float2(0.5f, -0.5f)) == 0xC0004000u);  // 16383.5
}
}
