/** Two numbers: meters, meters per second, newtons and so on, x first. */
export type Vector = readonly [number, number];

/** Names a body of one world. Never used again for another one. */
export type BodyId = bigint;
/** Names a shape of one world. */
export type ShapeId = bigint;
/** Names a joint of one world. */
export type JointId = bigint;
/** Names an entity of one world. */
export type Entity = bigint;

/** How a body moves: not at all; with the velocity it is given; by forces, contacts and joints. */
export type BodyKind = "static" | "kinematic" | "dynamic";

/** A call that the engine refused. The world is as it was before. */
export class TomboloError extends Error {}

/** What to create a world of physics from; what is left out is as the engine has it. */
export interface WorldDef {
    /** Meters per second squared; [0, -10] by default. */
    gravity?: Vector;
    /** Substeps of one step; 4 by default, 1 to 64. More are stiffer and dearer. */
    substeps?: number;
    /** Whether islands at rest fall asleep; true by default. */
    sleeping?: boolean;
    /** Whether fast bodies are stopped where they would pass through others; true by default. */
    continuous?: boolean;
    /** Meters per second of approach from which contacts bounce; 1 by default. */
    restitutionThreshold?: number;
    /** Meters per second of approach from which a hit is reported; 1 by default. */
    hitThreshold?: number;
    /** Stiffness of contacts, oscillations per second; 30 by default. */
    contactHertz?: number;
    /** Damping of contacts; 10 by default. */
    contactDampingRatio?: number;
    /** Meters per second at which overlapping bodies are pushed apart at most; 3 by default. */
    pushSpeedMax?: number;
    /** Meters per second that a body moves at most; 400 by default. */
    speedMax?: number;
}

/** What to create a body from. */
export interface BodyDef {
    /** "static" by default. */
    kind?: BodyKind;
    /** Meters. */
    position?: Vector;
    /** Radians, counter-clockwise. */
    angle?: number;
    /** Meters per second. */
    linearVelocity?: Vector;
    /** Radians per second. */
    angularVelocity?: number;
    /** How fast velocity fades, per second. */
    linearDamping?: number;
    /** How fast spin fades, per second. */
    angularDamping?: number;
    /** Multiplies the world's gravity; 1 by default. */
    gravityScale?: number;
    /** Meters per second below which the body counts as resting; 0.05 by default. */
    sleepThreshold?: number;
    /** Whether the body may fall asleep; true by default. */
    allowSleep?: boolean;
    /** Whether the body starts awake; true by default. */
    awake?: boolean;
    /** Whether the body never turns. */
    fixedRotation?: boolean;
    /** Whether the body, while fast, is stopped by moving bodies too. */
    bullet?: boolean;
    /** Whether the body takes part in the simulation; true by default. */
    enabled?: boolean;
    /** Whether the body may turn by more than 45° in a step, as a fast wheel does. */
    fastRotation?: boolean;
    /** A number of your own, kept in saves. */
    userKey?: bigint;
}

/** What shapes are made of, and what they touch. */
export interface Material {
    /** Kilograms per square meter; 1 by default. */
    density?: number;
    /** Coulomb friction; 0.6 by default. */
    friction?: number;
    /** Bounciness; 0 by default. */
    restitution?: number;
    /** Resistance to rolling; 0 by default. */
    rollingResistance?: number;
    /** Meters per second at which the surface runs, as a conveyor belt does. */
    tangentSpeed?: number;
    /** Whether beginning and ending touch is reported; true by default. */
    contactEvents?: boolean;
    /** Whether hard hits are reported. */
    hitEvents?: boolean;
    /** Whether the shape touches nothing and reports visitors instead. */
    sensor?: boolean;
    /** The bits that the shape is; 1n by default. */
    category?: bigint;
    /** The bits that the shape touches; all by default. */
    mask?: bigint;
    /** Shapes of the same group always touch if it is positive, never if negative; 0: none. */
    group?: number;
    /** A number of your own, kept in saves. */
    userKey?: bigint;
}

/** The outline of a shape, in the body's frame: exactly one of these. */
export type Outline =
    /** A disc of this radius. */
    | { circle: number; center?: Vector }
    /** A segment with a radius. */
    | { capsule: readonly [Vector, Vector]; radius: number }
    /** A line without width, solid from both sides. */
    | { segment: readonly [Vector, Vector] }
    /** The convex hull of three to eight points, rounded by a radius. */
    | { polygon: readonly Vector[]; radius?: number }
    /** A rectangle of this width and height. */
    | { box: Vector; center?: Vector; angle?: number }
    /** All behind the line through a point, against its normal: ground or a wall without end, for bodies that do not fall. */
    | { halfSpace: readonly [point: Vector, normal: Vector] };

