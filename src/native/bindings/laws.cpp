// Laws of many pairs at once: arrays in, arrays out, the GIL released in between.
#include <optional>

#include "bindings/arrays.hpp"
#include "nulls/beta_law.hpp"

namespace bychance {
namespace {

// Calls use(law, i) for each pair of parameters, without the GIL; a law that repeats the last one is kept.
template <class Use>
Out<double> over_laws(const In<double>& a, const In<double>& b, Use use) {
  require(a.size() == b.size(), "a and b must be of one length");
  std::vector<double> out(a.size());
  {
    nb::gil_scoped_release released;
    std::optional<BetaLaw> law;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool is_new = i == 0 || a.data()[i] != a.data()[i - 1] || b.data()[i] != b.data()[i - 1];
      if (is_new) law.emplace(a.data()[i], b.data()[i]);
      out[i] = use(*law, i, is_new);
    }
  }
  return to_numpy(std::move(out));
}

}  // namespace

void bind_laws(nb::module_& m) {
  m.def(
      "beta_quantiles",
      [](In<double> a, In<double> b, double p) {
        double last = 0;
        return over_laws(a, b, [p, &last](const BetaLaw& law, std::size_t, bool is_new) {
          if (is_new) last = law.quantile(p);
          return last;
        });
      },
      "a"_a, "b"_a, "p"_a, "The p-quantile of each Beta(a, b).");
  m.def(
      "beta_tails",
      [](In<double> a, In<double> b, In<double> values) {
        require(values.size() == a.size(), "one value a law");
        const double* x = values.data();
        return over_laws(a, b,
                         [x](const BetaLaw& law, std::size_t i, bool) { return law.tails(x[i]).upper; });
      },
      "a"_a, "b"_a, "values"_a, "P(X >= value) of each Beta(a, b).");
}

}  // namespace bychance
