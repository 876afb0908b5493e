// Sums over batches of rows: arrays in, totals that grow, the GIL released in between.
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/arrays.hpp"
#include "moments/batch_sums.hpp"

namespace bychance {
namespace {

using TotalCube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Masks masks_of(const Columns<bool>& is_missing, std::size_t n_rows) {
  Masks found;
  for (const auto& mask : is_missing) {
    require(mask.size() == n_rows, "masks must be of one length");
    found.push_back(mask.data());
  }
  return found;
}

// A negative code is missing.
void require_codes(const In<std::int32_t>& codes, std::size_t bound) {
  require_below(codes, bound, "codes must number the groups", std::numeric_limits<std::int32_t>::min());
}

}  // namespace

void bind_batches(nb::module_& m) {
  m.def(
      "add_power_sums",
      [](InRows<double> z, const Columns<bool>& is_missing, TotalCube sums) {
        const Masks masks = masks_of(is_missing, z.shape(0));
        require(sums.shape(0) == masks.size() && sums.shape(1) == kPowers && sums.shape(2) == z.shape(1),
                "sums must hold six powers of every column for every mask");
        released([&] { add_power_sums(z.data(), z.shape(1), masks, z.shape(0), sums.data()); });
      },
      "z"_a, "is_missing"_a, "sums"_a.noconvert(),
      "Add the sums of powers 1 to 6 of every column over the rows that each mask has.");
  m.def(
      "add_shared_counts",
      [](const Columns<bool>& is_missing, const Columns<bool>& others, TotalRows<std::int64_t> counts) {
        const std::size_t n = is_missing.empty() ? 0 : is_missing[0].size();
        const Masks masks = masks_of(is_missing, n), with = masks_of(others, n);
        require(counts.shape(0) == masks.size() && counts.shape(1) == with.size(),
                "one count a pair of masks");
        released([&] { add_shared_counts(masks, with, n, counts.data()); });
      },
      "is_missing"_a, "others"_a, "counts"_a.noconvert(),
      "Add the number of rows that every mask shares with each of the others, which may be the same masks.");
  m.def(
      "add_group_sums",
      [](const Columns<std::int32_t>& codes, InRows<double> z, const Columns<bool>& is_missing,
         const std::vector<TotalRows<double>>& sums, const std::vector<TotalRows<std::int64_t>>& missing,
         const std::vector<Total<std::int64_t>>& sizes) {
        const std::size_t n = z.shape(0), width = z.shape(1), count = codes.size();
        const Masks masks = masks_of(is_missing, n);
        require(masks.size() == width, "one mask a column");
        require(n * width < (std::size_t{1} << 32), "a batch holds fewer values");
        require(sums.size() == count && missing.size() == count && sizes.size() == count,
                "totals a labeling");
        for (std::size_t c = 0; c < count; ++c) {
          require(codes[c].size() == n, "one code a row");
          require(sums[c].shape(1) == width && missing[c].shape(1) == width, "one column of sums a column");
          require(sums[c].shape(0) == sizes[c].size() && missing[c].shape(0) == sizes[c].size(),
                  "one row of sums a group");
        }
        released([&] {
          const auto values = missing_values(masks, n);
          for (std::size_t c = 0; c < count; ++c) {
            require_codes(codes[c], sizes[c].size());
            add_group_sums(codes[c].data(), z.data(), width, values, n,
                           {sums[c].data(), missing[c].data(), sizes[c].data()});
          }
        });
      },
      "codes"_a, "z"_a, "is_missing"_a, "sums"_a.noconvert(), "missing"_a.noconvert(), "sizes"_a.noconvert(),
      "Add the sums of z within the groups of each labeling, missing rows per group and column, and group "
      "sizes.");
  m.def(
      "add_table",
      [](In<std::int32_t> x, In<std::int32_t> y, TotalRows<std::int64_t> table) {
        require(x.size() == y.size(), "codes must be of one length");
        released([&] {
          require_codes(x, table.shape(0));
          require_codes(y, table.shape(1));
          add_table(x.data(), y.data(), x.size(), table.shape(1), table.data());
        });
      },
      "x"_a, "y"_a, "table"_a.noconvert(), "Count the rows of every two labels. A negative code is missing.");
}

}  // namespace bychance
