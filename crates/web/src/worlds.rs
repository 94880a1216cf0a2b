//! Exports for the worlds of this module, by number: creation, steps, saves and hashes.
#![allow(unsafe_code)]

use std::cell::RefCell;

#[cfg(feature = "scenes")]
use tombolo::World;
#[cfg(feature = "scenes")]
use tombolo::component::{JOINT, Joint};
#[cfg(feature = "scenes")]
use tombolo::entity::{Dense, Entity};
#[cfg(feature = "scenes")]
use tombolo_physics::{BodyId, JointId, ShapeId};
use tombolo_physics::{LaneWidth, PhysicsWorld, WorldDef};
#[cfg(not(feature = "threads"))]
use tombolo_threads::{Executor, Inline};

use crate::exchange::{Failure, Fields, Input, Output, exchange};
#[cfg(feature = "threads")]
use crate::threads::with_executor;

/// The number of settings of a world.
const SETTINGS: usize = 11;

/// A physics world, or a world of entities.
pub(crate) enum AnyWorld {
    Physics(Box<PhysicsWorld>),
    #[cfg(feature = "scenes")]
    Entities(Box<World>),
}

/// Calls with the executor of steps.
#[cfg(not(feature = "threads"))]
fn with_executor<R>(call: impl FnOnce(&dyn Executor) -> R) -> R {
    call(&Inline)
}

thread_local! {
    /// `None`: the world was freed, and its number may be used again.
    static WORLDS: RefCell<Vec<Option<AnyWorld>>> = const { RefCell::new(Vec::new()) };
}

impl AnyWorld {
    pub(crate) fn physics(&self) -> &PhysicsWorld {
        match self {
            Self::Physics(world) => world,
            #[cfg(feature = "scenes")]
            Self::Entities(world) => world.physics(),
        }
    }

    pub(crate) fn physics_mut(&mut self) -> &mut PhysicsWorld {
        match self {
            Self::Physics(world) => world,
            #[cfg(feature = "scenes")]
            Self::Entities(world) => world.physics_mut(),
        }
    }
}

/// What may belong to an entity, and names it by its user key then.
#[cfg(feature = "scenes")]
pub(crate) enum Keyed {
    Body(BodyId),
    Shape(ShapeId),
    Joint(JointId),
}

#[cfg(feature = "scenes")]
impl Keyed {
    /// The user key, if it is that of the entity that this belongs to. `None` for what the caller created.
    fn key(&self, world: &World) -> Option<u64> {
        let physics = world.physics();
        let (key, is_part) = match *self {
            Self::Body(id) => (physics.body(id)?.user_key(), entity_of(world, id).is_some()),
            Self::Shape(id) => (physics.shape(id)?.user_key(), world.part_of(id).is_some()),
            Self::Joint(id) => {
                // Its entity need not have a body.
                let key = physics.joint(id)?.user_key();
                let joints = world.manager::<Dense<Joint>>(JOINT)?;
                let mut own = joints.of(Entity::from_bits(key)?);
                (key, own.any(|(_, joint)| joint.id() == Some(id)))
            }
        };
        is_part.then_some(key)
    }

    /// Makes sure that another user key than the present one is set only to what the caller created.
    ///
    /// # Errors
    /// If it belongs to an entity.
    pub(crate) fn keep_key(&self, world: &AnyWorld, wanted: u64) -> Result<(), Failure> {
        match world {
            AnyWorld::Entities(world) if self.key(world).is_some_and(|key| key != wanted) => Err(
                "the user key of an entity's body, shape or joint names the entity, and cannot be changed"
                    .into(),
            ),
            _ => Ok(()),
        }
    }
}

/// The entity whose body it is.
#[cfg(feature = "scenes")]
pub(crate) fn entity_of(world: &World, body: BodyId) -> Option<Entity> {
    owner(world, world.physics().body(body)?.user_key(), body)
}

/// The entity of a user key, if it exists and the body is its own.
#[cfg(feature = "scenes")]
fn owner(world: &World, key: u64, body: BodyId) -> Option<Entity> {
    let entity = Entity::from_bits(key).filter(|entity| world.entities().entities().is_alive(*entity))?;
    (world.body_of(entity) == Some(body)).then_some(entity)
}

