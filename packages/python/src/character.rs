//! Characters, which walk, jump and push in a world of rigid bodies.

use crate::locks;
use crate::physics::World;
use crate::refuse;
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard};
use tombolo_physics::{
    BodyId, Character as State, CharacterDef, CharacterInput, CharacterScratch, Position, Shape, Vec2,
};

/// The options of a character from Python; those that are left out have the engine's defaults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    up: Option<Vec2>,
    slope_max: Option<f32>,
    step_height: Option<f32>,
    snap_distance: Option<f32>,
    acceleration: Option<f32>,
    air_acceleration: Option<f32>,
    speed_max: Option<f32>,
    inherit_velocity: Option<bool>,
    mass: Option<f32>,
    push_force_max: Option<f32>,
    push_out_speed: Option<f32>,
    category: Option<u64>,
    mask: Option<u64>,
    material: Option<u32>,
    body: Option<u64>,
}

impl Options {
    /// The definition of a character of a shape with these options.
    fn of(self, shape: Shape) -> PyResult<CharacterDef> {
        let own = CharacterDef::new(shape);
        let body = self.body.map(|bits| {
            BodyId::from_bits(bits)
                .ok_or_else(|| refuse("no body has the id that is given as the character's own"))
        });
        Ok(CharacterDef {
            shape,
            up: self.up.unwrap_or(own.up),
            slope_max: self.slope_max.unwrap_or(own.slope_max),
            step_height: self.step_height.unwrap_or(own.step_height),
            snap_distance: self.snap_distance.unwrap_or(own.snap_distance),
            acceleration: self.acceleration.unwrap_or(own.acceleration),
            air_acceleration: self.air_acceleration.unwrap_or(own.air_acceleration),
            speed_max: self.speed_max.unwrap_or(own.speed_max),
            inherit_velocity: self.inherit_velocity.unwrap_or(own.inherit_velocity),
            mass: self.mass.unwrap_or(own.mass),
            push_force_max: self.push_force_max.unwrap_or(own.push_force_max),
            push_out_speed: self.push_out_speed.unwrap_or(own.push_out_speed),
            category: self.category.unwrap_or(own.category),
            mask: self.mask.unwrap_or(own.mask),
            material: self.material.unwrap_or(own.material),
            body: body.transpose()?,
        })
    }
}

/// The input for a step: walk, climb, jump, lift, drag; whether it drops, and whether it climbs.
type Wishes = ([f32; 5], bool, bool);

/// The state of a character: position, velocity, whether it stands, whether it is crushed.
type Moved = ((f32, f32), (f32, f32), bool, bool);

/// A character: its definition and its state.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct Character {
    def: CharacterDef,
    inner: Mutex<(State, CharacterScratch)>,
}

impl Character {
    fn inner(&self) -> MutexGuard<'_, (State, CharacterScratch)> {
        locks::attached(&self.inner)
    }
}

#[pymethods]
impl Character {
    /// Creates a character with the shape of a kind, by the same numbers as shapes of bodies.
    #[new]
    fn new(kind: &str, numbers: Vec<f32>, position: (f32, f32), options: &str) -> PyResult<Self> {
        let options: Options = serde_json::from_str(options).map_err(refuse)?;
        let def = options.of(crate::physics::geometry(kind, &numbers)?)?;
        def.validate().map_err(refuse)?;
        let state = State::new(Position::new(position.0, position.1));
        state.validate().map_err(refuse)?;
        Ok(Self {
            def,
            inner: Mutex::new((state, CharacterScratch::default())),
        })
    }

    /// Moves it by a step among the bodies of a world.
    fn advance(&self, world: &World, dt: f32, wishes: Wishes) -> PyResult<()> {
        let ([walk, climb, jump, lift, drag], drop, is_climbing) = wishes;
        let input = CharacterInput {
            walk,
            climb,
            jump,
            drop,
            is_climbing,
            lift,
            drag,
        };
        let inner = &mut *self.inner();
        let (state, scratch) = (&mut inner.0, &mut inner.1);
        let mut physics = world.world();
        physics
            .move_character(&self.def, state, &input, dt, scratch)
            .map_err(refuse)
    }

    fn state(&self) -> Moved {
        let state = &self.inner().0;
        let velocity = state.world_velocity();
        (
            state.position.to_vec2().into(),
            velocity.into(),
            state.is_grounded(),
            state.is_crushed(),
        )
    }

    /// Puts it at a position, at rest and in the air.
    fn teleport(&self, position: (f32, f32)) -> PyResult<()> {
        let state = State::new(Position::new(position.0, position.1));
        state.validate().map_err(refuse)?;
        self.inner().0 = state;
        Ok(())
    }

    /// The shapes that it touched at the end of its last move.
    fn touches(&self) -> Vec<u64> {
        let touches = self.inner();
        touches
            .1
            .touches()
            .iter()
            .map(|touch| touch.shape.to_bits())
            .collect()
    }

    /// An independent copy.
    fn fork(&self) -> Self {
        Self {
            def: self.def.clone(),
            inner: Mutex::new(self.inner().clone()),
        }
    }
}
