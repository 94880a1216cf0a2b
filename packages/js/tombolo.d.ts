/** A vector as two numbers, x first: in meters, meters per second, newtons and so on. */
export type Vector = readonly [number, number];

/** The handle of a body of one world. It is never used again for another one. */
export type BodyId = bigint;
/** The handle of a shape of one world. */
export type ShapeId = bigint;
/** The handle of a joint of one world. */
export type JointId = bigint;
/** The handle of a grid of tiles of one world. */
export type TileGridId = bigint;
/** The handle of a concave polygon of one world. */
export type ConcavePolygonId = bigint;
/** The handle of an entity of one world. */
export type Entity = bigint;

/** The bytes of a save: `await response.arrayBuffer()`, what `readFile` gives in Node, or the view of `save()`. */
export type Save = ArrayBufferLike | ArrayBufferView;

/** The kind of a body: it does not move; moves with the velocity it is given; is moved by forces, contacts and joints. */
export type BodyKind = "static" | "kinematic" | "dynamic";

/** The error of a call that the engine refused. The world has not changed. */
export class TomboloError extends Error {}

/** The definition of a physics world; options that are left out have the engine's defaults. */
export interface WorldDef {
    /** Gravity in meters per second squared; [0, -10] by default. */
    gravity?: Vector;
    /** The number of substeps of a step; 4 by default, 1 to 64. More make contacts and joints stiffer and cost more. */
    substeps?: number;
    /** Whether islands at rest fall asleep; true by default. */
    sleeping?: boolean;
    /** Whether fast bodies are stopped where they would pass through others; true by default. */
    continuous?: boolean;
    /** The speed of approach from which contacts bounce, in meters per second; 1 by default. */
    restitutionThreshold?: number;
    /** The speed of approach from which a hit is reported, in meters per second; 1 by default. */
    hitThreshold?: number;
    /** The stiffness of contacts, in oscillations per second; 30 by default. */
    contactHertz?: number;
    /** The damping ratio of contacts; 10 by default. */
    contactDampingRatio?: number;
    /** The greatest speed at which overlapping bodies are pushed apart, in meters per second; 3 by default. */
    pushSpeedMax?: number;
    /** The greatest speed of a body, in meters per second; 400 by default. */
    speedMax?: number;
}

/** The mass of a body in place of that of its shapes. */
export interface OwnMass {
    /** The mass in kilograms; 0 for that of the shapes. */
    mass?: number;
    /** The rotational inertia about the center of mass, in kilograms times square meters; a body of inertia 0 does not turn. */
    inertia?: number;
    /** The center of mass in the body's frame. */
    center?: Vector;
}

/** What can be changed of a body, and is a part of its definition. */
export interface BodyOptions {
    /** The damping of the linear velocity, per second; 0 by default. */
    linearDamping?: number;
    /** The damping of the angular velocity, per second; 0 by default. */
    angularDamping?: number;
    /** A factor of the world's gravity; 1 by default. */
    gravityScale?: number;
    /** The speed below which the body counts as resting, in meters per second; 0.05 by default. */
    sleepThreshold?: number;
    /** Whether the body may fall asleep; true by default. */
    allowSleep?: boolean;
    /** Whether the body never turns. */
    fixedRotation?: boolean;
    /** Whether the body, while fast, is stopped by moving bodies too. */
    bullet?: boolean;
    /** Whether the body may turn by more than 45° in a step, as a fast wheel does. */
    fastRotation?: boolean;
    /** Whether the center of mass never moves along the world's x axis. */
    fixedX?: boolean;
    /** Whether the center of mass never moves along the world's y axis. */
    fixedY?: boolean;
    /** Kilograms on top of the mass of the shapes, distributed like it; 0 by default. */
    addedMass?: number;
    /** In a contact with a body of less dominance this one is not moved: -127 to 127, 0 by default. */
    dominance?: number;
    /** Substeps on top of the world's, for the body and those connected to it: 0 to 64, 0 by default. */
    extraSubsteps?: number;
    /** The body's own limit of speed, in meters per second; a million by default. */
    speedMax?: number;
    /** The body's own limit of angular speed, in radians per second; a million by default. */
    spinMax?: number;
    /** A force in newtons at the center of mass in every step, in the world's directions; [0, 0] by default. */
    lastingForce?: Vector;
    /** A torque in newton meters in every step; 0 by default. */
    lastingTorque?: number;
    /** Mass, inertia and center of mass in place of those of the shapes. */
    ownMass?: OwnMass;
    /** A number of the user's, kept in saves. */
    userKey?: bigint;
}

/** The definition of a body. */
export interface BodyDef extends BodyOptions {
    /** "static" by default. */
    kind?: BodyKind;
    /** The position of the body's origin, in meters. */
    position?: Vector;
    /** The angle in radians, counter-clockwise. */
    angle?: number;
    /** The velocity of the center of mass, in meters per second. */
    linearVelocity?: Vector;
    /** The angular velocity, in radians per second. */
    angularVelocity?: number;
    /** Whether the body starts awake; true by default. */
    awake?: boolean;
    /** Whether the body takes part in the simulation; true by default. */
    enabled?: boolean;
    /** A name for people, at most 31 bytes, kept in saves: names may be alike, and have no effect on the simulation. */
    name?: string;
}

/** How two coefficients are combined. Of two different rules the later one in this list applies. */
export type CombineRule = "usual" | "mean" | "geometricMean" | "min" | "product" | "max";

