//! Every limit and tuning constant of the physics: value, unit, and what goes wrong when it is changed.
//!
//! The solver's values are those that the engines of this family converged on (Catto, "Solver2D", 2024); the world's
//! settings hold the ones that a user may change.

/// Meters that joints and contacts may be off without being corrected. Smaller values make stacks jitter.
pub const LINEAR_SLOP_M: f32 = 0.005;

/// Meters before touching from which contact points are made and solved, so that fast bodies are caught in time.
pub const SPECULATIVE_DISTANCE_M: f32 = 4.0 * LINEAR_SLOP_M;

/// Meters by which every box of the broad phase reaches beyond its shape, static ones too, however the shape moved: half
/// of [`SPECULATIVE_DISTANCE_M`], so that two shapes within that distance have a contact, and half a slop against
/// rounding far from the origin. Smaller: a contact is made only when the shapes overlap already.
///
/// Why: `docs/decisions.md#every-box-reaches-125-mm-beyond-its-shape`.
pub const BOX_REACH_M: f32 = 0.5 * (SPECULATIVE_DISTANCE_M + LINEAR_SLOP_M);

/// Meters beyond [`BOX_REACH_M`] by which the boxes of moving shapes are fattened at most. Larger: fewer updates, more
/// false pairs.
pub const BOX_MARGIN_MAX_M: f32 = 0.05;

/// The share of a shape's extent by which its box is fattened, up to [`BOX_MARGIN_MAX_M`].
pub const BOX_MARGIN_FRACTION: f32 = 0.125;

/// Meters that two bodies may move relative to each other before their manifold is computed anew.
///
/// Why: `docs/decisions.md#when-a-manifold-is-kept`.
pub const RECYCLE_DISTANCE_M: f32 = 10.0 * LINEAR_SLOP_M;

/// Meters that two bodies may move relative to each other before it is looked again whether they touch, when they did not
/// and it is not known how far apart they are. If it is, it is looked again when [`SPECULATIVE_DISTANCE_M`] may be left of that.
/// They were farther apart than [`SPECULATIVE_DISTANCE_M`] then, so they are still farther apart than the rest of it, which
/// must be more than the distance at which continuous collision sets a body down: else one that is set back would stay
/// there without a contact.
pub const RECYCLE_APART_M: f32 = 0.5 * SPECULATIVE_DISTANCE_M;

/// Cosine of each body's own turn up to which a manifold is kept (about 11 degrees).
///
/// Why: `docs/decisions.md#when-a-manifold-is-kept`.
pub const RECYCLE_COSINE_MIN: f32 = 0.98;

/// Seconds that a whole island must have been slow before it sleeps.
pub const TIME_TO_SLEEP_S: f32 = 0.5;

/// Radians that a body may turn in one step. Above a quarter turn the contacts of a step would be meaningless.
pub const ROTATION_PER_STEP_MAX_RAD: f32 = 0.25 * core::f32::consts::PI;

/// Radians by which a body turns in a substep at most if it is exempted from the limit of a step: a quarter of a turn.
pub const ROTATION_PER_SUBSTEP_MAX_RAD: f32 = 0.5 * core::f32::consts::PI;

/// Meters from the origin beyond which a body counts as lost and is frozen; `f32` has 8 mm resolution there.
pub const POSITION_MAX_M: f32 = 1.0e5;

/// A body is fast in a step in which it moves by more than this share of its smallest extent (the least distance from a
/// shape's middle to its border). Above one half, a middle could pass a thin wall between two looks of the narrow
/// phase; far below it, bodies that the contacts would catch are swept for nothing.
pub const FAST_MOTION_FRACTION: f32 = 0.5;

/// A body that moves farther in a step is fast however large it is: its corners may be far sharper than it is wide. Larger,
/// the tips of large bodies get so deep into a floor before the contacts see them that they are thrown out.
pub const FAST_MOTION_MAX_M: f32 = 0.5;

