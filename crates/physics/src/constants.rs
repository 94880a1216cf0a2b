//! Every limit and tuning constant of the physics: value, unit, and the effect of a change.
//!
//! The solver's values are those that the engines of this family converged on (Catto, "Solver2D", 2024); the world's
//! settings have those that a user may change.

/// The error in meters of joints and contacts that is left uncorrected. Smaller values make stacks jitter.
pub const LINEAR_SLOP_M: f32 = 0.005;

/// The distance in meters from which contact points are made and solved before the shapes touch, so that fast bodies
/// are caught in time.
pub const SPECULATIVE_DISTANCE_M: f32 = 4.0 * LINEAR_SLOP_M;

/// The margin in meters by which every box of the broad phase extends beyond its shape, static ones too, however the
/// shape moved: half of [`SPECULATIVE_DISTANCE_M`], so that two shapes within that distance have a contact, and half a
/// slop for rounding far from the origin. If it is smaller, a contact is made only when the shapes overlap already.
///
/// The reasons are in `docs/decisions.md#every-box-reaches-125-mm-beyond-its-shape`.
pub const BOX_REACH_M: f32 = 0.5 * (SPECULATIVE_DISTANCE_M + LINEAR_SLOP_M);

/// The greatest margin in meters, beyond [`BOX_REACH_M`], of the boxes of moving shapes. Larger: fewer updates, more
/// false pairs.
pub const BOX_MARGIN_MAX_M: f32 = 0.05;

/// The margin of a shape's box as a fraction of the shape's extent, up to [`BOX_MARGIN_MAX_M`].
pub const BOX_MARGIN_FRACTION: f32 = 0.125;

/// The distance in meters that two bodies may move relative to each other before their manifold is computed anew.
///
/// The reasons are in `docs/decisions.md#when-a-manifold-is-kept`.
pub const RECYCLE_DISTANCE_M: f32 = 10.0 * LINEAR_SLOP_M;

/// The distance in meters that two bodies may move relative to each other before they are tested for touch again, if
/// they did not touch and their distance is not known. If it is known, they are tested when [`SPECULATIVE_DISTANCE_M`]
/// may be left of it. Their distance was greater than [`SPECULATIVE_DISTANCE_M`] then, so it is still greater than the
/// rest of it, which must be more than the distance at which continuous collision stops a body: otherwise a body that
/// is set back would stay there without a contact.
pub const RECYCLE_APART_M: f32 = 0.5 * SPECULATIVE_DISTANCE_M;

/// Cosine of each body's rotation up to which a manifold is kept (about 11 degrees).
///
/// The reasons are in `docs/decisions.md#when-a-manifold-is-kept`.
pub const RECYCLE_COSINE_MIN: f32 = 0.98;

/// The time in seconds for which a whole island must have been slow before it sleeps.
pub const TIME_TO_SLEEP_S: f32 = 0.5;

/// The greatest rotation of a body in one step, in radians. Above a quarter turn the contacts of a step would be
/// meaningless.
pub const ROTATION_PER_STEP_MAX_RAD: f32 = 0.25 * core::f32::consts::PI;

/// The greatest rotation in radians in a substep of a kinematic body that is exempt from the limit of a step.
pub const KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD: f32 = 0.75 * core::f32::consts::PI;

/// The greatest rotation in radians in a substep of a body that is exempt from the limit of a step: a quarter of a
/// turn.
pub const ROTATION_PER_SUBSTEP_MAX_RAD: f32 = 0.5 * core::f32::consts::PI;

/// The distance in meters from the origin beyond which a body counts as lost and is frozen; `f32` has 8 mm resolution
/// there.
pub const POSITION_MAX_M: f32 = 1.0e5;

/// A body is fast in a step in which it moves by more than this fraction of its smallest extent (the least distance
/// from a shape's middle to its border). Above one half, a middle could pass a thin wall between two runs of the narrow
/// phase; far below it, bodies that the contacts would catch are swept without need.
pub const FAST_MOTION_FRACTION: f32 = 0.5;

/// A body that moves farther than this, in meters, in a step is fast however large it is: its corners may be far
/// sharper than it is wide. If it is larger, the tips of large bodies get so deep into a floor before contacts exist
/// that they are thrown out.
pub const FAST_MOTION_MAX_M: f32 = 0.5;