/** The surface, density, events and collision filter of shapes. */
export interface Material {
    /** The density in kilograms per square meter; 1 by default. */
    density?: number;
    /** Coulomb friction; 0.6 by default. */
    friction?: number;
    /** The coefficient of restitution; 0 by default. */
    restitution?: number;
    /** Resistance to rolling; 0 by default. */
    rollingResistance?: number;
    /** The speed at which the surface moves, in meters per second, as that of a conveyor belt. */
    tangentSpeed?: number;
    /** Whether the begin and end of touches is reported; true by default. */
    contactEvents?: boolean;
    /** Whether hard hits are reported. */
    hitEvents?: boolean;
    /** Whether the shape touches nothing and reports overlaps instead. */
    sensor?: boolean;
    /** The distance in meters that the shape keeps from others, 0 to 0.5; 0 by default. Two shapes use the sum. */
    contactSkin?: number;
    /** The average force of a touch over a step, in newtons, above which scenes report it; 0, the default, for never. */
    forceThreshold?: number;
    /** Whether a sensor reports other sensors too. */
    seesSensors?: boolean;
    /** Whether the shape, on a static or kinematic body, reports shapes of such bodies that touch it. */
    seesFixed?: boolean;
    /** How friction is combined with that of the other shape; "usual", the geometric mean, by default. */
    frictionRule?: CombineRule;
    /** How restitution is combined with that of the other shape; "usual", the greater one, by default. */
    restitutionRule?: CombineRule;
    /** The categories of the shape, as bits; 1n by default. */
    category?: bigint;
    /** The categories that the shape touches, as bits; all by default. */
    mask?: bigint;
    /**
     * The group: shapes of the same group always touch if it is positive, never if it is negative; 0 for no group. A whole number
     * of 32 bits.
     */
    group?: number;
    /** The number by which rules for contacts find the shape, 0 to 4294967294; 0 by default. */
    material?: number;
    /** A number of the user's, kept in saves. */
    userKey?: bigint;
}

/** The geometry of a shape, in the body's frame: exactly one of these, with its own fields and no others. */
export type Outline =
    /** A disc of this radius. */
    | Only<{ circle: number; center?: Vector }>
    /** A capsule: all points within a radius of a segment. */
    | Only<{ capsule: readonly [Vector, Vector]; radius: number }>
    /** A line without width, solid from both sides. */
    | Only<{ segment: readonly [Vector, Vector] }>
    /** The convex hull of three to eight points, rounded by a radius. */
    | Only<{ polygon: readonly Vector[]; radius?: number }>
    /** A rectangle of this width and height. */
    | Only<{ box: Vector; center?: Vector; angle?: number }>
    /** The half-space behind the line through a point, against its normal: endless ground; not for dynamic bodies. */
    | Only<{ halfSpace: readonly [point: Vector, normal: Vector] }>;

type OutlineField = "circle" | "capsule" | "segment" | "polygon" | "box" | "halfSpace" | "radius" | "center" | "angle";

type Only<Fields> = Fields & { [Name in Exclude<OutlineField, keyof Fields>]?: never };

/** The definition of a shape. */
export type ShapeDef = Outline & Material;

/** The definition of a concave polygon: corners in the body's frame, taken as numbers of 32 bits. */
export interface ConcavePolygonDef extends Material {
    /** Three or more corners, counter-clockwise. */
    border: readonly Vector[];
    /** Holes, each of three or more corners, clockwise. */
    holes?: readonly (readonly Vector[])[];
}

/** The present state of a concave polygon. */
export interface ConcavePolygon {
    readonly id: ConcavePolygonId;
    readonly body: BodyId;
    /** The shapes of its convex parts. */
    readonly shapes: BigUint64Array;
    /** The area in square meters. */
    readonly area: number;
    readonly border: Vector[];
    readonly holes: Vector[][];
}

/** What a cut made of a body. */
export interface Cut {
    /** The body, which goes on as its greatest piece. */
    readonly body: BodyId;
    /** The new bodies of the other pieces. */
    readonly pieces: BodyId[];
    /** The new concave polygons, each with the shape that it was cut from, which is gone. */
    readonly concavePolygons: { readonly id: ConcavePolygonId; readonly from: ShapeId }[];
    /** The number of pieces that were too small and vanished. */
    readonly vanished: number;
}

/** The definition of an explosion. */
export interface ExplosionDef {
    /** The center in the world. */
    position: Vector;
    /** The radius in meters within which the whole impulse acts; 0 by default. */
    radius?: number;
    /** The distance in meters beyond the radius over which the impulse decreases to zero; 0 by default. */
    falloff?: number;
    /** The impulse in newton seconds per meter of a shape's width as seen from the center; negative ones pull; 0 by default. */
    impulsePerLength?: number;
    /** The radius in meters within which cells of tile grids are emptied; 0, the default, leaves them. */
    tileRadius?: number;
    /** The categories that are pushed, as bits; all by default. */
    mask?: bigint;
}

/** The definition of a chain: segments that are solid on the right side of the direction from point to point. */
export interface ChainDef extends Material {
    /** Two or more points, three or more if closed. */
    points: readonly Vector[];
    /** Whether the last point is joined to the first. */
    closed?: boolean;
}

/** The definition of a heightfield: ground that is solid from above, from height to height, from left to right. */
export interface HeightfieldDef extends Material {
    /** Two or more heights above the origin, in meters. */
    heights: readonly number[];
    /** The horizontal distance from height to height, in meters; 1 by default. */
    spacing?: number;
    /** The x of the first height, and the y of height zero, in the body's frame; the body's origin by default. */
    origin?: Vector;
    /** The height before the first, in the piece to the left, if the ground goes on there. */
    before?: number;
    /** The height after the last, in the piece to the right, if the ground goes on there. */
    after?: number;
    /** The numbers of the segments that are left out, from 0. */
    holes?: readonly number[];
}

/** The named shapes of tiles, as parts of the cell. A slope has the name of its direction from left to right. */
export type TileShapeName =
    | "full"
    | "bottomHalf"
    | "topHalf"
    | "leftHalf"
    | "rightHalf"
    /** Ground that rises to the right by 45 degrees. */
    | "slopeUp"
    | "slopeDown"
    /** A ceiling that rises to the right by 45 degrees. */
    | "ceilingUp"
    | "ceilingDown"
    /** Ground that rises from the bottom to half of the cell. */
    | "gentleUpLow"
    /** Ground that rises from half of the cell to the top. */
    | "gentleUpHigh"
    | "gentleDownHigh"
    | "gentleDownLow";

/** The shape of a tile in its cell: a name, or three to eight corners from [0, 0] at the lower left to [1, 1]. */
export type TileShape = TileShapeName | readonly Vector[];

/** A kind of tile. */
export interface Tile extends Material {
    /** "full" by default. */
    shape?: TileShape;
}

/** The definition of a grid of tiles. */
export interface TileGridDef {
    /** Rows from below, all equally long: for each cell the number of a kind of tile, 1 for the first; 0 is an empty cell. */
    rows: readonly ArrayLike<number>[];
    /** The kinds of tiles, at most 255; full ones alone by default. */
    tiles?: readonly (Tile | TileShape)[];
    /** The width and height of a cell, in meters; 1 by default, 0.02 to 10,000. */
    cellSize?: number;
    /** The lower left corner of the grid in the body's frame; [0, 0] by default. */
    origin?: Vector;
}

