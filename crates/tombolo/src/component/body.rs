//! The component Body: the definition of an entity's rigid body, and the body's properties by name, which read and
//! write physics.

use tombolo_entity::{Component, DataError, Reader, Schema, Value, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{
    EXTRA_SUBSTEPS_MAX, FORCE_MAX_N, GRAVITY_MAX_M_S2, MASS_MAX_KG, MASS_MIN_KG, POSITION_MAX_M,
    SPIN_MAX_RAD_S, VELOCITY_MAX_M_S,
};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyRef, MassProperties, MemberId, PhysicsError, PhysicsWorld,
};

use super::register::{Entries, Registered, ToBody, Wakes, between, either_way, up_to};

/// When setting a velocity wakes the body.
const MOVES: Wakes = Wakes::If("if one of its velocities is then not 0");

/// The words of [`BodyKind`], in the order of its numbers.
const KINDS: &[&str] = &["Static", "Kinematic", "Dynamic"];

/// A rigid body. An entity has one at most.
///
/// Properties that are read by name have the body's present values; a value that is set reaches the body at once. For
/// an entity that is [welded](super::RigidWeld) to others the body is the composite of them all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The requested body. Its position and angle are those of the entity's [`Transform`](super::Transform).
    pub def: BodyDef,
    /// The body in physics.
    pub(crate) id: Option<BodyId>,
    /// The member of a composite that the body became when it was welded.
    pub(crate) member: Option<MemberId>,
}

impl Body {
    /// The body that physics created for the component; `None` before the entity is complete.
    /// [`World::body_of`](crate::World::body_of) returns the composite that it is a part of once it was welded.
    pub fn id(&self) -> Option<BodyId> {
        self.id
    }

    /// The member of a composite that the body became, if it was ever [welded](super::RigidWeld).
    pub fn member(&self) -> Option<MemberId> {
        self.member
    }

    /// The component's body in physics, or the composite that it is a part of.
    pub(crate) fn current(&self, physics: &PhysicsWorld) -> Option<BodyId> {
        match self.member {
            None => self.id,
            Some(member) => physics.member(member).map(|member| member.body().id()),
        }
    }

    /// Updates what physics changes by itself, in a step, by a cut or a weld: before one of the properties is set, since setting a
    /// part of a value keeps the other parts. A body may have been brought beyond what can be set; the component, and so a
    /// save, has only what can be.
    pub(crate) fn follow(&mut self, body: BodyRef<'_>) {
        let clamped = |vector: Vec2, most: f32| vector.clamp(Vec2::splat(-most), Vec2::splat(most));
        let def = &mut self.def;
        def.linear_velocity = clamped(body.linear_velocity(), VELOCITY_MAX_M_S);
        def.angular_velocity = body.angular_velocity().clamp(-SPIN_MAX_RAD_S, SPIN_MAX_RAD_S);
        def.lasting_force = clamped(body.lasting_force(), FORCE_MAX_N);
        def.own_mass.center = clamped(body.own_mass().center, POSITION_MAX_M);
    }
}

/// The kind of body of a number.
fn kind_of(number: u32) -> BodyKind {
    match number {
        0 => BodyKind::Static,
        1 => BodyKind::Kinematic,
        _ => BodyKind::Dynamic,
    }
}

/// Sets the linear damping. Physics sets both dampings at once, so the angular one is read from physics.
fn apply_linear_damping(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let angular = body.view().angular_damping();
    body.set_damping(def.linear_damping, angular)
}

/// Sets the angular damping, like [`apply_linear_damping`].
fn apply_angular_damping(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let linear = body.view().linear_damping();
    body.set_damping(linear, def.angular_damping)
}

/// Locks or frees the axis x. Physics sets both axes at once, as it does both limits and the whole of a mass; what else
/// it sets is read from it, as for the dampings.
fn apply_fixed_x(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let [_, y] = body.view().fixed_axes();
    body.set_fixed_axes(def.fixed_x, y);
    Ok(())
}

/// Locks or frees the axis y, like [`apply_fixed_x`].
fn apply_fixed_y(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let [x, _] = body.view().fixed_axes();
    body.set_fixed_axes(x, def.fixed_y);
    Ok(())
}

fn apply_speed_max(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let spin_max = body.view().spin_max();
    body.set_speed_limits(def.speed_max, spin_max)
}