/// The radius of a shape's core as a fraction of its smallest extent: a disc around its middle that must not pass a
/// wall even where the whole shape overlaps it when the step begins.
///
/// The reasons are in `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.
pub const CORE_FRACTION: f32 = 0.25;

/// The thickness in meters of a fast shape's outer layer that continuous collision leaves to the contacts, so that a
/// body that slides over a floor made of boxes is not stopped at every seam. Never more than [`CORE_FRACTION`] of the
/// shape's smallest extent. If it is smaller than the slop, sliding bodies stick; if it is larger, fast bodies sink
/// into walls visibly.
///
/// The reasons are in `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.
pub const CONTINUOUS_SKIN_M: f32 = 4.0 * LINEAR_SLOP_M;

/// The depth in meters to which a part of a fast shape that is in an obstacle already, or near to it, may get in a
/// step. If it is smaller, bodies that are pressed into a wall stick there; if larger, the ends of thin rods swing in.
pub const CONTINUOUS_SINK_M: f32 = 2.0 * LINEAR_SLOP_M;

/// The distance in meters by which a part of a fast shape that is deeper in an obstacle than [`CONTINUOUS_SINK_M`] may
/// get deeper in a step than any part of it was when the step began. If it is smaller than the tolerance of an impact,
/// it has no effect; if it is as large as the push-out of a step or larger, a plate that rocks from end to end sinks
/// through a floor, by one end and then by the other.
pub const CONTINUOUS_CREEP_M: f32 = 0.4 * LINEAR_SLOP_M;

/// The distance in meters from a corner within which a cut goes through the corner instead, so that cuts leave no edges
/// too short for contacts. If it is greater, pieces part visibly off the line; both pieces still share every corner.
pub const CUT_WELD_M: f64 = 0.00025;

/// The greatest distance in meters between two shapes of one body that stay together when the body is cut.
pub const CUT_BOND_M: f32 = LINEAR_SLOP_M;

/// The greatest number of cells that one body is shattered into: each is cut by the lines to all others near it.
pub const SHATTER_CELLS_MAX: usize = 1024;

/// The greatest number of contact points of a manifold.
pub const MANIFOLD_POINTS_MAX: usize = 2;

/// The number of bodies of one batch of the solver, unless the world's settings change it. With the contacts of that
/// many bodies the blocks of a batch fit a second-level cache of half a megabyte; an island of that size is solved in
/// about the time that workers would spend waiting for each other over it.
pub const BATCH_BODIES_MAX: u32 = 256;

/// The greatest number of substeps of a step.
pub const SUBSTEPS_MAX: u32 = 64;

/// The greatest number of extra substeps of a body.
pub const EXTRA_SUBSTEPS_MAX: u32 = 64;

/// The greatest frequency of a spring, in hertz. No step is short enough to follow a faster one, and far above it the
/// solver's products would overflow.
pub const HERTZ_MAX: f32 = 1.0e4;

/// The least frequency of a spring, in hertz, if it is not 0: below it the solver would divide by numbers near zero.
pub const HERTZ_MIN: f32 = 1.0e-3;

/// The greatest damping ratio of a spring; 1 is critical, and a thousand times that is practically rigid.
pub const DAMPING_RATIO_MAX: f32 = 1.0e3;

/// The number of whole turns that a joint counts in either direction; beyond, it counts no further. At that many turns
/// single precision resolves half a milliradian.
pub const TURNS_MAX: f32 = 1.0e3;

/// The greatest limit of a joint's angle, in radians from the pose in which the angle is 0: a thousand turns.
pub const LIMIT_ANGLE_MAX_RAD: f32 = TURNS_MAX * core::f32::consts::TAU;

/// The greatest range in radians from the lower to the upper limit of an angle whose turns are not counted: a little
/// less than a turn, so that an angle beyond one limit is not within the other.
pub const LIMIT_RANGE_MAX_RAD: f32 = 1.98 * core::f32::consts::PI;

/// The greatest gear ratio, and the inverse of the least, in either direction; also the greatest number of meters that
/// a rack slides per radian.
pub const RATIO_MAX: f32 = 1.0e4;

/// The shortest step in seconds, except for one of 0; shorter ones are refused, since no motion in them is
/// representable in single precision.
pub const STEP_MIN_S: f32 = 1.0e-6;

/// The longest step in seconds; longer ones are refused.
pub const STEP_MAX_S: f32 = 1.0;

