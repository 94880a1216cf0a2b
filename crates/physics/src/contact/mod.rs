//! Contacts: pairs of shapes whose boxes in the broad phase overlap, touching or not.
//!
//! A contact's id is a handle of [`HandleMap<ContactLinks>`](tombolo_handles::HandleMap), whose records are cold.
//! The data of a step, [`Contact`], is an array of its own, because that array is kept in two parts, awake contacts
//! before sleeping ones, so that the narrow phase streams through the awake part alone; a handle map has no say over
//! the order of its values. The two are connected by `ContactLinks::place` and `Contact::index`.
//!
//! [`Contact`] itself is what the narrow phase reads of every awake contact, one cache line. What only the solver
//! and a newly computed manifold touch is its cached manifold, [`CachedManifold`], at the same place of an array beside it,
//! two cache lines.

pub(crate) mod colors;
pub(crate) mod graph;
pub(crate) mod manifold;
pub(crate) mod pool;

use crate::body::NONE;
use crate::shape::ShapeRecord;
use glam::Vec2;
use tombolo_geometry::{Pose, Rot, plain_data};
use tombolo_handles::Handle;

/// Names a contact of one world; goes stale when the boxes of the two shapes part.
pub type ContactId = Handle<ContactLinks>;

plain_data! {
    /// The cold part of a contact: how it hangs in its two bodies' lists. Opaque to users.
    #[derive(Debug)]
    pub struct ContactLinks {
        /// Where the contact lies in the array of contacts.
        pub(crate) place: u32,
        /// The two shapes.
        pub(crate) shapes: [u32; 2],
        /// The two bodies.
        pub(crate) bodies: [u32; 2],
        /// The previous contact in each body's list, a key (index × 2 + end), or [`NONE`].
        pub(crate) previous: [u32; 2],
        /// The next contact in each body's list, a key, or [`NONE`].
        pub(crate) next: [u32; 2],
    }

    /// One point where two shapes touch or will soon: eight words, which the solver gathers at once.
    #[derive(Debug, PartialEq)]
    pub(crate) struct ContactPoint {
        /// The point when the manifold was computed, from A's center of mass, world axes.
        pub(crate) anchor_a: Vec2,
        /// Meters between the surfaces when the manifold was computed; negative when they overlap.
        pub(crate) separation: f32,
        /// 1 for a point that is there, 0 for one that is not.
        pub(crate) present: f32,
        /// Newton seconds along the normal in the last substep: where the next step starts from.
        pub(crate) normal_impulse: f32,
        /// Newton seconds along the tangent in the last substep.
        pub(crate) tangent_impulse: f32,
        /// Newton seconds along the normal over the whole last step.
        pub(crate) total_normal_impulse: f32,
        /// Which features of the two shapes meet here; persists from step to step.
        pub(crate) feature: u32,
    }

    /// Where the two bodies were when the manifold was computed, in the world: eight words, which the solver gathers at
    /// once.
    #[derive(Debug)]
    pub(crate) struct ContactFrame {
        /// From A to B.
        pub(crate) normal: Vec2,
        /// From A's center of mass to B's.
        pub(crate) center_offset: Vec2,
        /// A's rotation.
        pub(crate) rotation_a: Rot,
        /// B's rotation.
        pub(crate) rotation_b: Rot,
    }

    /// What the solver gathers of a contact beside its frame and points: six of these eight words.
    #[derive(Debug)]
    pub(crate) struct ContactSurface {
        /// Mixed Coulomb friction.
        pub(crate) friction: f32,
        /// Mixed bounciness.
        pub(crate) restitution: f32,
        /// Mixed rolling resistance times radius, meters.
        pub(crate) rolling_resistance: f32,
        /// Sum of the surfaces' own speeds, meters per second.
        pub(crate) tangent_speed: f32,
        /// Newton meter seconds against rolling in the last substep.
        pub(crate) rolling_impulse: f32,
        /// 1 if both bodies can be moved, 0 if one is static or kinematic.
        pub(crate) both_movable: f32,
        /// Meters per second at which the surfaces met where they pushed each other in the last step; 0 unless hits are
        /// reported.
        pub(crate) approach_speed: f32,
        /// Bits of [`mark`].
        pub(crate) marks: u32,
    }

    /// Where and how two shapes touch, and with which impulses: what the solver reads and writes of a contact.
    #[derive(Debug)]
    #[repr(align(64))]
    pub(crate) struct CachedManifold {
        /// Normal, and where the bodies were.
        pub(crate) frame: ContactFrame,
        /// Mixed materials.
        pub(crate) surface: ContactSurface,
        /// The points; only the first [`Contact::point_count`] mean anything, the others are zero.
        pub(crate) points: [ContactPoint; 2],
    }

    /// What the narrow phase reads of an awake contact in every step.
    #[derive(Debug)]
    #[repr(align(64))]
    pub(crate) struct Contact {
        /// The index (slot) of the contact's handle.
        pub(crate) index: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u16,
        /// How many of the cached manifold's points are used: 0, 1 or 2.
        pub(crate) point_count: u8,
        /// How far apart the shapes were when the manifold was computed, at least, in units of [`GAP_UNIT_M`]; 0 if they
        /// touched or it is not known.
        pub(crate) gap: u8,
        /// First shape.
        pub(crate) shape_a: u32,
        /// Second shape.
        pub(crate) shape_b: u32,
        /// Proxy of the first shape in the broad phase.
        pub(crate) proxy_a: u32,
        /// Proxy of the second shape.
        pub(crate) proxy_b: u32,
        /// Body of the first shape.
        pub(crate) body_a: u32,
        /// Body of the second shape.
        pub(crate) body_b: u32,
        /// Color in the constraint graph, or [`NONE`] while not touching or asleep.
        pub(crate) color: u32,
        /// Place within the color.
        pub(crate) place_in_color: u32,
        /// B's center of mass and rotation in A's frame when the manifold was computed.
        pub(crate) cached_pose: Pose,
        /// A's rotation in the world then: cosine and sine in units of [`TURN_UNIT`].
        pub(crate) cached_turn_a: [i16; 2],
        /// Meters from the center of mass to the farthest point of the shape, the greater of the two shapes whose bodies
        /// are not static: bounds how far a turn moves what touches. More where the manifold may not know the corner that
        /// a turn brings down.
        pub(crate) arm: f32,
    }
}

