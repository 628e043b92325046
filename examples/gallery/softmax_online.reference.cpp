// y[m, n] = exp(x[m, n] - largest of x[m]) / their sum, where a kernel finds the sum along the way
#include "include/softmax_rows.h"

/// 1, as a product of so many factors, each as accurate as exp() is. A term that is made smaller as larger
/// elements come is exp(x - a) * exp(a - b) ..., which is exp(x - largest); what exp() is granted for an
/// argument's size is the same in all.
Number shrunk(Index times) {
  Number factor = 1;
  for (Index i = 0; i < times; ++i) factor = factor * exp(Number(0));
  return factor;
}

void reference() {
  // By each element that a thread of 128 sees, and once for its threadgroup.
  const Number shrink = shrunk((N + 127) / 128 + 1);
  each(M, [&](Index m) {
    const Number most = largest(N, [&](Index n) { return x(m, n); });
    const Number share = 1 / sum(N, [&](Index n) { return exp(x(m, n) - most) * shrink; });
    for (Index n = 0; n < N; ++n) y(m, n) = exp(x(m, n) - most) * share;
  });
}
