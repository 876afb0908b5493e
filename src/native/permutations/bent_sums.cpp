// One pass over the rows per pairing: weighted sums of y in each column of the basis.
#include "permutations/bent_sums.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace bychance {
namespace {

using Row = std::array<double, kMostPieces>;

class LineEvaluator : public Evaluator {
 public:
  LineEvaluator(const BentLine& x, const Held<double>& y) : x_(x), y_(y) {}

  double sum(const std::int32_t* pairing) override {
    return trace_of_line(x_, [&](std::size_t k) { return y_[pairing[k]]; });
  }

 private:
  const BentLine& x_;
  const Held<double>& y_;
};

class ClassEvaluator : public Evaluator {
 public:
  ClassEvaluator(const BentLine& x, const Held<std::int32_t>& codes, std::size_t n_classes)
      : x_(x), codes_(codes), sizes_(n_classes) {
    for (const std::int32_t code : codes_) ++sizes_[code];
  }

  double sum(const std::int32_t* pairing) override {
    const auto code = [&](std::size_t k) { return codes_[pairing[k]]; };
    return trace_of_classes(x_, code, sizes_, sums_);
  }

 private:
  const BentLine& x_;
  const Held<std::int32_t>& codes_;
  std::vector<std::int64_t> sizes_;
  std::vector<double> sums_;
};

Row row_of(const BentLine& x, std::size_t k) {
  Row row{};
  x.row(k, row.data());
  return row;
}

// By how much the squared length changes as a step is added to the vector.
double gain_of(const Row& at, const Row& step, double factor) {
  double gain = 0;
  for (std::size_t a = 0; a < kMostPieces; ++a) gain += factor * step[a] * (2 * at[a] + factor * step[a]);
  return gain;
}

void add_to(Row& at, const Row& step, double factor) {
  for (std::size_t a = 0; a < kMostPieces; ++a) at[a] += factor * step[a];
}

class LineStep {
 public:
  LineStep(const BentLine& x, const Held<double>& y) : x_(x), y_(y) {}

  std::size_t steps() const { return 4 * kMostPieces; }

  double sum(const std::int32_t* pairing) {
    at_.fill(0);
    for (std::size_t k = 0; k < y_.size; ++k) {
      add_to(at_, row_of(x_, k), y_[pairing[k]]);
    }
    return gain_of({}, at_, 1);
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    const Row second = row_of(x_, j);
    step_ = row_of(x_, i);
    add_to(step_, second, -1);
    factor_ = y_[pairing[j]] - y_[pairing[i]];
    return sum + gain_of(at_, step_, factor_);
  }

  void settle(bool is_kept) {
    if (is_kept) add_to(at_, step_, factor_);
  }

 private:
  const BentLine& x_;
  const Held<double>& y_;
  Row at_{}, step_{};
  double factor_ = 0;
};

class ClassStep {
 public:
  ClassStep(const BentLine& x, const Held<std::int32_t>& codes, std::size_t n_classes)
      : x_(x), codes_(codes), at_(n_classes) {}

  std::size_t steps() const { return 6 * kMostPieces; }

  double sum(const std::int32_t* pairing) {
    std::fill(at_.begin(), at_.end(), Row{});
    for (std::size_t k = 0; k < codes_.size; ++k) {
      add_to(at_[codes_[pairing[k]]], row_of(x_, k), 1);
    }
    double total = 0;
    for (const Row& each : at_) total += gain_of({}, each, 1);
    return total;
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    first_ = static_cast<std::size_t>(codes_[pairing[i]]);
    second_ = static_cast<std::size_t>(codes_[pairing[j]]);
    if (first_ == second_) return sum;
    step_ = row_of(x_, j);
    add_to(step_, row_of(x_, i), -1);
    return sum + gain_of(at_[first_], step_, 1) + gain_of(at_[second_], step_, -1);
  }

  void settle(bool is_kept) {
    if (!is_kept || first_ == second_) return;
    add_to(at_[first_], step_, 1);
    add_to(at_[second_], step_, -1);
  }

 private:
  const BentLine& x_;
  const Held<std::int32_t>& codes_;
  std::vector<Row> at_;
  Row step_{};
  std::size_t first_ = 0, second_ = 0;
};

}  // namespace

std::unique_ptr<Evaluator> BentLineSum::evaluator() const { return std::make_unique<LineEvaluator>(*x_, y_); }

std::unique_ptr<Walker> BentLineSum::walker() const {
  return std::make_unique<WalkerBy<LineStep>>(LineStep(*x_, y_), finish());
}

std::unique_ptr<Evaluator> BentClassSum::evaluator() const {
  return std::make_unique<ClassEvaluator>(*x_, codes_, n_classes_);
}

std::unique_ptr<Walker> BentClassSum::walker() const {
  return std::make_unique<WalkerBy<ClassStep>>(ClassStep(*x_, codes_, n_classes_), finish());
}

}  // namespace bychance