fn apply_spin_max(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let speed_max = body.view().speed_max();
    body.set_speed_limits(speed_max, def.spin_max)
}

fn apply_own_mass(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let own = MassProperties {
        mass: def.own_mass.mass,
        ..body.view().own_mass()
    };
    body.set_own_mass(own)
}

fn apply_own_inertia(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let own = MassProperties {
        inertia: def.own_mass.inertia,
        ..body.view().own_mass()
    };
    body.set_own_mass(own)
}

fn apply_own_center(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    let mut body = physics.body_mut(id)?;
    let own = MassProperties {
        center: def.own_mass.center,
        ..body.view().own_mass()
    };
    body.set_own_mass(own)
}

/// Wakes the body, if asked to. A resource that is loaded anew may say that its bodies begin asleep; existing bodies
/// stay as they are.
fn wake(physics: &mut PhysicsWorld, id: BodyId, def: &BodyDef) -> Result<(), PhysicsError> {
    if def.awake {
        physics.body_mut(id)?.wake();
    }
    Ok(())
}

fn to_sleep(awake: &Value) -> Option<&'static str> {
    (*awake == Value::Bool(false))
        .then_some("a body is put to sleep by the command `sleep`, or falls asleep by itself")
}

/// The properties of a body's motion: its kind and velocities.
fn motion(entries: Entries<Body>) -> Entries<Body> {
    entries
        .choice(
            ("kind", KINDS),
            |body: &Body| body.def.kind as u32,
            |body, kind| body.def.kind = kind_of(kind),
            |physics, id, def| physics.body_mut(id)?.set_kind(def.kind),
            Wakes::Yes,
        )
        .live(|body| Value::Choice(body.kind() as u32))
        .doc("How the body moves.")
        .property(
            "linear_velocity",
            |body: &Body| body.def.linear_velocity,
            |body, value: Vec2| body.def.linear_velocity = value,
            |physics, id, def| physics.body_mut(id)?.set_linear_velocity(def.linear_velocity),
            MOVES,
        )
        .live(|body| Value::Vec2(body.linear_velocity()))
        .range(either_way(VELOCITY_MAX_M_S))
        .unit("m/s")
        .doc("Of the center of mass.")
        .property(
            "angular_velocity",
            |body: &Body| body.def.angular_velocity,
            |body, value| body.def.angular_velocity = value,
            |physics, id, def| physics.body_mut(id)?.set_angular_velocity(def.angular_velocity),
            MOVES,
        )
        .live(|body| Value::F32(body.angular_velocity()))
        .range(either_way(SPIN_MAX_RAD_S))
        .unit("rad/s")
        .doc("Counter-clockwise.")
}

/// The properties that act on the motion: damping and gravity.
fn forces(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "linear_damping",
            |body: &Body| body.def.linear_damping,
            |body, value| body.def.linear_damping = value,
            apply_linear_damping,
            Wakes::No,
        )
        .live(|body| Value::F32(body.linear_damping()))
        .range(up_to(f32::MAX))
        .unit("1/s")
        .doc("How fast linear velocity fades.")
        .property(
            "angular_damping",
            |body: &Body| body.def.angular_damping,
            |body, value| body.def.angular_damping = value,
            apply_angular_damping,
            Wakes::No,
        )
        .live(|body| Value::F32(body.angular_damping()))
        .range(up_to(f32::MAX))
        .unit("1/s")
        .doc("How fast angular velocity fades.")
        .property(
            "gravity_scale",
            |body: &Body| body.def.gravity_scale,
            |body, value| body.def.gravity_scale = value,
            |physics, id, def| physics.body_mut(id)?.set_gravity_scale(def.gravity_scale),
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.gravity_scale()))
        .range(either_way(GRAVITY_MAX_M_S2))
        .doc("Multiplies the world's gravity.")
}

