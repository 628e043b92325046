// out[m] = softmax(q[m] . k[s] / 8) v[s]
void reference() {
  for (Index m = 0; m < M; ++m) {
    Values<Number> scores(S);
    for (Index s = 0; s < S; ++s)
      scores(s) = sum(64, [&](Index i) { return q(m, i) * k(s, i); }) * 0.125;
    const Number most = largest(S, [&](Index s) { return scores(s); });
    const auto weight = [&](Index s) { return exp(scores(s) - most); };
    const Number total = sum(S, weight);
    for (Index d = 0; d < 64; ++d)
      out(m, d) = sum(S, [&](Index s) { return weight(s) * v(s, d); }) / total;
  }
}
