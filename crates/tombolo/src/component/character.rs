//! The component Character: an entity that walks, jumps and rides on platforms. `world/characters.rs` runs it; games
//! set its properties.

use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{POSITION_MAX_M, VELOCITY_MAX_M_S};
use tombolo_physics::{self as physics, BodyId, Shape, ShapeError, ShapeId, Support};

use super::collider::MATERIAL_MAX;
use super::register::{Entries, InScene, Registered, Stored, Wakes, either_way, up_to};

/// The largest width and height, in meters.
const SIZE_MAX: f32 = 1.0e3;
/// The smallest width and height, in meters.
const SIZE_MIN: f32 = 0.01;
/// The largest value of numbers that are neither lengths nor velocities.
const NUMBER_MAX: f32 = 1.0e6;

/// A walking figure: it walks on ground of any kind, climbs steps, rides on moving bodies, jumps and pushes. It is a
/// [character of physics](tombolo_physics::Character), run after the bodies of a step have moved, and moves the
/// entity's Transform. With a kinematic [`Body`](super::Body) and a collider, bodies, sensors and queries find it.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    /// The wanted velocity in meters per second, positive to the right. It holds until it is set anew.
    pub walk: f32,
    /// The speed in meters per second with which the character leaves the ground in the next step, which resets it to
    /// 0.
    pub jump: f32,
    /// Whether the character drops through the one-way platforms under it in the next step, which resets it to false.
    pub drop: bool,
    /// The upward velocity while climbing, in meters per second.
    pub climb: f32,
    /// Whether the character holds on to a ladder.
    pub climbing: bool,
    /// Whether the character is to crouch to `crouch_height`. When this is false again, it stands up as soon as there
    /// is room.
    pub crouch: bool,
    /// The share of gravity that is canceled, as by buoyancy in a fluid.
    pub lift: f32,
    /// The damping of the velocity per second, as by drag in a fluid.
    pub drag: f32,
    /// The width in meters.
    pub width: f32,
    /// The height in meters.
    pub height: f32,
    /// The height while crouching, in meters; the feet stay in place.
    pub crouch_height: f32,
    /// The radius of its corners; half of the width makes a capsule.
    pub rounding: f32,
    /// The steepest walkable ground, in radians.
    pub slope_max: f32,
    /// The height of the highest step that is climbed, in meters.
    pub step_height: f32,
    /// The distance below the feet within which the character snaps to the ground, in meters.
    pub snap_distance: f32,
    /// The rate at which the speed on the ground changes, in meters per second squared.
    pub acceleration: f32,
    /// The same in the air, in meters per second squared.
    pub air_acceleration: f32,
    /// The greatest speed of the character's own motion, in meters per second.
    pub speed_max: f32,
    /// Whether the character keeps the velocity of a platform when it leaves it.
    pub inherit_velocity: bool,
    /// The mass in kilograms.
    pub mass: f32,
    /// The greatest force with which it pushes, in newtons.
    pub push_force_max: f32,
    /// The speed at which overlaps are resolved, in meters per second.
    pub push_out_speed: f32,
    /// The category bits of the character.
    pub category: u64,
    /// The category bits of the shapes that block it.
    pub mask: u64,
    /// The number of its material, for contact rules.
    pub material: u32,
    /// Whether the character runs. While it does not, it stays where it is, or follows its parent if it has no body,
    /// and stands on and touches nothing. When it runs again, it begins at rest.
    pub enabled: bool,
    pub(crate) state: physics::Character,
    pub(crate) is_crouched: bool,
    /// The touched shapes by index, with their entities.
    pub(crate) touched: Vec<(ShapeId, Entity)>,
}

