//! Components of bodies, for games to insert and change. All but [`Body`] are optional.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Component, Has, Name, ReflectComponent};
use bevy_ecs::query::QueryData;
use bevy_math::Vec2;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use bevy_transform::components::Transform;
use tombolo_physics::constants::{SPIN_MAX_RAD_S, VELOCITY_MAX_M_S};
use tombolo_physics::{BodyDef, BodyKind, BodyMut, BodyName, MassProperties, PhysicsError};

use crate::link::BodyLink;
use crate::pending::{body_added, body_changed, body_removed};
use crate::reflected::ReflectedMass;

/// Makes an entity a rigid body. Its [`Collider`](crate::Collider)s are on the same entity and on children.
///
/// After each step `Transform` and [`Velocity`] are those of the body. If the game writes them, the body follows: a
/// changed position or rotation is a teleport, which wakes the bodies that it touched.
///
/// The entity's [`Name`] is the body's name too, for debug drawing and for people who look at the physics world; of a
/// longer one the first 31 bytes.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[require(Transform, Velocity, SleepState, BodyLink)]
#[component(on_add = body_added, on_remove = body_removed)]
pub enum Body {
    /// A body that is not moved by forces, contacts or joints: ground, walls.
    #[default]
    Static,
    /// A body that moves with its [`Velocity`] or to the target of [`MoveTo`], whatever it hits: lifts, platforms.
    Kinematic,
    /// A body that is moved by forces, contacts and joints.
    Dynamic,
}

impl From<Body> for BodyKind {
    fn from(body: Body) -> Self {
        match body {
            Body::Static => Self::Static,
            Body::Kinematic => Self::Kinematic,
            Body::Dynamic => Self::Dynamic,
        }
    }
}

/// Velocity of a body: that of its center of mass in meters per second, and its angular velocity in radians per second,
/// counter-clockwise positive.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Velocity of the center of mass, in meters per second.
    pub linear: Vec2,
    /// Angular velocity, in radians per second.
    pub angular: f32,
}

impl Velocity {
    /// A linear velocity, with an angular velocity of 0.
    pub fn linear(x: f32, y: f32) -> Self {
        Self {
            linear: Vec2::new(x, y),
            angular: 0.0,
        }
    }
}

/// Forces and impulses for the next step, after which the plugin sets all of them to zero. No effect unless dynamic.
///
/// For forces at a point other than the center of mass: `body_mut` of [`Physics`](crate::Physics).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Force at the center of mass during the step, in newtons.
    pub force: Vec2,
    /// Torque during the step, in newton meters.
    pub torque: f32,
    /// Impulse at the center of mass, applied at once, in newton seconds.
    pub impulse: Vec2,
    /// Angular impulse, applied at once, in newton meter seconds.
    pub angular_impulse: f32,
}

/// A force and a torque that act in every step, in the world's directions, until they are changed.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct LastingForce {
    /// Force at the center of mass, in newtons.
    pub force: Vec2,
    /// Torque, in newton meters.
    pub torque: f32,
}

/// Target pose of a body after the next step, whatever the step's length: the body gets the velocity that takes it
/// there, and so carries and pushes what it meets. For lifts and platforms that follow a path; a changed `Transform`
/// would be a teleport.
///
/// A kinematic body stops when the component is removed, unless [`Velocity`] is written or a call sets another velocity;
/// a dynamic one goes on at the velocity that it has.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct MoveTo {
    /// Target position in the world.
    pub position: Vec2,
    /// Target angle, in radians; the body turns the shorter way.
    pub angle: f32,
}

/// Damping of velocities, per second.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct Damping {
    /// Damping of the linear velocity, per second; 0 and up.
    pub linear: f32,
    /// Damping of the angular velocity, per second; 0 and up.
    pub angular: f32,
}

/// A factor of gravity for one body; 1 without this component, negative floats up.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[component(on_remove = body_changed)]
pub struct GravityScale(pub f32);

/// The world's axes along which a body never moves, and whether it never turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct LockedAxes {
    /// Whether its center of mass keeps its x.
    pub x: bool,
    /// Whether its center of mass keeps its y.
    pub y: bool,
    /// Whether it keeps its angle.
    pub rotation: bool,
}