/** The present state of a grid of tiles. */
export interface TileGrid {
    readonly id: TileGridId;
    readonly body: BodyId;
    /** The number of columns. */
    readonly width: number;
    /** The number of rows. */
    readonly height: number;
    readonly cellSize: number;
    readonly origin: Vector;
}

/** A contact rule for two materials or categories; options that are left out stay as they are without a rule. */
export interface ContactRule {
    /** Coulomb friction, 0 to a million. */
    friction?: number;
    /** The coefficient of restitution, 0 to 100. */
    restitution?: number;
    /** The speed of the surfaces against each other, in meters per second, in place of the sum of both `tangentSpeed`. */
    surfaceSpeed?: number;
    /**
     * The direction out of the first, in the frame of its body: shapes that move along it pass, and those that move against
     * it are held.
     */
    oneWay?: Vector;
    /** Whether the two do not touch each other at all. */
    ignore?: boolean;
    /** Whether touches of the two are only reported, without forces. */
    sensor?: boolean;
    /** The speed of approach from which a hit is reported, in meters per second, in place of the world's. */
    hitThreshold?: number;
}

/** The definition of a character. */
export interface CharacterDef {
    /** The position of its center; [0, 0] by default. */
    position?: Vector;
    /** The height from head to foot, in meters; 1.8 by default. */
    height?: number;
    /** The radius in meters; 0.35 by default. */
    radius?: number;
    /** The direction against gravity, of length 1; [0, 1] by default. */
    up?: Vector;
    /** The steepest ground that it walks on, in radians; 45° by default. */
    slopeMax?: number;
    /** The highest step that it climbs, in meters; 0.4 by default. */
    stepHeight?: number;
    /** The greatest distance of the ground below its feet at which it stays on the ground, in meters; 0.3 by default. */
    snapDistance?: number;
    /** The greatest acceleration on the ground, in meters per second squared; 60 by default. */
    acceleration?: number;
    /** The greatest acceleration in the air, in meters per second squared; 20 by default. */
    airAcceleration?: number;
    /** The greatest speed of its own motion, in meters per second; 50 by default. */
    speedMax?: number;
    /** Whether it keeps the velocity of the body that carried it when it leaves that; true by default. */
    inheritVelocity?: boolean;
    /** The mass in kilograms; 80 by default. */
    mass?: number;
    /** The greatest force with which it pushes bodies, in newtons; 300 by default. */
    pushForceMax?: number;
    /** The speed at which it moves out of shapes that overlap it, in meters per second; 1 by default. */
    pushOutSpeed?: number;
    /** Its categories, as bits; all by default. */
    category?: bigint;
    /** The categories that block it, as bits; all by default. */
    mask?: bigint;
    /** The number of its material in contact rules; 0 by default. */
    material?: number;
    /** A kinematic body of its own, for other bodies to touch; it never blocks the character. */
    body?: BodyId;
}

/** The input of a character for a step; nothing by default. */
export interface CharacterMove {
    /** The length of the step in seconds, the same as the world's; a sixtieth by default. */
    dt?: number;
    /** The speed to the right along the ground, in meters per second; below zero to the left. */
    walk?: number;
    /** The upward speed while it climbs, in meters per second. */
    climb?: number;
    /** The speed with which it leaves the ground, in meters per second; no effect in the air. */
    jump?: number;
    /** Whether it falls through the one-way platforms that it stands on. */
    drop?: boolean;
    /** Whether it holds on to a ladder: it moves by `walk` and `climb`, without gravity. */
    climbing?: boolean;
    /** The share of gravity that is taken away, as in a fluid: 0 for none, 1 for all of it. */
    lift?: number;
    /** The damping of its velocity, per second, as in a fluid. */
    drag?: number;
}

/** A character, which is moved by geometry and not by forces. It is not part of its world, nor of its saves and clones. */
export interface Character {
    /** The position of its center. Setting it is a teleport, after which it is at rest and in the air. */
    position: Vector;
    /** The velocity in the world, that of the body that carries it included, in meters per second. */
    readonly velocity: Vector;
    /** Whether it stands on something. */
    readonly isGrounded: boolean;
    /** Whether it is pressed against something by something that it cannot push away. */
    readonly isCrushed: boolean;
    /** The body and shape that it stands on; null in the air. */
    readonly ground: { readonly body: BodyId; readonly shape: ShapeId } | null;
    /** The shapes that it touched at the end of its last move. */
    readonly touches: BigUint64Array;
    /** Moves it by a step among the bodies' present poses: to be called after each step of the world, with the same `dt`. */
    move(wishes?: CharacterMove): void;
    /** A copy for a world of the same `load`, as a rule for a clone of the character's world. */
    clone(world: PhysicsWorld): Character;
    /** Frees its memory; otherwise that happens when the object is collected. */
    free(): void;
}

/** What joints of all kinds have but filters. */
interface JointOptions {
    /** The origin of the joint's frame in the first body's, in meters; [0, 0] by default. */
    anchorA?: Vector;
    /** The origin of the joint's frame in the second body's. */
    anchorB?: Vector;
    /** The angle of the joint's frame in the first body's, in radians; 0 by default. */
    angleA?: number;
    /** The angle of the joint's frame in the second body's. The joint's angle is 0 when the two frames agree. */
    angleB?: number;
    /** The stiffness of rigid constraints and limits, in oscillations per second; 60 by default. */
    constraintHertz?: number;
    /** The damping ratio of the same; 2 by default. */
    constraintDampingRatio?: number;
    /** The force above which a step reports the joint, in newtons; infinite by default. */
    forceThreshold?: number;
    /** The torque above which a step reports the joint, in newton meters; infinite by default. */
    torqueThreshold?: number;
    /** Whether the joint is removed at the end of the step in which its load is above a threshold. */
    breaks?: boolean;
    /** Whether the two bodies' shapes touch each other. */
    collideConnected?: boolean;
    /** A number of the user's, kept in saves. */
    userKey?: bigint;
}

/** A spring, of angle, length or translation. */
interface SpringOptions {
    /** Whether the spring acts. */
    enableSpring?: boolean;
    /** The stiffness, in oscillations per second. */
    springHertz?: number;
    /** The damping ratio; 1 is critical. */
    springDampingRatio?: number;
}

