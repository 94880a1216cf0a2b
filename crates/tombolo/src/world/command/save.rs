//! Commands as bytes, for saves, hashes and recordings. The numbers of kinds are fixed, and so are the arguments that
//! follow them: a kind with other arguments gets a new number.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::{DataError, Override, Reader, Writer};
use tombolo_geometry::{Pose, Position, Rot, Vec2};
use tombolo_physics::{ContactRule, ExplosionDef, TileBlock, TileCut};

use super::{Command, EntityRef, Push, SpawnCommand};
use crate::scene::CallbackNames;

/// The item that is read, for errors.
const WHAT: &str = "a pending command";

fn unknown() -> DataError {
    DataError::broken("a pending command of no kind")
}

impl Command {
    /// The least number of bytes of a command.
    pub(in crate::world) const LEAST_BYTES: usize = 10;

    pub(in crate::world) fn save(&self, out: &mut Writer) {
        match self {
            Self::Set { entity, path, value } => {
                out.u8(0);
                entity.save(out);
                out.text(path);
                out.tagged_value(value);
            }
            Self::Teleport { entity, pose } => {
                out.u8(1);
                entity.save(out);
                save_pose(*pose, out);
            }
            Self::Push { entity, push } => {
                out.u8(2);
                entity.save(out);
                push.save(out);
            }
            Self::Spawn(spawn) => {
                out.u8(3);
                spawn.save(out);
            }
            Self::Despawn(entity) => {
                out.u8(4);
                entity.save(out);
            }
            Self::Slice { entity, from, to } => {
                out.u8(5);
                entity.save(out);
                save_position(*from, out);
                save_position(*to, out);
            }
            Self::CutThrough { from, to } => {
                out.u8(6);
                save_position(*from, out);
                save_position(*to, out);
            }
            Self::Explode(explosion) => {
                out.u8(13);
                save_position(explosion.position, out);
                out.u64(explosion.mask);
                let ExplosionDef {
                    radius,
                    falloff,
                    impulse_per_length,
                    tile_radius,
                    ..
                } = *explosion;
                [radius, falloff, impulse_per_length, tile_radius]
                    .iter()
                    .for_each(|number| out.f32(*number));
            }
            Self::CutTiles(cut) => {
                out.u8(14);
                save_position(cut.from, out);
                save_position(cut.to, out);
                out.f32(cut.radius);
                out.u64(cut.mask);
            }
            Self::ContactRule { materials, rule } => {
                out.u8(8);
                materials.iter().for_each(|material| out.u32(*material));
                save_rule(rule.as_ref(), out);
            }
            Self::CategoryRule { categories, rule } => {
                out.u8(11);
                categories.iter().for_each(|category| out.u64(*category));
                save_rule(rule.as_ref(), out);
            }
            Self::UseCallbacks(names) => {
                out.u8(12);
                for name in [&names.custom_filter, &names.pre_solve] {
                    out.flag(name.is_some());
                    if let Some(name) = name {
                        out.text(name);
                    }
                }
                out.u64(names.categories);
            }
            Self::SetAction { name, value } => {
                out.u8(10);
                out.text(name);
                out.f32(*value);
            }
            Self::FillTiles { entity, block, tile } => {
                out.u8(9);
                entity.save(out);
                [block.x, block.y, block.width, block.height]
                    .iter()
                    .for_each(|number| out.u32(*number));
                out.u32(u32::from(*tile));
            }
        }
    }

