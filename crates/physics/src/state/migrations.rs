//! The list of the differences between saves of older versions and the present state, and [`State::from_save`], which
//! applies it. `docs/saves.md` says how a version is added.

use super::State;
use crate::persistent::{Migrations, RestoreError, open};
use crate::settings::WorldDef;

/// A change of the values of older saves, for fields that keep their names and change their meaning, and for new ones
/// whose values follow from others.
struct ChangedMeaning {
    /// The first version of saves that does not need it.
    version: u32,
    /// Changes a state in which every field was read or has its default, and nothing was checked yet.
    apply: fn(&mut State) -> Result<(), RestoreError>,
}

/// All differences from older saves.
struct History {
    /// Those of names and types.
    migrations: Migrations,
    /// Those of values, in the order of versions.
    steps: &'static [ChangedMeaning],
}

/// The history of saves. Version 13 was the first that describes its arrays, so that it can be read by later builds.
const HISTORY: History = History {
    migrations: Migrations {
        oldest: 13,
        added_fields: &[],
        renamed_fields: &[],
        added_arrays: &[],
        removed: &[],
    },
    steps: &[],
};

impl State {
    /// The state that a save holds, checked. A save of an older version is migrated.
    pub(crate) fn from_save(bytes: &[u8]) -> Result<Self, RestoreError> {
        Self::from_save_with(bytes, &HISTORY)
    }

    fn from_save_with(bytes: &[u8], history: &History) -> Result<Self, RestoreError> {
        let mut source = open(bytes, &history.migrations)?;
        let blank = Self::new(&WorldDef::default());
        let mut state = Self::from_arrays(&mut source, blank)?;
        let version = source.version();
        source.finish()?;
        let steps = history.steps.iter();
        for step in steps.filter(|step| version < step.version) {
            (step.apply)(&mut state)?;
        }
        state.check_restored()?;
        Ok(state)
    }
}

/// The worked example of `docs/saves.md`: a version of saves in which each kind of difference occurs.
#[cfg(test)]
mod tests {
    use super::{ChangedMeaning, History, State};
    use crate::body::BodySim;
    use crate::persistent::{
        AddedArray, AddedField, Migrations, Removed, RenamedField, RestoreError, VERSION, hash_of_bytes,
        save, view,
    };
    use crate::settings::WorldDef;
    use crate::shape::ShapeRecord;
    use crate::world::PhysicsWorld;
    use crate::{BodyDef, RevoluteDef, ShapeDef};
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use tombolo_geometry::shape::Shape;
    use tombolo_geometry::{Vec2, plain_data};

    /// The present version, and that of the example's saves.
    const NEW: u32 = VERSION;
    const OLD: u32 = VERSION - 1;

    plain_data! {
        /// [`BodySim`] in another order, with narrower flags and kinds, the time at rest under another name, the sleep
        /// threshold in another unit, a field that is gone, and without `gravity_scale`.
        struct OldBodySim {
            first_shape: u32,
            flags: u16,
            kind: u16,
            inverse_mass: f32,
            inverse_inertia: f32,
            torque: f32,
            force: Vec2,
            linear_damping: f32,
            angular_damping: f32,
            extent_min: f32,
            extent_max: f32,
            quarter_threshold: f32,
            rest_time: f32,
            color_of_socks: u8,
            rest: [u8; 3],
        }

        /// [`ShapeRecord`] without `watcher`.
        struct OldShapeRecord {
            user_key: u64,
            category: u64,
            mask: u64,
            group: i32,
            density: f32,
            contact_events: u32,
            hit_events: u32,
            sensor: u32,
            concave_polygon: u32,
            previous: u32,
            padding: u32,
        }
    }

    const HISTORY: History = History {
        migrations: Migrations {
            oldest: OLD,
            added_fields: &[
                AddedField {
                    version: NEW,
                    of: "BodySim",
                    field: "gravity_scale",
                    value: &1.0_f32.to_le_bytes(),
                },
                AddedField {
                    version: NEW,
                    of: "ShapeRecord",
                    field: "watcher",
                    value: &[0; 4],
                },
            ],
            renamed_fields: &[
                RenamedField {
                    version: NEW,
                    of: "BodySim",
                    was: "rest_time",
                    field: "sleep_time_s",
                },
                RenamedField {
                    version: NEW,
                    of: "BodySim",
                    was: "quarter_threshold",
                    field: "sleep_threshold",
                },
            ],
            added_arrays: &[
                AddedArray {
                    version: NEW,
                    name: "members",
                },
                AddedArray {
                    version: NEW,
                    name: "body_names",
                },
                AddedArray {
                    version: NEW,
                    name: "tile_grids/spans",
                },
            ],
            removed: &[
                Removed {
                    version: NEW,
                    name: "BodySim.color_of_socks",
                },
                Removed {
                    version: NEW,
                    name: "BodySim.rest",
                },
                Removed {
                    version: NEW,
                    name: "ShapeRecord.padding",
                },
                Removed {
                    version: NEW,
                    name: "caches/old",
                },
            ],
        },
        steps: &[ChangedMeaning {
            version: NEW,
            apply: quarters_to_whole_meters,
        }],
    };

    /// The sleep threshold was in quarters of a meter per second.
    fn quarters_to_whole_meters(state: &mut State) -> Result<(), RestoreError> {
        for sim in state.body_sims.unmarked_mut() {
            sim.sleep_threshold *= 0.25;
        }
        Ok(())
    }

