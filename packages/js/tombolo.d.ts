/** Two numbers: meters, meters per second, newtons and so on, x first. */
export type Vector = readonly [number, number];

/** Names a body of one world. Never used again for another one. */
export type BodyId = bigint;
/** Names a shape of one world. */
export type ShapeId = bigint;
/** Names a joint of one world. */
export type JointId = bigint;
/** Names a grid of tiles of one world. */
export type TileGridId = bigint;
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
    /** The number by which rules for contacts find the shape, 0 to 4294967294; 0 by default. */
    material?: number;
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

/** A shape of a tile that has a name: what of its cell it fills. A slope is named by where it goes from left to right. */
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

/** What of its cell a tile fills: by name, or three to eight corners from [0, 0] at the lower left to [1, 1]. */
export type TileShape = TileShapeName | readonly Vector[];

/** A kind of tile. */
export interface Tile extends Material {
    /** "full" by default. */
    shape?: TileShape;
}

/** What to create a grid of tiles from. */
export interface TileGridDef {
    /** Rows from below, all equally long: for each cell the number of a kind of tile, 1 for the first; 0 is an empty cell. */
    rows: readonly ArrayLike<number>[];
    /** The kinds of tiles, at most 255; full ones alone by default. */
    tiles?: readonly (Tile | TileShape)[];
    /** Meters that a cell is wide and high; 1 by default, 0.02 to 10,000. */
    cellSize?: number;
    /** The lower left corner of the grid in the body's frame; [0, 0] by default. */
    origin?: Vector;
}

/** A grid of tiles as it is now. */
export interface TileGrid {
    readonly id: TileGridId;
    readonly body: BodyId;
    /** Columns. */
    readonly width: number;
    /** Rows. */
    readonly height: number;
    readonly cellSize: number;
    readonly origin: Vector;
}

/** What contacts of two materials or categories are like; what is left out is as it would be without a rule. */
export interface ContactRule {
    /** Coulomb friction, 0 to a million. */
    friction?: number;
    /** Bounciness, 0 to 100. */
    restitution?: number;
    /** Meters per second at which the surfaces run against each other, in place of the sum of both `tangentSpeed`. */
    surfaceSpeed?: number;
    /**
     * The way out of the first, a direction in the frame of its body: what comes along it passes, and what comes against it is
     * held.
     */
    oneWay?: Vector;
    /** Whether the two do not touch each other at all. */
    ignore?: boolean;
    /** Whether the touch of the two is reported and holds nothing. */
    sensor?: boolean;
    /** Meters per second of approach from which a hit is reported, in place of the world's. */
    hitThreshold?: number;
}

/** What to create a character from. */
export interface CharacterDef {
    /** Where its middle is; [0, 0] by default. */
    position?: Vector;
    /** Meters from head to foot; 1.8 by default. */
    height?: number;
    /** Meters; 0.35 by default. */
    radius?: number;
    /** Against gravity, of length 1; [0, 1] by default. */
    up?: Vector;
    /** The steepest ground that it walks on, in radians; 45° by default. */
    slopeMax?: number;
    /** The highest step that it climbs, in meters; 0.4 by default. */
    stepHeight?: number;
    /** How far below its feet ground may be for it to stay on the ground, in meters; 0.3 by default. */
    snapDistance?: number;
    /** How fast its speed on the ground changes at most, in meters per second squared; 60 by default. */
    acceleration?: number;
    /** The same in the air; 20 by default. */
    airAcceleration?: number;
    /** The fastest that it moves by itself, in meters per second; 50 by default. */
    speedMax?: number;
    /** Whether it keeps the velocity of what carried it when it leaves that; true by default. */
    inheritVelocity?: boolean;
    /** Kilograms; 80 by default. */
    mass?: number;
    /** The greatest force with which it pushes bodies out of its way, in newtons; 300 by default. */
    pushForceMax?: number;
    /** How fast it gets out of what overlaps it, in meters per second; 1 by default. */
    pushOutSpeed?: number;
    /** The bits that it is; all by default. */
    category?: bigint;
    /** The bits that are in its way; all by default. */
    mask?: bigint;
    /** The number by which rules find it; 0 by default. */
    material?: number;
    /** A kinematic body that is its own, for others to touch; never in its way. */
    body?: BodyId;
}

