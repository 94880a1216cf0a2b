//! Spawning many entities of six components in one call: from a resource, index included, beside a batch of `bevy_ecs` and of
//! `hecs`.
//!
//! Each round begins with an empty world and ends with dropping it. The peers move constant tuples into their tables; ours
//! has the components' values in the resource, by name.

use std::hint::black_box;

use tombolo_entity::{Component, Dense, EntitySystem, Library, ResourceDefinition, Schema, Value};

use crate::areas::Run;
use crate::measure::{Contender, interleave};

const COUNTS: [usize; 3] = [1000, 10_000, 100_000];

macro_rules! components {
    ($($name:ident: $count:literal),*) => {$(
        #[derive(Clone, Copy, bevy_ecs::component::Component)]
        struct $name([f32; $count]);

        impl Default for $name {
            fn default() -> Self {
                Self([0.0; $count])
            }
        }

        impl Component for $name {
            fn schema() -> Schema<Self> {
                Schema::new().property("first", |all: &Self| all.0[0], |all, first| all.0[0] = first)
            }
        }
    )*};
}

components!(Position: 2, Motion: 2, Tint: 4, Health: 1, Fog: 2, Team: 1);

pub(super) fn run(run: &mut Run) -> anyhow::Result<()> {
    let counts = if run.smoke { &COUNTS[..1] } else { &COUNTS };
    counts.iter().try_for_each(|&count| spawn(run, count))
}

fn spawn(run: &mut Run, count: usize) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 21 };
    let tuples = move || (0..count).map(|_| black_box(tuple()));
    let [ours, bevy, hecs] = interleave(
        "spawning",
        rounds,
        [
            Contender::new("tombolo", || from_resource(count).unwrap_or(0)),
            Contender::new("bevy_ecs", || {
                bevy_ecs::world::World::new().spawn_batch(tuples()).count() as u64
            }),
            Contender::new("hecs", || hecs::World::new().spawn_batch(tuples()).count() as u64),
        ],
    )?;
    run.report.compare(
        &format!("{count} entities of 6 components"),
        "time per spawned entity",
        "ns",
        count as f64,
        &ours,
        &[&bevy, &hecs],
    );
    Ok(())
}

fn tuple() -> (Position, Motion, Tint, Health, Fog, Team) {
    let (position, motion, tint) = (Position([1.0; 2]), Motion([1.0; 2]), Tint([1.0; 4]));
    (position, motion, tint, Health([1.0]), Fog([1.0; 2]), Team([1.0]))
}

fn from_resource(count: usize) -> anyhow::Result<u64> {
    let mut system = EntitySystem::new();
    system.register("Position", Dense::<Position>::new())?;
    system.register("Motion", Dense::<Motion>::new())?;
    system.register("Tint", Dense::<Tint>::new())?;
    system.register("Health", Dense::<Health>::new())?;
    system.register("Fog", Dense::<Fog>::new())?;
    system.register("Team", Dense::<Team>::new())?;
    let one = || [("first", Value::F32(1.0))];
    let names = ["Position", "Motion", "Tint", "Health", "Fog", "Team"];
    let definition = ResourceDefinition::new("thing");
    let definition = names.iter().fold(definition, |definition, name| {
        definition.component(name, name, one())
    });
    let mut library = Library::new();
    library.load(&mut system, vec![definition])?;
    let spawned = library.spawn(&mut system, "thing", black_box(count), &[])?;
    Ok(spawned.roots().len() as u64)
}
