// Rows as attention has them: masked places are -infinity, and whole rows lie far from 0 on either side, or
// one element far above the others, where exp() of what is not made smaller first is infinite, or 0.
void fill(Draw& draw) {
  if (draw.regime("patterns")) return;
  for (Index m = 0; m < M; ++m) {
    const Index kind = draw.below(4);
    const double middle = kind == 1 ? 150 : kind == 2 ? -150 : 0;
    const bool masked = draw.below(3) == 0;
    const Index kept = draw.below(N);
    for (Index n = 0; n < N; ++n) {
      if (masked && n != kept && draw.below(4) == 0) {
        x.set(-infinity, m, n);
      } else if (middle != 0) {
        x.set(middle + 4 * draw.normal(), m, n);
      }
    }
    if (draw.below(3) == 0) x.set(middle + 150, m, kept);
  }
}
