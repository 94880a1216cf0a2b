//! The command `tombolo`.
fn main() {}
