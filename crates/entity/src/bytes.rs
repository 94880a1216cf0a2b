//! `Writer` and `Reader`: the byte format in which managers and the system are saved. The reader checks all its input.
//!
//! Little-endian numbers, lengths in front, no padding: the bytes are the same on every machine, so they can be hashed
//! too.

use alloc::boxed::Box;
use alloc::vec::Vec;

use glam::{Quat, Vec2, Vec3};

use crate::entities::Entity;
use crate::value::saved::{Encoding, SavedForm};
use crate::value::{Color, Kind, Value};

/// The deepest nesting of lists that is read. The lists of properties nest two deep at most.
pub const LIST_DEPTH_MAX: usize = 4;

/// The reason why bytes cannot be read. The data that was to be replaced is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The bytes end too early.
    #[error("the data end too early, in {what}")]
    Truncated {
        /// The item that was being read.
        what: &'static str,
    },
    /// The bytes are not the output of any writer.
    #[error("the data are broken: {what}")]
    Broken {
        /// A description of the defect.
        what: Box<str>,
    },
    /// The data were made with other managers, components or resources than the present ones.
    #[error("the data do not fit: {what}")]
    Unfit {
        /// A description of the difference.
        what: Box<str>,
    },
}

impl DataError {
    /// A [`DataError::Broken`]: no writer writes these bytes.
    pub fn broken(what: impl Into<Box<str>>) -> Self {
        Self::Broken { what: what.into() }
    }

    /// A [`DataError::Unfit`]: the data differ from the present managers, components or resources.
    pub fn unfit(what: impl Into<Box<str>>) -> Self {
        Self::Unfit { what: what.into() }
    }

    /// The error with the name of the manager whose data were read.
    pub(crate) fn of_manager(&self, name: &str) -> Self {
        match self {
            Self::Unfit { what } => Self::unfit(alloc::format!("manager `{name}`: {what}")),
            other => Self::broken(alloc::format!("manager `{name}`: {other}")),
        }
    }
}

/// Appends values to a byte buffer.
///
/// ```
/// use tombolo_entity::{Reader, Writer};
/// let mut out = Writer::new();
/// out.u32(7);
/// out.text("mist");
/// let bytes = out.finish();
/// let mut from = Reader::new(&bytes);
/// assert_eq!((from.u32("number")?, &*from.text("name")?), (7, "mist"));
/// from.end()?;
/// # Ok::<(), tombolo_entity::DataError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A writer without bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer without bytes, with memory for so many.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(count),
        }
    }

    /// Returns the written bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a number of one byte.
    #[inline]
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// Writes a number of four bytes.
    #[inline]
    pub fn u32(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes a number of eight bytes.
    #[inline]
    pub fn u64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes a real number of four bytes, by its bits.
    #[inline]
    pub fn f32(&mut self, number: f32) {
        self.u32(number.to_bits());
    }

    /// Writes real numbers of four bytes, without their count.
    #[inline]
    pub(crate) fn reals(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|number| self.f32(*number));
    }

    /// Writes a flag.
    #[inline]
    pub fn flag(&mut self, flag: bool) {
        self.u8(u8::from(flag));
    }

    /// Writes the number of items that follow.
    #[inline]
    pub fn length(&mut self, length: usize) {
        self.u64(length as u64);
    }

    /// Writes bytes with their number in front.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes what `write` writes, with the number of its bytes in front: as [`Writer::blob`], without a copy.
    pub fn blob_of(&mut self, write: impl FnOnce(&mut Self)) {
        let before = self.bytes.len();
        self.length(0);
        let start = self.bytes.len();
        write(self);
        let length = (self.bytes.len() - start) as u64;
        self.bytes[before..start].copy_from_slice(&length.to_le_bytes());
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    /// Writes a name of at most [`NAME_BYTES_MAX`](crate::NAME_BYTES_MAX) bytes.
    pub(crate) fn name(&mut self, name: &str) {
        debug_assert!(
            u8::try_from(name.len()).is_ok(),
            "names are at most 255 bytes long"
        );
        self.u8(name.len() as u8);
        self.bytes.extend_from_slice(name.as_bytes());
    }

    /// Writes numbers with their count in front.
    pub fn numbers(&mut self, numbers: &[u32]) {
        self.length(numbers.len());
        self.bytes.reserve(size_of_val(numbers));
        numbers.iter().for_each(|number| self.u32(*number));
    }

    /// Writes an entity or none.
    #[inline]
    pub fn entity(&mut self, entity: Option<Entity>) {
        self.u64(entity.map_or(0, Entity::to_bits));
    }

    /// Writes a value without its kind, which the reader must get from elsewhere.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(flag) => self.flag(*flag),
            Value::I32(number) => self.u32(*number as u32),
            Value::U32(number) | Value::Choice(number) => self.u32(*number),
            Value::I64(number) => self.u64(*number as u64),
            Value::F32(number) => self.f32(*number),
            Value::F64(number) => self.u64(number.to_bits()),
            Value::Vec2(vector) => self.reals(&vector.to_array()),
            Value::Vec3(vector) => self.reals(&vector.to_array()),
            Value::Quat(rotation) => self.reals(&rotation.to_array()),
            Value::Color(Color { r, g, b, a }) => self.reals(&[*r, *g, *b, *a]),
            Value::String(text) => self.text(text),
            Value::Entity(entity) => self.entity(*entity),
            Value::Blob(bytes) => self.blob(bytes),
            Value::List(values) => {
                self.length(values.len());
                values.iter().for_each(|value| self.value(value));
            }
        }
    }

    /// Writes a value with its kind, for readers that do not have it.
    pub fn tagged_value(&mut self, value: &Value) {
        self.u8(match value {
            Value::Bool(_) => 0,
            Value::I32(_) => 1,
            Value::U32(_) => 2,
            Value::I64(_) => 3,
            Value::F32(_) => 4,
            Value::F64(_) => 5,
            Value::Vec2(_) => 6,
            Value::Vec3(_) => 7,
            Value::Quat(_) => 8,
            Value::Color(_) => 9,
            Value::String(_) => 10,
            Value::Entity(_) => 11,
            Value::Choice(_) => CHOICE_TAG,
            Value::Blob(_) => 13,
            Value::List(values) => {
                self.u8(LIST_TAG);
                self.length(values.len());
                return values.iter().for_each(|value| self.tagged_value(value));
            }
        });
        self.value(value);
    }
}