/** Limits and a target of a translation along the x axis of the first frame. */
interface TranslationOptions extends SpringOptions {
    /** Whether the translation is kept between the two limits. */
    enableLimit?: boolean;
    /** The least translation, in meters. */
    lowerTranslation?: number;
    /** The greatest translation, in meters. */
    upperTranslation?: number;
    /** The translation to which the spring pulls, in meters. */
    targetTranslation?: number;
}

/** A motor that turns. */
interface TorqueMotorOptions {
    /** Whether the motor is on. */
    enableMotor?: boolean;
    /** The target speed, in radians per second. */
    motorSpeed?: number;
    /** The greatest torque, in newton meters. */
    maxMotorTorque?: number;
}

/** A motor that pushes. */
interface ForceMotorOptions {
    /** Whether the motor is on. */
    enableMotor?: boolean;
    /** The target speed, in meters per second. */
    motorSpeed?: number;
    /** The greatest force, in newtons. */
    maxMotorForce?: number;
}

/** The least and greatest force of a spring. */
interface SpringForceOptions {
    /** The least force in newtons; with 0 the spring only pushes the points apart. */
    lowerSpringForce?: number;
    /** The greatest force in newtons; with 0 it only pulls them together. */
    upperSpringForce?: number;
}

/** The two springs of a weld or a motor joint. */
interface SoftOptions {
    /** The stiffness of the points, in oscillations per second; 0, the default: rigid for a weld, no spring for a motor joint. */
    linearHertz?: number;
    /** The damping ratio of the points. */
    linearDampingRatio?: number;
    /** The stiffness of the angles, likewise. */
    angularHertz?: number;
    /** The damping ratio of the angles. */
    angularDampingRatio?: number;
}

/** Two bodies share a point and turn about it. */
export interface RevoluteOptions extends JointOptions, SpringOptions, TorqueMotorOptions {
    /** Whether the angle is kept between the two limits. */
    enableLimit?: boolean;
    /** Whether whole turns count. */
    countTurns?: boolean;
    /** The least angle, in radians. */
    lowerAngle?: number;
    /** The greatest angle, in radians. */
    upperAngle?: number;
    /** The angle to which the spring pulls, in radians. */
    targetAngle?: number;
}

/** Two points are kept a length apart: a rod; with limits alone a rope; with a spring or a motor a shock absorber, a winch. */
export interface DistanceOptions extends JointOptions, SpringOptions, SpringForceOptions, ForceMotorOptions {
    /** Whether the length is kept between the two limits. */
    enableLimit?: boolean;
    /** The rest length in meters; 1 by default. */
    length?: number;
    /** The least length in meters. */
    minLength?: number;
    /** The greatest length in meters. */
    maxLength?: number;
}

/** The second body slides along the x axis of the first frame, and does not turn in it. */
export interface PrismaticOptions extends JointOptions, TranslationOptions, ForceMotorOptions {}

/** The two frames are kept together, rigidly or softly. */
export interface WeldOptions extends JointOptions, SoftOptions {}

/** The second body turns, and is sprung along the x axis of the first frame. Its spring is on by default. */
export interface WheelOptions extends JointOptions, TranslationOptions, TorqueMotorOptions {}

/**
 * Bounded forces drive the second body at a velocity, and springs pull it to a pose, relative to the first. With a spring of
 * the points, to a static body whose `anchorA` follows the pointer, it is a mouse joint.
 */
export interface MotorOptions extends JointOptions, SoftOptions {
    /** The target velocity in meters per second, along the axes of the world. */
    linearVelocity?: Vector;
    /** The greatest force that drives the velocity, in newtons; 0 by default. */
    maxVelocityForce?: number;
    /** The target angular velocity, in radians per second. */
    angularVelocity?: number;
    /** The greatest torque that drives the angular velocity, in newton meters; 0 by default. */
    maxVelocityTorque?: number;
    /** The greatest force of the points' spring, in newtons; 0 by default. */
    maxSpringForce?: number;
    /** The greatest torque of the angles' spring, in newton meters; 0 by default. */
    maxSpringTorque?: number;
}

/** The shapes of the two bodies do not touch each other; nothing else. */
export interface FilterOptions {
    /** A number of the user's, kept in saves. */
    userKey?: bigint;
}

/** Along the x and y axis of the first frame, and in angle: free, locked, limited, sprung or driven. */
export interface GenericOptions extends JointOptions {
    lockX?: boolean;
    lockY?: boolean;
    lockAngle?: boolean;
    enableLimitX?: boolean;
    enableLimitY?: boolean;
    enableLimitAngle?: boolean;
    enableSpringX?: boolean;
    enableSpringY?: boolean;
    enableSpringAngle?: boolean;
    enableMotorX?: boolean;
    enableMotorY?: boolean;
    enableMotorAngle?: boolean;
    /** Whether whole turns count. */
    countTurns?: boolean;
    lowerX?: number;
    upperX?: number;
    lowerY?: number;
    upperY?: number;
    lowerAngle?: number;
    upperAngle?: number;
    targetX?: number;
    targetY?: number;
    targetAngle?: number;
    springHertzX?: number;
    springHertzY?: number;
    springHertzAngle?: number;
    springDampingRatioX?: number;
    springDampingRatioY?: number;
    springDampingRatioAngle?: number;
    motorSpeedX?: number;
    motorSpeedY?: number;
    motorSpeedAngle?: number;
    maxMotorForceX?: number;
    maxMotorForceY?: number;
    maxMotorTorque?: number;
}

/** The angle of the first body plus `ratio` times that of the second is constant. */
export interface GearOptions extends JointOptions {
    /** The teeth of the second wheel for each of the first; 1 by default, negative if both turn in the same direction. */
    ratio?: number;
}

/** The second body slides along the x axis of its frame as the first one turns. */
export interface RackOptions extends JointOptions {
    /** Meters per radian; 1 by default. */
    radius?: number;
}

/** A rope from one body over two fixed points to the other. */
export interface PulleyOptions extends JointOptions {
    /** Whether the rope may be slack; true by default. */
    slack?: boolean;
    /** The parts of rope that the second body hangs from for each part of the first; 1 by default. */
    ratio?: number;
    /** The distance from the first body's point to its fixed point when the rope is taut, in meters; 1 by default. */
    lengthA?: number;
    /** The distance of the second body's, likewise. */
    lengthB?: number;
    /** The fixed point of the first body's part, in the world. */
    groundAnchorA?: Vector;
    /** The fixed point of the second body's part. */
    groundAnchorB?: Vector;
}

