//! [`Failure`]: the error of this crate, one line of text that every file here may return.

/// The reason why something could not be done: one line for people.
#[derive(Debug)]
pub struct Failure(
    /// The line, without a full stop at its end.
    pub String,
);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