/// The share of a shape's smallest extent that its core has as radius: a disc around its middle that must not pass a
/// wall even where the whole shape overlaps it when the step begins.
///
/// Why: `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.
pub const CORE_FRACTION: f32 = 0.25;

/// Meters of a fast shape's outer layer that continuous collision leaves to the contacts, so that what slides over a
/// floor made of boxes is not stopped at every joint. Never more than [`CORE_FRACTION`] of the shape's smallest extent.
/// Smaller than the slop, sliding bodies stick; larger, fast bodies sink into walls visibly.
///
/// Why: `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.
pub const CONTINUOUS_SKIN_M: f32 = 4.0 * LINEAR_SLOP_M;

/// Meters that a part of a fast shape which is in an obstacle already, or near to it, may get deep in a step. Smaller, what is
/// pressed into a wall sticks there; larger, the ends of thin rods swing in.
pub const CONTINUOUS_SINK_M: f32 = 2.0 * LINEAR_SLOP_M;

/// Meters by which a part of a fast shape that is deeper in an obstacle than [`CONTINUOUS_SINK_M`] may get deeper in a step than
/// any part of it was when the step began. Smaller than the tolerance of an impact, it has no effect; as large as the push of a
/// step can take back and more, a plate that rocks from end to end sinks through a floor, by one end and then by the other.
pub const CONTINUOUS_CREEP_M: f32 = 0.4 * LINEAR_SLOP_M;

/// Meters from a corner within which a cut goes through the corner instead, so that cuts leave no edges too short for
/// contacts. Greater, and pieces part visibly off the line; both pieces still share every corner.
pub const CUT_WELD_M: f64 = 0.00025;

/// Meters between two shapes of one body up to which they stay together when the body is cut.
pub const CUT_BOND_M: f32 = LINEAR_SLOP_M;

/// Cells that one body is shattered into at most: each is cut by the lines to all others near it.
pub const SHATTER_CELLS_MAX: usize = 1024;

/// Contact points of one manifold.
pub const MANIFOLD_POINTS_MAX: usize = 2;

/// Bodies of one batch of the solver, unless the world says otherwise. With the contacts between so many the blocks of a
/// batch fit a second-level cache of half a megabyte; an island of so many is solved in about the time that workers
/// would take to wait for each other over it.
pub const BATCH_BODIES_MAX: u32 = 256;

/// Substeps of one step at most.
pub const SUBSTEPS_MAX: u32 = 64;

/// Substeps that a body may ask for on top of those at most.
pub const EXTRA_SUBSTEPS_MAX: u32 = 64;

/// Oscillations per second of a spring at most. No step is short enough to follow a faster one, and far above it the
/// solver's products would overflow.
pub const HERTZ_MAX: f32 = 1.0e4;

/// Oscillations per second of a spring at least, if it is not 0: below it the solver would divide by next to nothing.
pub const HERTZ_MIN: f32 = 1.0e-3;

/// Damping ratio of a spring at most; 1 is critical, and a thousand times that is as good as rigid.
pub const DAMPING_RATIO_MAX: f32 = 1.0e3;

/// Whole turns that a joint counts up to in either direction; beyond, it counts no further. At as many turns single precision
/// tells angles half a milliradian apart.
pub const TURNS_MAX: f32 = 1.0e3;

/// Radians from the pose in which a joint's angle is 0 up to which a limit of that angle may lie: a thousand turns.
pub const LIMIT_ANGLE_MAX_RAD: f32 = TURNS_MAX * core::f32::consts::TAU;

/// Radians from the lower to the upper limit of an angle whose turns are not counted, at most: a little less than a turn, so
/// that beyond one limit is not within the other.
pub const LIMIT_RANGE_MAX_RAD: f32 = 1.98 * core::f32::consts::PI;

/// Gear ratios at most, and one over it at least, in either direction; also meters that a rack slides for each radian.
pub const RATIO_MAX: f32 = 1.0e4;

/// The shortest step in seconds, but for one of 0; shorter ones are refused, since nothing could move in them that
/// single precision can tell.
pub const STEP_MIN_S: f32 = 1.0e-6;