impl Default for Character {
    fn default() -> Self {
        Self {
            walk: 0.0,
            jump: 0.0,
            drop: false,
            climb: 0.0,
            climbing: false,
            crouch: false,
            lift: 0.0,
            drag: 0.0,
            width: 0.6,
            height: 1.6,
            crouch_height: 0.9,
            rounding: 0.3,
            slope_max: core::f32::consts::FRAC_PI_4,
            step_height: 0.4,
            snap_distance: 0.3,
            acceleration: 60.0,
            air_acceleration: 20.0,
            speed_max: 50.0,
            inherit_velocity: true,
            mass: 80.0,
            push_force_max: 300.0,
            push_out_speed: 1.0,
            category: 1,
            mask: u64::MAX,
            material: 0,
            enabled: true,
            state: physics::Character::new(physics::Position::ORIGIN),
            is_crouched: false,
            touched: Vec::new(),
        }
    }
}

impl Character {
    /// Whether the character stands on ground.
    pub fn is_grounded(&self) -> bool {
        self.state.is_grounded()
    }

    /// Whether a shape that does not yield presses it against another.
    pub fn is_crushed(&self) -> bool {
        self.state.is_crushed()
    }

    /// Whether the character is crouched, on request or for lack of room.
    pub fn is_crouched(&self) -> bool {
        self.is_crouched
    }

    /// The velocity in the world, in meters per second.
    pub fn velocity(&self) -> Vec2 {
        self.state.world_velocity()
    }

    /// Whether the character is disabled, and [`rest`](Self::rest) has nothing left to change.
    pub(crate) fn is_at_rest(&self) -> bool {
        let is_told = self.jump.to_bits() != 0 || self.drop;
        let is_still = self.state == physics::Character::new(self.state.position);
        !self.enabled && !is_told && is_still && self.touched.is_empty()
    }

    /// Has a disabled character stand on nothing, lose its velocity and forget what it was told to do for one step. Returns
    /// the shapes that it touched until now.
    pub(crate) fn rest(&mut self) -> Vec<(ShapeId, Entity)> {
        self.state = physics::Character::new(self.state.position);
        (self.jump, self.drop) = (0.0, false);
        core::mem::take(&mut self.touched)
    }

    /// A copy without the list of what it touches, so that it takes no memory from the heap.
    pub(crate) fn without_touched(&self) -> Self {
        Self {
            touched: Vec::new(),
            ..*self
        }
    }

    /// The shapes that the character touched at the end of the last step, by index, with their entities.
    pub fn touched(&self) -> &[(ShapeId, Entity)] {
        &self.touched
    }

    /// The character's shape about the entity's position, standing or crouched, with its feet in the direction against
    /// `up`, a unit vector.
    ///
    /// # Errors
    ///
    /// The dimensions are too small for a shape.
    pub fn shape(&self, is_crouched: bool, up: Vec2) -> Result<Shape, ShapeError> {
        let height = if is_crouched {
            self.crouch_height.min(self.height)
        } else {
            self.height
        };
        let feet = -0.5 * self.height;
        let radius = self.rounding.min(0.5 * self.width).min(0.5 * height);
        let (x, low, high) = (0.5 * self.width - radius, feet + radius, feet + height - radius);
        // The share that is left of a side that is rounded away.
        const NARROW: f32 = 0.001;
        let at = |x: f32, y: f32| x * -up.perp() + y * up;
        match (x < NARROW, high - low < NARROW) {
            (true, true) => Shape::circle(at(0.0, 0.5 * (low + high)), radius),
            (true, false) => Shape::capsule(at(0.0, low), at(0.0, high), radius),
            (false, true) => Shape::capsule(at(-x, low), at(x, low), radius),
            (false, false) => {
                let corners = [at(-x, low), at(x, low), at(x, high), at(-x, high)];
                Shape::polygon(&corners, radius)
            }
        }
    }