/// Runs a call on a world.
pub(crate) fn with_world(
    number: u32,
    call: impl FnOnce(&mut AnyWorld, &Input, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    exchange(|input, output| {
        WORLDS.with_borrow_mut(|worlds| {
            let world = worlds.get_mut(number as usize).and_then(Option::as_mut);
            call(world.ok_or("the world was freed")?, input, output)
        })
    })
}

/// Like [`with_world`], for calls about physics.
pub(crate) fn with_physics(
    number: u32,
    call: impl FnOnce(&mut PhysicsWorld, &Input, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    with_world(number, |world, input, output| {
        call(world.physics_mut(), input, output)
    })
}

/// Like [`with_world`], for calls that only read physics.
pub(crate) fn look_at_physics(
    number: u32,
    call: impl FnOnce(&PhysicsWorld, &Input, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    with_world(number, |world, input, output| {
        call(world.physics(), input, output)
    })
}

/// Adds a world; returns its number.
pub(crate) fn add(create: impl FnOnce(&Input) -> Result<AnyWorld, Failure>) -> i32 {
    exchange(|input, _| {
        let world = create(input)?;
        WORLDS.with_borrow_mut(|worlds| {
            let free = worlds.iter().position(Option::is_none);
            let place = free.unwrap_or(worlds.len());
            if place == worlds.len() {
                worlds.push(None);
            }
            worlds[place] = Some(world);
            Ok(place)
        })
    })
}

/// Goes through the settings of a world: gravity, substeps, sleeping, continuous, thresholds of restitution and hits,
/// stiffness and damping of contacts, greatest speeds of pushing and of bodies.
fn go_through(def: &mut WorldDef, fields: &mut dyn Fields) {
    fields.vector(&mut def.gravity);
    let mut substeps = def.substeps as f32;
    fields.number(&mut substeps);
    // Saturates. What is no whole number becomes one that is refused.
    def.substeps = if substeps.fract() == 0.0 {
        substeps as u32
    } else {
        0
    };
    fields.flag(&mut def.sleeping);
    fields.flag(&mut def.continuous);
    fields.number(&mut def.restitution_threshold);
    fields.number(&mut def.hit_threshold);
    fields.number(&mut def.contact_hertz);
    fields.number(&mut def.contact_damping_ratio);
    fields.number(&mut def.push_speed_max);
    fields.number(&mut def.speed_max);
}

/// Creates a physics world. Row: the settings of [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_create() -> i32 {
    add(|input| {
        let mut def = WorldDef::default();
        go_through(&mut def, &mut input.row(0, SETTINGS)?);
        Ok(AnyWorld::Physics(Box::new(PhysicsWorld::new(&def)?)))
    })
}

/// The settings of a world. Numbers: those of [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_settings(world: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        go_through(&mut world.def(), output);
        Ok(1)
    })
}

/// Changes the settings of a world that are given. Row: those of [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_set(world: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let old = world.def();
        let mut new = old.clone();
        go_through(&mut new, &mut input.row(0, SETTINGS)?);
        new.validate()?;
        // Unlike the others it wakes all bodies, which is not asked for if it stays as it is.
        if old.gravity != new.gravity {
            world.set_gravity(new.gravity)?;
        }
        if old.sleeping != new.sleeping {
            world.set_sleeping_enabled(new.sleeping);
        }
        world.set_substeps(new.substeps)?;
        world.set_continuous(new.continuous);
        world.set_thresholds(new.restitution_threshold, new.hit_threshold)?;
        world.set_contact_softness(new.contact_hertz, new.contact_damping_ratio, new.push_speed_max)?;
        world.set_speed_max(new.speed_max)?;
        Ok(0)
    })
}

/// Creates a physics world from a save; `bytes` is its length.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_from_save(bytes: usize) -> i32 {
    add(|input| {
        let world = PhysicsWorld::from_save(input.bytes(0, bytes)?)?;
        Ok(AnyWorld::Physics(Box::new(world)))
    })
}

/// An independent copy.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_clone(world: u32) -> i32 {
    let mut copy = None;
    let copied = with_world(world, |world, _, _| {
        copy = Some(match world {
            AnyWorld::Physics(world) => AnyWorld::Physics(world.clone()),
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => AnyWorld::Entities(world.clone()),
        });
        Ok(0)
    });
    match copy {
        Some(copy) => add(|_| Ok(copy)),
        None => copied,
    }
}

/// Frees a world.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_free(world: u32) {
    WORLDS.with_borrow_mut(|worlds| {
        if let Some(world) = worlds.get_mut(world as usize) {
            *world = None;
        }
    });
}

/// Advances a world by `dt` seconds; a world of entities by its own length of a step.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_step(world: u32, dt: f32) -> i32 {
    with_world(world, |world, _, _| {
        with_executor(|executor| match world {
            AnyWorld::Physics(world) => world.step_with(dt, executor),
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => {
                world.step_with(executor);
                Ok(())
            }
        })?;
        Ok(0)
    })
}

/// The hash of the state.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_hash(world: u32) -> i32 {
    with_world(world, |world, _, output| {
        output.ids.push(match world {
            AnyWorld::Physics(world) => world.state_hash(),
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => world.state_hash(),
        });
        Ok(1)
    })
}

/// The world as bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_save(world: u32) -> i32 {
    with_world(world, |world, _, output| {
        output.bytes = match world {
            AnyWorld::Physics(world) => world.save(),
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => world.save(),
        };
        Ok(output.bytes.len())
    })
}

/// Replaces the world by a saved one; `bytes` is the save's length.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_restore(world: u32, bytes: usize) -> i32 {
    with_world(world, |world, input, _| {
        let save = input.bytes(0, bytes)?;
        match world {
            AnyWorld::Physics(world) => world.restore(save)?,
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => world.restore(save)?,
        }
        Ok(0)
    })
}

/// The number of steps that the world has made.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_step_index(world: u32) -> i32 {
    with_world(world, |world, _, output| {
        output.ids.push(world.physics().step_index());
        Ok(1)
    })
}

/// The number of constraints solved at once.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_lanes(world: u32) -> i32 {
    look_at_physics(world, |world, _, _| Ok(world.lanes().lanes()))
}

/// Sets the number of constraints solved at once, 1 or 4.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_set_lanes(world: u32, lanes: u32) -> i32 {
    with_physics(world, |world, _, _| {
        let mut widths = LaneWidth::ALL.into_iter();
        let width = widths.find(|width| width.lanes() == lanes as usize);
        world.set_lanes(width.ok_or("lanes are 1 or 4")?)?;
        Ok(0)
    })
}
