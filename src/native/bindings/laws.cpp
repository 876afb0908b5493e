// Laws of many pairs at once: arrays in, arrays out, the GIL released in between.
#include <algorithm>
#include <optional>

#include "bindings/arrays.hpp"
#include "nulls/beta_law.hpp"
#include "nulls/fourfold.hpp"

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

FourfoldValue fourfold_value(const std::string& name) {
  require(name == "contingency" || name == "information", "the value is contingency or information");
  return name == "contingency" ? FourfoldValue::contingency : FourfoldValue::information;
}

// Calls use(law, i) for each table, without the GIL.
template <class Use>
Out<double> over_tables(const In<std::int64_t>& n, const In<std::int64_t>& a, const In<std::int64_t>& b,
                        FourfoldValue value, Use use) {
  require(n.size() == a.size() && n.size() == b.size(), "n, a and b must be of one length");
  for (std::size_t i = 0; i < n.size(); ++i) {
    require(std::min(a.data()[i], b.data()[i]) > 0 && std::max(a.data()[i], b.data()[i]) < n.data()[i],
            "0 < a, b < n");
  }
  std::vector<double> out(n.size());
  {
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = use(FourfoldLaw(n.data()[i], a.data()[i], b.data()[i], value), i);
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
  m.def(
      "fourfold_quantiles",
      [](In<std::int64_t> n, In<std::int64_t> a, In<std::int64_t> b, double p, const std::string& value) {
        const auto quantile = [p](const FourfoldLaw& law, std::size_t) { return law.quantile(p); };
        return over_tables(n, a, b, fourfold_value(value), quantile);
      },
      "n"_a, "a"_a, "b"_a, "p"_a, "value"_a,
      "The p-quantile of phi squared or of mutual information (bits) of 2 x 2 tables with these totals.");
  m.def(
      "fourfold_tails",
      [](In<std::int64_t> n, In<std::int64_t> a, In<std::int64_t> b, In<double> values,
         const std::string& value) {
        require(values.size() == n.size(), "one value a law");
        const double* x = values.data();
        const auto tail = [x](const FourfoldLaw& law, std::size_t i) { return law.tail(x[i]); };
        return over_tables(n, a, b, fourfold_value(value), tail);
      },
      "n"_a, "a"_a, "b"_a, "values"_a, "value"_a, "P(D >= value) of 2 x 2 tables with these totals.");
}

}  // namespace bychance
