//! The component Joint: ties two bodies together with a joint of physics.
//!
//! All kinds share one list of properties; [`JointKinds`] says which kinds have one. `record.rs` has the fields,
//! `def.rs` makes definitions of physics from them.

mod def;
mod kinds;
mod record;

use alloc::format;
use alloc::string::String;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Value, Writer};
use tombolo_geometry::{Pose, Vec2};
use tombolo_physics::constants::{
    DAMPING_RATIO_MAX, FORCE_MAX_N, HERTZ_MAX, HERTZ_MIN, POSITION_MAX_M, RATIO_MAX, SPIN_MAX_RAD_S,
    TURNS_MAX, VELOCITY_MAX_M_S,
};
use tombolo_physics::{BodyId, JointId, JointKind, JointMut, JointRef, PhysicsError};

pub(crate) use def::Frames;
use def::seen_from;
pub use kinds::JointKinds;
pub(crate) use kinds::kind_at;
use kinds::{
    AIMED, COUNTS, DISTANCE, DRIVEN, DRIVEN_ALONG_ONE, GENERIC, HAS_AXIS, HOLDS, LIMITED, LONG, MOTOR, MOVER,
    MOVES_ALONG, PULLEY, PUSHED, RACK, RATIOS, SLIDES, SPRUNG, SPRUNG_IN_BOTH, TURNED, TURNS,
};
pub use record::{Joint, JointAxis};

use super::register::{Entries, InScene, Registered, SceneForm, ToJoint, Wakes, between, either_way, up_to};

impl Joint {
    /// The turns that the joint begins with, if its kind counts turns and they are given.
    pub(crate) fn first_turns(&self) -> Option<i32> {
        (COUNTS.contains(self.kind) && self.count_turns && self.turns != 0).then_some(self.turns)
    }

    /// Checks the joint as a whole; the error has the place in the scene and the reason.
    pub(crate) fn check(&self) -> Result<(), (String, String)> {
        let of_kind = |path: &str| format!("{}.{path}", SceneForm::JointKind.word());
        if self.has_axis() && self.direction().is_err() {
            return Err(("axis".into(), "has no direction; give one such as (0, 1)".into()));
        }
        let [lower, upper] = [self.lower, self.upper];
        if LIMITED.contains(self.kind) && lower > upper {
            let message = format!("{upper} is below the lower limit {lower}");
            return Err((of_kind("limit.upper"), message));
        }
        if self.turns != 0 && !self.count_turns {
            let message = "it counts no turns; give `count_turns: true` too";
            return Err((of_kind("turns"), message.into()));
        }
        let [lower, upper] = [self.lower_spring_force, self.upper_spring_force];
        if LONG.contains(self.kind) && lower > upper {
            let message = format!("{upper} is below the lower force {lower}");
            return Err((of_kind("spring.upper_force"), message));
        }
        // The remaining checks depend on no body, so any handle does.
        let anyone = BodyId::from_bits(1 << 32);
        let checked = anyone.map_or(Ok(()), |anyone| {
            self.def([anyone; 2], Frames::default()).validate()
        });
        checked.map_err(|error| match error {
            PhysicsError::InvalidNumber { what, got, expected } => {
                let path = match what {
                    "upper_x" => of_kind("limit_x.upper"),
                    "upper_y" => of_kind("limit_y.upper"),
                    "ratio" | "radius" => of_kind(what),
                    _ if what.starts_with("lower") => of_kind("limit.lower"),
                    _ if what.starts_with("upper") => of_kind("limit.upper"),
                    _ => SceneForm::JointKind.word().into(),
                };
                (path, format!("{got} is out of range; give {expected}"))
            }
            error => (SceneForm::JointKind.word().into(), format!("{error}")),
        })
    }
}

/// The range of a frequency.
fn hertz() -> core::ops::RangeInclusive<f64> {
    between(HERTZ_MIN, HERTZ_MAX)
}

