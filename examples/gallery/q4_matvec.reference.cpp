// y[n] = sum of weight[n, k] * x[k]. A scale that is multiplied with what its weights add up to is one
// rounding of each term, too.

/// Weight k of row n: (nibble - 8) * scale.
Number weight(Index n, Index k) {
  const Index block = k / 32, i = k % 32;
  const Number scale = half_from_bits(w(n, block, 0) | w(n, block, 1) << 8);
  const int byte = w(n, block, 2 + i % 16);
  return ((i < 16 ? byte & 15 : byte >> 4) - 8) * scale;
}

/// Any bytes are nibbles; scales are numbers.
void fill(Draw& draw) {
  for (Index n = 0; n < N; ++n) {
    for (Index block = 0; block < K / 32; ++block) {
      const unsigned bits = bits_of_half(draw.regime("whole") ? draw.between(1, 3) : 0.1 * draw.normal());
      w.set(bits & 0xFF, n, block, 0);
      w.set(bits >> 8, n, block, 1);
    }
  }
}

void reference() {
  for (Index n = 0; n < N; ++n) y(n) = sum(K, [&](Index k) { return weight(n, k) * x(k); });
}
