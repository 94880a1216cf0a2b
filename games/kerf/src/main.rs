//! The window of Kerf.
fn main() {}