/// The place of a property within a joint's kind in a scene file.
fn kind(path: &'static str) -> InScene {
    InScene::Within(SceneForm::JointKind, path)
}

/// Writes all options of the kind at once; the joint's frames stay.
fn options(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    let mut def = made.view().def();
    joint.write(&mut def);
    made.set_def(def)
}

/// Sets the number of whole turns.
fn turns(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    made.set_turns(joint.turns)
}

/// Sets the frame of `to`, if it is given.
fn to_frame(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    if !joint.is_apart() {
        return Ok(());
    }
    let [_, own_point] = made.view().local_anchors();
    let [_, own_angle] = made.view().local_angles();
    let key = joint.to.map(Entity::to_bits);
    let mut members = made
        .view()
        .bodies()
        .into_iter()
        .take(1)
        .flat_map(|to| to.members());
    let frame = members.find_map(|member| (Some(member.user_key()) == key).then(|| member.frame()));
    drop(members);
    let frame = frame.unwrap_or(Pose::IDENTITY);
    let (point, angle) = seen_from(frame, joint.to_pivot, joint.to_angle);
    made.set_anchors(point, own_point)?;
    made.set_angles(angle, own_angle)
}

impl Joint {
    /// The properties of the two ends.
    fn ends(entries: Entries<Self>) -> Entries<Self> {
        let from = InScene::Within(SceneForm::From, "Entity(name)");
        let to = InScene::Within(SceneForm::To, "Entity(name), Previous");
        let parent = InScene::Within(SceneForm::To, "Parent");
        let to_pivot = InScene::Within(SceneForm::ToPivot, "");
        let anew = || ToJoint::Anew(|_| ());
        let entries = entries
            .choice(
                ("kind", JointKind::NAMES),
                |joint| joint.kind as u32,
                |joint, place| joint.kind = kind_at(place),
                anew(),
                Wakes::Yes,
            )
            .in_scene(InScene::WordOf(SceneForm::JointKind))
            .doc("How it lets the two bodies move.");
        let entries = fields!(entries, anew(), Wakes::Yes;
            from, at InScene::Never => "One end; none for the entity's own body or what `from_name` says.",
            to, at InScene::Never => "The other end; none for what `to_name` says.",
        );
        // A new name is looked up; it replaces the entity that the old name referred to.
        let entries = fields!(entries, ToJoint::Anew(|joint| joint.from = None), Wakes::Yes;
            from_name, at from => "The name of one end, looked up when the joint is made.",
        );
        let entries = fields!(entries, ToJoint::Anew(|joint| joint.to = None), Wakes::Yes;
            to_name, at to => "The name of the other end, looked up when the joint is made.",
        );
        let entries = fields!(entries, anew(), Wakes::Yes;
            to_parent, at parent => "Whether the other end is the entity's parent, if nothing else is given.",
            pivot ["m"] in either_way(POSITION_MAX_M), of HOLDS
                => "The point of `from`, in the entity's frame; of `to` too, unless they are apart.",
            apart, at to_pivot, of HOLDS
                => "Whether the point of `to` is `to_pivot`; of rods, gears, racks, pulleys and pogos it always is.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(to_frame), Wakes::If("if they are apart");
            to_pivot ["m"] in either_way(POSITION_MAX_M), at to_pivot, of HOLDS
                => "The point of `to`, in its own frame, if they are apart.",
            to_angle ["rad"], of HOLDS => "How the joint's frame is turned in `to`, if they are apart.",
        );
        fields!(entries, anew(), Wakes::Yes;
            axis in either_way(POSITION_MAX_M), of HAS_AXIS
                => "The direction in which it slides, in the entity's frame.",
        )
    }

