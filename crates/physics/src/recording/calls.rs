//! [`Call`]: the table of all calls that change a world. A new call is added here.

use super::table::recorded_calls;
use crate::body::{BodyDef, BodyId, BodyKind};
use crate::composite::{MemberId, RigidWeldDef, RigidWeldId};
use crate::concave_polygon::ConcavePolygonId;
use crate::cut::Shatter;
use crate::field::{ExplosionDef, FieldDef, FieldId};
use crate::heightfield::HeightfieldDef;
use crate::island::IslandAlgorithm;
use crate::joint::{JointDef, JointId};
use crate::rule::ContactRule;
use crate::settings::{Debris, WorldDef};
use crate::shape::{ChainDef, CombineRule, Filter, ShapeDef, ShapeId};
use crate::tile_grid::{TileBlock, TileCut, TileGridDef, TileGridId};
use alloc::boxed::Box;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::{MassProperties, Shape};
use tombolo_geometry::split::ConcavePolygon;
use tombolo_geometry::{Pose, Position};

/// The table of calls: for each its name and arguments as they are recorded, and the code that makes it again. It is
/// passed on behind `$head`: here to declare [`Call`], in `replay/physics.rs` to play it (`table.rs`).
///
/// A new call is a line here, and one in the method: `self.log.report(|| Call::Name { .. })`, before any of its
/// effects. Names and arguments never change once recordings contain them; a new argument is a new call.
macro_rules! calls {
    ($then:ident! { $($head:tt)* }) => {
        $then! {
            $($head)*
            table:
            CreateBody { def: BodyDef } => |world| world.create_body(&def);
            DestroyBody { body: BodyId } => |world| world.destroy_body(body);
            CreateShape { body: BodyId, def: ShapeDef, geometry: Shape } =>
                |world| world.create_shape(body, &def, &geometry);
            CreateChain { body: BodyId, def: ChainDef } => |world| world.create_chain(body, &def);
            CreateHeightfield { body: BodyId, def: HeightfieldDef } => |world| world.create_heightfield(body, &def);
            DestroyShape { shape: ShapeId } => |world| world.destroy_shape(shape);
            CreateConcavePolygon { body: BodyId, def: ShapeDef, polygon: ConcavePolygon, radius: f32 } =>
                |world| world.create_rounded_polygon(body, &def, &polygon, radius);
            DestroyConcavePolygon { polygon: ConcavePolygonId } => |world| world.destroy_concave_polygon(polygon);
            CreateTileGrid { body: BodyId, def: TileGridDef } => |world| world.create_tile_grid(body, &def);
            FillTiles { grid: TileGridId, block: TileBlock, tile: u32 } =>
                |world| world.fill_tiles(grid, block, tile.min(255) as u8);
            SetTiles { grid: TileGridId, block: TileBlock, tiles: Vec<u8> } =>
                |world| world.set_tiles(grid, block, &tiles);
            CutTiles { cut: TileCut } => |world| world.cut_tiles(&cut);
            DestroyTileGrid { grid: TileGridId } => |world| world.destroy_tile_grid(grid);
            CreateJoint { def: JointDef } => |world| world.create_joint(def);
            DestroyJoint { joint: JointId } => |world| world.destroy_joint(joint);
            CreateMember { body: BodyId, key: u64 } => |world| world.create_member(body, key);
            DestroyMember { member: MemberId } => |world| world.destroy_member(member);
            CreateRigidWeld { def: RigidWeldDef } => |world| world.create_rigid_weld(&def);
            DestroyRigidWeld { weld: RigidWeldId } => |world| world.destroy_rigid_weld(weld);
            SetRigidWeldThresholds { weld: RigidWeldId, force: f32, torque: f32, breaks: bool } =>
                |world| world.set_rigid_weld_thresholds(weld, force, torque, breaks);
            SetRigidWeldUserKey { weld: RigidWeldId, key: u64 } => |world| world.set_rigid_weld_user_key(weld, key);
            SetMemberUserKey { member: MemberId, key: u64 } => |world| world.set_member_user_key(member, key);
            SetShapeMember { shape: ShapeId, member: MemberId } => |world| world.set_shape_member(shape, member);
            CreateField { def: FieldDef } => |world| world.create_field(&def);
            SetField { field: FieldId, def: FieldDef } => |world| world.set_field(field, &def);
            DestroyField { field: FieldId } => |world| world.destroy_field(field);
            Explode { def: ExplosionDef } => |world| world.explode(&def);
            Slice { body: BodyId, from: Position, to: Position } => |world| world.slice(body, from, to);
            CutBodies { from: Position, to: Position, bodies: Vec<BodyId> } =>
                |world| world.cut_bodies(from, to, &bodies);
            Shatter { body: BodyId, pattern: Shatter } => |world| world.shatter(body, &pattern);
            SetGravity { gravity: Vec2 } => |world| world.set_gravity(gravity);
            SetSubsteps { substeps: u32 } => |world| world.set_substeps(substeps);
            SetSleepingEnabled { enabled: bool } => |world| world.set_sleeping_enabled(enabled);
            SetContinuous { enabled: bool } => |world| world.set_continuous(enabled);
            SetThresholds { restitution: f32, hit: f32 } => |world| world.set_thresholds(restitution, hit);
            SetContactSoftness { hertz: f32, damping_ratio: f32, push_speed_max: f32 } =>
                |world| world.set_contact_softness(hertz, damping_ratio, push_speed_max);
            SetSpeedMax { speed_max: f32 } => |world| world.set_speed_max(speed_max);
            SetDebris { debris: Debris } => |world| world.set_debris(debris);
            SetIslandAlgorithm { algorithm: IslandAlgorithm } => |world| world.set_island_algorithm(algorithm);
            BodySetEnabled { body: BodyId, enabled: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_enabled(enabled));
            BodySetKind { body: BodyId, kind: BodyKind } =>
                |world| world.body_mut(body).map(|mut body| body.set_kind(kind));
            BodyTeleport { body: BodyId, pose: Pose } =>
                |world| world.body_mut(body).map(|mut body| body.teleport(pose));
            BodySetPose { body: BodyId, pose: Pose } =>
                |world| world.body_mut(body).map(|mut body| body.set_pose(pose));
            BodyWake { body: BodyId } => |world| world.body_mut(body).map(|mut body| body.wake());
            BodyWakeTouching { body: BodyId } => |world| world.body_mut(body).map(|mut body| body.wake_touching());
            BodySleep { body: BodyId } => |world| world.body_mut(body).map(|mut body| body.sleep());
            BodySetLinearVelocity { body: BodyId, velocity: Vec2 } =>
                |world| world.body_mut(body).map(|mut body| body.set_linear_velocity(velocity));
            BodySetAngularVelocity { body: BodyId, velocity: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_angular_velocity(velocity));
            BodySetTarget { body: BodyId, position: Position, angle: f32, dt: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_target(position, angle, dt));
            BodyApplyForce { body: BodyId, force: Vec2 } =>
                |world| world.body_mut(body).map(|mut body| body.apply_force(force));
            BodyApplyForceAt { body: BodyId, force: Vec2, point: Position } =>
                |world| world.body_mut(body).map(|mut body| body.apply_force_at(force, point));
            BodyApplyTorque { body: BodyId, torque: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.apply_torque(torque));
            BodyApplyImpulse { body: BodyId, impulse: Vec2 } =>
                |world| world.body_mut(body).map(|mut body| body.apply_impulse(impulse));
            BodyApplyImpulseAt { body: BodyId, impulse: Vec2, point: Position } =>
                |world| world.body_mut(body).map(|mut body| body.apply_impulse_at(impulse, point));
            BodyApplyAngularImpulse { body: BodyId, impulse: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.apply_angular_impulse(impulse));
            BodySetLastingForce { body: BodyId, force: Vec2 } =>
                |world| world.body_mut(body).map(|mut body| body.set_lasting_force(force));
            BodySetLastingTorque { body: BodyId, torque: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_lasting_torque(torque));
            BodySetDamping { body: BodyId, linear: f32, angular: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_damping(linear, angular));
            BodySetGravityScale { body: BodyId, scale: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_gravity_scale(scale));
            BodySetBullet { body: BodyId, bullet: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_bullet(bullet));
            BodySetUserKey { body: BodyId, key: u64 } =>
                |world| world.body_mut(body).map(|mut body| body.set_user_key(key));
            BodySetName { body: BodyId, name: Box<str> } =>
                |world| world.body_mut(body).map(|mut body| body.set_name(&name));
            BodySetSleepThreshold { body: BodyId, threshold: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_sleep_threshold(threshold));
            BodySetMaySleep { body: BodyId, may_sleep: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_may_sleep(may_sleep));
            BodySetFastRotation { body: BodyId, fast: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_fast_rotation(fast));
            BodySetFixedRotation { body: BodyId, fixed: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_fixed_rotation(fixed));
            BodySetFixedAxes { body: BodyId, x: bool, y: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_fixed_axes(x, y));
            BodySetOwnMass { body: BodyId, own: MassProperties } =>
                |world| world.body_mut(body).map(|mut body| body.set_own_mass(own));
            BodySetAddedMass { body: BodyId, kilograms: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_added_mass(kilograms));
            BodySetDominance { body: BodyId, dominance: i8 } =>
                |world| world.body_mut(body).map(|mut body| body.set_dominance(dominance));
            BodySetExtraSubsteps { body: BodyId, extra: u32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_extra_substeps(extra));
            BodySetSpeedLimits { body: BodyId, speed_max: f32, spin_max: f32 } =>
                |world| world.body_mut(body).map(|mut body| body.set_speed_limits(speed_max, spin_max));
            BodySetContactRecycling { body: BodyId, recycling: bool } =>
                |world| world.body_mut(body).map(|mut body| body.set_contact_recycling(recycling));
            ShapeSetFilter { shape: ShapeId, filter: Filter } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_filter(filter));
            ShapeSetEvents { shape: ShapeId, contact_events: bool, hit_events: bool } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_events(contact_events, hit_events));
            ShapeSetSensor { shape: ShapeId, sensor: bool } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_sensor(sensor));
            ShapeSetDensity { shape: ShapeId, density: f32 } =>
                |world| world.shape_mut(shape).and_then(|mut shape| shape.set_density(density));
            ShapeSetGeometry { shape: ShapeId, geometry: Shape } =>
                |world| world.shape_mut(shape).and_then(|mut shape| shape.set_geometry(&geometry));
            ShapeSetCombineRules { shape: ShapeId, friction: CombineRule, restitution: CombineRule } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_combine_rules(friction, restitution));
            ShapeSetMaterialNumber { shape: ShapeId, material: u32 } =>
                |world| world.shape_mut(shape).and_then(|mut shape| shape.set_material_number(material));
            ShapeSetContactSkin { shape: ShapeId, contact_skin: f32 } =>
                |world| world.shape_mut(shape).and_then(|mut shape| shape.set_contact_skin(contact_skin));
            SetContactRule { first: u32, second: u32, rule: ContactRule } =>
                |world| world.set_contact_rule(first, second, rule);
            RemoveContactRule { first: u32, second: u32 } => |world| world.remove_contact_rule(first, second);
            SetCategoryRule { first: u64, second: u64, rule: ContactRule } =>
                |world| world.set_category_rule(first, second, rule);
            RemoveCategoryRule { first: u64, second: u64 } => |world| world.remove_category_rule(first, second);
            SetCustomFilter { used: bool, anew: bool } => |world| world.play_custom_filter(used, anew);
            SetPreSolve { used: bool, categories: u64, anew: bool } =>
                |world| world.play_pre_solve(used, categories, anew);
            SetPairIgnored { a: ShapeId, b: ShapeId, ignored: bool } => |world| world.set_pair_ignored(a, b, ignored);
            BodyDropThrough { body: BodyId } => |world| world.body_mut(body).map(|mut body| body.drop_through());
            ShapeSetForceThreshold { shape: ShapeId, newtons: f32 } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_force_threshold(newtons));
            ShapeSetSees { shape: ShapeId, sensors: bool, fixed: bool } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_sees(sensors, fixed));
            ShapeSetUserKey { shape: ShapeId, key: u64 } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_user_key(key));
            ShapeSetMaterial { shape: ShapeId, friction: f32, restitution: f32 } =>
                |world| world.shape_mut(shape).map(|mut shape| shape.set_material(friction, restitution));
            ShapeSetSurface { shape: ShapeId, rolling_resistance: f32, tangent_speed: f32 } => |world| world
                .shape_mut(shape)
                .map(|mut shape| shape.set_surface(rolling_resistance, tangent_speed));
            JointSetUserKey { joint: JointId, key: u64 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_user_key(key));
            JointSetDef { joint: JointId, def: JointDef } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_def(def));
            JointSetMotor { joint: JointId, enabled: bool, speed: f32, max: f32 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.switch_motor(enabled, $crate::JointMotor { speed, max }));
            JointSetLimit { joint: JointId, enabled: bool, lower: f32, upper: f32 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.switch_limit(enabled, $crate::JointLimit { lower, upper }));
            JointSetTurns { joint: JointId, turns: i32 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_turns(turns));
            JointSetSpring { joint: JointId, enabled: bool, target: f32, hertz: f32, damping_ratio: f32 } => |world| world
                .joint_mut(joint)
                .map(|mut joint| joint.switch_spring(enabled, $crate::JointSpring { target, hertz, damping_ratio }));
            JointSetStiffness { joint: JointId, hertz: f32, damping_ratio: f32 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_stiffness($crate::JointStiffness { hertz, damping_ratio }));
            JointSetAnchors { joint: JointId, a: Vec2, b: Vec2 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_anchors(a, b));
            JointSetAngles { joint: JointId, a: f32, b: f32 } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_angles(a, b));
            JointSetThresholds { joint: JointId, force: f32, torque: f32, breaks: bool } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_thresholds($crate::JointThresholds { force, torque, breaks }));
            JointSetCollideConnected { joint: JointId, collide: bool } =>
                |world| world.joint_mut(joint).map(|mut joint| joint.set_collide_connected(collide));
        }
    };
}
pub(crate) use calls;

calls!(recorded_calls! {
    /// A recorded call that changed a world. Each has the name of its method, with the kind of object in front for
    /// one of a body, shape or joint.
    pub enum Call { Step { dt: f32 } }
    magic: *b"TOMBOREC\x01\0\0\0",
    frames_kept: 1024,
    begins_with: WorldDef,
});