/// The properties of sleeping.
fn sleep(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "sleep_threshold",
            |body: &Body| body.def.sleep_threshold,
            |body, value| body.def.sleep_threshold = value,
            |physics, id, def| physics.body_mut(id)?.set_sleep_threshold(def.sleep_threshold),
            Wakes::No,
        )
        .live(|body| Value::F32(body.sleep_threshold()))
        .range(up_to(f32::MAX))
        .unit("m/s")
        .doc("Slower than this it counts as resting.")
        .property(
            "allow_sleep",
            |body: &Body| body.def.allow_sleep,
            |body, value| body.def.allow_sleep = value,
            |physics, id, def| {
                physics
                    .body_mut(id)
                    .map(|mut body| body.set_may_sleep(def.allow_sleep))
            },
            Wakes::If("if set to false"),
        )
        .live(|body| Value::Bool(body.may_sleep()))
        .doc("Whether it may fall asleep.")
        .property(
            "awake",
            |body: &Body| body.def.awake,
            |body, value| body.def.awake = value,
            wake,
            Wakes::If("if set to true"),
        )
        .refused_later(to_sleep)
        .live(|body| Value::Bool(body.is_awake()))
        .doc("Whether it is awake. Setting it to true wakes it; the command `sleep` puts it to sleep.")
}

/// The properties that act in every step, and the limits of speed.
fn lasting(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "lasting_force",
            |body: &Body| body.def.lasting_force,
            |body, value: Vec2| body.def.lasting_force = value,
            |physics, id, def| physics.body_mut(id)?.set_lasting_force(def.lasting_force),
            Wakes::Yes,
        )
        .live(|body| Value::Vec2(body.lasting_force()))
        .range(either_way(FORCE_MAX_N))
        .unit("N")
        .doc("At the center of mass in every step.")
        .property(
            "lasting_torque",
            |body: &Body| body.def.lasting_torque,
            |body, value| body.def.lasting_torque = value,
            |physics, id, def| physics.body_mut(id)?.set_lasting_torque(def.lasting_torque),
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.lasting_torque()))
        .range(either_way(FORCE_MAX_N))
        .unit("N·m")
        .doc("In every step.")
        .property(
            "speed_max",
            |body: &Body| body.def.speed_max,
            |body, value| body.def.speed_max = value,
            apply_speed_max,
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.speed_max()))
        .range(up_to(VELOCITY_MAX_M_S))
        .unit("m/s")
        .doc("It moves no faster, nor faster than the world allows.")
        .property(
            "spin_max",
            |body: &Body| body.def.spin_max,
            |body, value| body.def.spin_max = value,
            apply_spin_max,
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.spin_max()))
        .range(up_to(SPIN_MAX_RAD_S))
        .unit("rad/s")
        .doc("It turns no faster, nor faster than any body may.")
}

/// The properties of mass against other bodies.
fn weight(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "own_mass",
            |body: &Body| body.def.own_mass.mass,
            |body, value| body.def.own_mass.mass = value,
            apply_own_mass,
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.own_mass().mass))
        .zero_or(between(MASS_MIN_KG, MASS_MAX_KG))
        .unit("kg")
        .doc("In place of what its colliders weigh; 0 for those.")
        .property(
            "own_inertia",
            |body: &Body| body.def.own_mass.inertia,
            |body, value| body.def.own_mass.inertia = value,
            apply_own_inertia,
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.own_mass().inertia))
        .zero_or(between(MASS_MIN_KG, MASS_MAX_KG))
        .unit("kg·m²")
        .doc("With a mass of its own: about its center of mass; 0 never turns.")
        .property(
            "own_center",
            |body: &Body| body.def.own_mass.center,
            |body, value: Vec2| body.def.own_mass.center = value,
            apply_own_center,
            Wakes::Yes,
        )
        .live(|body| Value::Vec2(body.own_mass().center))
        .range(either_way(POSITION_MAX_M))
        .unit("m")
        .doc("With a mass of its own: where its center is, in its frame.")
        .property(
            "added_mass",
            |body: &Body| body.def.added_mass,
            |body, value| body.def.added_mass = value,
            |physics, id, def| physics.body_mut(id)?.set_added_mass(def.added_mass),
            Wakes::Yes,
        )
        .live(|body| Value::F32(body.added_mass()))
        .zero_or(between(MASS_MIN_KG, MASS_MAX_KG))
        .unit("kg")
        .doc("On top of what it weighs otherwise.")
        .property(
            "dominance",
            |body: &Body| i32::from(body.def.dominance),
            |body, value: i32| body.def.dominance = value as i8,
            |physics, id, def| physics.body_mut(id)?.set_dominance(def.dominance),
            Wakes::Yes,
        )
        .live(|body| Value::I32(i32::from(body.dominance())))
        .range(either_way(127.0))
        .doc("Contacts with bodies of less do not move it.")
        .property(
            "extra_substeps",
            |body: &Body| body.def.extra_substeps as i32,
            |body, value: i32| body.def.extra_substeps = value as u32,
            |physics, id, def| physics.body_mut(id)?.set_extra_substeps(def.extra_substeps),
            Wakes::Yes,
        )
        .live(|body| Value::I32(body.extra_substeps() as i32))
        .range(up_to(EXTRA_SUBSTEPS_MAX as f32))
        .doc("It, and what is connected with it, is solved in so many substeps more than the world has.")
}

