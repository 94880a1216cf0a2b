//! Composites: bodies welded rigidly into one, their members and welds.

use crate::physics::{World, body_id, shape_id};
use crate::{refuse, with_options};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use tombolo_physics::{BodyId, MemberId, PhysicsWorld, Position, RigidWeldDef, RigidWeldId};

type Point = (f32, f32);

/// The body, shapes, welds, the pose of the frame of the body that it was made from, mass, center of mass and user's number
/// of a member.
type MemberNumbers = (u64, Vec<u64>, Vec<u64>, (Point, f32), f32, Point, u64);

/// The members, point, force, torque and options of a weld.
type WeldNumbers = ([u64; 2], Point, Point, f32, String);

/// A load: the weld, the body, the members, force, torque, and whether it broke.
type WeldLoad = (u64, u64, [u64; 2], Point, f32, bool);

fn member_id(bits: u64) -> PyResult<MemberId> {
    MemberId::from_bits(bits).ok_or_else(|| refuse("no member has this id"))
}

fn weld_id(bits: u64) -> PyResult<RigidWeldId> {
    RigidWeldId::from_bits(bits).ok_or_else(|| refuse("no rigid weld has this id"))
}

/// The options of a weld.
#[derive(Serialize, Deserialize)]
struct WeldOptions {
    force_threshold: f32,
    torque_threshold: f32,
    breaks: bool,
    user_key: u64,
}

impl WeldOptions {
    fn of(def: &RigidWeldDef) -> Self {
        Self {
            force_threshold: def.force_threshold,
            torque_threshold: def.torque_threshold,
            breaks: def.breaks,
            user_key: def.user_key,
        }
    }

    fn def(&self, [first, second]: [MemberId; 2], point: Position) -> RigidWeldDef {
        RigidWeldDef {
            force_threshold: self.force_threshold,
            torque_threshold: self.torque_threshold,
            breaks: self.breaks,
            user_key: self.user_key,
            ..RigidWeldDef::new(first, second, point)
        }
    }
}

/// What a weld is asked for between: a member, or a body that has none yet or just one.
#[derive(Clone, Copy)]
enum End {
    Member(MemberId),
    Body(BodyId),
}

impl End {
    fn parse((is_member, bits): (bool, u64)) -> PyResult<Self> {
        Ok(if is_member {
            Self::Member(member_id(bits)?)
        } else {
            Self::Body(body_id(bits)?)
        })
    }

    /// The member itself, or the only one of the body; a body without members stays one.
    fn known(self, world: &PhysicsWorld) -> PyResult<Self> {
        let Self::Body(id) = self else {
            return Ok(self);
        };
        let body = world.body(id).ok_or_else(|| refuse("the body was destroyed"))?;
        let mut members = body.members();
        match (members.next(), members.next()) {
            (None, _) => Ok(self),
            (Some(only), None) => Ok(Self::Member(only.id())),
            (Some(_), Some(_)) => Err(refuse(
                "the body has several members: weld to one of Body.members",
            )),
        }
    }

    fn body(self, world: &PhysicsWorld) -> PyResult<BodyId> {
        match self {
            Self::Body(body) => Ok(body),
            Self::Member(member) => {
                let member = world.member(member);
                Ok(member
                    .ok_or_else(|| refuse("the member was destroyed"))?
                    .body()
                    .id())
            }
        }
    }

    /// The member, made of the body if that has none.
    fn member(self, world: &mut PhysicsWorld) -> PyResult<MemberId> {
        match self {
            Self::Member(member) => Ok(member),
            Self::Body(body) => world.create_member(body, 0).map_err(refuse),
        }
    }
}

/// Makes a body a composite of one member.
#[pyfunction]
pub(crate) fn create_member(world: &World, body: u64, key: u64) -> PyResult<u64> {
    let member = world.world().create_member(body_id(body)?, key).map_err(refuse)?;
    Ok(member.to_bits())
}

#[pyfunction]
pub(crate) fn destroy_member(world: &World, member: u64) -> PyResult<()> {
    world.world().destroy_member(member_id(member)?).map_err(refuse)
}

/// The members of a body.
#[pyfunction]
pub(crate) fn members(world: &World, body: u64) -> PyResult<Vec<u64>> {
    let (world, body) = (world.world(), body_id(body)?);
    let body = world.body(body).ok_or_else(|| refuse("the body was destroyed"))?;
    Ok(body.members().map(|member| member.id().to_bits()).collect())
}

#[pyfunction]
pub(crate) fn member(world: &World, member: u64) -> PyResult<MemberNumbers> {
    let world = world.world();
    let member = world
        .member(member_id(member)?)
        .ok_or_else(|| refuse("the member was destroyed"))?;
    let pose = member.pose();
    Ok((
        member.body().id().to_bits(),
        member.shapes().map(|shape| shape.id().to_bits()).collect(),
        member.welds().map(|weld| weld.id().to_bits()).collect(),
        (pose.position.into(), pose.rotation.angle()),
        member.mass(),
        member.center().to_vec2().into(),
        member.user_key(),
    ))
}