/// The kinds of a tagged value, by tag. A choice is tagged without its words.
pub(crate) const TAGGED: [Kind; 14] = [
    Kind::Bool,
    Kind::I32,
    Kind::U32,
    Kind::I64,
    Kind::F32,
    Kind::F64,
    Kind::Vec2,
    Kind::Vec3,
    Kind::Quat,
    Kind::Color,
    Kind::String,
    Kind::Entity,
    Kind::U32,
    Kind::Blob,
];
/// The tag of [`Value::Choice`].
pub(crate) const CHOICE_TAG: u8 = 12;
/// The tag of [`Value::List`].
pub(crate) const LIST_TAG: u8 = 14;

/// Reads the output of a [`Writer`], or bytes of unknown origin.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    // The form of the components that are read.
    form: SavedForm,
}

impl<'a> Reader<'a> {
    /// A reader at the first byte, for data of this build.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            form: SavedForm::default(),
        }
    }

    /// Reads components that were saved in another form.
    pub fn in_form<T>(&mut self, form: SavedForm, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = core::mem::replace(&mut self.form, form);
        let read = read(self);
        self.form = before;
        read
    }

    /// The form of the components that are read.
    pub(crate) fn form(&self) -> &SavedForm {
        &self.form
    }

    /// Whether the component or manager that is read was saved with an earlier version than this of
    /// [`Component::VERSION`](crate::Component::VERSION) or
    /// [`ComponentManager::version`](crate::ComponentManager::version).
    pub fn is_before(&self, version: u32) -> bool {
        self.form.version < version
    }

    /// The number of bytes left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    ///
    /// [`DataError::Broken`] if bytes are left.
    pub fn end(&self) -> Result<(), DataError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(DataError::broken(alloc::format!("{left} bytes too many"))),
        }
    }

    /// Reads the next `count` bytes.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], as in all methods below.
    pub fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], DataError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(DataError::Truncated { what })?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DataError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    /// Reads a number of one byte.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn u8(&mut self, what: &'static str) -> Result<u8, DataError> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    /// Reads a number of four bytes.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn u32(&mut self, what: &'static str) -> Result<u32, DataError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// Reads a number of eight bytes.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn u64(&mut self, what: &'static str) -> Result<u64, DataError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Reads a real number of four bytes.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn f32(&mut self, what: &'static str) -> Result<f32, DataError> {
        self.u32(what).map(f32::from_bits)
    }

    /// Reads the version of data; one after `latest` is refused.
    pub(crate) fn version(&mut self, latest: u32, what: &'static str) -> Result<u32, DataError> {
        match self.u32(what)? {
            0 => Err(DataError::broken(alloc::format!("{what} have version 0"))),
            found if found <= latest => Ok(found),
            found => Err(DataError::unfit(alloc::format!(
                "a later build saved {what}, with version {found}; this one reads {latest}"
            ))),
        }
    }

    /// Reads a flag.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], or [`DataError::Broken`] if the byte is not a flag.
    pub fn flag(&mut self, what: &'static str) -> Result<bool, DataError> {
        match self.u8(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DataError::broken(alloc::format!("{what} is {other}, not 0 or 1"))),
        }
    }

    /// Reads the number of items that follow, each of `least_size` bytes or more. A count for which the remaining bytes
    /// are too few is refused before memory is allocated.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn length(&mut self, least_size: usize, what: &'static str) -> Result<usize, DataError> {
        let length = usize::try_from(self.u64(what)?).map_err(|_| DataError::Truncated { what })?;
        let needed = length
            .checked_mul(least_size.max(1))
            .ok_or(DataError::Truncated { what })?;
        if needed > self.rest.len() {
            return Err(DataError::Truncated { what });
        }
        Ok(length)
    }

    /// Reads bytes with their number in front.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn blob(&mut self, what: &'static str) -> Result<&'a [u8], DataError> {
        let length = self.length(1, what)?;
        self.take(length, what)
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], or [`DataError::Broken`] if it is not UTF-8.
    pub fn text(&mut self, what: &'static str) -> Result<Box<str>, DataError> {
        self.borrowed_text(what).map(Box::from)
    }

    pub(crate) fn borrowed_text(&mut self, what: &'static str) -> Result<&'a str, DataError> {
        let bytes = self.blob(what)?;
        utf8(bytes, what)
    }

    /// Reads what [`Writer::name`] wrote.
    pub(crate) fn name(&mut self, what: &'static str) -> Result<&'a str, DataError> {
        let length = self.u8(what)?;
        utf8(self.take(length.into(), what)?, what)
    }

    /// Reads numbers with their count in front.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`].
    pub fn numbers(&mut self, what: &'static str) -> Result<Vec<u32>, DataError> {
        let length = self.length(4, what)?;
        (0..length).map(|_| self.u32(what)).collect()
    }

    /// Reads an entity or none. The entity may be one that was never created.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], or [`DataError::Broken`] if no handle has these bits.
    pub fn entity(&mut self, what: &'static str) -> Result<Option<Entity>, DataError> {
        match self.u64(what)? {
            0 => Ok(None),
            bits => match Entity::from_bits(bits) {
                Some(entity) => Ok(Some(entity)),
                None => Err(DataError::broken(alloc::format!(
                    "{what}: {bits:#x} is no entity"
                ))),
            },
        }
    }

    /// Reads a value of a known kind.
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], or [`DataError::Broken`] if the bytes are not a value of this kind.
    pub fn value(&mut self, kind: Kind) -> Result<Value, DataError> {
        self.nested_value(kind, LIST_DEPTH_MAX)
    }

    /// Reads a value as it stands in a save, as one of its present kind.
    pub(crate) fn saved_value(&mut self, encoding: &Encoding) -> Result<Value, DataError> {
        const WHAT: &str = "a value";
        Ok(match encoding {
            Encoding::Same(kind) => self.value(*kind)?,
            Encoding::Narrower(kind) => match self.value(*kind)? {
                Value::I32(number) => Value::I64(number.into()),
                Value::U32(number) => Value::I64(number.into()),
                Value::F32(number) => Value::F64(number.into()),
                value => value,
            },
            Encoding::Choice(places) => {
                let place = places.get(self.u32(WHAT)? as usize);
                Value::Choice(*place.ok_or_else(|| DataError::broken("a choice of none of its words"))?)
            }
            Encoding::List(of) => {
                let length = self.length(1, WHAT)?;
                let values = (0..length).map(|_| self.saved_value(of));
                Value::List(values.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Reads a value with its kind, as written by [`Writer::tagged_value`].
    ///
    /// # Errors
    ///
    /// [`DataError::Truncated`], or [`DataError::Broken`] if there is no such kind or lists nest too deep.
    pub fn tagged_value(&mut self) -> Result<Value, DataError> {
        self.nested_tagged_value(LIST_DEPTH_MAX)
    }

    fn nested_tagged_value(&mut self, depth: usize) -> Result<Value, DataError> {
        let tag = self.u8("a value's kind")?;
        if tag == LIST_TAG {
            let length = self.length(2, "a value")?;
            let inner = depth
                .checked_sub(1)
                .ok_or_else(|| DataError::broken("lists nest too deep"))?;
            let values = (0..length).map(|_| self.nested_tagged_value(inner));
            return Ok(Value::List(values.collect::<Result<_, _>>()?));
        }
        let kind = TAGGED.get(usize::from(tag));
        let kind = kind.ok_or_else(|| DataError::broken(alloc::format!("{tag} is no kind of value")))?;
        Ok(match self.value(*kind)? {
            Value::U32(place) if tag == CHOICE_TAG => Value::Choice(place),
            value => value,
        })
    }

    fn nested_value(&mut self, kind: Kind, depth: usize) -> Result<Value, DataError> {
        const WHAT: &str = "a value";
        Ok(match kind {
            Kind::Bool => Value::Bool(self.flag(WHAT)?),
            Kind::I32 => Value::I32(self.u32(WHAT)? as i32),
            Kind::U32 => Value::U32(self.u32(WHAT)?),
            Kind::I64 => Value::I64(self.u64(WHAT)? as i64),
            Kind::F32 => Value::F32(self.f32(WHAT)?),
            Kind::F64 => Value::F64(f64::from_bits(self.u64(WHAT)?)),
            Kind::Vec2 => Value::Vec2(Vec2::new(self.f32(WHAT)?, self.f32(WHAT)?)),
            Kind::Vec3 => Value::Vec3(Vec3::new(self.f32(WHAT)?, self.f32(WHAT)?, self.f32(WHAT)?)),
            Kind::Quat => Value::Quat(Quat::from_xyzw(
                self.f32(WHAT)?,
                self.f32(WHAT)?,
                self.f32(WHAT)?,
                self.f32(WHAT)?,
            )),
            Kind::Color => Value::Color(Color {
                r: self.f32(WHAT)?,
                g: self.f32(WHAT)?,
                b: self.f32(WHAT)?,
                a: self.f32(WHAT)?,
            }),
            Kind::String => Value::String(self.text(WHAT)?),
            Kind::Entity => Value::Entity(self.entity(WHAT)?),
            Kind::Choice(words) => {
                let place = self.u32(WHAT)?;
                if place as usize >= words.len() {
                    let what = alloc::format!("{place} is not the place of {kind}");
                    return Err(DataError::broken(what));
                }
                Value::Choice(place)
            }
            Kind::Blob => Value::Blob(self.blob(WHAT)?.into()),
            Kind::List(of) => {
                let length = self.length(1, WHAT)?;
                let inner = depth
                    .checked_sub(1)
                    .ok_or_else(|| DataError::broken("lists nest too deep"))?;
                let values = (0..length).map(|_| self.nested_value(*of, inner));
                Value::List(values.collect::<Result<_, _>>()?)
            }
        })
    }
}

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, DataError> {
    let text = core::str::from_utf8(bytes);
    text.map_err(|_| DataError::broken(alloc::format!("{what} is not UTF-8")))
}

/// A hash of bytes, the same on every machine. It detects accidental changes, not attacks.
///
/// Eight bytes at a time are combined by exclusive or, multiplication and a rotation, as in the family of FNV and
/// wyhash.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = words.iter().fold(0x9E37_79B9_7F4A_7C15, |hash, word| {
        fold(hash, u64::from_le_bytes(*word))
    });
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash = fold(fold(hash, u64::from_le_bytes(last)), bytes.len() as u64);
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
    mixed ^ (mixed >> 32)
}