impl LockedAxes {
    /// A body that moves but never turns, as characters do.
    pub const ROTATION: Self = Self {
        x: false,
        y: false,
        rotation: true,
    };
}

/// The mass of a body in place of that of its colliders, or in addition to it. Dynamic bodies only.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct MassOverride {
    /// Mass, inertia and center of mass in place of the colliders', if the mass is not 0.
    #[reflect(remote = ReflectedMass)]
    pub own: MassProperties,
    /// Additional kilograms, distributed as the other mass is.
    pub added: f32,
}

/// Options that few bodies need.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct BodyOptions {
    /// Whether the body, while it moves fast, is also stopped by kinematic and dynamic bodies; static ones stop every fast body.
    pub bullet: bool,
    /// Whether the body may turn by more than 45° in a step, as wheels do.
    pub fast_rotation: bool,
    /// Whether its contacts may keep their points while it hardly moves.
    pub contact_recycling: bool,
    /// Contacts with bodies of lower dominance do not move the body; -127 to 127.
    pub dominance: i8,
    /// Substeps beyond those of the world for the body and what it is connected with; 0 to 64.
    pub extra_substeps: u32,
    /// Greatest speed, in meters per second.
    pub speed_max: f32,
    /// Greatest angular speed, in radians per second.
    pub spin_max: f32,
}

impl Default for BodyOptions {
    fn default() -> Self {
        Self {
            bullet: false,
            fast_rotation: false,
            contact_recycling: true,
            dominance: 0,
            extra_substeps: 0,
            speed_max: VELOCITY_MAX_M_S,
            spin_max: SPIN_MAX_RAD_S,
        }
    }
}

/// The conditions under which a body falls asleep.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = body_changed)]
pub struct SleepSettings {
    /// Whether it may sleep.
    pub may_sleep: bool,
    /// Speed below which it counts as resting, in meters per second.
    pub threshold: f32,
    /// Whether it sleeps when it is created; no effect later.
    pub starts_asleep: bool,
}

impl Default for SleepSettings {
    fn default() -> Self {
        let def = BodyDef::default();
        Self {
            may_sleep: def.allow_sleep,
            threshold: def.sleep_threshold,
            starts_asleep: !def.awake,
        }
    }
}

/// Whether a body sleeps: written by the plugin after the step in which that changed, for systems to watch. The calls
/// that wake a body or put it to sleep are those of `body_mut` of [`Physics`](crate::Physics).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct SleepState {
    pub(crate) asleep: bool,
}

impl SleepState {
    /// Whether it sleeps.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }
}

/// Takes a body out of the simulation, with its colliders and joints, for as long as the component is present. Bevy's
/// own [`Disabled`] does the same, and hides the entity from queries.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_add = body_changed, on_remove = body_changed)]
pub struct BodyDisabled;

/// All components that define a body.
#[derive(QueryData)]
pub(crate) struct BodySettings {
    body: &'static Body,
    name: Option<&'static Name>,
    damping: Option<&'static Damping>,
    gravity_scale: Option<&'static GravityScale>,
    locked: Option<&'static LockedAxes>,
    mass: Option<&'static MassOverride>,
    lasting: Option<&'static LastingForce>,
    options: Option<&'static BodyOptions>,
    sleep: Option<&'static SleepSettings>,
    is_disabled: Has<BodyDisabled>,
    is_hidden: Has<Disabled>,
}

