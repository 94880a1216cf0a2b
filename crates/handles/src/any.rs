//! `AnyHandle` and `MapTable`: handles whose type is known only at run time, and the maps they lead to.
//!
//! The tag of a handle is the place of its map in the table, so tag → map → value is three array accesses. It is how
//! griffin's entity system keeps all component types in one array of maps.

use crate::error::HandleError;
use crate::handle::{Handle, TypeTag, compare_by_number};
use crate::handle_map::HandleMap;
use crate::layout::{Bits, DefaultLayout, Layout};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, type_name};
use core::fmt;

/// A handle that does not say the type of its value. Same 64 bits as [`Handle`], same order.
#[repr(transparent)]
pub struct AnyHandle<L = DefaultLayout> {
    // Typed by `Untyped`, a type that no map can hold.
    handle: Handle<Untyped, L>,
}

/// The value type of the handle inside an `AnyHandle`. It has no value.
enum Untyped {}

const _: () = assert!(size_of::<Option<AnyHandle>>() == 8);

impl<L: Layout> AnyHandle<L> {
    /// The handle with these bits, or `None` if no handle has them; see [`Handle::from_bits`].
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match Handle::from_bits(bits) {
            Some(handle) => Some(Self { handle }),
            None => None,
        }
    }

    /// The number to save or send.
    pub const fn to_bits(self) -> u64 {
        self.handle.to_bits()
    }

    /// The tag of the map that made the handle: its place in a [`MapTable`].
    pub const fn tag(self) -> TypeTag<L> {
        self.handle.tag()
    }

    /// The handle with the value type `T`. No check here: the map compares the tag at look-up.
    pub const fn typed<T>(self) -> Handle<T, L> {
        self.handle.cast()
    }
}

compare_by_number!(AnyHandle<L>, handle);

impl<L: Layout> fmt::Debug for AnyHandle<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Any{:?}", self.handle)
    }
}

impl<T, L: Layout> From<Handle<T, L>> for AnyHandle<L> {
    fn from(handle: Handle<T, L>) -> Self {
        Self {
            handle: handle.cast(),
        }
    }
}

/// The reason why a look-up in a [`MapTable`] failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The table has no map with this tag.
    UnknownTag {
        /// The tag.
        tag: u16,
    },
    /// The tag's map holds values of another type.
    WrongType {
        /// The tag.
        tag: u16,
        /// The type that the caller requested.
        wanted: &'static str,
        /// The type that the map holds.
        found: &'static str,
    },
    /// The map of the tag rejects the handle: out of range, free slot or stale.
    Handle(HandleError),
    /// The layout has no tag left for another map.
    Full,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTag { tag } => write!(f, "the table has no map with tag {tag}"),
            Self::WrongType { tag, wanted, found } => {
                write!(f, "the map with tag {tag} holds {found}, not {wanted}")
            }
            Self::Handle(error) => error.fmt(f),
            Self::Full => f.write_str("the layout has no tag left for another map"),
        }
    }
}

impl core::error::Error for TableError {}

/// Maps of different types, each stored at the index that is the number of its tag.
///
/// ```
/// use tombolo_handles::{AnyHandle, MapTable};
/// let mut table: MapTable = MapTable::new();
/// let names = table.add::<&str>()?;
/// let ages = table.add::<u32>()?;
/// let ada = table.map_mut::<&str>(names)?.insert("Ada");
/// let age = table.map_mut::<u32>(ages)?.insert(36);
/// let things: [AnyHandle; 2] = [ada.into(), age.into()];
/// assert_eq!(table.get::<&str>(things[0])?, &"Ada");
/// assert_eq!(table.get::<u32>(things[1])?, &36);
/// assert!(table.get::<u32>(things[0]).is_err());
/// assert!(table.remove(things[1]));
/// assert!(!table.contains(things[1]));
/// # Ok::<(), tombolo_handles::TableError>(())
/// ```
pub struct MapTable<L = DefaultLayout> {
    // Indexed by tag.
    maps: Vec<Box<dyn ErasedMap<L>>>,
}

/// The calls of a map that a table makes without the value type.
trait ErasedMap<L>: Any {
    fn contains(&self, handle: AnyHandle<L>) -> bool;
    fn remove(&mut self, handle: AnyHandle<L>) -> bool;
    fn len(&self) -> usize;
    fn clear(&mut self);
    fn value_type(&self) -> &'static str;
}