#[pyfunction]
pub(crate) fn set_member_key(world: &World, member: u64, key: u64) -> PyResult<()> {
    let member = member_id(member)?;
    world.world().set_member_user_key(member, key).map_err(refuse)
}

/// The member that a shape belongs to, if its body is a composite.
#[pyfunction]
pub(crate) fn member_of(world: &World, shape: u64) -> PyResult<Option<u64>> {
    let world = world.world();
    let shape = world
        .shape(shape_id(shape)?)
        .ok_or_else(|| refuse("the shape was destroyed"))?;
    Ok(shape.member().map(|member| member.to_bits()))
}

/// Moves a shape to another member of its body.
#[pyfunction]
pub(crate) fn set_member_of(world: &World, shape: u64, member: u64) -> PyResult<()> {
    let (shape, member) = (shape_id(shape)?, member_id(member)?);
    world.world().set_shape_member(shape, member).map_err(refuse)
}

/// Welds two ends, each a flag for members and an id; bodies without members get one. Refused, it changes nothing.
#[pyfunction]
pub(crate) fn create_rigid_weld(
    world: &World,
    ends: [(bool, u64); 2],
    point: Point,
    options: &str,
) -> PyResult<u64> {
    let mut world = world.world();
    let first = End::parse(ends[0])?.known(&world)?;
    let second = End::parse(ends[1])?.known(&world)?;
    let usual = WeldOptions {
        force_threshold: f32::INFINITY,
        torque_threshold: f32::INFINITY,
        breaks: true,
        user_key: 0,
    };
    let options = with_options(&usual, options)?;
    check_thresholds(&options)?;
    let point = Position::new(point.0, point.1);
    let bodies = [first.body(&world)?, second.body(&world)?];
    world.check_weldable(bodies, point).map_err(refuse)?;
    let members = [first.member(&mut world)?, second.member(&mut world)?];
    let weld = world
        .create_rigid_weld(&options.def(members, point))
        .map_err(refuse)?;
    Ok(weld.to_bits())
}

/// Refuses thresholds before bodies become members.
fn check_thresholds(options: &WeldOptions) -> PyResult<()> {
    for (what, got) in [
        ("force_threshold", options.force_threshold),
        ("torque_threshold", options.torque_threshold),
    ] {
        if got.is_nan() || got < 0.0 {
            let expected = "expected a number that is not negative, or infinity";
            return Err(refuse(format!("{what} is {got}, {expected}")));
        }
    }
    Ok(())
}

#[pyfunction]
pub(crate) fn destroy_rigid_weld(world: &World, weld: u64) -> PyResult<()> {
    world.world().destroy_rigid_weld(weld_id(weld)?).map_err(refuse)
}

/// All welds.
#[pyfunction]
pub(crate) fn rigid_welds(world: &World) -> Vec<u64> {
    let world = world.world();
    world.rigid_welds().map(|weld| weld.id().to_bits()).collect()
}

#[pyfunction]
pub(crate) fn rigid_weld(world: &World, weld: u64) -> PyResult<WeldNumbers> {
    let world = world.world();
    let weld = world
        .rigid_weld(weld_id(weld)?)
        .ok_or_else(|| refuse("the weld broke, or was destroyed"))?;
    Ok((
        weld.members().map(|member| member.id().to_bits()),
        weld.point().to_vec2().into(),
        weld.force().into(),
        weld.torque(),
        serde_json::to_string(&WeldOptions::of(&weld.def())).map_err(refuse)?,
    ))
}

/// Sets options of a weld; all of them or, refused, none.
#[pyfunction]
pub(crate) fn set_rigid_weld(world: &World, weld: u64, options: &str) -> PyResult<()> {
    let (mut world, weld) = (world.world(), weld_id(weld)?);
    let known = world
        .rigid_weld(weld)
        .ok_or_else(|| refuse("the weld broke, or was destroyed"))?;
    let options = with_options(&WeldOptions::of(&known.def()), options)?;
    let (force, torque) = (options.force_threshold, options.torque_threshold);
    world
        .set_rigid_weld_thresholds(weld, force, torque, options.breaks)
        .and_then(|()| world.set_rigid_weld_user_key(weld, options.user_key))
        .map_err(refuse)
}

/// The welds whose load exceeded a threshold in the last step.
#[pyfunction]
pub(crate) fn weld_loads(world: &World) -> Vec<WeldLoad> {
    let world = world.world();
    let loads = world.events().rigid_weld().iter().map(|load| {
        (
            load.weld.to_bits(),
            load.body.to_bits(),
            load.members.map(MemberId::to_bits),
            load.force.into(),
            load.torque,
            load.broke,
        )
    });
    loads.collect()
}
