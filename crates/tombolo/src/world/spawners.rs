//! The stage `spawners`: spawners spawn entities when they are due, in the order of their manager.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, InstanceId};
use tombolo_geometry::{Pose, Vec2};

use super::{SpawnDef, World};
use crate::component::{SPAWNER, Spawner};

/// The greatest number of entities that one spawner spawns in one step, however short its interval.
const SPAWNS_MAX: u32 = 16;

/// The length of a wait, in steps, from which on it is not counted in single steps: a quarter of what single precision
/// tells apart.
const STEPS_COUNTED_SINGLY: f64 = 4_194_304.0;

/// A spawn that is due.
struct PendingSpawn {
    owner: Entity,
    instance: InstanceId,
    resource: Box<str>,
    velocity: Vec2,
    spread: Vec2,
}

impl World {
    pub(super) fn run_spawners(&mut self) {
        for due in self.due() {
            if let Err(error) = self.spawn_due(&due) {
                self.note_fault(format!("spawner of {}: {error}", self.show(due.owner)));
            }
        }
    }

    fn spawner_of(&mut self, due: &PendingSpawn) -> Option<&mut Spawner> {
        let spawners = self.entities.manager_mut::<Dense<Spawner>>(SPAWNER)?;
        spawners.value_mut(due.owner, due.instance)
    }

    /// Advances all spawners by a step; returns their spawns. A spawner with more than [`SPAWNS_MAX`] due drops the
    /// rest. What is spawned counts, so what is refused is tried again when the next is due.
    fn due(&mut self) -> Vec<PendingSpawn> {
        // The steps per second are an integer in every world.
        let rate = libm::round(1.0 / f64::from(self.step_seconds));
        let mut due = Vec::new();
        let step = self.physics.step_index();
        let Some(spawners) = self.entities.manager_mut::<Dense<Spawner>>(SPAWNER) else {
            return due;
        };
        let owners: Vec<(Entity, InstanceId)> = spawners.owners().collect();
        for ((owner, instance), spawner) in owners.into_iter().zip(spawners.values_mut()) {
            let left = match spawner.limit {
                0 => SPAWNS_MAX,
                limit => limit.saturating_sub(spawner.count).min(SPAWNS_MAX),
            };
            if !spawner.enabled || left == 0 {
                continue;
            }
            let interval = in_steps(spawner.interval_s, rate);
            // The interval may have become shorter: what was waited beyond it is not owed.
            let mut waited = one_step_longer(in_steps(spawner.waited_s, rate).min(interval), step);
            let mut made = 0;
            while waited >= interval - rounding(interval) && made < left {
                waited = (waited - interval).max(0.0);
                made += 1;
                due.push(PendingSpawn {
                    owner,
                    instance,
                    resource: spawner.resource.clone(),
                    velocity: spawner.velocity,
                    spread: spawner.spread,
                });
            }
            spawner.waited_s = (waited.min(interval) / rate) as f32;
        }
        due
    }

    fn spawn_due(&mut self, due: &PendingSpawn) -> Result<(), crate::error::WorldError> {
        let place = self.pose(due.owner).unwrap_or(Pose::IDENTITY);
        let offset = Vec2::new(self.random.both_ways(), self.random.both_ways()) * due.spread;
        let pose = Pose {
            position: place.position + offset,
            rotation: place.rotation,
        };
        let count = self.spawner_of(due).map_or(0, |spawner| spawner.count);
        let number = count.saturating_add(1);
        let name = self.name_of(due.owner).map(|owner| format!("{owner}/{number}"));
        let name = name.filter(|name| self.find(name).is_none());
        let entity = self.spawn(
            &due.resource,
            &SpawnDef {
                name: name.as_deref(),
                pose: Some(pose),
                ..SpawnDef::default()
            },
        )?;
        if let Some(spawner) = self.spawner_of(due) {
            spawner.count = number;
        }
        if due.velocity != Vec2::ZERO
            && let Some(body) = self.body_of(entity)
            && let Ok(mut body) = self.physics.body_mut(body)
        {
            let velocity = body.view().linear_velocity() + place.rotation.rotate(due.velocity);
            if let Err(error) = body.set_linear_velocity(velocity) {
                self.note_fault(format!("spawner of {}: {error}", self.show(due.owner)));
            }
        }
        Ok(())
    }
}

/// Seconds as a number of steps; a whole number if only rounding is between. So the steps of an interval are counted,
/// where a sum of steps in seconds would be less than the interval.
fn in_steps(seconds: f32, rate: f64) -> f64 {
    let steps = f64::from(seconds) * rate;
    let whole = libm::round(steps);
    if (steps - whole).abs() <= rounding(steps) {
        whole
    } else {
        steps
    }
}

/// A wait in steps, after the step with this number. As long as single precision tells its steps apart it is longer by
/// one. A longer one is a multiple of a power of two, and grows by that in every step whose number is a multiple of it.
fn one_step_longer(waited: f64, step: u64) -> f64 {
    if waited < STEPS_COUNTED_SINGLY {
        return waited + 1.0;
    }
    let mut stride: u32 = 2;
    while waited >= STEPS_COUNTED_SINGLY * f64::from(stride) {
        stride *= 2;
    }
    let strides = libm::round(waited / f64::from(stride));
    let grows = step.is_multiple_of(u64::from(stride));
    (strides + f64::from(u8::from(grows))) * f64::from(stride)
}

/// The distance up to which numbers of steps count as equal: a thousandth of a step, and what single precision loses.
fn rounding(steps: f64) -> f64 {
    1.0e-3 + f64::from(f32::EPSILON) * steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step in which a spawner is due for the first time.
    fn first_due(interval_s: f32, rate: f64) -> u64 {
        let interval = in_steps(interval_s, rate);
        let mut waited_s = 0.0;
        for step in 0..=2 * interval as u64 {
            let waited = one_step_longer(in_steps(waited_s, rate).min(interval), step);
            if waited >= interval - rounding(interval) {
                return step + 1;
            }
            waited_s = (waited.min(interval) / rate) as f32;
        }
        panic!("{interval_s} s at {rate}: never");
    }

    #[test]
    fn an_interval_of_hours_is_counted_in_steps() {
        for (interval_s, rate) in [(0.1, 60.0), (1.0 / 3.0, 240.0), (3600.0, 60.0), (360.0, 10_000.0)] {
            assert_eq!(
                first_due(interval_s, rate),
                libm::ceil(in_steps(interval_s, rate)) as u64
            );
        }
    }

    /// Where single precision has no number for the next step, a sum of steps stands still.
    #[test]
    fn an_interval_of_millions_of_steps_ends() {
        for (interval_s, rate) in [(1500.0, 10_000.0), (300_000.0, 60.0)] {
            let wanted = in_steps(interval_s, rate);
            let off = first_due(interval_s, rate) as f64 - wanted;
            assert!(off.abs() <= 8.0, "{interval_s} s at {rate}: {off} steps off");
        }
    }
}