    /// Two boxes on a joint that fall on a floor.
    fn world() -> PhysicsWorld {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let square = Shape::new_box(1.0, 1.0).unwrap();
        let defs = [
            BodyDef::fixed(0.0, -0.5),
            BodyDef::dynamic(0.0, 0.6),
            BodyDef::dynamic(0.1, 1.7),
        ];
        let bodies = defs.map(|def| {
            let body = world.create_body(&def).unwrap();
            world.create_shape(body, &ShapeDef::default(), &square).unwrap();
            body
        });
        let revolute = RevoluteDef::new(bodies[1], Vec2::new(0.0, 0.55), bodies[2], Vec2::new(0.0, -0.55));
        world.create_joint(revolute).unwrap();
        (0..20).for_each(|_| world.step(1.0 / 60.0).unwrap());
        world
    }

    fn old_sim(sim: &BodySim) -> OldBodySim {
        assert_eq!(sim.gravity_scale, 1.0, "the old version had no other");
        OldBodySim {
            first_shape: sim.first_shape,
            flags: sim.flags as u16,
            kind: sim.kind as u16,
            inverse_mass: sim.inverse_mass,
            inverse_inertia: sim.inverse_inertia,
            torque: sim.torque,
            force: sim.force,
            linear_damping: sim.linear_damping,
            angular_damping: sim.angular_damping,
            extent_min: sim.extent_min,
            extent_max: sim.extent_max,
            quarter_threshold: 4.0 * sim.sleep_threshold,
            rest_time: sim.sleep_time_s,
            color_of_socks: 7,
            rest: [1, 2, 3],
        }
    }

    fn old_record(record: &ShapeRecord) -> OldShapeRecord {
        OldShapeRecord {
            user_key: record.user_key,
            category: record.category,
            mask: record.mask,
            group: record.group,
            density: record.density,
            contact_events: record.contact_events,
            hit_events: record.hit_events,
            sensor: record.sensor,
            concave_polygon: record.concave_polygon,
            previous: record.previous,
            padding: 99,
        }
    }

    /// Writes the version, and the checksum anew.
    fn with_version(mut save: Vec<u8>, version: u32) -> Vec<u8> {
        save.truncate(save.len() - 8);
        save[8..12].copy_from_slice(&version.to_le_bytes());
        save.extend(hash_of_bytes(&save).to_le_bytes());
        save
    }

    /// The save that the old version would have written.
    fn old_save(state: &State) -> Vec<u8> {
        let sims: Vec<_> = state.body_sims.iter().map(old_sim).collect();
        let parts = state.shapes.raw_parts();
        let records: Vec<_> = parts.values.iter().map(old_record).collect();
        let save = save(|visitor| {
            state.arrays(&mut |array| match (array.group, array.part) {
                ("body_sims", _) => visitor(view("body_sims", "", &sims)),
                ("shapes", "values") => visitor(view("shapes", "values", &records)),
                ("members" | "body_names", _) | ("tile_grids", "spans") => {}
                ("fields", "header") => {
                    visitor(array);
                    visitor(view("caches", "old", &[[1_u8; 3]; 2]));
                }
                _ => visitor(array),
            });
        });
        with_version(save, OLD)
    }

    fn bytes(state: &State) -> Vec<u8> {
        save(|visitor| state.arrays(visitor))
    }

    #[test]
    fn a_save_of_an_older_layout_is_the_same_world() {
        let mut world = world();
        let old = old_save(&world.state);
        let state = State::from_save_with(&old, &HISTORY).unwrap();
        let again = bytes(&state);
        assert!(
            again == bytes(&world.state),
            "every array is as in the world that was saved"
        );
        let mut migrated = PhysicsWorld::from_save(&again).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
            migrated.step(1.0 / 60.0).unwrap();
        }
        assert_eq!(migrated.state_hash(), world.state_hash());
    }

    /// The error for the old save where these rows are missing from the history.
    fn error_with(history: &History) -> RestoreError {
        let old = old_save(&world().state);
        State::from_save_with(&old, history).map(drop).unwrap_err()
    }

    /// Each row of the example's history is needed, and the message names what it is about.
    #[test]
    fn what_the_history_does_not_list_is_refused_and_named() {
        let migrations = || Migrations { ..HISTORY.migrations };
        let without = |migrations: Migrations| {
            let steps = HISTORY.steps;
            error_with(&History { migrations, steps }).to_string()
        };
        assert_eq!(
            without(Migrations {
                added_fields: &[],
                ..migrations()
            }),
            "the save's body_sims : the field `gravity_scale` of BodySim is missing"
        );
        assert_eq!(
            without(Migrations {
                renamed_fields: &[],
                ..migrations()
            }),
            "the save's body_sims : BodySim has no field `quarter_threshold`"
        );
        assert_eq!(
            without(Migrations {
                added_arrays: &[],
                ..migrations()
            }),
            "the save's tile_grids spans: the save does not have this array"
        );
        assert_eq!(
            without(Migrations {
                removed: &[],
                ..migrations()
            }),
            "the save's body_sims : BodySim has no field `color_of_socks`"
        );
        let removed = &HISTORY.migrations.removed[..3];
        assert_eq!(
            without(Migrations {
                removed,
                ..migrations()
            }),
            "the save does not fit this build: an unknown array `caches old`"
        );
    }

    /// A save that claims a later version than that of a row has no part in it.
    #[test]
    fn rows_are_for_the_saves_before_their_version() {
        let old = with_version(old_save(&world().state), NEW);
        let error = State::from_save_with(&old, &HISTORY).map(drop).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the save's body_sims : the field `flags` of BodySim: u16 instead of u32"
        );
        let older = with_version(old_save(&world().state), OLD - 1);
        let error = State::from_save_with(&older, &HISTORY).map(drop).unwrap_err();
        assert_eq!(
            error,
            RestoreError::Version {
                found: OLD - 1,
                expected: NEW
            }
        );
    }
}
