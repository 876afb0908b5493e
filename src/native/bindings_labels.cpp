// Kernels over many pairs of columns of which one or both hold labels: arrays in, arrays out, the GIL released in between.
#include "bindings.hpp"

namespace bychance {

void bind_labels(nb::module_&) {}

}  // namespace bychance