const _: () = {
    assert!(size_of::<ContactLinks>() == 36);
    assert!(size_of::<ContactPoint>() == 32);
    assert!(size_of::<ContactFrame>() == 32);
    assert!(size_of::<ContactSurface>() == 32);
    assert!(size_of::<CachedManifold>() == 128);
    assert!(size_of::<Contact>() == 64);
};

/// What 1 of [`Contact::gap`] stands for, in meters.
pub(crate) const GAP_UNIT_M: f32 = 0.001;

/// What 1 of [`Contact::cached_turn_a`] stands for; a rotation is kept to within 3e-5.
pub(crate) const TURN_UNIT: f32 = 1.0 / 32767.0;

/// Bits of [`Contact::flags`].
pub(crate) mod flag {
    /// The manifold has points, and the two bodies know of it: linked, colored, reported.
    pub(crate) const TOUCHING: u16 = 1 << 0;
    /// Beginning and ending touch is reported.
    pub(crate) const EVENTS: u16 = 1 << 1;
    /// The cached pose is valid: the manifold has been computed at least once.
    pub(crate) const COMPUTED: u16 = 1 << 2;
    /// One of its shapes asks for events of hard hits.
    pub(crate) const HITS: u16 = 1 << 3;
    /// The first body is static, for as long as the contact lives.
    pub(crate) const STATIC_A: u16 = 1 << 4;
    /// The second body is static.
    pub(crate) const STATIC_B: u16 = 1 << 5;
    /// The manifold is computed anew in each step: a body asks for that.
    pub(crate) const NO_RECYCLING: u16 = 1 << 6;
    /// The beginning of this touch was reported, and so its end will be.
    pub(crate) const REPORTED: u16 = 1 << 7;
    /// There is a rule for the two materials.
    pub(crate) const RULED: u16 = 1 << 8;
    /// By that rule the first shape lets others pass one way.
    pub(crate) const ONE_WAY_A: u16 = 1 << 9;
    /// By that rule the second shape does.
    pub(crate) const ONE_WAY_B: u16 = 1 << 10;
    /// Either of them.
    pub(crate) const ONE_WAY: u16 = ONE_WAY_A | ONE_WAY_B;
    /// The visitor is passing, until it has left.
    pub(crate) const PASSING: u16 = 1 << 11;
    /// By that rule the two do not push each other: the contact is no edge of an island and has no color.
    pub(crate) const SENSOR: u16 = 1 << 12;
    /// A pre-solve callback is asked about it while it touches.
    pub(crate) const PRE_SOLVE: u16 = 1 << 13;
    /// All of them.
    pub(crate) const ALL: u16 = (1 << 14) - 1;
}

