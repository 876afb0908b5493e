// Functions compiled twice, with and without wide registers; the processor at hand decides which is called.
#pragma once

#if !defined(BYCHANCE_NO_DISPATCH) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
// No fused operations: both versions give the same figures.
#define BYCHANCE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define BYCHANCE_WIDE
#endif