/// The longest step in seconds; longer ones are refused.
pub const STEP_MAX_S: f32 = 1.0;

/// Bodies, shapes, contacts or joints of one world at most: indices carry two flag bits beside them.
pub const OBJECTS_MAX: usize = 1 << 29;

/// Cosine of the angle between the way out of a one-way platform and a contact's normal up to which the contact holds: 75°.
pub const ONE_WAY_COSINE: f32 = 0.258_819_05;

/// Kilograms of one shape, and kilogram square meters of its inertia, at most. A body counts as no more, whatever
/// shapes it has.
pub const MASS_MAX_KG: f32 = 1.0e24;

/// Kilograms that a body can be given at least in place of what its shapes weigh, or on top of it, and kilogram square
/// meters likewise.
pub const MASS_MIN_KG: f32 = 1.0e-6;

/// Kilograms per square meter of a shape at least, if it is not 0: with less the smallest shapes would have masses that
/// single precision cannot divide by.
pub const DENSITY_MIN: f32 = 1.0e-6;

/// Meters per second of any velocity that is set, and of any limit of one. A step later a body is as fast as the
/// world's own limit allows. Far above it the solver's products would overflow.
pub const VELOCITY_MAX_M_S: f32 = 1.0e6;

/// Radians per second of any angular velocity that is set, and of motors.
pub const SPIN_MAX_RAD_S: f32 = 1.0e6;

/// Meters per second squared of gravity, in each direction, and the factor of it that a body may have.
pub const GRAVITY_MAX_M_S2: f32 = 1.0e6;

/// Newtons, newton seconds or newton meters that one call may apply, in each direction; the forces of several calls are
/// held at it too.
pub const FORCE_MAX_N: f32 = 1.0e30;

/// Newton meters that all forces on a body come to at most: what [`FORCE_MAX_N`] does at the longest lever.
pub const TORQUE_MAX_NM: f32 = 1.0e36;

/// Meters per second and radians per second by which forces change a body in one substep at most; what is above is left
/// out before velocities are held at the world's limits.
pub const PUSH_MAX: f32 = 1.0e12;

/// Hertz by which joints hold what they hold rigidly, unless they are told otherwise.
pub(crate) const JOINT_HERTZ: f32 = 60.0;

/// The damping ratio that goes with [`JOINT_HERTZ`].
pub(crate) const JOINT_DAMPING_RATIO: f32 = 2.0;

/// Densities, drags and viscosities of fields at most. Far above them the products of drag would overflow.
pub const FIELD_FACTOR_MAX: f32 = 1.0e6;

/// Points of one field's chain at most: each awake body within reach asks all of them in each step.
pub const FIELD_POINTS_MAX: usize = 1024;

/// The greatest power of the distance with which a field's gravity may fade.
pub const FIELD_POWER_MAX: u32 = 4;

/// Fields of one world at most: each awake body asks all of them in each step.
pub const FIELDS_MAX: usize = 4096;

/// Meters that a cell of a tile grid is wide at least: faces that lie within half a centimeter of each other count as one.
pub const TILE_SIZE_MIN_M: f32 = 0.02;

/// Meters that a cell of a tile grid is wide at most.
pub const TILE_SIZE_MAX_M: f32 = 1.0e4;

/// Cells of one tile grid at most.
pub const TILE_CELLS_MAX: u64 = 1 << 27;

/// Coulomb friction, and resistance to rolling, at most.
pub const FRICTION_MAX: f32 = 1.0e6;

/// Bounciness at most: a hundredfold speed after each touch.
pub const RESTITUTION_MAX: f32 = 100.0;

const _: () = assert!(
    SPECULATIVE_DISTANCE_M - RECYCLE_APART_M
        > tombolo_geometry::distance::IMPACT_TARGET + tombolo_geometry::distance::IMPACT_TOLERANCE,
    "what continuous collision sets down must get a contact"
);