/** What a character wants in a step; nothing by default. */
export interface CharacterMove {
    /** The length of the step in seconds, as the world's; a sixtieth by default. */
    dt?: number;
    /** Meters per second to the right along the ground; below zero to the left. */
    walk?: number;
    /** Meters per second upward while it climbs. */
    climb?: number;
    /** Meters per second with which it leaves the ground; in the air nothing happens. */
    jump?: number;
    /** Whether it lets go of the one-way platforms that it stands on. */
    drop?: boolean;
    /** Whether it holds on to a ladder: it moves by `walk` and `climb`, and gravity does nothing. */
    climbing?: boolean;
    /** How much less gravity does, as in a fluid: 0 all of it, 1 nothing. */
    lift?: number;
    /** How fast velocity fades, per second, as in a fluid. */
    drag?: number;
}

/** Somebody who is moved by geometry and not by forces. It is no part of its world: saves and clones do not have it. */
export interface Character {
    /** Where its middle is; set, it is put there at rest and in the air. */
    position: Vector;
    /** Meters per second in the world, with what carries it. */
    readonly velocity: Vector;
    /** Whether it stands on something. */
    readonly isGrounded: boolean;
    /** Whether something that does not give way presses it against something else. */
    readonly isCrushed: boolean;
    /** What it stands on; null in the air. */
    readonly ground: { readonly body: BodyId; readonly shape: ShapeId } | null;
    /** The shapes that it touched at the end of its last move. */
    readonly touches: BigUint64Array;
    /** Moves it by a step among the bodies as they are: to be called after each step of the world, with the same `dt`. */
    move(wishes?: CharacterMove): void;
    /** A copy in a world, as a rule a clone of its own. */
    clone(world: PhysicsWorld): Character;
    /** Gives its memory back; else that happens when the object is collected. */
    free(): void;
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
    /** Ground of cells, which can be changed one by one: a level, a wall to dig away. There are no bumps between its tiles. */
    createTileGrid(body: BodyId, def: TileGridDef): TileGridId;
    /** Takes a grid of tiles off its body. */
    destroyTileGrid(grid: TileGridId): void;
    /** A grid of tiles as it is now; null if it was destroyed. */
    tileGrid(grid: TileGridId): TileGrid | null;
    /** The kind of tile in a cell, 0 if it is empty. Columns count from the left, rows from below. */
    tile(grid: TileGridId, x: number, y: number): number;
    /** Puts a kind of tile into a cell, 0 to empty it. The bodies around wake. */
    setTile(grid: TileGridId, x: number, y: number, tile: number): void;
    /** Fills `width` columns and `height` rows from a cell on with a kind of tile. The bodies around wake. */
    fillTiles(grid: TileGridId, x: number, y: number, width: number, height: number, tile: number): void;
    /** Column and row of the cell in which a point of the world lies; null outside of the grid. */
    cellAt(grid: TileGridId, point: Vector): [number, number] | null;
    /** The middle of a cell in the world. */
    cellCenter(grid: TileGridId, x: number, y: number): [number, number];
    destroyShape(shape: ShapeId): void;
    /** Whose a shape is; null if it was destroyed. */
    shape(shape: ShapeId): Shape | null;

    /**
     * Says what contacts of two materials are like, whatever the two shapes say; null is every material that has no rule of its own
     * with the other one. Touches of such shapes wake.
     */
    setContactRule(first: number | null, second: number | null, rule: ContactRule): void;
    /** Takes the rule of two materials away; whether there was one. */
    removeContactRule(first: number | null, second: number | null): boolean;
    /** The same of two categories, each one bit; null is every category. Rules of materials have the last word. */
    setCategoryRule(first: bigint | null, second: bigint | null, rule: ContactRule): void;
    /** Takes the rule of two categories away; whether there was one. */
    removeCategoryRule(first: bigint | null, second: bigint | null): boolean;

    /** Somebody who walks upright among the bodies of this world: a capsule. */
    createCharacter(def?: CharacterDef): Character;

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
