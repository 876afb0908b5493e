// One pass over the rows per pairing.
#include <algorithm>
#include <utility>
#include <vector>

#include "permutations/statistics.hpp"

namespace bychance {
namespace {

class LineStep {
 public:
  explicit LineStep(const LineProduct& of) : x_(of.x.data), y_(of.y.data), n_(of.n()) {}

  std::size_t steps() const { return 1; }

  double sum(const std::int32_t* pairing) const {
    double sum0 = 0, sum1 = 0;
    std::size_t k = n_;
    for (; k > 1; k -= 2) {
      sum0 += x_[k - 1] * y_[pairing[k - 1]];
      sum1 += x_[k - 2] * y_[pairing[k - 2]];
    }
    if (k == 1) sum0 += x_[0] * y_[pairing[0]];
    return sum0 + sum1;
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) const {
    return sum + (x_[i] - x_[j]) * (y_[pairing[j]] - y_[pairing[i]]);
  }
  void settle(bool) {}

 private:
  const double *x_, *y_;
  std::size_t n_;
};

class GroupStep {
 public:
  explicit GroupStep(const GroupSums& of)
      : groups_(of.groups),
        line_(of.line),
        is_line_permuted_(of.is_line_permuted),
        sums_(groups_.weights.size) {}

  std::size_t steps() const { return 1; }

  double sum(const std::int32_t* pairing) {
    const std::int32_t* codes = groups_.codes.data;
    const double* line = line_.data;
    double* sums = sums_.data();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    if (is_line_permuted_) {
      for (std::size_t k = 0; k < line_.size; ++k) sums[codes[k]] += line[pairing[k]];
    } else {
      for (std::size_t k = 0; k < line_.size; ++k) sums[codes[pairing[k]]] += line[k];
    }
    double total = 0;
    for (std::size_t g = 0; g < sums_.size(); ++g) total += groups_.weights[g] * sums[g] * sums[g];
    return total;
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    const auto pi = static_cast<std::size_t>(pairing[i]), pj = static_cast<std::size_t>(pairing[j]);
    first_ = groups_.codes[is_line_permuted_ ? i : pi];
    second_ = groups_.codes[is_line_permuted_ ? j : pj];
    if (first_ == second_) {
      gain_ = 0;
      return sum;
    }
    gain_ = is_line_permuted_ ? line_[pj] - line_[pi] : line_[j] - line_[i];
    const double a = sums_[first_], b = sums_[second_];
    return sum + groups_.weights[first_] * gain_ * (2 * a + gain_) -
           groups_.weights[second_] * gain_ * (2 * b - gain_);
  }

  void settle(bool is_kept) {
    if (!is_kept) return;
    sums_[first_] += gain_;
    sums_[second_] -= gain_;
  }

 private:
  const Groups& groups_;
  const SharedArray<double>& line_;
  bool is_line_permuted_;
  std::vector<double> sums_;  // over each group, of the pairing that was summed or that the walk is at
  std::size_t first_ = 0, second_ = 0;
  double gain_ = 0;
};

class MatrixStep {
 public:
  MatrixStep(const SharedArray<double>& a, const SharedArray<double>& b, std::size_t n)
      : a_(a.data), b_(b.data), n_(n) {}

  std::size_t steps() const { return n_; }

  double sum(const std::int32_t* pairing) const {
    double total = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* a_row = a_ + k * n_;
      const double* b_row = b_ + pairing[k] * n_;
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a_row[l] * b_row[pairing[l]];
      total += 2 * sum + a_row[k] * b_row[pairing[k]];
    }
    return total;
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) const {
    const auto pi = static_cast<std::size_t>(pairing[i]), pj = static_cast<std::size_t>(pairing[j]);
    const double *ai = a_ + i * n_, *aj = a_ + j * n_, *bi = b_ + pi * n_, *bj = b_ + pj * n_;
    // The change if every entry changed, less the entries that rows i and j have of each other.
    double change = 0;
    for (std::size_t l = 0; l < n_; ++l) change += (ai[l] - aj[l]) * (bj[pairing[l]] - bi[pairing[l]]);
    change -= (ai[i] - aj[i]) * (bj[pi] - bi[pi]) + (ai[j] - aj[j]) * (bj[pj] - bi[pj]);
    return sum + 2 * change + (ai[i] - aj[j]) * (bj[pj] - bi[pi]);
  }
  void settle(bool) {}

