// counts[b] grows by how often b is in x
void reference() {
  Index found[256] = {};
  for (Index n = 0; n < N; ++n) ++found[x(n)];
  for (Index b = 0; b < 256; ++b) counts(b) = counts.given(b) + found[b];
}
