// Kernels over many pairs of numeric columns: arrays in, arrays out, the GIL released in between.
#include "bindings.hpp"

namespace bychance {

void bind_lines(nb::module_&) {}

}  // namespace bychance