impl ContactPoint {
    pub(crate) const ZERO: Self = Self {
        anchor_a: Vec2::ZERO,
        separation: 0.0,
        present: 0.0,
        normal_impulse: 0.0,
        tangent_impulse: 0.0,
        total_normal_impulse: 0.0,
        feature: 0,
    };
}

impl ContactFrame {
    const IDENTITY: Self = Self {
        normal: Vec2::ZERO,
        center_offset: Vec2::ZERO,
        rotation_a: Rot::IDENTITY,
        rotation_b: Rot::IDENTITY,
    };
}

/// Bits of [`ContactSurface::marks`].
pub(crate) mod mark {
    /// The solver's copy of [`flag::HITS`]: the speed of approach is measured.
    pub(crate) const HITS: u32 = 1 << 0;
    /// A, and B, is a disc about its center of mass: its lowest point stays the lowest while it rolls, so no arm turns with it.
    pub(crate) const DISCS: [u32; 2] = [1 << 1, 1 << 2];
    /// A, and B, dominates the other body: the contact does not move it.
    pub(crate) const DOMINANT: [u32; 2] = [1 << 3, 1 << 4];
    /// All of them.
    pub(crate) const ALL: u32 = (1 << 5) - 1;
}

impl ContactSurface {
    const ZERO: Self = Self {
        friction: 0.0,
        restitution: 0.0,
        rolling_resistance: 0.0,
        tangent_speed: 0.0,
        rolling_impulse: 0.0,
        both_movable: 0.0,
        approach_speed: 0.0,
        marks: 0,
    };
}

/// What a shape asks of its contacts, as bits of [`flag`].
pub(crate) fn flags_asked_by(shape: &ShapeRecord) -> u16 {
    let ask = |wanted: u32, flag: u16| if wanted != 0 { flag } else { 0 };
    ask(shape.contact_events, flag::EVENTS) | ask(shape.hit_events, flag::HITS)
}

/// What a contact is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactDef {
    pub(crate) shapes: [u32; 2],
    pub(crate) bodies: [u32; 2],
    /// The shapes' proxies in the broad phase, which stay the same for as long as the contact lives.
    pub(crate) proxies: [u32; 2],
    /// Bits of [`flag`].
    pub(crate) flags: u16,
    /// Whether the narrow phase updates it.
    pub(crate) awake: bool,
    /// The index that it gets when it is made.
    pub(crate) index: u32,
}

impl CachedManifold {
    /// The cached manifold of a contact that has not been computed yet.
    pub(crate) fn new(flags: u16) -> Self {
        Self {
            frame: ContactFrame::IDENTITY,
            surface: ContactSurface {
                marks: if flags & flag::HITS != 0 { mark::HITS } else { 0 },
                ..ContactSurface::ZERO
            },
            points: [ContactPoint::ZERO; 2],
        }
    }
}

impl Contact {
    /// A contact that has not been computed yet.
    pub(crate) fn new(def: &ContactDef) -> Self {
        let &ContactDef {
            shapes,
            bodies,
            proxies,
            flags,
            awake: _,
            index,
        } = def;
        Self {
            index,
            flags,
            point_count: 0,
            gap: 0,
            shape_a: shapes[0],
            shape_b: shapes[1],
            proxy_a: proxies[0],
            proxy_b: proxies[1],
            body_a: bodies[0],
            body_b: bodies[1],
            color: NONE,
            place_in_color: NONE,
            cached_pose: Pose::IDENTITY,
            cached_turn_a: [0; 2],
            arm: 0.0,
        }
    }

    pub(crate) fn is_touching(&self) -> bool {
        self.flags & flag::TOUCHING != 0
    }

    /// Whether the two shapes touch and push each other.
    pub(crate) fn is_pushing(&self) -> bool {
        self.flags & (flag::TOUCHING | flag::SENSOR) == flag::TOUCHING
    }

    pub(crate) fn set_touching(&mut self, touching: bool) {
        if !touching {
            self.flags &= !(flag::TOUCHING | flag::REPORTED);
            return;
        }
        self.flags |= flag::TOUCHING;
        if self.flags & flag::EVENTS != 0 {
            self.flags |= flag::REPORTED;
        }
    }
}
