//! The component Spawner: spawns entities of a resource at an interval. `world/spawners.rs` runs it; games set its
//! properties.

use alloc::boxed::Box;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{POSITION_MAX_M, VELOCITY_MAX_M_S};

use super::register::{Entries, Registered, Stored, Wakes, either_way, up_to};

/// The longest interval, in seconds.
const INTERVAL_MAX_S: f32 = 1.0e6;

/// The greatest velocity along each axis: turned into the world's frame, it is still within physics' limit.
const VELOCITY_MAX: f32 = 0.7 * VELOCITY_MAX_M_S;

/// Spawns entities of a resource at the entity's position, one in each interval. What the world refuses, such as an
/// entity for which it has no room, is a fault and does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Spawner {
    /// The name of the resource.
    pub resource: Box<str>,
    /// The interval in seconds; the first entity comes after the first interval.
    pub interval_s: f32,
    /// The number of entities to spawn in all; 0 for no limit.
    pub limit: u32,
    /// The initial velocity of the spawned entities in the entity's frame, in meters per second.
    pub velocity: Vec2,
    /// The largest random offset of a spawned entity in both directions, in meters.
    pub spread: Vec2,
    /// Whether the spawner runs.
    pub enabled: bool,
    /// The number of entities spawned so far.
    pub(crate) count: u32,
    /// Seconds since the last spawn.
    pub(crate) waited_s: f32,
}

impl Default for Spawner {
    fn default() -> Self {
        Self {
            resource: Box::default(),
            interval_s: 1.0,
            limit: 0,
            velocity: Vec2::ZERO,
            spread: Vec2::ZERO,
            enabled: true,
            count: 0,
            waited_s: 0.0,
        }
    }
}

impl Spawner {
    /// The number of entities spawned so far.
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl Registered for Spawner {
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = fields!(Entries::new(), Stored, Wakes::No; resource => "What is spawned.");
        let entries = entries
            .property(
                "interval",
                |s: &Self| s.interval_s,
                |s, interval| s.interval_s = interval,
                Stored,
                Wakes::No,
            )
            .range(0.001..=f64::from(INTERVAL_MAX_S))
            .unit("s")
            .doc("From one to the next.");
        let entries = fields!(entries, Stored, Wakes::No;
            limit => "How many in all; 0 for no end.",
            velocity ["m/s"] in either_way(VELOCITY_MAX) => "What they start with, in the entity's frame.",
            spread ["m"] in up_to(POSITION_MAX_M) => "By how much each is moved at random at most, both ways.",
            enabled => "Whether it runs.",
        );
        entries
            .derived("count", |s: &Self| s.count)
            .doc("How many it has made.")
    }
}

impl Component for Spawner {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u32(self.count);
        out.f32(self.waited_s);
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.count = from.u32("how many a spawner made")?;
        self.waited_s = from.f32("how long a spawner has waited")?;
        if (0.0..=INTERVAL_MAX_S).contains(&self.waited_s) {
            return Ok(());
        }
        Err(DataError::broken("a spawner has waited as long as none does"))
    }
}
