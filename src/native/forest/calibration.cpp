// Newton's method. The log loss is convex in slope and intercepts together, so that a slope beyond a bound
// has its optimum on it.
#include "forest/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace bychance::forest {
namespace {

constexpr double kPrecision = 1e-9;  // of the mean shares, and of the slope's derivative
constexpr double kRounding = 1e-12;  // of a mean log loss
constexpr double kResidual = 1e-2;   // of a Newton step's equations: more digits do not save a step
constexpr double kFarthest = 5;      // in one step: beyond, the second derivatives say nothing
constexpr int kMostSteps = 60, kMostHalvings = 20;

using Vector = std::vector<double>;  // of the slope, then of each class

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

class MeanLoss {
 public:
  MeanLoss(const JudgedRows& rows, Watch& watch)
      : rows_(rows),
        watch_(watch),
        shares_(rows.n_rows * rows.n_classes),
        losses_(rows.n_rows),
        gradient_(rows.n_classes + 1),
        diagonal_(rows.n_classes + 1) {}

  // The mean log loss; afterwards all below is of this point.
  double at(const Vector& point) {
    const std::size_t n_classes = rows_.n_classes;
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
    double loss = 0;
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
      const double* x = rows_.logs + i * n_classes;
      double* p = shares_.data() + i * n_classes;
      const auto own = static_cast<std::size_t>(rows_.classes[i]);
      const double weight = rows_.weights[i];
      for (std::size_t k = 0; k < n_classes; ++k) p[k] = point[k + 1] + point[0] * x[k];
      const double largest = *std::max_element(p, p + n_classes), of_own = p[own] - largest;
      double sum = 0, mean = 0, square = 0;
      for (std::size_t k = 0; k < n_classes; ++k) sum += p[k] = std::exp(p[k] - largest);
      for (std::size_t k = 0; k < n_classes; ++k) {
        p[k] /= sum;
        gradient_[k + 1] += weight * p[k];
        diagonal_[k + 1] += weight * p[k] * (1 - p[k]);
        mean += p[k] * x[k];
        square += p[k] * x[k] * x[k];
      }
      gradient_[own + 1] -= weight;
      gradient_[0] += weight * (mean - x[own]);
      diagonal_[0] += weight * std::max(square - mean * mean, 0.0);
      losses_[i] = std::log(sum) - of_own;
      loss += weight * losses_[i];
      watch_.done(n_classes);
    }
    return loss;
  }

  const Vector& gradient() const { return gradient_; }
  const Vector& losses() const { return losses_; }

  // The solution of H d = -g by conjugate gradients, scaled by the diagonal of H: its cost grows with the
  // classes, not with their square. With `is_held` the slope stays.
  Vector newton_step(bool is_held) {
    const std::size_t size = gradient_.size();
    Vector step(size), left(size), scaled(size), along(size), bent(size);
    for (std::size_t k = is_held ? 1 : 0; k < size; ++k) left[k] = -gradient_[k];
    const auto scale = [&] {
      for (std::size_t k = 0; k < size; ++k) scaled[k] = diagonal_[k] > 0 ? left[k] / diagonal_[k] : 0;
      return product(left, scaled);
    };
    double length = scale();
    const double small = kResidual * kResidual * length;
    along = scaled;
    for (std::size_t turn = 0; turn < 2 * size && length > small; ++turn) {
      bend(along, bent);
      if (is_held) bent[0] = 0;
      const double curvature = product(along, bent);
      if (curvature <= 0) break;  // a constant added to all intercepts changes nothing
      const double part = length / curvature, before = length;
      for (std::size_t k = 0; k < size; ++k) step[k] += part * along[k], left[k] -= part * bent[k];
      length = scale();
      for (std::size_t k = 0; k < size; ++k) along[k] = scaled[k] + length / before * along[k];
    }
    return step;
  }

 private:
  // The second derivatives times a direction.
  void bend(const Vector& along, Vector& out) {
    const std::size_t n_classes = rows_.n_classes;
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
      const double* x = rows_.logs + i * n_classes;
      const double* p = shares_.data() + i * n_classes;
      double mean = 0;
      for (std::size_t k = 0; k < n_classes; ++k) mean += p[k] * (along[k + 1] + along[0] * x[k]);
      for (std::size_t k = 0; k < n_classes; ++k) {
        const double each = rows_.weights[i] * p[k] * (along[k + 1] + along[0] * x[k] - mean);
        out[k + 1] += each;
        out[0] += each * x[k];
      }
      watch_.done(n_classes);
    }
  }

  const JudgedRows& rows_;
  Watch& watch_;
  Vector shares_, losses_, gradient_, diagonal_;
};

}  // namespace

Calibration calibrate(const JudgedRows& rows, double least, double most, Watch& watch) {
  MeanLoss mean_loss(rows, watch);
  Vector point{std::clamp(1.0, least, most)};
  point.insert(point.end(), rows.start, rows.start + rows.n_classes);
  double loss = mean_loss.at(point);
  for (int turn = 0; turn < kMostSteps; ++turn) {
    const Vector& gradient = mean_loss.gradient();
    const bool is_held = (point[0] <= least && gradient[0] > 0) || (point[0] >= most && gradient[0] < 0);
    double largest = is_held ? 0 : std::abs(gradient[0]);
    for (std::size_t k = 1; k < gradient.size(); ++k) largest = std::max(largest, std::abs(gradient[k]));
    if (largest < kPrecision) break;
    Vector step = mean_loss.newton_step(is_held);
    const double room = (step[0] < 0 ? least : most) - point[0];
    if (room == 0 && step[0] != 0) step = mean_loss.newton_step(true);
    // Not beyond a bound of the slope, nor too far at once, and half as far as long as the loss rises.
    double part = 1, farthest = 0, lower = 0;
    if (step[0] != 0) part = std::min(part, room / step[0]);
    for (const double each : step) farthest = std::max(farthest, std::abs(each));
    if (farthest * part > kFarthest) part = kFarthest / farthest;
    Vector next(point.size());
    for (int halving = 0; halving < kMostHalvings; ++halving, part /= 2) {
      for (std::size_t k = 0; k < point.size(); ++k) next[k] = point[k] + part * step[k];
      next[0] = std::clamp(next[0], least, most);
      lower = mean_loss.at(next);
      if (lower <= loss + kRounding) break;
    }
    if (lower > loss + kRounding) {
      mean_loss.at(point);
      break;
    }
    point = next;
    loss = lower;
  }
  return {point[0], {point.begin() + 1, point.end()}, mean_loss.losses()};
}

}  // namespace bychance::forest
