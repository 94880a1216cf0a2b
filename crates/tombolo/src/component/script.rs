//! The component Script: the name or text of an entity's script, and the script's state. `world/script/` runs it;
//! without the feature `script` it has no effect.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};

use super::data::Data;
use super::register::{Entries, Registered, Stored, Wakes};

/// The greatest number of timers that one script may have at a time.
pub const TIMERS_MAX: usize = 16;

/// The functions that a script may define to handle events of its entity, with the names of their arguments.
pub(crate) const HANDLERS: [(&str, &[&str]); 12] = [
    ("on_spawn", &[]),
    ("on_tick", &["seconds"]),
    ("on_timer", &["name"]),
    ("on_begin_touch", &["other"]),
    ("on_end_touch", &["other"]),
    ("on_hit", &["other", "point", "speed"]),
    ("on_force", &["other", "point", "force"]),
    ("on_enter", &["other", "trigger"]),
    ("on_leave", &["other", "trigger"]),
    ("on_strain", &["joint", "force", "torque"]),
    ("on_break", &["joint", "force", "torque"]),
    ("on_despawn", &["position", "angle"]),
];

/// The property with the name of a script.
pub(crate) const NAME: &str = "name";
/// The property with a script's text.
pub(crate) const TEXT: &str = "text";

/// A script of an entity: its text, or the name of one; and its state. Copies share text and state: a frame of a world copies
/// scripts whose timers run in every step.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The name of a script of the world; empty if `text` has it.
    pub name: Box<str>,
    /// The text, if no name is given.
    pub text: Arc<str>,
    /// Whether the script runs. An error sets this to false.
    pub enabled: bool,
    /// Whether the function that handles the start was called.
    pub(crate) started: bool,
    /// The value of `this` in the script.
    pub(crate) state: Arc<Data>,
    /// The timers in the order in which they were set.
    pub(crate) timers: Vec<Timer>,
    /// The error that disabled the script; empty without one.
    pub(crate) error: Box<str>,
}

/// A timer of a script, counted in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Timer {
    /// The name, unique within the script.
    pub(crate) name: Arc<str>,
    /// The steps until the next call; 0 only within the stage that makes the call.
    pub(crate) left: u32,
    /// The steps from one call to the next; 0 for a single call.
    pub(crate) period: u32,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            name: Box::default(),
            text: Arc::default(),
            enabled: true,
            started: false,
            state: Arc::new(Data::empty()),
            timers: Vec::new(),
            error: Box::default(),
        }
    }
}

impl Script {
    /// The script's state: a [`Data::Map`].
    pub fn state(&self) -> &Data {
        &self.state
    }

    /// The error that disabled the script; empty without one.
    pub fn error(&self) -> &str {
        &self.error
    }

    /// Enables or disables the script. Enabling clears the error.
    pub(crate) fn enable(&mut self, enabled: bool) {
        self.enabled = enabled;
        if enabled {
            self.error = Box::default();
        }
    }
}

impl Registered for Script {
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        Entries::new()
            .property(
                NAME,
                |s: &Self| s.name.clone(),
                |s, name| s.name = name,
                Stored,
                Wakes::No,
            )
            .doc("The name of a script; empty if the text stands here.")
            .property(
                TEXT,
                |s: &Self| Box::<str>::from(&*s.text),
                |s, text| s.text = text.into(),
                Stored,
                Wakes::No,
            )
            .doc("The text, if no name is given.")
            .property("enabled", |s: &Self| s.enabled, Self::enable, Stored, Wakes::No)
            .doc("Whether it runs. An error ends that; setting it to true forgets the error.")
            .derived("state", |s: &Self| s.state.to_string().into_boxed_str())
            .doc("What it remembers.")
            .derived("error", |s: &Self| s.error.clone())
            .doc("Why it was disabled.")
    }
}

impl Component for Script {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.flag(self.started);
        self.state.save(out);
        out.length(self.timers.len());
        for timer in &self.timers {
            out.text(&timer.name);
            out.u32(timer.left);
            out.u32(timer.period);
        }
        out.text(&self.error);
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore(self, from)?;
        self.started = from.flag("whether a script has started")?;
        self.state = Arc::new(Data::restore(from)?);
        let Data::Map(_) = *self.state else {
            return Err(DataError::broken("what a script remembers is no map"));
        };
        let count = from.length(16, "timers")?;
        if count > TIMERS_MAX {
            return Err(DataError::broken("a script has too many timers"));
        }
        self.timers.clear();
        for _ in 0..count {
            let timer = Timer {
                name: from.text("a timer's name")?.into(),
                left: from.u32("a timer's steps")?,
                period: from.u32("a timer's period")?,
            };
            if timer.left == 0 || self.timers.iter().any(|other| other.name == timer.name) {
                return Err(DataError::broken("a timer has run out, or stands twice"));
            }
            self.timers.push(timer);
        }
        self.error = from.text("why a script was disabled")?;
        Ok(())
    }
}