/** Bounded forces along x and along y of the world drive the second body at a velocity. */
export interface MoverOptions extends JointOptions {
    /** The target velocity in meters per second, relative to the first body. */
    linearVelocity?: Vector;
    /** The greatest force along x and along y, in newtons; [0, 0] by default. */
    maxForce?: Vector;
}

/** A spring along the x axis of the first frame carries the second body, which slides across it freely. It is on by default. */
export interface PogoOptions extends JointOptions, SpringOptions, SpringForceOptions {
    /** The rest length in meters; 1 by default. */
    length?: number;
}

/** The options of each kind of joint. */
export interface JointOptionsOf {
    revolute: RevoluteOptions;
    distance: DistanceOptions;
    prismatic: PrismaticOptions;
    weld: WeldOptions;
    wheel: WheelOptions;
    motor: MotorOptions;
    filter: FilterOptions;
    generic: GenericOptions;
    gear: GearOptions;
    rack: RackOptions;
    pulley: PulleyOptions;
    mover: MoverOptions;
    pogo: PogoOptions;
}

/** The kinds of joints. */
export type JointKind = keyof JointOptionsOf;

/** The definition of a joint between two bodies; options that are left out have the engine's defaults. */
export type JointDef = {
    [Kind in JointKind]: { kind: Kind; bodyA: BodyId; bodyB: BodyId } & JointOptionsOf[Kind];
}[JointKind];

/** The options of a joint, by its kind. */
export type JointChanges = JointOptionsOf[JointKind];

/** The present state of a body. */
export interface Body {
    readonly id: BodyId;
    readonly userKey: bigint;
    /** Empty if it has none. */
    readonly name: string;
    readonly position: Vector;
    readonly angle: number;
    readonly linearVelocity: Vector;
    readonly angularVelocity: number;
    readonly mass: number;
    readonly inertia: number;
    readonly kind: BodyKind;
    readonly awake: boolean;
    readonly enabled: boolean;
    /** The center of mass in the world. */
    readonly centerOfMass: Vector;
}

/** The present state of a shape: its body and its material. */
export interface Shape extends Readonly<Required<Material>> {
    readonly id: ShapeId;
    readonly body: BodyId;
}

/** The present state of a joint. */
export interface Joint {
    readonly id: JointId;
    readonly kind: JointKind;
    readonly bodyA: BodyId;
    readonly bodyB: BodyId;
    readonly userKey: bigint;
    /** The angle of the second frame in the first, in radians. */
    readonly angle: number;
    /** The second anchor in the first frame, in meters: x is the translation of a prismatic or wheel joint. */
    readonly translation: Vector;
    /** The force on the second body, averaged over the last step, in newtons. */
    readonly force: Vector;
    /** The torque on the second body, averaged over the last step, in newton meters. */
    readonly torque: number;
    /** The error of rigid constraints and limits, in meters. */
    readonly linearError: number;
    /** The error of rigid constraints and limits of the angle, in radians. */
    readonly angularError: number;
    /** The impulse that held the shared point in the last substep, in newton seconds. */
    readonly linearImpulse: Vector;
    readonly motorImpulse: number;
    /** The anchor of each body in the world. */
    readonly anchorA: Vector;
    readonly anchorB: Vector;
}

/** The filter of a query; it finds all shapes by default. */
export interface QueryFilter {
    /** The categories of the query, as bits. */
    category?: bigint;
    /** The categories that the query finds, as bits. */
    mask?: bigint;
    /** Bodies whose shapes are left out: an array, a set or the like; none by default. */
    excludeBodies?: Iterable<BodyId>;
    /** Shapes that are left out, likewise. */
    excludeShapes?: Iterable<ShapeId>;
    /** Whether sensors are found too. */
    sensors?: boolean;
    /** Whether rays and moving shapes meet chains only from their solid side. */
    oneSided?: boolean;
    /** The number of a material under whose contact rules rays and moving shapes pass or meet; without it rules do not apply. */
    material?: number;
}

/** A filter, and the greatest distance at which a shape is found. */
export interface ClosestFilter extends QueryFilter {
    /** In meters; infinite by default. */
    distanceMax?: number;
}

/** A place in the world. */
export interface PoseDef {
    /** [0, 0] by default. */
    position?: Vector;
    /** In radians; 0 by default. */
    angle?: number;
}

/** The path of a moving shape. */
export interface Path extends PoseDef {
    /** The way from start to end, in meters; [0, 0] by default. */
    translation?: Vector;
    /** The turn from start to end, in radians, at most a full turn; 0 by default. */
    turn?: number;
}

/** A shape near a point or near another shape. */
export interface Closest {
    readonly shape: ShapeId;
    readonly body: BodyId;
    /** The distance in meters; 0 where they overlap. */
    readonly distance: number;
    /** The nearest point of the shape. */
    readonly point: Vector;
    /** The nearest point of the query. */
    readonly from: Vector;
    /** The normal from the query to the shape; [0, 0] where they overlap. */
    readonly normal: Vector;
}

/** The hit of a ray or a moving shape on a shape. */
export interface RayHit {
    readonly shape: ShapeId;
    readonly body: BodyId;
    /** The fraction of the way before the hit, 0 to 1. */
    readonly fraction: number;
    readonly point: Vector;
    /** Of a ray the normal out of the shape, of a moving shape the normal to it; [0, 0] if they overlap at the start. */
    readonly normal: Vector;
}

/**
 * Poses of bodies, as views of the module's memory: valid until the next call, also of a call in a loop over them. Take a
 * `.slice()` of what has to stay.
 */
export interface BodyPoses {
    readonly bodies: BigUint64Array;
    /** The user key of each. */
    readonly userKeys: BigUint64Array;
    /** Four numbers of each: x, y, cosine and sine of the angle. */
    readonly poses: Float32Array;
}

/** Hard hits. */
export interface Hits {
    /** Three of each: the two shapes, the contact. */
    readonly ids: BigUint64Array;
    /** Six of each: point, normal from the first shape to the second, speed of approach, impulse. */
    readonly numbers: Float32Array;
}

/** Joints whose load was above a threshold. */
export interface Strains {
    /** Three of each: the joint, gone if it broke, and its two bodies. */
    readonly ids: BigUint64Array;
    /** Four of each: force on the second body, torque on it, both averaged over the step; 1 where the joint broke. */
    readonly numbers: Float32Array;
}