/** What to create a shape from. */
export type ShapeDef = Outline & Material;

/** What to create a chain from: segments that are solid from the right of the way from point to point. */
export interface ChainDef extends Material {
    /** Two or more points, three or more if closed. */
    points: readonly Vector[];
    /** Whether the last point is joined to the first. */
    closed?: boolean;
}

/** What to create a heightfield from: ground that is solid from above, from height to height, from left to right. */
export interface HeightfieldDef extends Material {
    /** Meters above the origin, two or more. */
    heights: readonly number[];
    /** Meters from height to height; 1 by default. */
    spacing?: number;
    /** Where the first height stands, and height zero is; the body's own by default. */
    origin?: Vector;
    /** The height before the first, in the piece to the left, if the ground goes on there. */
    before?: number;
    /** The height after the last, in the piece to the right, if the ground goes on there. */
    after?: number;
    /** The segments that are left out, from 0. */
    holes?: readonly number[];
}

/** What to create a revolute joint from: two bodies share a point and turn about it. */
export interface RevoluteDef {
    /** The first body. */
    bodyA: BodyId;
    /** The second body. */
    bodyB: BodyId;
    /** The shared point in the first body's frame. */
    anchorA?: Vector;
    /** The shared point in the second body's frame. */
    anchorB?: Vector;
    /** The angle of the joint's frame in the first body's. */
    angleA?: number;
    /** The angle of the joint's frame in the second body's. The joint's angle is 0 when the two frames agree. */
    angleB?: number;
    /** Whether the angle is kept between the two limits. */
    enableLimit?: boolean;
    /** Smallest angle. */
    lowerAngle?: number;
    /** Largest angle. */
    upperAngle?: number;
    /** Whether a spring pulls the angle to `targetAngle`. */
    enableSpring?: boolean;
    /** Where the spring pulls to. */
    targetAngle?: number;
    /** The spring's stiffness, oscillations per second. */
    springHertz?: number;
    /** The spring's damping; 1 is critical. */
    springDampingRatio?: number;
    /** Whether a motor turns the joint. */
    enableMotor?: boolean;
    /** Radians per second that the motor aims for. */
    motorSpeed?: number;
    /** Newton meters that the motor has at most. */
    maxMotorTorque?: number;
    /** Stiffness of the shared point; 60 by default. */
    constraintHertz?: number;
    /** Damping of the shared point; 2 by default. */
    constraintDampingRatio?: number;
    /** Whether the two bodies' shapes touch each other. */
    collideConnected?: boolean;
    /** Newtons above which a step reports the joint; infinite by default. */
    forceThreshold?: number;
    /** Newton meters above which a step reports the joint; infinite by default. */
    torqueThreshold?: number;
    /** Whether the joint is removed at the end of the step in which it bears more than a threshold. */
    breaks?: boolean;
    /** A number of your own, kept in saves. */
    userKey?: bigint;
}

/** A body as it is now. */
export interface Body {
    readonly id: BodyId;
    readonly userKey: bigint;
    readonly position: Vector;
    readonly angle: number;
    readonly linearVelocity: Vector;
    readonly angularVelocity: number;
    readonly mass: number;
    readonly inertia: number;
    readonly kind: BodyKind;
    readonly awake: boolean;
    readonly enabled: boolean;
}

/** Whose a shape is. */
export interface Shape {
    readonly id: ShapeId;
    readonly body: BodyId;
    readonly userKey: bigint;
}

/** A joint as it is now. */
export interface Joint {
    readonly id: JointId;
    readonly bodyA: BodyId;
    readonly bodyB: BodyId;
    readonly userKey: bigint;
    readonly angle: number;
    /** Newton seconds that held the shared point in the last substep. */
    readonly linearImpulse: Vector;
    readonly motorImpulse: number;
    /** The shared point in the world, as each body has it. */
    readonly anchorA: Vector;
    readonly anchorB: Vector;
}

/** Which shapes a query sees; all by default. */
export interface QueryFilter {
    /** The bits that the query is. */
    category?: bigint;
    /** The bits that the query sees. */
    mask?: bigint;
}

/** Where a ray meets a shape. */
export interface RayHit {
    readonly shape: ShapeId;
    readonly body: BodyId;
    /** The share of the ray's way, 0 to 1. */
    readonly fraction: number;
    readonly point: Vector;
    /** Out of the shape; [0, 0] for a ray that starts inside. */
    readonly normal: Vector;
}

/** Poses of bodies, as views of the module's memory: valid until the next call. */
export interface BodyPoses {
    readonly bodies: BigUint64Array;
    /** The user's own number of each. */
    readonly userKeys: BigUint64Array;
    /** Four numbers of each: x, y, cosine and sine of the angle. */
    readonly poses: Float32Array;
}

