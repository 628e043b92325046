// Conformance: textures of cubes, of colours and of depths, alone and several.
//
// What is expected is found another way than the library finds it: faces are three vectors each (Apple's
// Metal Shading Language Specification, "Cube Texture"), and a texel beyond an edge is the one of another
// face whose direction is nearest to where it would be.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/metal/texture_run.hpp"

namespace assay::metal {
namespace {

using Vector = std::array<double, 3>;
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector sum(const Vector& a, const Vector& b, double times) {
  return {a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]};
}

/// Where a face lies, and where its columns and its rows lead.
struct Face {
  Vector out, right, down;
};
constexpr std::array<Face, 6> kFaces = {{
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
    {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
    {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},
    {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
}};

/// A cube of depths, `size` texels wide, as a look finds it.
class Globe {
 public:
  Globe(int size, std::vector<float> texels) : size_(size), texels_(std::move(texels)) {}

  /// Four texels around a look and the shares of the right and of the lower ones.
  struct Seen {
    double all[2][2];
    double x, y;
    double mixed(const auto& of) const {
      return (of(all[0][0]) * (1 - x) + of(all[0][1]) * x) * (1 - y) +
             (of(all[1][0]) * (1 - x) + of(all[1][1]) * x) * y;
    }
    /// From the lower left, against the clock.
    std::array<double, 4> in_turn(const auto& of) const {
      return {of(all[1][0]), of(all[1][1]), of(all[0][1]), of(all[0][0])};
    }
  };

  Seen around(const Vector& look) const {
    const auto [face, x, y] = met(look);
    const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
    Seen seen{{}, x - 0.5 - left, y - 0.5 - top};
    double rest = 0;
    double* missing = nullptr;
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) {
        const double c = left + column, r = top + row;
        const bool beside = c < 0 || c >= size_, above = r < 0 || r >= size_;
        if (beside && above)
          missing = &seen.all[row][column];
        else
          rest += seen.all[row][column] = beside || above ? nearest_elsewhere(face, c, r) : at(face, c, r);
      }
    }
    if (missing != nullptr) *missing = rest / 3;
    return seen;
  }
  double nearest(const Vector& look) const {
    const auto [face, x, y] = met(look);
    const auto inside = [&](double at) { return std::clamp(std::floor(at), 0.0, size_ - 1.0); };
    return at(face, inside(x), inside(y));
  }

 private:
  /// The face, and where on it, in texels.
  std::tuple<std::size_t, double, double> met(const Vector& look) const {
    std::size_t face = 0;
    for (std::size_t f = 1; f < 6; ++f) {
      if (dot(look, kFaces[f].out) > dot(look, kFaces[face].out)) face = f;
    }
    const auto& met = kFaces[face];
    const auto along = [&](const Vector& axis) {
      return (dot(look, axis) / dot(look, met.out) + 1) / 2 * size_;
    };
    return {face, along(met.right), along(met.down)};
  }
  Vector middle(std::size_t face, double column, double row) const {
    const auto& [out, right, down] = kFaces[face];
    return sum(sum(out, right, (2 * column + 1) / size_ - 1), down, (2 * row + 1) / size_ - 1);
  }
  double at(std::size_t face, double column, double row) const {
    return texels_[(face * std::size_t(size_) + std::size_t(row)) * std::size_t(size_) + std::size_t(column)];
  }
  double nearest_elsewhere(std::size_t but, double column, double row) const {
    const Vector aim = middle(but, column, row);
    double best = -1, found = 0;
    for (std::size_t face = 0; face < 6; ++face) {
      for (int r = 0; r < size_; ++r) {
        for (int c = 0; face != but && c < size_; ++c) {
          const Vector to = middle(face, c, r);
          const double cosine = dot(aim, to) / std::sqrt(dot(aim, aim) * dot(to, to));
          if (cosine > best) best = cosine, found = at(face, c, r);
        }
      }
    }
    return found;
  }

  int size_;
  std::vector<float> texels_;
};

class ConformanceOfCubes : public TexturesTest {
 protected:
  /// Texel (x, y) of face f is 16 f + size y + x, and the second cube has 1000 more.
  static std::vector<float> texels(int size, std::size_t cubes) {
    std::vector<float> all;
    for (std::size_t cube = 0; cube < cubes; ++cube)
      for (int face = 0; face < 6; ++face)
        for (int at = 0; at < size * size; ++at) all.push_back(float(1000 * cube) + float(16 * face + at));
    return all;
  }

  /// Along each axis; over each edge, in its middle and a little to both sides of it, past the middle of each
  /// texel beside it; into each corner; and anywhere.
  static std::vector<Vector> looks(int size) {
    std::vector<Vector> all;
    for (const Face& face : kFaces) all.push_back(face.out);
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = a + 1; b < 6; ++b) {
        if (dot(kFaces[a].out, kFaces[b].out) != 0) continue;
        for (int texel = 0; texel < size; ++texel) {
          Vector edge = sum(kFaces[a].out, kFaces[b].out, 1);
          for (double& one : edge) one = one == 0 ? (2.0 * texel + 1) / size - 1 : one;
          all.push_back(edge);
          // Scaled, so that the place on the face that is met is as far from the middles of texels.
          all.push_back(sum(edge, kFaces[a].out, -0.5 / size));
          all.push_back(sum(edge, kFaces[b].out, -0.5 / size));
        }
      }
    }
    for (int corner = 0; corner < 8; ++corner)
      all.push_back({corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0});
    for (const int seed : {1, 2, 3}) {
      const auto drawn = whole_numbers<double>(60, -1000, 1000, unsigned(seed));
      for (std::size_t i = 0; i + 2 < drawn.size(); i += 3)
        all.push_back({drawn[i], drawn[i + 1], drawn[i + 2]});
    }
    return all;
  }
};
ASSAY_BOTH_MODES(ConformanceOfCubes);

