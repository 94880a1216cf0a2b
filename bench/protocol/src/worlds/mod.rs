//! Small worlds that each test one property of an engine: whether a stack creeps, whether a rod stays at rest, whether
//! a ball returns to its height. The area `quality` of the bench runs them; they are built as scenes are, through a
//! [`SceneTarget`].
//!
//! The files: `stacks.rs` (columns of bodies), `grounds.rs` (motion on a floor), `turning.rs` (boxes on kinematic
//! bodies), `chains.rs` (bodies on revolute joints and welds).

mod chains;
mod grounds;
mod stacks;
mod turning;

use glam::Vec2;
use serde::{Deserialize, Serialize};
use tombolo::physics::{BodyDef, BodyId, Shape, ShapeDef, ShapeError};
use tombolo_scenes::{self as scenes, BuildError, SceneTarget};

use crate::Setting;

/// One of the small worlds, or a benchmark scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum World {
    /// A benchmark scene that changes nothing between steps, as it is published but for its size.
    Scene {
        /// The scene's name in `tombolo_scenes::find`.
        name: String,
        /// The scene's size.
        size: u32,
    },
    /// A column of equal pieces on a floor.
    Stack {
        /// The kind of piece.
        piece: Piece,
        /// The number of pieces.
        count: u32,
        /// The sideways offset of each second piece, in meters.
        offset_m: f32,
        /// Whether bodies may fall asleep.
        sleeping: bool,
    },
    /// A column of boxes of 1 m in turn light and heavy, the light one lowest.
    Weights {
        /// The mass of a heavy box, as a multiple of a light one's.
        ratio: f32,
        /// The number of boxes.
        count: u32,
    },
    /// Capsules of 0.5 m jointed to each other, the first to a fixed body, with a weight at the end.
    Chain {
        /// The number of capsules.
        links: u32,
        /// The mass of the weight, as a multiple of a link's.
        load_ratio: f32,
        /// Whether it starts level and falls, or starts hanging.
        level: bool,
    },
    /// Planks of 0.5 m jointed to each other between two fixed bodies.
    Bridge {
        /// The number of planks.
        planks: u32,
    },
    /// Planks of 0.5 m welded to each other, the first to a fixed body.
    Cantilever {
        /// The number of planks.
        planks: u32,
    },
    /// A box of 1 m on a wide floor; the world is tilted by its gravity, so that no engine's sine matters.
    Slope {
        /// The friction of box and floor.
        friction: f32,
        /// The slope's tangent as a fraction of the friction: below 1 the box stays.
        share: f32,
    },
    /// One body above a floor.
    Drop {
        /// The kind of piece.
        piece: Piece,
        /// The coefficient of restitution.
        restitution: f32,
        /// The gap below the piece, in meters.
        height_m: f32,
    },
    /// Rods that don't touch each other, thrown on a floor.
    Rods {
        /// The number of rods.
        count: u32,
        /// The length of a rod, in meters.
        length_m: f32,
        /// The thickness of a rod, in meters.
        thickness_m: f32,
        /// The width of the floor in meters; the rods fall along all of it.
        floor_m: f32,
    },
    /// Boxes of 1 m, each tilted on its lower corner and turning back flat, too far apart to meet.
    Tilted {
        /// The number of boxes; a single one is tilted by 2.2 degrees and turns back at 2 rad/s, more are drawn at
        /// random.
        count: u32,
    },
    /// A ball of 0.5 m that rolls without slipping.
    Rolling {
        /// Rolling resistance of ball and floor.
        resistance: f32,
        /// The speed at the start, in meters per second.
        speed: f32,
        /// The width of the floor, in meters.
        floor_m: f32,
    },
    /// Boxes on a kinematic body.
    Carried {
        /// The body that carries them.
        by: Carrier,
    },
}

/// A piece that is stacked or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// A brick, 0.4 m wide and 0.7 m high.
    Brick,
    /// A hexagon with a flat top, 0.4 m from center to corner and rounded by 0.05 m, as in the scene `mixer`.
    Hexagon,
    /// A box of 0.5 m.
    Cube,
    /// A circle of 0.25 m radius.
    Ball,
}

/// A kinematic body that carries boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Carrier {
    /// A round drum of 10 m radius that turns at 0.1 rad/s, a box on its top.
    Drum,
    /// A hollow square drum of 10 m that turns at 0.1 rad/s, a box in it.
    HollowDrum,
    /// A beam of 20 m that turns at 0.1 rad/s about its middle, a box near its end.
    Beam,
    /// Two toothed wheels of 3 m that turn against each other, boxes of 0.4 m falling between them.
    Gears,
    /// A platform that rises at 2 m/s with three boxes.
    Lift,
}

impl World {
    /// The settings that the engine needs before the world is built.
    ///
    /// # Errors
    /// There is no scene of this name.
    pub fn setting(&self) -> Result<Setting, String> {
        let setting = |gravity, sleeping| Ok(Setting { gravity, sleeping });
        match self {
            Self::Scene { name, .. } => {
                let scene = scenes::find(name).ok_or_else(|| format!("there is no scene `{name}`"))?;
                Ok(Setting::from(scene))
            }
            Self::Stack { sleeping, .. } => setting(GRAVITY, *sleeping),
            Self::Slope { friction, share } => setting(grounds::tilted_gravity(friction * share), false),
            _ => setting(GRAVITY, false),
        }
    }

