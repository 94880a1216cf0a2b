//! Benchmarks beside other libraries.
fn main() {}