/// The properties that restrict or free the motion.
fn freedom(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "fixed_rotation",
            |body: &Body| body.def.fixed_rotation,
            |body, value| body.def.fixed_rotation = value,
            |physics, id, def| {
                physics
                    .body_mut(id)
                    .map(|mut body| body.set_fixed_rotation(def.fixed_rotation))
            },
            Wakes::Yes,
        )
        .live(|body| Value::Bool(body.has_fixed_rotation()))
        .doc("Whether it never turns.")
        .property(
            "fixed_x",
            |body: &Body| body.def.fixed_x,
            |body, value| body.def.fixed_x = value,
            apply_fixed_x,
            Wakes::Yes,
        )
        .live(|body| Value::Bool(body.fixed_axes()[0]))
        .doc("Whether its center of mass never moves along x.")
        .property(
            "fixed_y",
            |body: &Body| body.def.fixed_y,
            |body, value| body.def.fixed_y = value,
            apply_fixed_y,
            Wakes::Yes,
        )
        .live(|body| Value::Bool(body.fixed_axes()[1]))
        .doc("Whether its center of mass never moves along y.")
        .property(
            "fast_rotation",
            |body: &Body| body.def.fast_rotation,
            |body, value| body.def.fast_rotation = value,
            |physics, id, def| {
                physics
                    .body_mut(id)
                    .map(|mut body| body.set_fast_rotation(def.fast_rotation))
            },
            Wakes::No,
        )
        .live(|body| Value::Bool(body.has_fast_rotation()))
        .doc("Whether it may turn by more than 45° in a step, as a fast wheel does.")
}

/// The flags (contacts, bullet, enabled) and the mass.
fn flags(entries: Entries<Body>) -> Entries<Body> {
    entries
        .property(
            "contact_recycling",
            |body: &Body| body.def.contact_recycling,
            |body, value| body.def.contact_recycling = value,
            |physics, id, def| {
                physics
                    .body_mut(id)
                    .map(|mut body| body.set_contact_recycling(def.contact_recycling))
            },
            Wakes::No,
        )
        .live(|body| Value::Bool(body.has_contact_recycling()))
        .doc("Whether its contacts may keep their points while it hardly moves.")
        .property(
            "bullet",
            |body: &Body| body.def.bullet,
            |body, value| body.def.bullet = value,
            |physics, id, def| physics.body_mut(id).map(|mut body| body.set_bullet(def.bullet)),
            Wakes::No,
        )
        .live(|body| Value::Bool(body.is_bullet()))
        .doc("Whether it is stopped by moving bodies too, while it is fast.")
        .property(
            "enabled",
            |body: &Body| body.def.enabled,
            |body, value| body.def.enabled = value,
            |physics, id, def| physics.body_mut(id).map(|mut body| body.set_enabled(def.enabled)),
            Wakes::If("if set to true"),
        )
        .live(|body| Value::Bool(body.is_enabled()))
        .doc("Whether it takes part in the simulation.")
        .derived("mass", |_: &Body| 0.0_f32)
        .live(|body| Value::F32(body.mass()))
        .unit("kg")
        .doc("Of all its colliders; 0 unless dynamic.")
}

impl Registered for Body {
    type Apply = ToBody;
    type Live = fn(BodyRef<'_>) -> Value;

    fn entries() -> Entries<Self> {
        let groups: [fn(Entries<Self>) -> Entries<Self>; 7] =
            [motion, forces, lasting, weight, sleep, freedom, flags];
        groups
            .into_iter()
            .fold(Entries::new(), |entries, add| add(entries))
    }
}

impl Component for Body {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, BodyId::to_bits));
        out.u64(self.member.map_or(0, MemberId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = BodyId::from_bits(from.u64("a body's id")?);
        self.member = MemberId::from_bits(from.u64("a body's member")?);
        Ok(())
    }
}