/** Hard hits, as views of the module's memory: valid until the next call. */
export interface Hits {
    /** Three of each: the two shapes, the contact. */
    readonly ids: BigUint64Array;
    /** Six of each: point, normal from the first shape to the second, speed of approach, impulse. */
    readonly numbers: Float32Array;
}

/** Joints that bore more than a threshold. */
export interface Strains {
    /** Three of each: the joint, gone if it broke, and its two bodies. */
    readonly ids: BigUint64Array;
    /** Four of each: force on the second body, torque on it, both averaged over the step; 1 where the joint broke. */
    readonly numbers: Float32Array;
}

/**
 * A world of rigid bodies. The same calls give the same bits on every machine.
 *
 * Arrays of ids and numbers are views of the module's memory: valid until the next call of anything from the same `load`.
 * Every call throws a `TomboloError` if it is refused.
 */
export interface PhysicsWorld {
    /** How many steps the world has made. */
    readonly stepIndex: number;
    /** How many constraints are solved at once, 1 or 4; the results are the same. */
    lanes: number;
    /** Advances the world by seconds; a sixtieth by default. */
    step(dt?: number): void;
    /** The hash of all that the next steps depend on: sixteen hexadecimal digits. */
    hash(): string;
    /** The whole world as bytes; a view of the module's memory. */
    save(): Uint8Array;
    /** Replaces this world by a saved one, on whatever machine it was saved. */
    restore(save: Uint8Array): void;
    /** A copy with a future of its own. */
    clone(): this;
    /** Gives the world's memory back; else that happens when the object is collected. */
    free(): void;

    createBody(def?: BodyDef): BodyId;
    /** Destroys a body with its shapes and joints. */
    destroyBody(body: BodyId): void;
    /** A body as it is now; null if it was destroyed. */
    body(body: BodyId): Body | null;
    /** Puts a body somewhere, without a motion there. */
    teleport(body: BodyId, position: Vector, angle: number): void;
    /** Takes a body out of the simulation or back in. */
    setEnabled(body: BodyId, enabled: boolean): void;
    setKind(body: BodyId, kind: BodyKind): void;
    setLinearVelocity(body: BodyId, velocity: Vector): void;
    setAngularVelocity(body: BodyId, velocity: number): void;
    /** Gives a kinematic body the velocity that leads it somewhere within `dt` seconds. */
    setTarget(body: BodyId, position: Vector, angle: number, dt: number): void;
    setDamping(body: BodyId, linear: number, angular: number): void;
    setGravityScale(body: BodyId, scale: number): void;
    /** Newtons, for the next step; at a point in the world, or else at the center of mass. */
    applyForce(body: BodyId, force: Vector, point?: Vector): void;
    /** Newton seconds, at once; at a point in the world, or else at the center of mass. */
    applyImpulse(body: BodyId, impulse: Vector, point?: Vector): void;
    applyTorque(body: BodyId, torque: number): void;
    applyAngularImpulse(body: BodyId, impulse: number): void;
    /** Wakes a body and all that rests on it. */
    wake(body: BodyId): void;

    createShape(body: BodyId, def: ShapeDef): ShapeId;
    /** The shapes of a chain's segments, in the order of the points. */
    createChain(body: BodyId, def: ChainDef): BigUint64Array;
    /** The shapes of a heightfield's segments, from left to right and without the holes. */
    createHeightfield(body: BodyId, def: HeightfieldDef): BigUint64Array;
    destroyShape(shape: ShapeId): void;
    /** Whose a shape is; null if it was destroyed. */
    shape(shape: ShapeId): Shape | null;

    createRevoluteJoint(def: RevoluteDef): JointId;
    destroyJoint(joint: JointId): void;
    /** A joint as it is now; null if it was destroyed. */
    joint(joint: JointId): Joint | null;
    setMotor(joint: JointId, enabled: boolean, speed?: number, maxTorque?: number): void;
    setLimit(joint: JointId, enabled: boolean, lower?: number, upper?: number): void;

    /** The nearest shape that a ray meets, or null. */
    castRay(origin: Vector, translation: Vector, filter?: QueryFilter): RayHit | null;
    /** All shapes that a ray meets, nearest first. */
    castRayAll(origin: Vector, translation: Vector, filter?: QueryFilter): RayHit[];
    /** The shapes whose boxes share a point with the box between two corners. */
    overlapBox(least: Vector, greatest: Vector, filter?: QueryFilter): BigUint64Array;
    /** The shapes that hold a point. */
    overlapPoint(point: Vector, filter?: QueryFilter): BigUint64Array;
    /** The shapes that touch a disc. */
    overlapCircle(center: Vector, radius: number, filter?: QueryFilter): BigUint64Array;