    /// The definition of the character in physics, with a shape about the entity's position, as [`shape`](Self::shape) gives
    /// it, upright along a unit vector.
    pub fn def(&self, shape: Shape, up: Vec2, body: Option<BodyId>) -> physics::CharacterDef {
        physics::CharacterDef {
            up,
            slope_max: self.slope_max,
            step_height: self.step_height,
            snap_distance: self.snap_distance,
            acceleration: self.acceleration,
            air_acceleration: self.air_acceleration,
            speed_max: self.speed_max,
            inherit_velocity: self.inherit_velocity,
            mass: self.mass,
            push_force_max: self.push_force_max,
            push_out_speed: self.push_out_speed,
            category: self.category,
            mask: self.mask,
            material: self.material,
            body,
            ..physics::CharacterDef::new(shape)
        }
    }

    /// The input of the character in physics: what it is told to do in the next step.
    pub fn input(&self) -> physics::CharacterInput {
        physics::CharacterInput {
            walk: self.walk,
            climb: self.climb,
            jump: self.jump,
            drop: self.drop,
            is_climbing: self.climbing,
            lift: self.lift,
            drag: self.drag,
        }
    }
}

fn size() -> core::ops::RangeInclusive<f64> {
    f64::from(SIZE_MIN)..=f64::from(SIZE_MAX)
}

impl Registered for Character {
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = fields!(Entries::new(), Stored, Wakes::No;
            walk as "move" ["m/s"] in either_way(VELOCITY_MAX_M_S)
                => "How fast it wants to go to the right; below zero to the left.",
            jump ["m/s"] in up_to(VELOCITY_MAX_M_S)
                => "How fast it leaves the ground in the next step, if it stands; 0 again after the step.",
            drop => "Whether it lets go of the one-way platforms that it stands on and falls through; false again after the step.",
            climb ["m/s"] in either_way(VELOCITY_MAX_M_S) => "How fast it wants to go up while it climbs.",
            climbing => "Whether it holds on to a ladder: gravity does nothing.",
            crouch => "Whether it wants to be as low as crouch_height; it stands up again where it has room.",
            lift in either_way(NUMBER_MAX) => "The share of gravity that is taken from it, as in a fluid: 1 takes all.",
            drag ["1/s"] in up_to(NUMBER_MAX) => "How fast its velocity fades, as in a fluid.",
            width ["m"] in size() => "From side to side.",
            height ["m"] in size() => "From feet to head; the entity's place is in the middle.",
            crouch_height ["m"] in size() => "The height while it crouches.",
            rounding ["m"] in up_to(SIZE_MAX) => "The radius of its corners; half of the width makes a capsule.",
            slope_max ["rad"] in 0.0..=1.56 => "The steepest ground that it walks on.",
            step_height ["m"] in up_to(SIZE_MAX) => "The highest step that it climbs.",
            snap_distance ["m"] in up_to(SIZE_MAX)
                => "How far below its feet ground may be for it to stay on the ground, down steps and slopes.",
            acceleration ["m/s²"] in up_to(NUMBER_MAX) => "How fast its speed on the ground changes.",
            air_acceleration ["m/s²"] in up_to(NUMBER_MAX) => "The same in the air.",
            speed_max ["m/s"] in up_to(VELOCITY_MAX_M_S) => "The fastest that it moves by itself.",
            inherit_velocity => "Whether it keeps the velocity of what carried it when it leaves that.",
            mass ["kg"] in 0.001..=f64::from(NUMBER_MAX) => "What it weighs on what carries it, and against what hits it.",
            push_force_max ["N"] in up_to(NUMBER_MAX) => "The greatest force with which it pushes bodies.",
            push_out_speed ["m/s"] in up_to(POSITION_MAX_M)
                => "How fast it gets out of what overlaps it, beyond the other's own velocity.",
        );
        let entries = entries
            .property(
                "category",
                |character: &Self| character.category as i64,
                |character, category: i64| character.category = category as u64,
                Stored,
                Wakes::No,
            )
            .in_scene(InScene::Bits)
            .doc("The bits that it is.")
            .property(
                "mask",
                |character: &Self| character.mask as i64,
                |character, mask: i64| character.mask = mask as u64,
                Stored,
                Wakes::No,
            )
            .in_scene(InScene::Bits)
            .doc("The bits of what is in its way.");
        let entries = fields!(entries, Stored, Wakes::No;
            material as "material_number" in 0.0..=f64::from(MATERIAL_MAX) => "What it is made of, for the section rules.",
        );
        fields!(entries, Stored, Wakes::No; enabled => "Whether it runs.")
            .derived("grounded", |character: &Self| character.is_grounded())
            .doc("Whether it stands on something.")
            .derived("crouched", |character: &Self| character.is_crouched)
            .doc("Whether it is low, by its will or for lack of room.")
            .derived("crushed", |character: &Self| character.is_crushed())
            .doc("Whether something that does not give way presses it against something else.")
            .derived("velocity", |character: &Self| character.velocity())
            .unit("m/s")
            .doc("How fast it moves in the world.")
    }
}