    /// Builds it into an empty target.
    ///
    /// # Errors
    /// The target refused a part.
    pub fn build(&self, target: &mut dyn SceneTarget) -> Result<(), BuildError> {
        match *self {
            Self::Scene { ref name, size } => {
                let scene = scenes::find(name).expect("the setting was found by this name");
                return scene.build(size, 0, target).map(|_| ());
            }
            Self::Stack {
                piece,
                count,
                offset_m,
                ..
            } => stacks::stack(target, piece, count, offset_m),
            Self::Weights { ratio, count } => stacks::weights(target, ratio, count),
            Self::Chain {
                links,
                load_ratio,
                level,
            } => chains::chain(target, links, load_ratio, level),
            Self::Bridge { planks } => chains::bridge(target, planks),
            Self::Cantilever { planks } => chains::cantilever(target, planks),
            Self::Slope { friction, .. } => grounds::slope(target, friction),
            Self::Drop {
                piece,
                restitution,
                height_m,
            } => grounds::drop(target, piece, restitution, height_m),
            Self::Rods {
                count,
                length_m,
                thickness_m,
                floor_m,
            } => grounds::rods(target, count, [length_m, thickness_m], floor_m),
            Self::Tilted { count } => grounds::tilted(target, count),
            Self::Rolling {
                resistance,
                speed,
                floor_m,
            } => grounds::rolling(target, resistance, speed, floor_m),
            Self::Carried { by } => turning::carried(target, by),
        }?;
        Ok(())
    }
}

/// The gravity of all small worlds but slopes.
const GRAVITY: Vec2 = Vec2::new(0.0, -10.0);

/// The result of builders.
type Built<T = ()> = Result<T, tombolo::physics::PhysicsError>;

impl Piece {
    fn shape(self) -> Shape {
        match self {
            Self::Brick => rectangle(0.2, 0.35),
            Self::Cube => rectangle(0.25, 0.25),
            Self::Ball => constant(Shape::circle(Vec2::ZERO, 0.25)),
            Self::Hexagon => {
                let half_edge = 0.5 * Self::CIRCUMRADIUS_M;
                let rise = Self::APOTHEM_M;
                let corners = [
                    (Self::CIRCUMRADIUS_M, 0.0),
                    (half_edge, rise),
                    (-half_edge, rise),
                    (-Self::CIRCUMRADIUS_M, 0.0),
                    (-half_edge, -rise),
                    (half_edge, -rise),
                ];
                constant(Shape::polygon(&corners.map(Vec2::from), 0.05))
            }
        }
    }

    const CIRCUMRADIUS_M: f32 = 0.4;
    /// The distance from the center of a hexagon to its sides: half the square root of 3 of the distance to its
    /// corners.
    const APOTHEM_M: f32 = 0.346_410_16;

    /// The distance from its center to its lowest point, in meters.
    pub fn half_height_m(self) -> f32 {
        match self {
            Self::Brick => 0.35,
            Self::Hexagon => Self::APOTHEM_M + 0.05,
            Self::Cube | Self::Ball => 0.25,
        }
    }
}

/// A static box of a width in meters whose top is at height 0.
fn floor(target: &mut dyn SceneTarget, width_m: f32, def: &ShapeDef) -> Built<BodyId> {
    let ground = target.create_body(&BodyDef::fixed(0.0, 0.0))?;
    target.create_shape(ground, def, &rectangle_at(0.5 * width_m, 1.0, 0.0, -1.0))?;
    Ok(ground)
}

/// A body of one shape.
fn piece(target: &mut dyn SceneTarget, body: &BodyDef, def: &ShapeDef, shape: &Shape) -> Built<BodyId> {
    let body = target.create_body(body)?;
    target.create_shape(body, def, shape)?;
    Ok(body)
}

fn rectangle(half_width: f32, half_height: f32) -> Shape {
    constant(Shape::new_box(2.0 * half_width, 2.0 * half_height))
}

fn rectangle_at(half_width: f32, half_height: f32, x: f32, y: f32) -> Shape {
    constant(Shape::box_at(
        2.0 * half_width,
        2.0 * half_height,
        Vec2::new(x, y),
        0.0,
    ))
}

/// A shape whose numbers are constants of this folder.
fn constant(shape: Result<Shape, ShapeError>) -> Shape {
    shape.expect("the worlds' own shapes are in range")
}

/// Random numbers, the same in every engine.
struct Draw(oorandom::Rand64);

impl Draw {
    fn new() -> Self {
        Self(oorandom::Rand64::new(17))
    }

    /// A number from `low` up to `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.rand_float() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_survives_the_command_line() {
        let world = World::Stack {
            piece: Piece::Hexagon,
            count: 25,
            offset_m: 0.04,
            sleeping: true,
        };
        let text = serde_json::to_string(&world).unwrap();
        assert_eq!(serde_json::from_str::<World>(&text).unwrap(), world);
    }

    #[test]
    fn a_slope_pulls_along_by_its_tangent() {
        let gravity = World::Slope {
            friction: 0.5,
            share: 0.8,
        }
        .setting()
        .unwrap()
        .gravity;
        assert!((gravity.x / -gravity.y - 0.4).abs() < 1e-6);
        assert!((gravity.length() - 10.0).abs() < 1e-5);
    }
}
