// out[b, h] = sum over positions of softmax(q[b, h] . k[b, s, h / group] * scale) * v[b, s, h / group]

/// Sequences of any length up to the capacity. Heads whose scores all lie so far below 0, or above it, that
/// exp() of them is 0, or infinite; and heads of which one position has a score that far above the others.
void fill(Draw& draw) {
  for (Index b = 0; b < batch; ++b) {
    const Index length = draw.below(3) == 0 ? capacity : draw.between(1, capacity);
    lengths.set(length, b);
    if (draw.regime("patterns")) continue;
    for (Index g = 0; g < kv_heads; ++g) {
      const Index kind = draw.below(4), peak = kind == 3 ? draw.below(length) : -1;
      if (kind == 0) continue;
      for (Index h = g * group; h < (g + 1) * group; ++h)
        for (Index i = 0; i < D; ++i) q.set(4 + 0.25 * draw.normal(), b, h, i);
      for (Index s = 0; s < capacity; ++s) {
        const double sign = kind == 1 || s == peak ? 1 : -1;
        for (Index i = 0; i < D; ++i) k.set(sign * (4 + 0.25 * draw.normal()), b, s, g, i);
      }
    }
  }
}

/// 1, as a product of so many factors, each as accurate as exp() is: what a weight is made smaller by as
/// larger scores come.
Number shrunk(Index times) {
  Number factor = 1;
  for (Index i = 0; i < times; ++i) factor = factor * exp(Number(0));
  return factor;
}

void reference() {
  for (Index b = 0; b < batch; ++b) {
    const Index length = lengths(b);
    // At each step of four simdgroups, 32 positions each, and where they are joined.
    const Number shrink = shrunk((length + 127) / 128 + 1);
    for (Index h = 0; h < kv_heads * group; ++h) {
      const auto score = [&](Index s) {
        const Number product = sum(D, [&](Index i) { return q(b, h, i) * k(b, s, h / group, i); });
        return product * scale(0);
      };
      const Number most = largest(length, score);
      Number total, outputs[64];
      for (Index s = 0; s < length; ++s) {
        const Number weight = exp(score(s) - most) * shrink;
        total += weight;
        for (Index i = 0; i < D; ++i) outputs[i] += weight * v(b, s, h / group, i);
      }
      for (Index i = 0; i < D; ++i) out(b, h, i) = outputs[i] / total;
    }
  }
}
