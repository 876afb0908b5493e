// Kernels over many pairs of columns of which one or both hold labels: arrays in, arrays out, the GIL
// released in between.
#include "bindings.hpp"
#include "trace_moments.hpp"

namespace bychance {
namespace {

void bind_many_traces(nb::module_& m) {
  m.def(
      "trace_moments_many",
      [](InRows<double> x, InRows<double> y, In<double> n) {
        const std::size_t count = n.size();
        require(x.shape(0) == count && y.shape(0) == count, "one row of invariants a pair");
        require(x.shape(1) == kInvariants && y.shape(1) == kInvariants, "eight invariants a variable");
        std::vector<double> mean(count), variance(count), third(count);
        {
          nb::gil_scoped_release released;
          for (std::size_t k = 0; k < count; ++k) {
            const TraceMoments moments =
                trace_moments(x.data() + k * kInvariants, y.data() + k * kInvariants, n.data()[k]);
            mean[k] = moments.mean, variance[k] = moments.variance, third[k] = moments.third;
          }
        }
        return std::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(variance)),
                               to_numpy(std::move(third)));
      },
      "x"_a, "y"_a, "n"_a, "trace_moments of many pairs, one row of invariants each.");
}

}  // namespace

void bind_labels(nb::module_& m) { bind_many_traces(m); }

}  // namespace bychance
