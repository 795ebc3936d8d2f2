"""From a planned program to LLVM assembly: loops over states, one SIMD lane each."""
