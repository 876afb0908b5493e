// Cells of text as rows of bytes: arrays in, arrays out, the GIL released in between.
#include "bindings/arrays.hpp"
#include "text/distinct.hpp"

namespace bychance {

void bind_text(nb::module_& m) {
  m.def(
      "distinct_rows",
      [](InRows<std::uint8_t> rows) {
        require(rows.shape(0) < (std::size_t{1} << 31), "fewer than 2**31 rows");
        require(rows.shape(1) > 0, "rows of one byte or more");
        DistinctRows found;
        {
          nb::gil_scoped_release released;
          found = distinct_rows(rows.data(), rows.shape(0), rows.shape(1));
        }
        return std::make_tuple(to_numpy(std::move(found.codes)), to_numpy(std::move(found.first)));
      },
      "rows"_a, "Of each row which distinct one it is, numbered as they first occur; and where that is.");
}

}  // namespace bychance
