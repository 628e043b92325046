// Each pair (x[i], x[i + D / 2]) of a head turned by position * frequency[i]
void reference() {
  for (Index t = 0; t < T; ++t) {
    for (Index i = 0; i < D / 2; ++i) {
      const Number angle = Number(positions(t)) * frequencies(i);
      const Number cosine = cos(angle), sine = sin(angle);
      for (Index h = 0; h < H; ++h) {
        const Number first = x.given(t, h, i), second = x.given(t, h, i + D / 2);
        x(t, h, i) = first * cosine - second * sine;
        x(t, h, i + D / 2) = first * sine + second * cosine;
      }
    }
  }
}
