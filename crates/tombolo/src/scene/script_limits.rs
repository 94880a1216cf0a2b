//! [`ScriptLimits`]: the limits of a world's scripts. A scene sets them in its settings; `world/script/` enforces
//! them.

use serde::de::MapAccess;

use super::reader::{FieldReader, Properties};
use crate::error::WorldError;

/// The limits of scripts. A call that exceeds one ends with an error, unless said otherwise.
///
/// The limits are part of the state that a world's future depends on: a save is restored into a world with the same
/// limits. Each has a range, which is checked when a scene is read and when a world is created; the defaults suit
/// games that wrote their scripts themselves. For untrusted scripts lower `operations_per_step` to the cost that a
/// step may have: an operation takes some 0.1 µs, and slower functions count as more than one (`docs/scripts.md`).
///
/// ```
/// let scene = tombolo::Scene::parse("small.ron", r#"(
///     settings: (script_limits: (operations_per_call: 2000, call_depth: 8)),
///     entities: {"lamp": {"glow": Sprite()}},
///     place: [One(name: "lamp", entity: "lamp")],
/// )"#)?;
/// assert_eq!(scene.settings().script_limits.call_depth, 8);
/// # Ok::<(), tombolo::SceneError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Operations of one call, and of the work that it requested, when that is done: an expression or a statement is
    /// one, and slower functions are more (`docs/scripts.md` has the list). 100 to 1,000,000,000; 100,000 by default.
    pub operations_per_call: u32,
    /// Operations of all scripts in one stage of a step, with those of the work that they requested. Once they are
    /// used up, the remaining calls and changes of this stage are left out. 100 to 1,000,000,000; 1,000,000 by
    /// default.
    pub operations_per_step: u32,
    /// Changes of one call: properties, pushes, entities. 1 to 100,000; 1,000 by default.
    pub changes_per_call: u32,
    /// Entities that one call may spawn, children not included. 0 to 100,000; 64 by default.
    pub spawns_per_call: u32,
    /// Entities that all scripts may spawn in one stage of a step; the rest is left out. 0 to 100,000; 256 by default.
    pub spawns_per_step: u32,
    /// Bytes of the variables of a function, or of `this`: 16 for each value, 64 more for each entry of a map, and
    /// the bytes of strings. Measured from time to time, so that a call may exceed it a little. 1,024 to 2³⁰; 262,144
    /// by default.
    pub memory_bytes: u32,
    /// Bytes of a string that a script makes, and of all strings in one list or map. 16 to 2²⁴; 16,384 by default.
    pub string_bytes: u32,
    /// Elements of a list, with those of lists in it. 16 to 1,000,000; 1,000 by default.
    pub list_length: u32,
    /// Entries of a map, with those of maps in it. 16 to 1,000,000; 500 by default.
    pub map_length: u32,
    /// The depth of nested calls. More would need a larger stack than threads have. 1 to 24; 24 by default.
    pub call_depth: u32,
    /// Bytes of a script's text. 16 to 2²⁴; 65,536 by default.
    pub text_bytes: u32,
    /// Lines of printed output that a world keeps. 0 to 1,000,000; 1,000 by default.
    pub printed_lines: u32,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self {
            operations_per_call: 100_000,
            operations_per_step: 1_000_000,
            changes_per_call: 1000,
            spawns_per_call: 64,
            spawns_per_step: 256,
            memory_bytes: 262_144,
            string_bytes: 16_384,
            list_length: 1000,
            map_length: 500,
            call_depth: 24,
            text_bytes: 65_536,
            printed_lines: 1000,
        }
    }
}

/// A limit: its name in scenes, its field, and its range, both ends allowed.
struct LimitEntry {
    name: &'static str,
    of: fn(&mut ScriptLimits) -> &mut u32,
    least: u32,
    most: u32,
}

macro_rules! limits {
    ($($name:ident: $least:literal..=$most:literal),+ $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),+];
        const LIMITS: &[LimitEntry] = &[$(LimitEntry {
            name: stringify!($name),
            of: |limits| &mut limits.$name,
            least: $least,
            most: $most,
        }),+];
    };
}

limits!(
    operations_per_call: 100..=1_000_000_000,
    operations_per_step: 100..=1_000_000_000,
    changes_per_call: 1..=100_000,
    spawns_per_call: 0..=100_000,
    spawns_per_step: 0..=100_000,
    memory_bytes: 1024..=1_073_741_824,
    string_bytes: 16..=16_777_216,
    list_length: 16..=1_000_000,
    map_length: 16..=1_000_000,
    call_depth: 1..=24,
    text_bytes: 16..=16_777_216,
    printed_lines: 0..=1_000_000,
);

impl ScriptLimits {
    /// Refuses a number out of its range.
    pub(crate) fn check(mut self) -> Result<(), WorldError> {
        for limit in LIMITS {
            let value = *(limit.of)(&mut self);
            if !(limit.least..=limit.most).contains(&value) {
                return Err(WorldError::ScriptLimit {
                    name: limit.name,
                    value,
                    least: limit.least,
                    most: limit.most,
                });
            }
        }
        Ok(())
    }

    /// All numbers, for saves.
    #[cfg(feature = "script")]
    pub(crate) fn numbers(mut self) -> [u32; LIMITS.len()] {
        core::array::from_fn(|place| *(LIMITS[place].of)(&mut self))
    }
}

impl Properties for ScriptLimits {
    fn names(&self) -> &'static [&'static str] {
        NAMES
    }

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        match LIMITS.iter().find(|limit| limit.name == name) {
            Some(limit) => *(limit.of)(self) = field.count(limit.least, limit.most)?,
            None => return Err(field.refuse("no such property")),
        }
        Ok(())
    }
}
