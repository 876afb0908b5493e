// tr(A B) of two variables as a statistic: lines, groups and a line, dense matrices.
#pragma once

#include "permutations/statistic.hpp"

namespace bychance {

// sum_k x_k y_pi(k); its square is the trace where both variables are lines.
class LineProduct : public Statistic {
 public:
  LineProduct(Held<double> of_x, Held<double> of_y, const Finish& finish)
      : Statistic(of_x.size, finish), x(std::move(of_x)), y(std::move(of_y)) {}
  double product() const;  // of the pairing as it is
  void draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
            double* out) const override;
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

  const Held<double> x, y;
};

struct Groups {
  Held<std::int32_t> codes;  // one per row, 0..weights.size-1
  Held<double> weights;      // one per group
};

// sum_g w_g (sum of the line's values over group g)^2, permuting the line or the groups.
class GroupSums : public Statistic {
 public:
  GroupSums(Groups of_x, Held<double> of_y, bool permutes_line, const Finish& finish)
      : Statistic(of_y.size, finish),
        groups(std::move(of_x)),
        line(std::move(of_y)),
        is_line_permuted(permutes_line) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

  const Groups groups;
  const Held<double> line;
  const bool is_line_permuted;
};

// sum_kl A_kl B_pi(k)pi(l) for dense symmetric n × n matrices.
class MatrixProduct : public Statistic {
 public:
  MatrixProduct(Held<double> a, Held<double> b, std::size_t n, const Finish& finish)
      : Statistic(n, finish), a_(std::move(a)), b_(std::move(b)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() * n(); }

 private:
  Held<double> a_, b_;
};

}  // namespace bychance
