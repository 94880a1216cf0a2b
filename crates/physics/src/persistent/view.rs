//! [`ArrayView`]: a persistent array as bytes with a name, whatever it is of.

use super::marks::Marks;
use bytemuck::Pod;

/// One persistent array, seen from outside.
#[derive(Clone, Copy)]
pub(crate) struct ArrayView<'a> {
    /// The field of the state.
    pub(crate) group: &'static str,
    /// Which of the field's arrays; empty if it has only one.
    pub(crate) part: &'static str,
    /// Bytes of one element.
    pub(crate) element_size: usize,
    /// All elements.
    pub(crate) bytes: &'a [u8],
    /// Which of its pages may have changed; without them all of them may.
    pub(crate) marks: Option<&'a Marks>,
}

impl<'a> ArrayView<'a> {
    /// The view with the array's marks.
    pub(crate) fn with_marks(self, marks: &'a Marks) -> Self {
        Self {
            marks: Some(marks),
            ..self
        }
    }
}

/// A view of one array.
pub(crate) fn view<'a, T: Pod>(group: &'static str, part: &'static str, items: &'a [T]) -> ArrayView<'a> {
    ArrayView {
        group,
        part,
        element_size: size_of::<T>(),
        bytes: bytemuck::cast_slice(items),
        marks: None,
    }
}