 private:
  const double *a_, *b_;
  std::size_t n_;
};

// The change of the squared length as a step is added to the vector.
double gain_of(const BentRow& at, const BentRow& step, double factor) {
  double gain = 0;
  for (std::size_t a = 0; a < kMostPieces; ++a) gain += factor * step[a] * (2 * at[a] + factor * step[a]);
  return gain;
}

void add_to(BentRow& at, const BentRow& step, double factor) {
  for (std::size_t a = 0; a < kMostPieces; ++a) at[a] += factor * step[a];
}

class BentLineStep {
 public:
  BentLineStep(const BentLine& x, const SharedArray<double>& y) : x_(x), y_(y) {}

  std::size_t steps() const { return 4 * kMostPieces; }

  double sum(const std::int32_t* pairing) {
    at_ = sum_of_line(x_, [&](std::size_t k) { return y_[pairing[k]]; });
    return squared_length(at_);
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    step_ = x_.row(i);
    add_to(step_, x_.row(j), -1);
    factor_ = y_[pairing[j]] - y_[pairing[i]];
    return sum + gain_of(at_, step_, factor_);
  }

  void settle(bool is_kept) {
    if (is_kept) add_to(at_, step_, factor_);
  }

 private:
  const BentLine& x_;
  const SharedArray<double>& y_;
  BentRow at_{}, step_{};
  double factor_ = 0;
};

class BentClassStep {
 public:
  BentClassStep(const BentLine& x, const Labels& classes)
      : x_(x), codes_(classes.codes), n_classes_(classes.n_labels) {}

  std::size_t steps() const { return 6 * kMostPieces; }

  double sum(const std::int32_t* pairing) {
    sum_classes(x_, [&](std::size_t k) { return codes_[pairing[k]]; }, n_classes_, weights_, at_);
    return squared_lengths(at_);
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    first_ = codes_[pairing[i]];
    second_ = codes_[pairing[j]];
    if (first_ == second_) return sum;
    step_ = x_.row(j);
    add_to(step_, x_.row(i), -1);
    return sum + gain_of(at_[first_], step_, 1) + gain_of(at_[second_], step_, -1);
  }

  void settle(bool is_kept) {
    if (!is_kept || first_ == second_) return;
    add_to(at_[first_], step_, 1);
    add_to(at_[second_], step_, -1);
  }

 private:
  const BentLine& x_;
  const SharedArray<std::int32_t>& codes_;
  std::size_t n_classes_;
  std::vector<BentFunction> weights_;
  std::vector<BentRow> at_;
  BentRow step_{};
  std::size_t first_ = 0, second_ = 0;
};

}  // namespace

// A value is final once its place was the last to trade: no second pass over the rows, and the same sum.
void LineProduct::draw(const Permutations& permutations, std::uint64_t first, std::size_t count, Watch& watch,
                       double* out) const {
  if (!permutations.is_free() || permutations.n() != n() || n() == 0) {
    return Statistic::draw(permutations, first, count, watch, out);
  }
  std::vector<double> values(n());
  Permutations::Scratch partners(n());
  double* held = values.data();
  const double* own = x.data;
  const auto meeting = [held, at = partners.data()](std::size_t k) {
    const double value = held[at[k]];
    held[at[k]] = held[k];
    return value;
  };
  partners[0] = 0;
  for (std::size_t s = 0; s < count; ++s) {
    DrawStream stream(permutations.key(), first + s);
    draw_partners(stream, n(), partners.data());
    std::copy_n(y.data, n(), held);
    double sum0 = 0, sum1 = 0;
    std::size_t k = n();
    for (; k > 1; k -= 2) {
      sum0 += own[k - 1] * meeting(k - 1);
      sum1 += own[k - 2] * meeting(k - 2);
    }
    if (k == 1) sum0 += own[0] * held[0];
    out[s] = finish()(sum0 + sum1);
    watch.done(n());
  }
}

std::unique_ptr<Walker> LineProduct::walker() const {
  return std::make_unique<WalkerBy<LineStep>>(LineStep(*this), finish(), outer_rows(x.data, n()));
}

std::unique_ptr<Walker> GroupSums::walker() const {
  return std::make_unique<WalkerBy<GroupStep>>(GroupStep(*this), finish());
}

std::unique_ptr<Walker> MatrixProduct::walker() const {
  return std::make_unique<WalkerBy<MatrixStep>>(MatrixStep(a_, b_, n()), finish());
}

std::unique_ptr<Walker> BentLineSum::walker() const {
  return std::make_unique<WalkerBy<BentLineStep>>(BentLineStep(*x_, y_), finish());
}

std::unique_ptr<Walker> BentClassSum::walker() const {
  return std::make_unique<WalkerBy<BentClassStep>>(BentClassStep(*x_, classes_), finish());
}

}  // namespace bychance
