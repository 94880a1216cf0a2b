//! Names of bodies, for people who inspect a world: [`BodyName`], and the list of bodies that have one.
//!
//! [`NamedBody`] is an entry of that list, which is sorted by body: a body without a name takes no memory. Names are
//! saved and cloned with the world and are in its frames and recordings, but in no hash: they have no effect on the
//! simulation. Method: the `name` of Box2D's `b2BodyDef` (Catto, 2025), with as many bytes.

use crate::PhysicsError;
use crate::described::{Data, Kind, Schema, Unfit, Value};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::{fmt, str};
use tombolo_geometry::plain_data;

/// The greatest number of bytes of a body's name.
pub const BODY_NAME_BYTES_MAX: usize = 31;

plain_data! {
    /// The name of a body: at most [`BODY_NAME_BYTES_MAX`] bytes of text. Empty, the default, for a body without a
    /// name.
    ///
    /// Names need not differ, and there is no look-up by name; [`BodyDef::user_key`](crate::BodyDef::user_key) is for
    /// programs.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, BodyName, PhysicsWorld, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let def = BodyDef { name: BodyName::new("left wheel")?, ..BodyDef::dynamic(0.0, 1.0) };
    /// let wheel = world.create_body(&def)?;
    /// assert_eq!(world.body(wheel).expect("it lives").name(), "left wheel");
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    #[derive(Default, PartialEq, Eq)]
    pub struct BodyName {
        /// UTF-8; the bytes after its end are 0.
        bytes: [u8; BODY_NAME_BYTES_MAX],
        length: u8,
    }

    /// An entry of the list: a body and its name.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct NamedBody {
        /// The body's index.
        pub(crate) body: u32,
        /// The name, which is not empty.
        pub(crate) name: BodyName,
    }
}

impl NamedBody {
    /// Whether a call could have produced this name.
    pub(crate) fn is_sound(&self) -> bool {
        let text = self.name.as_str();
        let rest = self.name.bytes.iter().skip(text.len());
        !text.is_empty() && rest.fold(0, |all, byte| all | byte) == 0
    }
}

impl BodyName {
    /// A name with this text.
    ///
    /// # Errors
    ///
    /// If it has more than [`BODY_NAME_BYTES_MAX`] bytes of UTF-8.
    pub fn new(text: &str) -> Result<Self, PhysicsError> {
        let mut name = Self::default();
        let place = name.bytes.get_mut(..text.len()).ok_or(PhysicsError::TooMany {
            what: "bytes of a body's name",
            limit: BODY_NAME_BYTES_MAX,
        })?;
        place.copy_from_slice(text.as_bytes());
        name.length = text.len() as u8;
        Ok(name)
    }

    /// A name with as much of a text as fits, cut off between two characters.
    ///
    /// ```
    /// use tombolo_physics::BodyName;
    /// assert_eq!(BodyName::cut_off("left wheel").as_str(), "left wheel");
    /// assert_eq!(BodyName::cut_off(&"ä".repeat(20)).as_str(), "ä".repeat(15));
    /// ```
    pub fn cut_off(text: &str) -> Self {
        let end = text.floor_char_boundary(BODY_NAME_BYTES_MAX);
        Self::new(&text[..end]).unwrap_or_default()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let text = self.bytes.get(..usize::from(self.length)).map(str::from_utf8);
        text.and_then(Result::ok).unwrap_or_default()
    }
}

impl fmt::Debug for BodyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for BodyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl Data for BodyName {
    fn kind(schema: &mut Schema) -> Kind {
        Box::<str>::kind(schema)
    }

    fn write(&self, out: &mut Vec<u8>) {
        crate::described::write_text(self.as_str(), out);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        let text = Box::<str>::read(value)?;
        Self::new(&text).map_err(|_| Unfit::expected("a name of a body"))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for BodyName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for BodyName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <alloc::string::String as serde::Deserialize>::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
impl NamedBody {
    /// An entry with any bytes, as in a forged save.
    pub(crate) fn forged(body: u32, text: &[u8], length: u8) -> Self {
        let mut bytes = [0; BODY_NAME_BYTES_MAX];
        bytes[..text.len()].copy_from_slice(text);
        Self {
            body,
            name: BodyName { bytes, length },
        }
    }
}