TEST_P(ConformanceOfCubes, SeenInEveryDirection) {
  constexpr int kSize = 4;
  constexpr float kKeel = 40.5f;
  const auto all = looks(kSize);
  std::vector<float> places, pairs;
  for (const Vector& look : all)
    for (const double one : look) places.push_back(float(one));
  const auto one = texels(kSize, 1), two = texels(kSize, 2);
  for (const float texel : one) pairs.insert(pairs.end(), {texel, -texel});
  TextureRun globe = kernel("texture_cubes", "globe");
  globe.texture({TextureFormat::rg32float, kSize, kSize, 1, 6}, pairs);
  globe.texture({TextureFormat::r32float, kSize, kSize, 1, 6}, one);
  globe.texture({TextureFormat::r32float, kSize, kSize, 1, 12}, two);
  globe.texture({TextureFormat::r32float, kSize, kSize, 1, 12}, two);
  globe.buffer(places).buffer(std::vector<float>(40 * all.size())).buffer(std::vector<float>{kKeel});
  run_clean(globe, {std::uint32_t(all.size()), 1, 1});
  const auto out = globe.values<float>(1);
  const Globe expected(kSize, one);
  const auto same = [](double texel) { return texel; };
  const auto opposite = [](double texel) { return -texel; };
  const auto later = [](double texel) { return 1000 + texel; };
  const auto deeper = [](double texel) { return kKeel < texel ? 1.0 : 0.0; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "look " << i << ": " << all[i][0] << " " << all[i][1] << " "
                                    << all[i][2]);
    const auto seen = expected.around(all[i]);
    const double nearest = expected.nearest(all[i]), mixed = seen.mixed(same);
    std::vector<double> right = {nearest, mixed};
    const auto add = [&](const std::array<double, 4>& four) {
      right.insert(right.end(), four.begin(), four.end());
    };
    add(seen.in_turn(same));
    add(seen.in_turn(opposite));
    right.insert(right.end(), {nearest, mixed});
    add(seen.in_turn(same));
    right.insert(right.end(), {deeper(nearest), seen.mixed(deeper)});
    add(seen.in_turn(deeper));
    right.insert(right.end(), {nearest, 1000 + mixed, 1000 + mixed});
    add(seen.in_turn(later));
    right.insert(right.end(), {1000 + mixed, seen.mixed(deeper)});
    add(seen.in_turn(deeper));
    add(seen.in_turn(same));
    right.push_back(2 * kSize + 20 + 200);
    const std::vector<float> found(out.begin() + long(40 * i), out.begin() + long(40 * (i + 1)));
    EXPECT_THAT(found, testing::Pointwise(testing::FloatNear(2e-3f), right));
  }
}

// Faces past the sixth and cubes past the last read as zero, and are not written.
TEST_P(ConformanceOfCubes, ReadAndWritten) {
  constexpr int kSize = 2;
  constexpr std::size_t kFacesTried = 30;
  const auto one = texels(kSize, 1), two = texels(kSize, 2);
  const std::vector<Half> halves(two.begin(), two.end());
  TextureRun copied = kernel("texture_cubes", "copied");
  copied.texture({TextureFormat::r32float, kSize, kSize, 1, 6}, one);
  copied.texture({TextureFormat::r32float, kSize, kSize, 1, 6}, one);
  copied.texture({TextureFormat::r16float, kSize, kSize, 1, 12}, halves);
  copied.texture({TextureFormat::r32float, kSize, kSize, 1, 12}, two);
  copied.texture({TextureFormat::r16float, kSize, kSize, 1, 6});
  copied.buffer(std::vector<float>(4 * 4 * kFacesTried));
  run_clean(copied, {kSize, kSize, kFacesTried});
  const auto out = copied.values<float>(0);
  for (std::size_t z = 0; z < kFacesTried; ++z) {
    for (std::size_t at = 0; at < 4; ++at) {
      const std::size_t face = z % 10, index = z / 10;
      const bool there = face < 6;
      const float texel = there ? one[4 * face + at] : 0;
      const float of_two = there && index < 2 ? texel + 1000 * float(index) : 0;
      const float* found = &out[4 * (4 * z + at)];
      EXPECT_EQ(std::vector<float>(found, found + 4), (std::vector<float>{texel, texel, of_two, of_two}))
          << "face " << face << " of cube " << index << ", texel " << at;
    }
  }
  const auto copy = copied.textures[4].texels<Half>(), eras = copied.textures[2].texels<Half>();
  for (std::size_t face = 0; face < 6; ++face) {
    EXPECT_EQ(float(copy[4 * face + 1]), one[4 * face + 2]) << "columns and rows change places";
    EXPECT_EQ(float(copy[4 * face + 2]), one[4 * face + 1]) << face;
  }
  for (std::size_t at = 0; at < eras.size(); ++at) EXPECT_EQ(float(eras[at]), two[at] + 1) << at;
}

}  // namespace
}  // namespace assay::metal