impl Component for Character {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    const VERSION: u32 = 3;

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        let mut vector = |v: Vec2| [v.x, v.y].into_iter().for_each(|part| out.f32(part));
        vector(self.state.position.to_vec2());
        vector(self.state.velocity);
        vector(self.state.steep_normal);
        out.f32(self.state.crush_m);
        out.flag(self.state.dropping.is_some());
        if let Some(platform) = self.state.dropping {
            out.u64(platform.to_bits());
        }
        out.flag(self.state.wants_drop);
        out.flag(self.is_crouched);
        out.flag(self.state.support.is_some());
        if let Some(support) = &self.state.support {
            out.u64(support.body.to_bits());
            out.u64(support.shape.to_bits());
            for part in [support.anchor, support.place, support.normal, support.velocity] {
                out.f32(part.x);
                out.f32(part.y);
            }
            out.f32(support.pressed);
        }
        out.length(self.touched.len());
        for (shape, entity) in &self.touched {
            out.u64(shape.to_bits());
            out.entity(Some(*entity));
        }
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        let broken = || DataError::broken("a character is as none can be");
        self.state.position = vector(from)?.into();
        self.state.velocity = vector(from)?;
        self.state.steep_normal = vector(from)?;
        self.state.crush_m = from.f32("how a character is crushed")?;
        let is_dropping = from.flag("whether a character lets go of a platform")?;
        // Before version 2 no platform was named; the character then drops as far as it has come.
        self.state.dropping = if is_dropping && !from.is_before(2) {
            let platform = from.u64("the platform that a character lets go of")?;
            Some(ShapeId::from_bits(platform).ok_or_else(broken)?)
        } else {
            None
        };
        self.state.wants_drop = from.flag("whether a character wants to let go")?;
        self.is_crouched = from.flag("whether a character is low")?;
        self.state.support = if from.flag("whether a character stands")? {
            let body = BodyId::from_bits(from.u64("what carries a character")?);
            let shape = ShapeId::from_bits(from.u64("what a character stands on")?);
            Some(Support {
                body: body.ok_or_else(broken)?,
                shape: shape.ok_or_else(broken)?,
                anchor: vector(from)?,
                place: vector(from)?,
                normal: vector(from)?,
                velocity: vector(from)?,
                // Before version 3 a character pressed by its whole weight at once; now that grows anew.
                pressed: if from.is_before(3) {
                    0.0
                } else {
                    from.f32("how a character presses on what carries it")?
                },
            })
        } else {
            None
        };
        self.state.validate().map_err(|_| broken())?;
        self.touched.clear();
        for _ in 0..from.length(16, "what a character touches")? {
            let shape = ShapeId::from_bits(from.u64("what a character touches")?).ok_or_else(broken)?;
            let entity = from.entity("whom a character touches")?.ok_or_else(broken)?;
            if self
                .touched
                .last()
                .is_some_and(|last| last.0.index() >= shape.index())
            {
                return Err(broken());
            }
            self.touched.push((shape, entity));
        }
        Ok(())
    }
}

fn vector(from: &mut Reader<'_>) -> Result<Vec2, DataError> {
    let mut part = || from.f32("a number of a character");
    Ok(Vec2::new(part()?, part()?))
}
