// Quantiles of the normal law.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bychance {

template <std::size_t n>
double polynomial(const double (&coefficients)[n], double x) {
  double sum = coefficients[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) sum = sum * x + coefficients[k];
  return sum;
}

// The number that a normal variable falls below with probability p, to the last few bits: rational functions
// of p in the middle and of sqrt(-ln p) in the tails (Wichura, Applied Statistics 37, 1988, algorithm AS
// 241).
inline double normal_quantile(double p) {
  constexpr double kMiddle[] = {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
                                13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                                33430.575583588128105, 2509.0809287301226727};
  constexpr double kMiddleBelow[] = {1,
                                     42.313330701600911252,
                                     687.18700749205790830,
                                     5394.1960214247511077,
                                     21213.794301586595867,
                                     39307.895800092710610,
                                     28729.085735721942674,
                                     5226.4952788528545610};
  constexpr double kTail[] = {1.42343711074968357734,  4.63033784615654529590,   5.76949722146069140550,
                              3.64784832476320460504,  1.27045825245236838258,   .241780725177450611770,
                              .0227238449892691845833, .000774545014278341407640};
  constexpr double kTailBelow[] = {1,
                                   2.05319162663775882187,
                                   1.67638483018380384940,
                                   .689767334985100004550,
                                   .148103976427480074590,
                                   .0151986665636164571966,
                                   .000547593808499534494600,
                                   1.05075007164441684324e-9};
  constexpr double kFarTail[] = {6.65790464350110377720,    5.46378491116411436990,
                                 1.78482653991729133580,    .296560571828504891230,
                                 .0265321895265761230930,   .00124266094738807843860,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kFarTailBelow[] = {1,
                                      .599832206555887937690,
                                      .136929880922735805310,
                                      .0148753612908506148525,
                                      .000786869131145613259100,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double x = 0.180625 - q * q;
    return q * polynomial(kMiddle, x) / polynomial(kMiddleBelow, x);
  }
  const double x = std::sqrt(-std::log(std::min(p, 1 - p)));
  const double z = x <= 5 ? polynomial(kTail, x - 1.6) / polynomial(kTailBelow, x - 1.6)
                          : polynomial(kFarTail, x - 5) / polynomial(kFarTailBelow, x - 5);
  return q < 0 ? -z : z;
}

}  // namespace bychance