impl<T: 'static, L: Layout> ErasedMap<L> for HandleMap<T, L> {
    fn contains(&self, handle: AnyHandle<L>) -> bool {
        self.contains(handle.typed())
    }

    fn remove(&mut self, handle: AnyHandle<L>) -> bool {
        self.remove(handle.typed()).is_some()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn value_type(&self) -> &'static str {
        type_name::<T>()
    }
}

impl<L: Layout> MapTable<L> {
    /// A table without maps.
    pub const fn new() -> Self {
        Self { maps: Vec::new() }
    }

    /// Adds an empty map of `T` and returns its tag: 0 for the first, and so on.
    ///
    /// # Errors
    ///
    /// [`TableError::Full`] if the layout has no tag left.
    pub fn add<T: 'static>(&mut self) -> Result<TypeTag<L>, TableError> {
        if self.maps.len() > Bits::<L>::TAG_MAX as usize {
            return Err(TableError::Full);
        }
        let tag = TypeTag::new(self.maps.len() as u16).ok_or(TableError::Full)?;
        self.maps.push(Box::new(HandleMap::<T, L>::with_tag(tag)));
        Ok(tag)
    }

    /// The map with this tag.
    ///
    /// # Errors
    ///
    /// If there is none, or if it holds another type.
    pub fn map<T: 'static>(&self, tag: TypeTag<L>) -> Result<&HandleMap<T, L>, TableError> {
        let map = self.erased(tag)?;
        let any: &dyn Any = map;
        any.downcast_ref().ok_or_else(|| wrong_type::<T, L>(tag, map))
    }

    /// The map with this tag, for change.
    ///
    /// # Errors
    ///
    /// If there is none, or if it holds another type.
    pub fn map_mut<T: 'static>(&mut self, tag: TypeTag<L>) -> Result<&mut HandleMap<T, L>, TableError> {
        self.map::<T>(tag)?;
        let any: &mut dyn Any = &mut *self.maps[usize::from(tag.get())];
        any.downcast_mut()
            .ok_or(TableError::UnknownTag { tag: tag.get() })
    }

    /// The value that a handle names. Constant time: the tag leads to the map.
    ///
    /// # Errors
    ///
    /// If there is no such map, it holds another type, or the handle is not valid in it.
    pub fn get<T: 'static>(&self, handle: AnyHandle<L>) -> Result<&T, TableError> {
        self.map::<T>(handle.tag())?
            .try_get(handle.typed())
            .map_err(TableError::Handle)
    }

    /// The value that a handle names, for change.
    ///
    /// # Errors
    ///
    /// In the same cases as [`MapTable::get`].
    pub fn get_mut<T: 'static>(&mut self, handle: AnyHandle<L>) -> Result<&mut T, TableError> {
        self.map_mut::<T>(handle.tag())?
            .try_get_mut(handle.typed())
            .map_err(TableError::Handle)
    }

    /// Whether the handle names a value, of whatever type.
    pub fn contains(&self, handle: AnyHandle<L>) -> bool {
        self.erased(handle.tag()).is_ok_and(|map| map.contains(handle))
    }

    /// Removes and drops the value that a handle names, of whatever type; returns whether there was one.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::remove`].
    pub fn remove(&mut self, handle: AnyHandle<L>) -> bool {
        let map = self.maps.get_mut(usize::from(handle.tag().get()));
        map.is_some_and(|map| map.remove(handle))
    }

    /// The number of values in all maps.
    pub fn len(&self) -> usize {
        self.maps.iter().map(|map| map.len()).sum()
    }

    /// Whether no map holds a value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all values of all maps, as [`HandleMap::clear`] does.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::clear`].
    pub fn clear(&mut self) {
        for map in &mut self.maps {
            map.clear();
        }
    }

    fn erased(&self, tag: TypeTag<L>) -> Result<&dyn ErasedMap<L>, TableError> {
        let map = self.maps.get(usize::from(tag.get()));
        map.map(|map| &**map)
            .ok_or(TableError::UnknownTag { tag: tag.get() })
    }
}

fn wrong_type<T, L: Layout>(tag: TypeTag<L>, map: &dyn ErasedMap<L>) -> TableError {
    TableError::WrongType {
        tag: tag.get(),
        wanted: type_name::<T>(),
        found: map.value_type(),
    }
}

impl<L: Layout> Default for MapTable<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Layout> fmt::Debug for MapTable<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.maps.iter().map(|map| (map.value_type(), map.len())))
            .finish()
    }
}
