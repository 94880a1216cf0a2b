//! How many cases the random tests of all crates try.

/// `usual` times the whole number in `TOMBOLO_TEST_SCALE`; `usual` if it is not set.
pub(crate) fn scaled(usual: usize) -> usize {
    let Ok(text) = std::env::var("TOMBOLO_TEST_SCALE") else {
        return usual;
    };
    let scale: usize = text
        .parse()
        .unwrap_or_else(|_| panic!("TOMBOLO_TEST_SCALE is '{text}', expected a whole number"));
    usual * scale
}