    /** Where all bodies are. */
    poses(): BodyPoses;
    /** Where the bodies are that the last step moved. */
    moved(): BodyPoses;
    /** Touches that began in the last step, three ids of each: two shapes, the contact. */
    beganTouching(): BigUint64Array;
    /** Touches that ended, alike. */
    endedTouching(): BigUint64Array;
    /** Hard hits of shapes with `hitEvents`. */
    hits(): Hits;
    /** Joints that bore more than a threshold in the last step. */
    strains(): Strains;
    /** Who came into sensors in the last step, two ids of each: the sensor, the visitor. */
    enteredSensors(): BigUint64Array;
    /** Who left sensors, alike. */
    leftSensors(): BigUint64Array;
    /** Bodies that fell asleep in the last step. */
    fellAsleep(): BigUint64Array;
    /** Bodies that woke. */
    woke(): BigUint64Array;
}

export interface PhysicsWorldClass {
    new (def?: WorldDef): PhysicsWorld;
    /** A world from a save, on whatever machine it was made. */
    fromSave(save: Uint8Array): PhysicsWorld;
}

/** A property's value: vectors and colors are arrays, entities and large numbers bigints, infinities null. */
export type Value = boolean | number | string | bigint | null | Value[];

/** An entity as it is now. */
export interface EntityState {
    readonly id: Entity;
    readonly body: BodyId | null;
    readonly position: Vector;
    readonly angle: number;
}

/** What happened to entities in the last step. */
export type EntityEvent =
    | { readonly type: "spawned" | "despawned"; readonly a: Entity }
    /** A zone's entity, and who came or went. */
    | { readonly type: "enterZone" | "leaveZone"; readonly a: Entity; readonly b: Entity }
    | {
          readonly type: "beginTouch" | "endTouch" | "enter" | "leave";
          readonly a: Entity;
          readonly b: Entity;
          readonly shapeA: ShapeId;
          readonly shapeB: ShapeId;
      }
    /** A joint bore more than a threshold, or broke: whose it is, its component's name, what it did to `from`. */
    | {
          readonly type: "strain" | "break";
          readonly a: Entity;
          readonly joint: string;
          readonly force: Vector;
          readonly torque: number;
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

/** A world of entities with components, made from a scene. What a `PhysicsWorld` can do it can do too. */
export interface World extends PhysicsWorld {
    /** The length of a step, which the scene sets. */
    readonly stepSeconds: number;
    /** Advances the world by one step of the scene's length. */
    step(): void;
    /** The entity of a name, or null. */
    find(name: string): Entity | null;
    /** An entity's name, or null. */
    nameOf(entity: Entity): string | null;
    /** Where an entity is, and its body. */
    entity(entity: Entity): EntityState;
    /** Spawns an entity of a resource of the scene, in the parent's frame if it has one. */
    spawn(resource: string, def?: { name?: string; position?: Vector; angle?: number; parent?: Entity }): Entity;
    /** Destroys an entity with its children. Throws if it does not exist. */
    despawn(entity: Entity): void;
    /** Puts an entity somewhere, with its children. */
    teleportEntity(entity: Entity, position: Vector, angle?: number): void;
    /** A property: `entity.component.property`, or `component.property` of the entity that is given. */
    get(path: string, entity?: Entity): Value;
    /** Sets `entity.component.property`; texts are values as a scene has them. */
    set(path: string, value: boolean | number | string | readonly number[]): void;
    /** Where all entities are: four numbers of each, x, y, cosine and sine of the angle. */
    entities(): { readonly entities: BigUint64Array; readonly poses: Float32Array };
    /** The same of those that moved in the last step, or by calls since; one may stand there twice. */
    movedEntities(): { readonly entities: BigUint64Array; readonly poses: Float32Array };
    /** What happened in the last step, in the order of the engine. */
    events(): EntityEvent[];
    /** What scripts and spawners did wrong, the oldest first. */
    faults(): string[];
}

export interface WorldClass {
    /** A world from the text of a scene file. */
    new (scene: string): World;
    /** Refused: a world of entities is restored into one that was made of the same scene. */
    fromSave(save: Uint8Array): never;
}

/** Where the module comes from: beside this file unless given. A page gives a compiled one to its workers. */
export interface LoadOptions {
    module?: URL | string | BufferSource | WebAssembly.Module;
}

/** Loads physics and worlds of entities. */
export function load(options?: LoadOptions): Promise<{ PhysicsWorld: PhysicsWorldClass; World: WorldClass }>;

/** Loads physics alone, which is much smaller. */
export function loadPhysics(options?: LoadOptions): Promise<{ PhysicsWorld: PhysicsWorldClass }>;
