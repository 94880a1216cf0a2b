//! [`SavedForm`]: how the components of one manager stand in a save of this or an earlier build.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::Kind;

/// How the components of one manager stand in a save of this or an earlier build; the default is that of this build.
///
/// From [`ComponentManager::form`](crate::ComponentManager::form) or [`Schema::form`](crate::Schema::form), for a
/// [`Reader`](crate::Reader). A clone shares its contents.
#[derive(Clone, Debug)]
pub struct SavedForm {
    /// The version of the data beside properties.
    pub(crate) version: u32,
    /// The properties in the order of the save; `None` for the present ones in their order.
    pub(crate) fields: Option<Arc<[Field]>>,
}

impl Default for SavedForm {
    fn default() -> Self {
        Self {
            version: u32::MAX,
            fields: None,
        }
    }
}

/// A property in a save.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The property that takes its values.
    pub(crate) target: Target,
    /// How they are read as values of that property's kind.
    pub(crate) encoding: Encoding,
}

/// A property of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A present one, by its place.
    Present(usize),
    /// A former one, by its place among those.
    Former(usize),
}

/// How values of a kind stand in a save.
#[derive(Clone, Debug)]
pub(crate) enum Encoding {
    /// As values of this kind.
    Same(Kind),
    /// As numbers of this kind, which become 64 bits wide.
    Narrower(Kind),
    /// As places in a list of words, of which this has the present places.
    Choice(Box<[u32]>),
    /// As lists.
    List(Box<Encoding>),
}
