//! Calls about fields, explosions and callbacks.

use tombolo_physics::{
    ExplosionDef, FieldDef, FieldId, FieldKind, PairView, PhysicsError, PhysicsWorld, Position, Response,
    Vec2,
};

use super::player::{Player, picked, text};
use super::{Call, Numbers};

/// A custom filter: a function of keys and velocities alone, so that every world and worker answers alike.
fn lets_touch(pair: &PairView) -> bool {
    let [a, b] = pair.sides;
    !(a.shape_key ^ b.shape_key).is_multiple_of(7) && a.linear_velocity.x + b.linear_velocity.x > -6.0
}

/// A pre-solve callback, likewise; some of its answers are out of range.
fn responds(pair: &PairView) -> Response {
    let touch = pair.touch.expect("a pre-solve callback is told of it");
    let key = pair.sides[0].shape_key ^ pair.sides[1].body_key;
    Response {
        touches: !key.is_multiple_of(5) || touch.was_touching,
        friction: if key.is_multiple_of(11) {
            f32::NAN
        } else {
            touch.usual.friction
        },
        restitution: touch.usual.restitution - touch.points[0].separation,
        surface_speed: if key.is_multiple_of(3) {
            1.0e9 * touch.normal.x
        } else {
            touch.usual.surface_speed
        },
        ..touch.usual
    }
}

impl Player {
    /// Makes one of these calls and returns its result; `None` for any other call.
    pub(super) fn play_on_fields(&mut self, call: &Call) -> Option<String> {
        let world = &mut self.world;
        Some(match call {
            Call::Field(def) => {
                let answer = world.create_field(def);
                self.fields.extend(answer.as_ref().ok());
                text(&answer)
            }
            Call::SetField(field, def) => self.on_field(*field, |world, field| world.set_field(field, def)),
            Call::FieldPose(field, place, angle) => self.on_field(*field, |world, field| {
                world.set_field_pose(field, (*place).into(), *angle)
            }),
            Call::EnableField(field, enabled) => {
                self.on_field(*field, |world, field| world.set_field_enabled(field, *enabled))
            }
            Call::DestroyField(field) => self.on_field(*field, PhysicsWorld::destroy_field),
            Call::Explode(def) => text(&world.explode(def)),
            Call::CustomFilter(used) => {
                if *used {
                    world.set_custom_filter(lets_touch);
                } else {
                    world.remove_custom_filter();
                }
                text(&world.missing_callbacks())
            }
            Call::PreSolve(categories) => {
                match categories {
                    Some(categories) => world.set_pre_solve(*categories, responds),
                    None => world.remove_pre_solve(),
                }
                text(&world.pre_solve_categories())
            }
            _ => return None,
        })
    }

    fn on_field(
        &mut self,
        field: usize,
        call: impl FnOnce(&mut PhysicsWorld, FieldId) -> Result<(), PhysicsError>,
    ) -> String {
        match picked(&self.fields, field) {
            Some(field) => text(&call(&mut self.world, field)),
            None => String::new(),
        }
    }
}

impl Numbers<'_> {
    pub(super) fn call_about_fields(&mut self) -> Call {
        match self.random.below(12) {
            0..=3 => Call::Field(self.field()),
            4 => Call::SetField(self.any(), self.field()),
            5 => Call::FieldPose(self.any(), self.vector(5.0), self.number(-3.0, 3.0)),
            6 => Call::EnableField(self.any(), self.flag()),
            7 => Call::DestroyField(self.any()),
            8 | 9 => Call::Explode(ExplosionDef {
                mask: self.random.pick(&[u64::MAX, u64::MAX, 0b101]),
                radius: self.number(0.0, 3.0),
                falloff: self.number(0.0, 3.0),
                impulse_per_length: self.number(-5.0, 20.0),
                tile_radius: if self.flag() { self.number(0.0, 3.0) } else { 0.0 },
                ..ExplosionDef::at(Position::from(self.vector(5.0)))
            }),
            10 => Call::CustomFilter(self.flag()),
            _ => {
                let categories = self.random.pick(&[u64::MAX, 0b10, 0b101, 0]);
                Call::PreSolve((!self.random.one_in(3)).then_some(categories))
            }
        }
    }

    fn field(&mut self) -> Box<FieldDef> {
        let kind = self.field_kind();
        Box::new(FieldDef {
            area: if self.random.one_in(4) {
                None
            } else {
                self.form().make().ok()
            },
            position: Position::from(self.vector(4.0)),
            angle: self.number(-3.0, 3.0),
            mask: self.random.pick(&[u64::MAX, u64::MAX, 0b101, 0]),
            replaces_gravity: self.random.one_in(4),
            enabled: !self.random.one_in(6),
            user_key: self.random.bits(),
            ..FieldDef::new(kind)
        })
    }

    fn field_kind(&mut self) -> FieldKind {
        match self.random.below(5) {
            0 => FieldKind::Wind {
                velocity: self.vector(12.0),
                density: self.number(0.0, 2.0),
                drag: self.number(0.0, 2.0),
                lift: self.number(0.0, 1.0),
            },
            1 => FieldKind::Fluid {
                density: self.number(0.0, 3.0),
                velocity: self.vector(2.0),
                drag: self.number(0.0, 2.0),
                viscosity: self.number(0.0, 3.0),
            },
            2 => FieldKind::Gravity {
                acceleration: self.vector(12.0),
            },
            3 => FieldKind::RadialGravity {
                acceleration: self.number(-5.0, 12.0),
                radius: self.number(0.1, 3.0),
                power: self.random.below(6) as u32,
            },
            _ => {
                let count = self.random.within(1..6);
                let points: Vec<Vec2> = (0..count).map(|_| self.vector(5.0)).collect();
                FieldKind::ChainGravity {
                    points,
                    closed: self.flag(),
                    pull: self.number(-5.0, 12.0),
                    along: self.number(-5.0, 5.0),
                    reach: self.number(0.0, 4.0),
                }
            }
        }
    }
}
