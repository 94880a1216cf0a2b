//! [`MemberRecord`] and [`RigidWeldRecord`]: the records of members and rigid welds.

use glam::Vec2;
use tombolo_geometry::{Pose, plain_data};
use tombolo_handles::Handle;

/// A handle of a member of a composite of one world, whichever body it is in; goes stale when its last shape is
/// destroyed.
pub type MemberId = Handle<MemberRecord>;

/// A handle of a rigid weld of one world; goes stale when it breaks, or it or one of its members is destroyed.
pub type RigidWeldId = Handle<RigidWeldRecord>;

/// Bits of [`RigidWeldRecord::flags`].
pub(crate) mod flag {
    /// The weld is destroyed when a threshold is exceeded.
    pub(crate) const BREAKS: u32 = 1;
    /// All bits that are defined.
    pub(crate) const ALL: u32 = 1;
}

plain_data! {
    /// A member of a composite: some of its body's shapes. Opaque to users.
    #[derive(Debug)]
    pub struct MemberRecord {
        /// The user's number.
        pub(crate) user_key: u64,
        /// The index of the body that it is a part of now.
        pub(crate) body: u32,
        /// The previous member in the body's list, or [`NONE`](crate::body::NONE).
        pub(crate) previous: u32,
        /// The next member in the body's list, or [`NONE`](crate::body::NONE).
        pub(crate) next: u32,
        /// The first weld of the member's list, a key (index × 2 + end), or [`NONE`](crate::body::NONE).
        pub(crate) first_weld: u32,
        /// The number of its own shapes; at least one.
        pub(crate) shape_count: u32,
        /// Always 0.
        pub(crate) unused: u32,
        /// The mass of its shapes in kilograms, computed when the body's mass is.
        pub(crate) mass: f32,
        /// The moment of inertia about its center of mass, in kilogram square meters.
        pub(crate) inertia: f32,
        /// The center of mass in the body's frame, in meters.
        pub(crate) center: Vec2,
        /// The frame of the body that it was created from, in the frame of the body that it is a part of now.
        pub(crate) frame: Pose,
        /// The force in newtons of calls until the next step with a point of it.
        pub(crate) force: Vec2,
        /// The impulse in newton seconds of calls since the last step with a point of it.
        pub(crate) impulse: Vec2,
        /// The torque in newton meters of those forces about the body's origin.
        pub(crate) torque: f32,
        /// The angular impulse in newton meter seconds of those impulses about the body's origin.
        pub(crate) angular_impulse: f32,
    }

    /// A rigid weld of two members of one body. Opaque to users.
    #[derive(Debug)]
    pub struct RigidWeldRecord {
        /// The user's number.
        pub(crate) user_key: u64,
        /// The two members.
        pub(crate) members: [u32; 2],
        /// The previous weld in each member's list, a key (index × 2 + end), or [`NONE`](crate::body::NONE).
        pub(crate) previous: [u32; 2],
        /// The next weld in each member's list, a key, or [`NONE`](crate::body::NONE).
        pub(crate) next: [u32; 2],
        /// The position of the weld in the body's frame, in meters.
        pub(crate) anchor: Vec2,
        /// The force in newtons above which the weld is reported or breaks.
        pub(crate) force_threshold: f32,
        /// The torque in newton meters above which the weld is reported or breaks.
        pub(crate) torque_threshold: f32,
        /// The force on the second member in newtons, averaged over the last step.
        pub(crate) force: Vec2,
        /// The torque on the second member about the anchor in newton meters, averaged over the last step.
        pub(crate) torque: f32,
        /// Bits of [`flag`].
        pub(crate) flags: u32,
    }
}

const _: () = {
    assert!(size_of::<MemberRecord>() == 88);
    assert!(size_of::<RigidWeldRecord>() == 64);
};

impl MemberRecord {
    /// Clears the forces and impulses of calls since the last step.
    pub(crate) fn forget_loads(&mut self) {
        (self.force, self.impulse) = (Vec2::ZERO, Vec2::ZERO);
        (self.torque, self.angular_impulse) = (0.0, 0.0);
    }

    /// Whether calls have applied forces or impulses to the member since the last step.
    pub(crate) fn is_loaded(&self) -> bool {
        self.force != Vec2::ZERO
            || self.impulse != Vec2::ZERO
            || self.torque != 0.0
            || self.angular_impulse != 0.0
    }

    /// Whether all numbers are valid: those that calls and steps may store. Forces may be arbitrary.
    pub(crate) fn is_sound(&self) -> bool {
        let is_weight = |number: f32| number.is_finite() && number >= 0.0;
        is_weight(self.mass)
            && is_weight(self.inertia)
            && self.center.is_finite()
            && self.frame.is_valid()
            && self.shape_count > 0
            && self.unused == 0
    }
}

impl RigidWeldRecord {
    /// Whether the force or torque of the last step exceeds the weld's thresholds.
    pub(crate) fn is_strained(&self) -> bool {
        self.force.length() > self.force_threshold || self.torque.abs() > self.torque_threshold
    }

    pub(crate) fn breaks(&self) -> bool {
        self.flags & flag::BREAKS != 0
    }

    /// Whether all numbers are valid: those that calls and steps may store. Forces may be arbitrary.
    pub(crate) fn is_sound(&self) -> bool {
        self.anchor.is_finite()
            && self.force_threshold >= 0.0
            && self.torque_threshold >= 0.0
            && self.flags & !flag::ALL == 0
            && self.members[0] != self.members[1]
    }
}