/**
 * A world of rigid bodies. The same calls give the same bits on every machine.
 *
 * Poses and saves are views of the module's memory: valid until the next call of anything from the same `load`. Other arrays,
 * those of queries and events, are copies. Handles and keys are from 0n to 2n ** 64n - 1n.
 * Every call throws a `TomboloError` if the world refuses it, and a `TypeError` or `RangeError` if its arguments are of the wrong
 * kind. Nothing has changed then.
 */
export interface PhysicsWorld {
    /** The number of steps that the world has made. */
    readonly stepIndex: number;
    /** The number of constraints solved at once, 1 or 4; the results are the same. */
    lanes: number;
    /** Advances the world by seconds; a sixtieth by default. */
    step(dt?: number): void;
    /** Gravity in meters per second squared. Another one wakes everything. */
    gravity: Vector;
    /** The present settings. */
    settings(): Required<WorldDef>;
    /** Changes settings; those that are left out stay. */
    setSettings(changes: WorldDef): void;
    /** The hash of all state that the next steps depend on: sixteen hexadecimal digits. */
    hash(): string;
    /** The whole world as bytes; a view of the module's memory. */
    save(): Uint8Array;
    /** Replaces this world by a saved one, from any machine. */
    restore(save: Save): void;
    /**
     * An independent copy. Of a class that extends this one it has the methods; the constructor of that class does not run,
     * its own fields are not copied, and it has none of its private members (`#name`): who uses one gets a TypeError.
     */
    clone(): this;
    /** Frees the world's memory; otherwise that happens when the object is collected. */
    free(): void;

    createBody(def?: BodyDef): BodyId;
    /** Destroys a body with its shapes and joints. */
    destroyBody(body: BodyId): void;
    /** The present state of a body; null if it was destroyed. */
    body(body: BodyId): Body | null;
    /** The present options of a body; null if it was destroyed. */
    bodyOptions(body: BodyId): Required<BodyOptions> | null;
    /** Changes options of a body; those that are left out stay. What has an effect on its motion wakes it. */
    setBody(body: BodyId, changes: BodyOptions): void;
    /** Puts a body at a pose, without moving it through the space between. */
    teleport(body: BodyId, position: Vector, angle: number): void;
    /** Takes a body out of the simulation or back in. */
    setEnabled(body: BodyId, enabled: boolean): void;
    /** Names a body, or removes its name with an empty one. Throws if it has more than 31 bytes. */
    setName(body: BodyId, name: string): void;
    setKind(body: BodyId, kind: BodyKind): void;
    setLinearVelocity(body: BodyId, velocity: Vector): void;
    setAngularVelocity(body: BodyId, velocity: number): void;
    /** Gives a kinematic body the velocity with which it reaches a pose in `dt` seconds. */
    setTarget(body: BodyId, position: Vector, angle: number, dt: number): void;
    setDamping(body: BodyId, linear: number, angular: number): void;
    setGravityScale(body: BodyId, scale: number): void;
    /** Applies a force in newtons during the next step, at a point in the world or, without one, at the center of mass. */
    applyForce(body: BodyId, force: Vector, point?: Vector): void;
    /** Applies an impulse in newton seconds, at a point in the world or, without one, at the center of mass. */
    applyImpulse(body: BodyId, impulse: Vector, point?: Vector): void;
    applyTorque(body: BodyId, torque: number): void;
    applyAngularImpulse(body: BodyId, impulse: number): void;
    /** Wakes a body and its island. */
    wake(body: BodyId): void;
    /** Puts a body and its island to sleep; returns whether they sleep. */
    sleep(body: BodyId): boolean;

    createShape(body: BodyId, def: ShapeDef): ShapeId;
    /** Adds a chain; returns the shapes of its segments, in the order of the points. */
    createChain(body: BodyId, def: ChainDef): BigUint64Array;
    /** Adds a heightfield; returns the shapes of its segments, from left to right and without the holes. */
    createHeightfield(body: BodyId, def: HeightfieldDef): BigUint64Array;
    /** Adds a grid of tiles, whose cells can be changed one by one: a level, a wall to dig away. Its tiles join without bumps. */
    createTileGrid(body: BodyId, def: TileGridDef): TileGridId;
    /** Removes a grid of tiles from its body. */
    destroyTileGrid(grid: TileGridId): void;
    /** The present state of a grid of tiles; null if it was destroyed. */
    tileGrid(grid: TileGridId): TileGrid | null;
    /** The kind of tile in a cell, 0 if it is empty. Columns count from the left, rows from below. */
    tile(grid: TileGridId, x: number, y: number): number;
    /** Puts a kind of tile into a cell, 0 to empty it. The bodies around wake. */
    setTile(grid: TileGridId, x: number, y: number, tile: number): void;
    /** Fills `width` columns and `height` rows from a cell on with a kind of tile. The bodies around wake. */
    fillTiles(grid: TileGridId, x: number, y: number, width: number, height: number, tile: number): void;
    /** The column and row of the cell that contains a point of the world; null outside of the grid. */
    cellAt(grid: TileGridId, point: Vector): [number, number] | null;
    /** The center of a cell in the world. */
    cellCenter(grid: TileGridId, x: number, y: number): [number, number];
    destroyShape(shape: ShapeId): void;
    /** The body and material of a shape; null if it was destroyed. */
    shape(shape: ShapeId): Shape | null;
    /** Changes the material of a shape; what is left out stays. Of a part of a concave polygon that of all parts changes. */
    setShape(shape: ShapeId, changes: Material): void;
    /** Replaces the geometry of a shape. */
    setGeometry(shape: ShapeId, geometry: Outline): void;

    /** Adds a polygon that may be concave and have holes. */
    createConcavePolygon(body: BodyId, def: ConcavePolygonDef): ConcavePolygonId;
    /** The present state of a concave polygon; null if it was destroyed. */
    concavePolygon(polygon: ConcavePolygonId): ConcavePolygon | null;
    destroyConcavePolygon(polygon: ConcavePolygonId): void;
    /**
     * Cuts a body along the line through two points; null if the line misses it. Of worlds of `load` only, like all cuts. In a
     * `World` the pieces of an entity's body become entities, `plank.1` of `plank`, as by a script's cut.
     */
    slice(body: BodyId, from: Vector, to: Vector): Cut | null;
    /**
     * Cuts every body that a segment crosses from one side to the other. In a `World` bodies without an entity are cut too, but
     * are not in the result.
     */
    cutThrough(from: Vector, to: Vector, filter?: QueryFilter): Cut[];
    /** Breaks a body around sites in the world, or into `count` pieces that a seed chooses; null if it stays whole. */
    shatter(body: BodyId, pattern: readonly Vector[] | { seed?: number | bigint; count: number }): Cut | null;
    /** Pushes the shapes around a point away from it at once; returns the number of bodies. */
    explode(def: ExplosionDef): number;