    /// The properties of length and limits.
    fn limits(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            length ["m"] in up_to(POSITION_MAX_M), at kind("length"), of LONG
                => "How far apart the two points are at rest; of a pogo, along its axis.",
            limit, at kind("limit"), of LIMITED => "Whether angle, length or translation is limited.",
            lower ["rad or m"] in either_way(POSITION_MAX_M), at kind("limit.lower"), of LIMITED
                => "The smallest angle, length or translation; of a generic joint, the angle.",
            upper ["rad or m"] in either_way(POSITION_MAX_M), at kind("limit.upper"), of LIMITED
                => "The largest angle, length or translation; of a generic joint, the angle.",
        )
    }

    /// The properties of springs.
    fn springs(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            spring, at kind("spring"), of SPRUNG => "Whether a spring pulls; a weld's point is rigid without.",
            hertz ["1/s"], zero or hertz(), at kind("spring.hertz"), of SPRUNG => "How stiff the spring is.",
            damping_ratio in up_to(DAMPING_RATIO_MAX), at kind("spring.damping_ratio"), of SPRUNG
                => "How the spring is damped; 1 is critical.",
            target_angle ["rad"], at kind("spring.target_angle"), of COUNTS
                => "Where the spring pulls to.",
            target_translation ["m"] in either_way(POSITION_MAX_M), at kind("spring.target_translation"), of SLIDES
                => "Where the spring pulls to, along the axis.",
            lower_spring_force ["N"] in either_way(FORCE_MAX_N), at kind("spring.lower_force"),
                of LONG => "What the spring pushes with at least; negative to pull.",
            upper_spring_force ["N"] in either_way(FORCE_MAX_N), at kind("spring.upper_force"),
                of LONG => "What the spring pushes with at most.",
            max_spring_force ["N"] in up_to(f32::MAX), at kind("spring.max_force"), of MOTOR
                => "What the spring has at most.",
            angular_spring, at kind("angular_spring"), of SPRUNG_IN_BOTH
                => "Whether a spring turns it back; a weld's angle is rigid without.",
            angular_hertz ["1/s"], zero or hertz(), at kind("angular_spring.hertz"), of SPRUNG_IN_BOTH
                => "How stiff that spring is.",
            angular_damping_ratio in up_to(DAMPING_RATIO_MAX), at kind("angular_spring.damping_ratio"),
                of SPRUNG_IN_BOTH => "How that spring is damped; 1 is critical.",
            max_spring_torque ["N m"] in up_to(f32::MAX), at kind("angular_spring.max_torque"),
                of MOTOR => "What that spring has at most.",
        )
    }

    /// The properties of motors.
    fn motors(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            motor, at kind("motor"), of DRIVEN => "Whether a motor turns or pushes.",
            motor_speed ["rad/s or m/s"] in either_way(SPIN_MAX_RAD_S), at kind("motor.speed"), of DRIVEN_ALONG_ONE
                => "What the motor aims for.",
            velocity ["m/s"] in either_way(VELOCITY_MAX_M_S), at kind("motor.velocity"), of AIMED
                => "What the motor aims for, along the axes of the world.",
            angular_velocity ["rad/s"] in either_way(SPIN_MAX_RAD_S), at kind("motor.angular_velocity"),
                of MOTOR => "What the motor aims for in turning.",
            max_torque ["N m"] in up_to(f32::MAX), at kind("motor.max_torque"), of TURNED
                => "What the motor turns with at most.",
            max_force ["N"] in up_to(f32::MAX), at kind("motor.max_force"), of PUSHED
                => "What the motor pushes with at most.",
            max_forces ["N"] in up_to(f32::MAX), at kind("motor.max_forces"), of MOVER
                => "What the motor pushes with at most, along x and along y of the world.",
        )
    }

    /// The properties of a generic joint along its two directions.
    fn directions(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            lock_angle, at kind("lock_angle"), of GENERIC => "Whether the angle stays as it is.",
            x.lock as "lock_x", at kind("lock_x"), of GENERIC => "Whether it stays where it is along its axis.",
            x.limit as "limit_x", at kind("limit_x"), of GENERIC => "Whether it is limited along its axis.",
            x.lower as "lower_x" ["m"] in either_way(POSITION_MAX_M), at kind("limit_x.lower"), of GENERIC
                => "The smallest translation along its axis.",
            x.upper as "upper_x" ["m"] in either_way(POSITION_MAX_M), at kind("limit_x.upper"), of GENERIC
                => "The largest translation along its axis.",
            x.spring as "spring_x", at kind("spring_x"), of GENERIC => "Whether a spring pulls along its axis.",
            x.hertz as "hertz_x" ["1/s"], zero or hertz(), at kind("spring_x.hertz"), of GENERIC
                => "How stiff that spring is.",
            x.damping_ratio as "damping_ratio_x" in up_to(DAMPING_RATIO_MAX), at kind("spring_x.damping_ratio"),
                of GENERIC => "How that spring is damped; 1 is critical.",
            x.target as "target_x" ["m"] in either_way(POSITION_MAX_M), at kind("spring_x.target"), of GENERIC
                => "Where that spring pulls to.",
            x.motor as "motor_x", at kind("motor_x"), of GENERIC => "Whether a motor pushes along its axis.",
            x.speed as "motor_speed_x" ["m/s"] in either_way(VELOCITY_MAX_M_S), at kind("motor_x.speed"), of GENERIC
                => "What that motor aims for.",
            x.max_force as "max_force_x" ["N"] in up_to(f32::MAX), at kind("motor_x.max_force"), of GENERIC
                => "What that motor pushes with at most.",
            y.lock as "lock_y", at kind("lock_y"), of GENERIC => "Whether it stays where it is across its axis.",
            y.limit as "limit_y", at kind("limit_y"), of GENERIC => "Whether it is limited across its axis.",
            y.lower as "lower_y" ["m"] in either_way(POSITION_MAX_M), at kind("limit_y.lower"), of GENERIC
                => "The smallest translation across its axis.",
            y.upper as "upper_y" ["m"] in either_way(POSITION_MAX_M), at kind("limit_y.upper"), of GENERIC
                => "The largest translation across its axis.",
            y.spring as "spring_y", at kind("spring_y"), of GENERIC => "Whether a spring pulls across its axis.",
            y.hertz as "hertz_y" ["1/s"], zero or hertz(), at kind("spring_y.hertz"), of GENERIC
                => "How stiff that spring is.",
            y.damping_ratio as "damping_ratio_y" in up_to(DAMPING_RATIO_MAX), at kind("spring_y.damping_ratio"),
                of GENERIC => "How that spring is damped; 1 is critical.",
            y.target as "target_y" ["m"] in either_way(POSITION_MAX_M), at kind("spring_y.target"), of GENERIC
                => "Where that spring pulls to.",
            y.motor as "motor_y", at kind("motor_y"), of GENERIC => "Whether a motor pushes across its axis.",
            y.speed as "motor_speed_y" ["m/s"] in either_way(VELOCITY_MAX_M_S), at kind("motor_y.speed"), of GENERIC
                => "What that motor aims for.",
            y.max_force as "max_force_y" ["N"] in up_to(f32::MAX), at kind("motor_y.max_force"), of GENERIC
                => "What that motor pushes with at most.",
        )
    }

    /// The properties of whole turns.
    fn turning(entries: Entries<Self>) -> Entries<Self> {
        let entries = fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            count_turns, at kind("count_turns"), of COUNTS => "Whether whole turns count.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(turns), Wakes::Yes;
            turns in either_way(TURNS_MAX), at kind("turns"), of COUNTS
                => "How many whole turns it has made, where they count.",
        );
        entries.live(|joint| Value::I32(joint.turns()))
    }

    /// The properties of gears, racks and pulleys.
    fn couplings(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            ratio in either_way(RATIO_MAX), at kind("ratio"), of RATIOS
                => "Teeth of `from` for each of `to`; parts of rope that `from` hangs in for each of `to`.",
            radius ["m"] in either_way(RATIO_MAX), at kind("radius"), of RACK
                => "How far the rack `from` slides for each radian of the pinion `to`.",
            from_wheel ["m"] in either_way(POSITION_MAX_M), at kind("from_wheel"), of PULLEY
                => "The point of the world over which the rope of `from` leads.",
            to_wheel ["m"] in either_way(POSITION_MAX_M), at kind("to_wheel"), of PULLEY
                => "The point of the world over which the rope of `to` leads.",
            from_length ["m"] in up_to(POSITION_MAX_M), at kind("from_length"), of PULLEY
                => "How much rope there is from `from` to its wheel.",
            to_length ["m"] in up_to(POSITION_MAX_M), at kind("to_length"), of PULLEY
                => "How much rope there is from `to` to its wheel.",
            slack, at kind("slack"), of PULLEY => "Whether the rope may hang slack.",
        )
    }

    /// The properties of stiffness and breaking.
    fn strength(entries: Entries<Self>) -> Entries<Self> {
        let entries = fields!(entries, ToJoint::AtOnce(options), Wakes::Yes;
            stiffness ["1/s"], zero or hertz(), at kind("stiffness"), of HOLDS => "How stiff what it holds is.",
            stiffness_damping in up_to(DAMPING_RATIO_MAX), at kind("stiffness_damping"), of HOLDS
                => "How what it holds is damped.",
            force_threshold ["N"] in up_to(f32::MAX), at kind("force_threshold"), of HOLDS
                => "Above which force it is reported, or breaks; 0 for never.",
            torque_threshold ["N m"] in up_to(f32::MAX), at kind("torque_threshold"), of HOLDS
                => "Above which torque it is reported, or breaks; 0 for never.",
            breaks, at kind("breaks"), of HOLDS => "Whether it breaks above a threshold.",
            collide_connected, at kind("collide_connected"), of HOLDS => "Whether the two bodies touch each other.",
        );
        fields!(entries, ToJoint::Anew(|_| ()), Wakes::Yes;
            broken, at InScene::Never, of HOLDS
                => "Whether it has broken. Setting it to false makes it anew, to true takes it away.",
        )
    }

    /// The properties that can only be read.
    fn readings(entries: Entries<Self>) -> Entries<Self> {
        entries
            .derived("joint_angle", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.angle()))
            .of_kinds(TURNS)
            .unit("rad")
            .doc("How far it has turned since it was made.")
            .derived("joint_translation", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.translation().x))
            .of_kinds(MOVES_ALONG)
            .unit("m")
            .doc("How far it has slid along its axis; of a pogo, how far apart the points are along it.")
            .derived("joint_length", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.length()))
            .of_kinds(DISTANCE)
            .unit("m")
            .doc("How far apart the two points are.")
            .derived("joint_force", |_: &Self| Vec2::ZERO)
            .live(|joint| Value::Vec2(joint.force()))
            .of_kinds(HOLDS)
            .unit("N")
            .doc("What it did to `from`, averaged over the last step.")
            .derived("joint_torque", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.torque()))
            .of_kinds(HOLDS)
            .unit("N m")
            .doc("What it turned `from` with, averaged over the last step.")
            .derived("linear_error", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.linear_error()))
            .of_kinds(HOLDS)
            .unit("m")
            .doc("How far off is what it holds.")
            .derived("angular_error", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.angular_error()))
            .of_kinds(HOLDS)
            .unit("rad")
            .doc("How far off the angle is that it holds.")
    }
}

impl Registered for Joint {
    type Apply = ToJoint;
    type Live = fn(JointRef<'_>) -> Value;

    fn entries() -> Entries<Self> {
        let entries = Self::limits(Self::ends(Entries::new()));
        let entries = Self::directions(Self::motors(Self::springs(entries)));
        Self::readings(Self::strength(Self::couplings(Self::turning(entries))))
    }
}

impl Component for Joint {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, JointId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = JointId::from_bits(from.u64("a joint's id")?);
        Ok(())
    }
}