/// The greatest number of bodies, shapes, contacts or joints of one world: indices have two flag bits beside them.
pub const OBJECTS_MAX: usize = 1 << 29;

/// Cosine of the angle between the outward direction of a one-way platform and a contact's normal up to which the
/// contact holds: 75°.
pub const ONE_WAY_COSINE: f32 = 0.258_819_05;

/// The greatest mass of a shape in kilograms, and the greatest moment of inertia in kilogram square meters. A body's
/// values are clamped to the same limits, whatever shapes it has.
pub const MASS_MAX_KG: f32 = 1.0e24;

/// The least mass in kilograms that a body can be given in place of that of its shapes, or in addition to it, and the
/// least inertia in kilogram square meters.
pub const MASS_MIN_KG: f32 = 1.0e-6;

/// The least density of a shape in kilograms per square meter, if it is not 0: with less the smallest shapes would have
/// masses that single precision cannot divide by.
pub const DENSITY_MIN: f32 = 1.0e-6;

/// The greatest velocity that can be set, and the greatest limit of one, in meters per second. A step later a body is
/// limited by the world's own limit. Far above it the solver's products would overflow.
pub const VELOCITY_MAX_M_S: f32 = 1.0e6;

/// The greatest angular velocity that can be set, also of motors, in radians per second.
pub const SPIN_MAX_RAD_S: f32 = 1.0e6;

/// The greatest gravity in each direction, in meters per second squared, and the greatest factor of it that a body may
/// have.
pub const GRAVITY_MAX_M_S2: f32 = 1.0e6;

/// The greatest reduction of gravity that a character may have, as a factor of gravity.
pub const LIFT_MAX: f32 = 1.0e6;

/// The greatest force, impulse or torque that one call may apply in each direction, in newtons, newton seconds or
/// newton meters; the sum of several calls is clamped to it too.
pub const FORCE_MAX_N: f32 = 1.0e30;

/// The greatest total torque on a body in newton meters: that of [`FORCE_MAX_N`] at the longest lever.
pub const TORQUE_MAX_NM: f32 = 1.0e36;

/// The greatest change of a body's velocity by forces in one substep, in meters per second and radians per second; any
/// excess is discarded before velocities are clamped to the world's limits.
pub const PUSH_MAX: f32 = 1.0e12;

/// The frequency in hertz at which joints hold their rigid constraints, unless they have another.
pub(crate) const JOINT_HERTZ: f32 = 60.0;

/// The damping ratio that goes with [`JOINT_HERTZ`].
pub(crate) const JOINT_DAMPING_RATIO: f32 = 2.0;

/// The greatest density, drag or viscosity of a field. Far above it the products of drag would overflow.
pub const FIELD_FACTOR_MAX: f32 = 1.0e6;

/// The greatest number of points of a field's chain: each awake body within reach is tested with all of them in each
/// step.
pub const FIELD_POINTS_MAX: usize = 1024;

/// The greatest power of the distance with which a field's gravity may fade.
pub const FIELD_POWER_MAX: u32 = 4;

/// The greatest number of fields of one world: each awake body is tested with all of them in each step.
pub const FIELDS_MAX: usize = 4096;

/// The least width in meters of a cell of a tile grid: faces within half a centimeter of each other count as one.
pub const TILE_SIZE_MIN_M: f32 = 0.02;

/// The greatest width in meters of a cell of a tile grid.
pub const TILE_SIZE_MAX_M: f32 = 1.0e4;

/// The greatest number of cells of a tile grid.
pub const TILE_CELLS_MAX: u64 = 1 << 27;

/// The greatest contact skin of a shape, in meters. The boxes of the broad phase are as much larger: far above it bodies
/// have contacts with everything in a room.
pub const CONTACT_SKIN_MAX_M: f32 = 0.5;

/// The greatest coefficient of Coulomb friction, and of rolling resistance.
pub const FRICTION_MAX: f32 = 1.0e6;

/// The greatest restitution: a hundredfold speed after each touch.
pub const RESTITUTION_MAX: f32 = 100.0;

const _: () = assert!(
    SPECULATIVE_DISTANCE_M - RECYCLE_APART_M
        > tombolo_geometry::distance::IMPACT_TARGET + tombolo_geometry::distance::IMPACT_TOLERANCE,
    "what continuous collision sets down must get a contact"
);