    /**
     * Sets the contact rule of two materials, which overrides the shapes' values; null is every material that has no rule of
     * its own with the other one. Wakes the bodies of touching shapes with these materials.
     */
    setContactRule(first: number | null, second: number | null, rule: ContactRule): void;
    /** Removes the rule of two materials; returns whether there was one. */
    removeContactRule(first: number | null, second: number | null): boolean;
    /** Sets the rule of two categories, each one bit; null is every category. Rules of materials override those of categories. */
    setCategoryRule(first: bigint | null, second: bigint | null, rule: ContactRule): void;
    /** Removes the rule of two categories; returns whether there was one. */
    removeCategoryRule(first: bigint | null, second: bigint | null): boolean;

    /** Creates a character that walks upright among the bodies of this world: a capsule. */
    createCharacter(def?: CharacterDef): Character;

    createJoint(def: JointDef): JointId;
    destroyJoint(joint: JointId): void;
    /** The present state of a joint; null if it was destroyed. */
    joint(joint: JointId): Joint | null;
    /** The definition of a joint with its present options, from which an equal one could be created; null if it was destroyed. */
    jointDef(joint: JointId): JointDef | null;
    /** Changes options of a joint; those that are left out stay. Wakes both bodies. */
    setJoint(joint: JointId, changes: JointChanges): void;
    /**
     * Sets the limits of angle, length or translation, of a kind that has one of them. Without `enabled` they are off, and keep
     * their numbers; `lower` and `upper` are ignored then.
     */
    setLimit(joint: JointId, enabled: boolean, lower?: number, upper?: number): void;
    /** Sets the motor, with its greatest torque or force, likewise. */
    setMotor(joint: JointId, enabled: boolean, speed?: number, max?: number): void;
    /** Sets the spring, with the angle, length or translation to which it pulls, likewise. */
    setSpring(joint: JointId, enabled: boolean, target?: number, hertz?: number, dampingRatio?: number): void;

    /** The nearest shape that a ray hits, or null. */
    castRay(origin: Vector, translation: Vector, filter?: QueryFilter): RayHit | null;
    /** All shapes that a ray hits, nearest first. */
    castRayAll(origin: Vector, translation: Vector, filter?: QueryFilter): RayHit[];
    /** The nearest shape that a moving shape meets, or null. */
    castShape(shape: Outline, path: Path, filter?: QueryFilter): RayHit | null;
    /** All shapes that a moving shape meets if it stops at none, nearest first. */
    castShapeAll(shape: Outline, path: Path, filter?: QueryFilter): RayHit[];
    /** The shape nearest to a point, or null. */
    closest(point: Vector, filter?: ClosestFilter): Closest | null;
    /** The shapes nearest to a point, at most `count`, nearest first. */
    closestAll(point: Vector, count: number, filter?: ClosestFilter): Closest[];
    /** The shape nearest to a shape at a pose, or null. */
    closestToShape(shape: Outline, pose: PoseDef, filter?: ClosestFilter): Closest | null;
    /** The shapes whose boxes share a point with the box between two corners. */
    overlapBox(least: Vector, greatest: Vector, filter?: QueryFilter): BigUint64Array;
    /** The shapes that contain a point. */
    overlapPoint(point: Vector, filter?: QueryFilter): BigUint64Array;
    /** The shapes that touch a disc. */
    overlapCircle(center: Vector, radius: number, filter?: QueryFilter): BigUint64Array;
    /** The shapes that touch a shape at a pose. */
    overlapShape(shape: Outline, pose: PoseDef, filter?: QueryFilter): BigUint64Array;

    /** The poses of all bodies. */
    poses(): BodyPoses;
    /** The poses of the bodies that the last step moved. */
    moved(): BodyPoses;
    /** Touches that began in the last step, three ids of each: two shapes, the contact. */
    beganTouching(): BigUint64Array;
    /** Touches that ended in the last step, in the same form. */
    endedTouching(): BigUint64Array;
    /** Hard hits of shapes with `hitEvents`. */
    hits(): Hits;
    /** Joints whose load was above a threshold in the last step. */
    strains(): Strains;
    /** Overlaps with sensors that began in the last step, two ids of each: the sensor, the other shape. */
    enteredSensors(): BigUint64Array;
    /** Overlaps with sensors that ended, in the same form. */
    leftSensors(): BigUint64Array;
    /** Bodies that fell asleep in the last step. */
    fellAsleep(): BigUint64Array;
    /** Bodies that woke in the last step. */
    woke(): BigUint64Array;
}

export interface PhysicsWorldClass {
    new (def?: WorldDef): PhysicsWorld;
    /** Creates a world from a save, from any machine. For a class that extends this one, see `clone`. */
    fromSave(save: Save): PhysicsWorld;
}

/** A property's value: choices are words, vectors and colors arrays, entities and large numbers bigints, infinities null. */
export type Value = boolean | number | string | bigint | null | Value[];

/** What a property can be set to: any value that was read, but for an infinity; and typed arrays. */
export type Settable = boolean | number | string | bigint | null | readonly Settable[] | ArrayLike<number> | ArrayLike<bigint>;

/** The present state of an entity. */
export interface EntityState {
    readonly id: Entity;
    /** Its body; null if it has none, or if that was destroyed. */
    readonly body: BodyId | null;
    readonly position: Vector;
    readonly angle: number;
}

