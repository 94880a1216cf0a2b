//! Contacts: pairs of shapes whose boxes in the broad phase overlap, touching or not.
//!
//! A contact's id is a handle of [`HandleMap<ContactLinks>`](tombolo_handles::HandleMap), whose records are cold. The
//! data of a step, [`Contact`], is an array of its own, because that array is kept in two parts, awake contacts before
//! sleeping ones, so that the narrow phase streams through the awake part alone; a handle map does not control the
//! order of its values. The two are connected by `ContactLinks::place` and `Contact::index`.
//!
//! [`Contact`] itself is the data that the narrow phase reads of every awake contact, one cache line. The data that
//! only the solver and a newly computed manifold touch is its cached manifold, [`CachedManifold`], at the same place of
//! an array beside it, two cache lines.

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
    /// The cold part of a contact: its links in its two bodies' lists. Opaque to users.
    #[derive(Debug)]
    pub struct ContactLinks {
        /// The contact's place in the array of contacts.
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

    /// One point where two shapes touch or soon will: eight words, which the solver gathers at once.
    #[derive(Debug, PartialEq)]
    pub(crate) struct ContactPoint {
        /// The point's position when the manifold was computed, in meters from A's center of mass, in world axes.
        pub(crate) anchor_a: Vec2,
        /// The distance between the surfaces when the manifold was computed, in meters; negative if they overlap.
        pub(crate) separation: f32,
        /// 1 for a point that is in use, 0 for one that is not.
        pub(crate) present: f32,
        /// The impulse along the normal in the last substep, in newton seconds: the next step is warm started with it.
        pub(crate) normal_impulse: f32,
        /// The impulse along the tangent in the last substep, in newton seconds.
        pub(crate) tangent_impulse: f32,
        /// The sum of the impulses along the normal over the whole last step, in newton seconds.
        pub(crate) total_normal_impulse: f32,
        /// The features of the two shapes that meet here; persists from step to step.
        pub(crate) feature: u32,
    }

    /// The poses of the two bodies when the manifold was computed, in the world: eight words, which the solver gathers
    /// at once.
    #[derive(Debug)]
    pub(crate) struct ContactFrame {
        /// The unit normal, from A to B.
        pub(crate) normal: Vec2,
        /// The vector from A's center of mass to B's, in meters.
        pub(crate) center_offset: Vec2,
        /// A's rotation.
        pub(crate) rotation_a: Rot,
        /// B's rotation.
        pub(crate) rotation_b: Rot,
    }

    /// The data that the solver gathers of a contact beside its frame and points: six of these eight words.
    #[derive(Debug)]
    pub(crate) struct ContactSurface {
        /// Mixed coefficient of Coulomb friction.
        pub(crate) friction: f32,
        /// Mixed restitution.
        pub(crate) restitution: f32,
        /// Mixed rolling resistance times radius, in meters.
        pub(crate) rolling_resistance: f32,
        /// Sum of the surfaces' own speeds, in meters per second.
        pub(crate) tangent_speed: f32,
        /// The rolling resistance's impulse in the last substep, in newton meter seconds.
        pub(crate) rolling_impulse: f32,
        /// 1 if both bodies can be moved, 0 if one is static or kinematic.
        pub(crate) both_movable: f32,
        /// The speed in meters per second at which the surfaces met where they pushed each other in the last step; 0
        /// unless hits are reported.
        pub(crate) approach_speed: f32,
        /// Bits of [`mark`].
        pub(crate) marks: u32,
    }

    /// The manifold of a contact with its impulses: the data that the solver reads and writes.
    #[derive(Debug)]
    #[repr(align(64))]
    pub(crate) struct CachedManifold {
        /// The normal, and the poses of the bodies.
        pub(crate) frame: ContactFrame,
        /// Mixed materials.
        pub(crate) surface: ContactSurface,
        /// The points; only the first [`Contact::point_count`] are in use, the others are zero.
        pub(crate) points: [ContactPoint; 2],
    }

    /// The data that the narrow phase reads of an awake contact in every step.
    #[derive(Debug)]
    #[repr(align(64))]
    pub(crate) struct Contact {
        /// The index (slot) of the contact's handle.
        pub(crate) index: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u16,
        /// The number of the cached manifold's points that are used: 0, 1 or 2.
        pub(crate) point_count: u8,
        /// A lower bound of the distance between the shapes when the manifold was computed, in units of [`GAP_UNIT_M`]:
        /// of a manifold with points the least separation. 0 if the shapes overlapped or it is not known, and for long
        /// faces along each other.
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
        /// A's rotation in the world at that time: cosine and sine in units of [`TURN_UNIT`].
        pub(crate) cached_turn_a: [i16; 2],
        /// The distance in meters from the center of mass to the farthest point of the shape, the greater of the two
        /// shapes whose bodies are not static: bounds how far a turn moves the contact points. It is greater where a
        /// turn may bring down a corner that the manifold does not have.
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

/// The unit of [`Contact::gap`], in meters.
pub(crate) const GAP_UNIT_M: f32 = 0.001;

/// The unit of [`Contact::cached_turn_a`]; a rotation is stored to within 3e-5.
pub(crate) const TURN_UNIT: f32 = 1.0 / 32767.0;

/// Bits of [`Contact::flags`].
pub(crate) mod flag {
    /// The manifold has points, and the contact is linked, colored and reported.
    pub(crate) const TOUCHING: u16 = 1 << 0;
    /// The beginning and the end of a touch are reported.
    pub(crate) const EVENTS: u16 = 1 << 1;
    /// The cached pose is valid: the manifold has been computed at least once.
    pub(crate) const COMPUTED: u16 = 1 << 2;
    /// One of its shapes has hit events enabled.
    pub(crate) const HITS: u16 = 1 << 3;
    /// The first body is static, for the whole lifetime of the contact.
    pub(crate) const STATIC_A: u16 = 1 << 4;
    /// The second body is static, likewise.
    pub(crate) const STATIC_B: u16 = 1 << 5;
    /// The manifold is computed anew in each step: a body requests it.
    pub(crate) const NO_RECYCLING: u16 = 1 << 6;
    /// The beginning of this touch was reported, and so its end will be too.
    pub(crate) const REPORTED: u16 = 1 << 7;
    /// A contact rule applies to the two shapes.
    pub(crate) const HAS_RULE: u16 = 1 << 8;
    /// By that rule the first shape is one-way.
    pub(crate) const ONE_WAY_A: u16 = 1 << 9;
    /// By that rule the second shape is one-way.
    pub(crate) const ONE_WAY_B: u16 = 1 << 10;
    /// Both one-way bits.
    pub(crate) const ONE_WAY: u16 = ONE_WAY_A | ONE_WAY_B;
    /// The visitor of a one-way shape is passing, until it has left.
    pub(crate) const PASSING: u16 = 1 << 11;
    /// By that rule the two shapes do not push each other: the contact is no edge of an island and has no color.
    pub(crate) const SENSOR: u16 = 1 << 12;
    /// The pre-solve callback is called for it while it touches.
    pub(crate) const PRE_SOLVE: u16 = 1 << 13;
    /// In the last step that computed its manifold, the pre-solve callback let the two shapes pass each other.
    pub(crate) const LET_PASS: u16 = 1 << 14;
    /// All bits that are defined.
    pub(crate) const ALL: u16 = (1 << 15) - 1;
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
    /// The solver's copy of [`flag::HITS`]: the approach speed is measured.
    pub(crate) const HITS: u32 = 1 << 0;
    /// A, or B, is a disc about its center of mass: its lowest point stays the lowest while it rolls, so no arm turns
    /// with it.
    pub(crate) const DISCS: [u32; 2] = [1 << 1, 1 << 2];
    /// A, or B, dominates the other body: the contact does not move it.
    pub(crate) const DOMINANT: [u32; 2] = [1 << 3, 1 << 4];
    /// All bits that are defined.
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

/// The bits of [`flag`] that a shape requests for its contacts.
pub(crate) fn flags_asked_by(shape: &ShapeRecord) -> u16 {
    let ask = |wanted: u32, flag: u16| if wanted != 0 { flag } else { 0 };
    ask(shape.contact_events, flag::EVENTS) | ask(shape.hit_events, flag::HITS)
}

/// The definition of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactDef {
    pub(crate) shapes: [u32; 2],
    pub(crate) bodies: [u32; 2],
    /// The shapes' proxies in the broad phase, constant for the lifetime of the contact.
    pub(crate) proxies: [u32; 2],
    /// Bits of [`flag`].
    pub(crate) flags: u16,
    /// Whether the narrow phase updates it.
    pub(crate) awake: bool,
    /// The index that the contact gets when it is inserted.
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

    /// The other one of the two bodies.
    #[inline]
    pub(crate) fn other_body(&self, body: u32) -> u32 {
        debug_assert!([self.body_a, self.body_b].contains(&body), "one of the two");
        self.body_a ^ self.body_b ^ body
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
