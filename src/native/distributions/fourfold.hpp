// The law of a 2 x 2 table with given totals: the count of one cell is hypergeometric.
//
// Both values of interest, phi squared and mutual information, fall and then rise with the count, so that
// their upper tail is a lower and an upper tail of the count. Its probabilities are walked outwards from the
// mode by P(m+1)/P(m) = (a-m)(b-m) / ((m+1)(n-a-b+m+1)), which keeps the digits of the smallest of them.
#pragma once

#include <cstdint>
#include <vector>

namespace bychance {

enum class FourfoldValue { contingency, information };  // phi squared, mutual information in bits

class FourfoldLaw {
 public:
  // a of n rows have one value of x, b of them one value of y; 0 < a, b < n.
  FourfoldLaw(std::int64_t n, std::int64_t a, std::int64_t b, FourfoldValue value);

  // P(value >= x).
  double tail(double x) const;

  // The smallest value v with P(value > v) <= 1 - p; rounding of the sums is forgiven.
  double quantile(double p) const;

 private:
  double key(std::int64_t m) const;  // rises with the value, on either side of the mean
  double value_of(double key) const;
  double key_of(double value) const;
  double step_up(std::int64_t m) const;  // P(m+1)/P(m)
  double weight_beyond(std::int64_t from, std::int64_t step, std::int64_t edge, double& total) const;

  std::int64_t n_, a_, b_, first_, last_, mode_, center_;
  double scale_ = 1;  // of phi squared to the squared distance from the mean
  double offset_ = 0;
  FourfoldValue value_;
};

}  // namespace bychance