/** An event of entities in the last step. */
export type EntityEvent =
    | { readonly type: "spawned" | "despawned"; readonly a: Entity }
    /** A zone's entity, and the entity that entered or left it. */
    | { readonly type: "enterZone" | "leaveZone"; readonly a: Entity; readonly b: Entity }
    | {
          readonly type: "beginTouch" | "endTouch" | "enter" | "leave";
          readonly a: Entity;
          readonly b: Entity;
          readonly shapeA: ShapeId;
          readonly shapeB: ShapeId;
      }
    /** A joint's load was above a threshold, or it broke: its entity, its component's name, the force and torque on `from`. */
    | {
          readonly type: "strain" | "break";
          readonly a: Entity;
          readonly joint: string;
          readonly force: Vector;
          readonly torque: number;
      }
    /** A character, and an entity whose shape it began or ceased to touch. */
    | { readonly type: "meet" | "part"; readonly a: Entity; readonly b: Entity; readonly shapeB: ShapeId }
    /** The force of a touch along the normal, averaged over the step, was above a threshold. */
    | {
          readonly type: "force";
          readonly a: Entity;
          readonly b: Entity;
          readonly shapeA: ShapeId;
          readonly shapeB: ShapeId;
          readonly point: Vector;
          readonly normal: Vector;
          readonly force: number;
          readonly impulse: number;
      }
    | {
          readonly type: "hit";
          readonly a: Entity;
          readonly b: Entity;
          readonly shapeA: ShapeId;
          readonly shapeB: ShapeId;
          readonly point: Vector;
          readonly normal: Vector;
          readonly approachSpeed: number;
          readonly impulse: number;
      };

/**
 * A world of entities with components, made from a scene. It has all methods of a `PhysicsWorld`; but the user keys of its
 * entities' bodies, shapes and joints name the entities, and cannot be changed.
 */
export interface World extends PhysicsWorld {
    /** The length of a step, which the scene sets. */
    readonly stepSeconds: number;
    /** Advances the world by one step of the scene's length. */
    step(): void;
    /** The entity of a name, or null. */
    find(name: string): Entity | null;
    /** An entity's name, or null. */
    nameOf(entity: Entity): string | null;
    /** The pose of an entity, and its body. */
    entity(entity: Entity): EntityState;
    /** The grid of an entity's tiles, or null. Its kinds of tiles are the lines of the legend, from 1. */
    tileGridOf(entity: Entity): TileGridId | null;
    /**
     * Spawns an entity of a resource of the scene, in the parent's frame if it has one. Without a position its pose is that of
     * the resource; an angle without a position throws.
     */
    spawn(resource: string, def?: { name?: string; position?: Vector; angle?: number; parent?: Entity }): Entity;
    /** Destroys an entity with its children. Throws if it does not exist. */
    despawn(entity: Entity): void;
    /** Teleports an entity to a pose, with its children. Without an angle it keeps its own. */
    teleportEntity(entity: Entity, position: Vector, angle?: number): void;
    /** The value of a property: `entity.component.property`, or `component.property` of the given entity. */
    get(path: string, entity?: Entity): Value;
    /**
     * Sets a property, named as for `get`. A text property takes a string as it is; a string for another one is a name or a
     * value in the syntax of scene files.
     */
    set(path: string, value: Settable, entity?: Entity): void;
    /** The names of entities, in alphabetic order. */
    names(): { readonly name: string; readonly entity: Entity }[];
    /** The components of an entity in the order in which they were added, each with its kind: `Body`, `Collider` and so on. */
    components(entity: Entity): { readonly name: string; readonly kind: string }[];
    /** The names of the properties of a component. */
    properties(entity: Entity, component: string): string[];
    /**
     * Sets an action, a named input of a player, until it is set again: 0 or 1 for buttons, -1 to 1 for sticks. Scripts and
     * characters of the scene read it.
     */
    setAction(name: string, value: number): void;
    /** An action's value, whether it is held, and whether it was pressed or released since the last step. */
    action(name: string): { readonly value: number; readonly held: boolean; readonly pressed: boolean; readonly released: boolean };
    /** The names of the actions that were ever set, in alphabetic order. */
    actions(): string[];
    /**
     * The poses of all entities: four numbers of each, x, y, cosine and sine of the angle. Like `poses` views of the module's
     * memory.
     */
    entities(): { readonly entities: BigUint64Array; readonly poses: Float32Array };
    /** The poses of entities that moved in the last step, or by calls since, in the same form; an entity may be listed twice. */
    movedEntities(): { readonly entities: BigUint64Array; readonly poses: Float32Array };
    /** The events of the last step, in the order of the engine. */
    events(): EntityEvent[];
    /** The faults of scripts and spawners, the oldest first, at most 100. Not saved, like the lines below. */
    faults(): string[];
    /** Forgets the faults, which makes room for new ones. */
    clearFaults(): void;
    /** The lines that scripts printed, the oldest first, up to the scene's limit: 1,000 by default. */
    printed(): string[];
    /** Forgets the printed lines, which makes room for new ones. */
    clearPrinted(): void;
}

export interface WorldClass {
    /** Creates a world from the text of a scene file. A seed replaces that of the scene's settings. */
    new (scene: string, options?: { seed?: number | bigint }): World;
    /** Always throws: the save of a world of entities is restored into a world made from the same scene. */
    fromSave(save: Save): never;
}

export interface LoadOptions {
    /** The source of the module: a file beside this one unless given. A page gives a compiled module to its workers. */
    module?: URL | string | BufferSource | WebAssembly.Module;
    /**
     * How many threads step worlds, the calling one among them: 0 to 64; 1 by default, and 0 is 1. Above 1 the memory is shared,
     * which a page may do only if it is isolated (`crossOriginIsolated`) and has room for 1 GiB of addresses; where that is not
     * so, there is one thread, and `threads` of what was loaded is 1. Results do not depend on it.
     */
    threads?: number;
    /** The source of the module for several threads: a file beside this one unless given. */
    threadsModule?: URL | string | BufferSource | WebAssembly.Module;
}

/** A loaded module, which all worlds made with its classes share. */
export interface Engine {
    /** How many threads step worlds, the calling one among them: as many as were asked for, or 1 where memory may not be shared. */
    readonly threads: number;
    /** Ends the threads, and with them all worlds: every later call throws. Resolves once they have ended. */
    close(): Promise<void>;
}

/**
 * Loads physics and worlds of entities, on one thread or on several. Throws a `TomboloError` if a thread cannot be started, and a
 * `RangeError` if `threads` is no number of threads.
 */
export function load(options?: LoadOptions): Promise<Engine & { PhysicsWorld: PhysicsWorldClass; World: WorldClass }>;

/** Loads physics alone, which is much smaller; the options are those of `load`, for other files. */
export function loadPhysics(options?: LoadOptions): Promise<Engine & { PhysicsWorld: PhysicsWorldClass }>;