    /// Reads a saved command. Numbers may have any value, and entities may no longer exist: applying the command
    /// checks that.
    pub(in crate::world) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        Ok(match from.u8(WHAT)? {
            0 => Self::Set {
                entity: EntityRef::restore(from)?,
                path: from.text(WHAT)?,
                value: from.tagged_value()?,
            },
            1 => Self::Teleport {
                entity: EntityRef::restore(from)?,
                pose: pose(from)?,
            },
            2 => Self::Push {
                entity: EntityRef::restore(from)?,
                push: Push::restore(from)?,
            },
            3 => Self::Spawn(Box::new(SpawnCommand::restore(from)?)),
            4 => Self::Despawn(EntityRef::restore(from)?),
            5 => Self::Slice {
                entity: EntityRef::restore(from)?,
                from: position(from)?,
                to: position(from)?,
            },
            6 => Self::CutThrough {
                from: position(from)?,
                to: position(from)?,
            },
            // Explosions of older saves, which leave all tiles.
            7 => Self::Explode(explosion(from)?),
            13 => {
                let explosion = explosion(from)?;
                Self::Explode(ExplosionDef {
                    tile_radius: from.f32(WHAT)?,
                    ..explosion
                })
            }
            14 => Self::CutTiles(TileCut {
                from: position(from)?,
                to: position(from)?,
                radius: from.f32(WHAT)?,
                mask: from.u64(WHAT)?,
            }),
            8 => Self::ContactRule {
                materials: [from.u32(WHAT)?, from.u32(WHAT)?],
                rule: restore_rule(from)?,
            },
            9 => Self::FillTiles {
                entity: EntityRef::restore(from)?,
                block: TileBlock {
                    x: from.u32(WHAT)?,
                    y: from.u32(WHAT)?,
                    width: from.u32(WHAT)?,
                    height: from.u32(WHAT)?,
                },
                tile: char::from_u32(from.u32(WHAT)?).ok_or_else(unknown)?,
            },
            10 => Self::SetAction {
                name: from.text(WHAT)?,
                value: from.f32(WHAT)?,
            },
            11 => Self::CategoryRule {
                categories: [from.u64(WHAT)?, from.u64(WHAT)?],
                rule: restore_rule(from)?,
            },
            12 => Self::UseCallbacks(CallbackNames {
                custom_filter: optional(from, |from| from.text(WHAT))?,
                pre_solve: optional(from, |from| from.text(WHAT))?,
                categories: from.u64(WHAT)?,
            }),
            _ => return Err(unknown()),
        })
    }
}

/// An explosion without the radius for tiles.
fn explosion(from: &mut Reader<'_>) -> Result<ExplosionDef, DataError> {
    let place = position(from)?;
    Ok(ExplosionDef {
        mask: from.u64(WHAT)?,
        radius: from.f32(WHAT)?,
        falloff: from.f32(WHAT)?,
        impulse_per_length: from.f32(WHAT)?,
        ..ExplosionDef::at(place)
    })
}

impl EntityRef {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Entity(entity) => {
                out.u8(0);
                out.entity(Some(*entity));
            }
            Self::Name(name) => {
                out.u8(1);
                out.text(name);
            }
        }
    }

    fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        match from.u8(WHAT)? {
            0 => from.entity(WHAT)?.map(Self::Entity).ok_or_else(unknown),
            1 => from.text(WHAT).map(Self::Name),
            _ => Err(unknown()),
        }
    }
}

impl Push {
    fn save(self, out: &mut Writer) {
        let (kind, vector, point) = match self {
            Self::Impulse(impulse) => (0, impulse, None),
            Self::ImpulseAt(impulse, point) => (1, impulse, Some(point)),
            Self::AngularImpulse(impulse) => (2, Vec2::new(impulse, 0.0), None),
            Self::Force(force) => (3, force, None),
            Self::ForceAt(force, point) => (4, force, Some(point)),
            Self::Torque(torque) => (5, Vec2::new(torque, 0.0), None),
            Self::DropThrough => (6, Vec2::ZERO, None),
            Self::LocalImpulse(impulse) => (7, impulse, None),
            Self::LocalForce(force) => (8, force, None),
            Self::Sleep => (9, Vec2::ZERO, None),
            Self::WakeTouching => (10, Vec2::ZERO, None),
        };
        out.u8(kind);
        save_vector(vector, out);
        save_position(point.unwrap_or_default(), out);
    }

    fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let kind = from.u8(WHAT)?;
        let (vector, point) = (vector(from)?, position(from)?);
        Ok(match kind {
            0 => Self::Impulse(vector),
            1 => Self::ImpulseAt(vector, point),
            2 => Self::AngularImpulse(vector.x),
            3 => Self::Force(vector),
            4 => Self::ForceAt(vector, point),
            5 => Self::Torque(vector.x),
            6 => Self::DropThrough,
            7 => Self::LocalImpulse(vector),
            8 => Self::LocalForce(vector),
            9 => Self::Sleep,
            10 => Self::WakeTouching,
            _ => return Err(unknown()),
        })
    }
}

impl SpawnCommand {
    fn save(&self, out: &mut Writer) {
        out.text(&self.resource);
        out.flag(self.name.is_some());
        if let Some(name) = &self.name {
            out.text(name);
        }
        out.flag(self.pose.is_some());
        if let Some(pose) = self.pose {
            save_pose(pose, out);
        }
        out.flag(self.parent.is_some());
        if let Some(parent) = &self.parent {
            parent.save(out);
        }
        out.length(self.overrides.len());
        for one in &self.overrides {
            out.text(&one.path);
            out.tagged_value(&one.value);
        }
    }

    fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let resource = from.text(WHAT)?;
        let name = optional(from, |from| from.text(WHAT))?;
        let pose = optional(from, pose)?;
        let parent = optional(from, EntityRef::restore)?;
        let mut overrides = Vec::new();
        for _ in 0..from.length(10, WHAT)? {
            overrides.push(Override {
                path: from.text(WHAT)?,
                value: from.tagged_value()?,
            });
        }
        Ok(Self {
            resource,
            name,
            pose,
            parent,
            overrides,
        })
    }
}

fn optional<'a, T>(
    from: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, DataError>,
) -> Result<Option<T>, DataError> {
    let is_there = from.flag(WHAT)?;
    is_there.then(|| read(from)).transpose()
}

fn save_rule(rule: Option<&ContactRule>, out: &mut Writer) {
    out.flag(rule.is_some());
    let Some(rule) = rule else { return };
    for number in [
        rule.friction,
        rule.restitution,
        rule.surface_speed,
        rule.hit_threshold,
    ] {
        out.flag(number.is_some());
        out.f32(number.unwrap_or_default());
    }
    out.flag(rule.one_way.is_some());
    save_vector(rule.one_way.unwrap_or_default(), out);
    out.flag(rule.ignore);
    out.flag(rule.sensor);
}

fn restore_rule(from: &mut Reader<'_>) -> Result<Option<ContactRule>, DataError> {
    if !from.flag(WHAT)? {
        return Ok(None);
    }
    let number = |from: &mut Reader<'_>| {
        let is_given = from.flag(WHAT)?;
        let number = from.f32(WHAT)?;
        Ok::<_, DataError>(is_given.then_some(number))
    };
    let [friction, restitution, surface_speed, hit_threshold] =
        [number(from)?, number(from)?, number(from)?, number(from)?];
    let has_direction = from.flag(WHAT)?;
    let direction = vector(from)?;
    Ok(Some(ContactRule {
        friction,
        restitution,
        surface_speed,
        one_way: has_direction.then_some(direction),
        ignore: from.flag(WHAT)?,
        sensor: from.flag(WHAT)?,
        hit_threshold,
    }))
}

fn save_vector(vector: Vec2, out: &mut Writer) {
    out.f32(vector.x);
    out.f32(vector.y);
}

fn vector(from: &mut Reader<'_>) -> Result<Vec2, DataError> {
    Ok(Vec2::new(from.f32(WHAT)?, from.f32(WHAT)?))
}

fn save_position(position: Position, out: &mut Writer) {
    save_vector(Vec2::from(position), out);
}

fn position(from: &mut Reader<'_>) -> Result<Position, DataError> {
    vector(from).map(Position::from)
}

fn save_pose(pose: Pose, out: &mut Writer) {
    save_vector(pose.position, out);
    out.f32(pose.rotation.cos);
    out.f32(pose.rotation.sin);
}

fn pose(from: &mut Reader<'_>) -> Result<Pose, DataError> {
    Ok(Pose {
        position: vector(from)?,
        rotation: Rot {
            cos: from.f32(WHAT)?,
            sin: from.f32(WHAT)?,
        },
    })
}
