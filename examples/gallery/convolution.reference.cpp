// out[h, w] = sum of weights[i, j] * image[h + i - 1, w + j - 1], where edges go on as they end

/// i, from 0 to count - 1
Index inside(Index i, Index count) { return i < 0 ? 0 : i < count ? i : count - 1; }

void reference() {
  for (Index h = 0; h < H; ++h)
    for (Index w = 0; w < W; ++w)
      out(h, w) = sum(9, [&](Index t) {
        return weights(t / 3, t % 3) * image(inside(h + t / 3 - 1, H), inside(w + t % 3 - 1, W));
      });
}
