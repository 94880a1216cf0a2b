//! [`ArrayView`]: a persistent array as named bytes, independent of its element type.

use super::marks::Marks;
use bytemuck::Pod;
use tombolo_geometry::plain::PlainField;
use tombolo_geometry::plain_type::PlainType;

/// A persistent array as bytes, for visitors.
#[derive(Clone, Copy)]
pub(crate) struct ArrayView<'a> {
    /// The name of the state's field.
    pub(crate) group: &'static str,
    /// The name of the array within the field; empty if it has only one.
    pub(crate) part: &'static str,
    /// The type of an element.
    pub(crate) ty: &'static PlainType,
    /// Size of one element in bytes.
    pub(crate) element_size: usize,
    /// The bytes of all elements.
    pub(crate) bytes: &'a [u8],
    /// The pages that may have changed; `None` if all may.
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
pub(crate) fn view<'a, T: Pod + PlainField>(
    group: &'static str,
    part: &'static str,
    items: &'a [T],
) -> ArrayView<'a> {
    ArrayView {
        group,
        part,
        ty: const { &T::TYPE },
        element_size: size_of::<T>(),
        bytes: bytemuck::cast_slice(items),
        marks: None,
    }
}