impl BodySettingsItem<'_, '_> {
    /// The body's definition, without its pose and velocity.
    pub(crate) fn def(&self) -> BodyDef {
        let damping = self.damping.copied().unwrap_or_default();
        let locked = self.locked.copied().unwrap_or_default();
        let mass = self.mass.copied().unwrap_or_default();
        let lasting = self.lasting.copied().unwrap_or_default();
        let options = self.options.copied().unwrap_or_default();
        let sleep = self.sleep.copied().unwrap_or_default();
        BodyDef {
            kind: (*self.body).into(),
            name: self.name.map(body_name).unwrap_or_default(),
            linear_damping: damping.linear,
            angular_damping: damping.angular,
            gravity_scale: self.gravity_scale.map_or(1.0, |scale| scale.0),
            sleep_threshold: sleep.threshold,
            allow_sleep: sleep.may_sleep,
            awake: !sleep.starts_asleep,
            fixed_rotation: locked.rotation,
            fixed_x: locked.x,
            fixed_y: locked.y,
            own_mass: mass.own,
            added_mass: mass.added,
            dominance: options.dominance,
            extra_substeps: options.extra_substeps,
            speed_max: options.speed_max,
            spin_max: options.spin_max,
            lasting_force: lasting.force,
            lasting_torque: lasting.torque,
            contact_recycling: options.contact_recycling,
            fast_rotation: options.fast_rotation,
            bullet: options.bullet,
            enabled: !self.is_disabled && !self.is_hidden,
            ..BodyDef::default()
        }
    }
}

/// As much of a name as a body can have.
fn body_name(name: &Name) -> BodyName {
    BodyName::cut_off(name.as_str())
}

/// Changes a body to agree with a definition, except for its pose and velocity. Values that agree already are not set,
/// since most calls wake the body. Returns the first error, after all other values are set.
pub(crate) fn apply(mut body: BodyMut<'_>, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut applied = Ok(());
    if body.view().kind() != def.kind {
        applied = applied.and(body.set_kind(def.kind));
    }
    if body.view().name() != def.name.as_str() {
        applied = applied.and(body.set_name(def.name.as_str()));
    }
    let damping = [body.view().linear_damping(), body.view().angular_damping()];
    if damping != [def.linear_damping, def.angular_damping] {
        applied = applied.and(body.set_damping(def.linear_damping, def.angular_damping));
    }
    if body.view().gravity_scale() != def.gravity_scale {
        applied = applied.and(body.set_gravity_scale(def.gravity_scale));
    }
    if body.view().fixed_axes() != [def.fixed_x, def.fixed_y] {
        body.set_fixed_axes(def.fixed_x, def.fixed_y);
    }
    if body.view().has_fixed_rotation() != def.fixed_rotation {
        body.set_fixed_rotation(def.fixed_rotation);
    }
    if body.view().own_mass() != def.own_mass {
        applied = applied.and(body.set_own_mass(def.own_mass));
    }
    if body.view().added_mass() != def.added_mass {
        applied = applied.and(body.set_added_mass(def.added_mass));
    }
    applied = applied.and(apply_options(&mut body, def));
    if body.view().sleep_threshold() != def.sleep_threshold {
        applied = applied.and(body.set_sleep_threshold(def.sleep_threshold));
    }
    if body.view().may_sleep() != def.allow_sleep {
        body.set_may_sleep(def.allow_sleep);
    }
    // A body that the engine froze stays frozen until the game disables it.
    if body.view().is_enabled() != def.enabled && !(def.enabled && body.view().is_frozen()) {
        body.set_enabled(def.enabled);
    }
    applied
}

fn apply_options(body: &mut BodyMut<'_>, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut applied = Ok(());
    if body.view().dominance() != def.dominance {
        applied = applied.and(body.set_dominance(def.dominance));
    }
    if body.view().extra_substeps() != def.extra_substeps {
        applied = applied.and(body.set_extra_substeps(def.extra_substeps));
    }
    if [body.view().speed_max(), body.view().spin_max()] != [def.speed_max, def.spin_max] {
        applied = applied.and(body.set_speed_limits(def.speed_max, def.spin_max));
    }
    if body.view().lasting_force() != def.lasting_force {
        applied = applied.and(body.set_lasting_force(def.lasting_force));
    }
    if body.view().lasting_torque() != def.lasting_torque {
        applied = applied.and(body.set_lasting_torque(def.lasting_torque));
    }
    if body.view().has_contact_recycling() != def.contact_recycling {
        body.set_contact_recycling(def.contact_recycling);
    }
    if body.view().has_fast_rotation() != def.fast_rotation {
        body.set_fast_rotation(def.fast_rotation);
    }
    if body.view().is_bullet() != def.bullet {
        body.set_bullet(def.bullet);
    }
    applied
}
