// tr(A B) of two variables as a statistic: lines, groups and a line, dense matrices.
#pragma once

#include "nulls/statistic.hpp"

namespace bychance {

// sum_k x_k y_pi(k); its square is the trace where both variables are lines.
class LineProduct : public Statistic {
 public:
  LineProduct(Held<double> x, Held<double> y, const Finish& finish);
  double product() const;  // of the pairing as it is
  void draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
            double* out) const override;
  const Held<double>& x() const { return x_; }
  const Held<double>& y() const { return y_; }
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

 private:
  Held<double> x_, y_;
};

struct Groups {
  Held<std::int32_t> codes;  // one per row, 0..weights.size-1
  Held<double> weights;      // one per group
};

// sum_g w_g (sum of the line's values over group g)^2, permuting the line or the groups.
class GroupSums : public Statistic {
 public:
  GroupSums(Groups groups, Held<double> line, bool is_line_permuted, const Finish& finish);
  const Groups& groups() const { return groups_; }
  const Held<double>& line() const { return line_; }
  bool is_line_permuted() const { return is_line_permuted_; }
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

 private:
  Groups groups_;
  Held<double> line_;
  bool is_line_permuted_;
};

// sum_kl A_kl B_pi(k)pi(l) for dense symmetric n × n matrices.
class MatrixProduct : public Statistic {
 public:
  MatrixProduct(Held<double> a, Held<double> b, std::size_t n, const Finish& finish);
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() * n(); }

 private:
  Held<double> a_, b_;
};

}  // namespace bychance
