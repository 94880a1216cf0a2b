//! Calls on a physics world, all of them, with hostile numbers and ids, for the families `physics_calls` and
//! `physics_saves`. This file has the calls; `numbers.rs` generates them, `player.rs` and `joints.rs` make them, and
//! `rules.rs` those about shapes in place and contact rules; `fields.rs` does both for fields, explosions and callbacks.

mod fields;
mod joints;
mod numbers;
mod player;
mod rules;

use tombolo_physics::{
    BodyDef, BodyKind, CombineRule, ContactRule, DVec2, ExplosionDef, FieldDef, Filter, HeightfieldDef,
    ShapeDef, TileBlock, TileCut, TileGridDef, Vec2,
};

pub(super) use numbers::Numbers;
pub(super) use player::Player;

/// One call. An id is chosen by a number, which is taken modulo all that were ever given: some of them are stale.
#[derive(Debug, Clone)]
pub(super) enum Call {
    Gravity(Vec2),
    Substeps(u32),
    Sleeping(bool),
    Continuous(bool),
    Thresholds(f32, f32),
    Softness(f32, f32, f32),
    SpeedMax(f32),
    Debris(f32, bool),
    Algorithm(usize),
    Lanes(usize),
    BatchBodies(u32),
    Watch,
    Body(Box<BodyDef>),
    DestroyBody(usize),
    Enable(usize, bool),
    Kind(usize, BodyKind),
    Teleport(usize, Vec2, f32),
    Change(usize, Change),
    Shape(usize, Box<ShapeDef>, Form),
    Chain(usize, Box<ShapeDef>, Vec<Vec2>, bool),
    ConcavePolygon(usize, Box<ShapeDef>, Vec<DVec2>, f32),
    Heightfield(usize, Box<HeightfieldDef>),
    TileGrid(usize, Box<TileGridDef>),
    /// Fills a block of a grid, chosen by number, with a tile.
    FillTiles(usize, TileBlock, u8),
    CutTiles(TileCut),
    DestroyTileGrid(usize),
    DestroyShape(usize),
    DestroyPolygon(usize),
    Filter(usize, Filter),
    ShapeKey(usize, u64),
    Material(usize, f32, f32),
    Surface(usize, f32, f32),
    ContactSkin(usize, f32),
    Geometry(usize, Form),
    Density(usize, f32),
    Sensor(usize, bool),
    Events(usize, bool, bool),
    CombineRules(usize, [CombineRule; 2]),
    MaterialNumber(usize, u32),
    Rule([u32; 2], Box<ContactRule>),
    RemoveRule([u32; 2]),
    IgnorePair([usize; 2], bool),
    Field(Box<FieldDef>),
    SetField(usize, Box<FieldDef>),
    FieldPose(usize, Vec2, f32),
    EnableField(usize, bool),
    DestroyField(usize),
    Explode(ExplosionDef),
    /// Sets a custom filter, or removes it.
    CustomFilter(bool),
    /// Sets a pre-solve callback for these categories, or removes it.
    PreSolve(Option<u64>),
    Joint(usize, usize, Box<JointNumbers>),
    /// Sets all options of a joint at once to those of a joint of its kind with these numbers.
    Redefine(usize, Box<JointNumbers>),
    JointThresholds(usize, f32, f32, bool),
    Frames(usize, [Vec2; 2], [f32; 2]),
    Collide(usize, bool),
    DestroyJoint(usize),
    Motor(usize, bool, f32, f32),
    Limit(usize, bool, f32, f32),
    Spring(usize, bool, f32, f32, f32),
    Stiffness(usize, f32, f32),
    Slice(usize, Vec2, Vec2),
    CutThrough(Vec2, Vec2, u64),
    Shatter(usize, u64, usize),
    ShatterAt(usize, Vec<Vec2>),
    Ask(Vec2, Vec2, u64, Form),
    LookAround,
    Step(f32),
    /// A number of steps of a sixtieth of a second.
    Steps(usize),
}

/// A change of one body.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Wake,
    LinearVelocity(Vec2),
    AngularVelocity(f32),
    Target(Vec2, f32, f32),
    Force(Vec2),
    ForceAt(Vec2, Vec2),
    Torque(f32),
    Impulse(Vec2),
    ImpulseAt(Vec2, Vec2),
    AngularImpulse(f32),
    Damping(f32, f32),
    GravityScale(f32),
    Bullet(bool),
    Key(u64),
    SleepThreshold(f32),
    MaySleep(bool),
    FixedRotation(bool),
    DropThrough,
}

/// A shape to be made, or none.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Circle(Vec2, f32),
    Capsule(Vec2, Vec2, f32),
    Segment(Vec2, Vec2),
    Rectangle(f32, f32),
    RectangleAt(f32, f32, Vec2, f32),
    Rounded(f32, f32, f32),
    Polygon(Vec<Vec2>, f32),
    HalfSpace(Vec2, Vec2),
}

/// The numbers of a joint of some kind.
#[derive(Debug, Clone)]
pub(super) struct JointNumbers {
    kind: usize,
    anchors: [Vec2; 2],
    angles: [f32; 4],
    enable: [bool; 3],
    spring: [f32; 2],
    motor: [f32; 2],
    stiffness: [f32; 2],
    thresholds: [f32; 2],
    breaks: bool,
    collide: bool,
}
