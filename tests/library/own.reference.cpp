// y = 2 x.
void reference() {
  each(N, [&](Index n) { y(n) = 2 * x(n); });
}
