//! [`Numbers`]: generates the arguments of calls, mostly such as games use, sometimes extreme ones.

use tombolo_physics::{
    ANY_MATERIAL, BodyDef, BodyKind, CombineRule, ContactRule, DVec2, Filter, HeightfieldDef,
    IslandAlgorithm, Position, ShapeDef, Tile, TileBlock, TileCut, TileGridDef, TileShape, Vec2, WorldDef,
};

use super::{Call, Change, Form, JointNumbers};
use crate::random::Random;

/// The magnitudes of extreme numbers.
const SCALES: [f32; 12] = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Most shapes have no rule.
const RULES: [CombineRule; 8] = [
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Mean,
    CombineRule::GeometricMean,
    CombineRule::Min,
    CombineRule::Product,
    CombineRule::Max,
];

/// A generator of numbers: mostly such as games use, sometimes extreme ones.
pub(in crate::families) struct Numbers<'a> {
    pub random: &'a mut Random,
    /// One number in this many is extreme; 0 for none.
    pub odd: usize,
}

impl Numbers<'_> {
    fn is_odd(&mut self) -> bool {
        self.odd > 0 && self.random.one_in(self.odd)
    }

    pub(super) fn number(&mut self, low: f32, high: f32) -> f32 {
        if !self.is_odd() {
            return self.random.between(low, high);
        }
        match self.random.below(3) {
            0 => self.random.odd_float(),
            1 => {
                let sign = if self.random.one_in(2) { 1.0 } else { -1.0 };
                sign * self.random.pick(&SCALES)
            }
            _ => self.random.between(-2.0e5, 2.0e5),
        }
    }

    pub(super) fn vector(&mut self, size: f32) -> Vec2 {
        Vec2::new(self.number(-size, size), self.number(-size, size))
    }

    pub(super) fn flag(&mut self) -> bool {
        self.random.one_in(2)
    }

    pub(super) fn any(&mut self) -> usize {
        self.random.below(1 << 20)
    }

    fn kind(&mut self) -> BodyKind {
        match self.random.below(6) {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        }
    }

    fn filter(&mut self) -> Filter {
        Filter {
            category: 1 << self.random.below(3),
            mask: self.random.pick(&[u64::MAX, 0b101, 0b011, 0, u64::MAX]),
            group: self.random.pick(&[0, 0, 0, 0, 1, -1, i32::MAX, i32::MIN]),
        }
    }

    fn shape_def(&mut self) -> Box<ShapeDef> {
        let plain = !self.is_odd();
        Box::new(ShapeDef {
            density: self.number(0.0, 4.0),
            friction: self.number(0.0, 1.0),
            restitution: if plain { 0.0 } else { self.number(0.0, 1.0) },
            rolling_resistance: if plain { 0.0 } else { self.number(0.0, 1.0) },
            tangent_speed: if plain { 0.0 } else { self.number(-2.0, 2.0) },
            friction_rule: self.random.pick(&RULES),
            restitution_rule: self.random.pick(&RULES),
            material: self.material(),
            contact_skin: if plain { 0.0 } else { self.number(0.0, 0.2) },
            filter: if plain { Filter::default() } else { self.filter() },
            contact_events: !self.random.one_in(4),
            hit_events: self.random.one_in(4),
            force_threshold: if plain { 0.0 } else { self.number(0.0, 20.0) },
            sees_sensors: self.random.one_in(5),
            sees_fixed: self.random.one_in(5),
            sensor: self.random.one_in(7),
            user_key: self.random.bits(),
        })
    }

    fn material(&mut self) -> u32 {
        if self.is_odd() {
            return self.random.pick(&[ANY_MATERIAL, ANY_MATERIAL - 1, 1 << 31]);
        }
        self.random.below(4) as u32
    }

    /// One or two of a rule's numbers, and its other options.
    fn rule(&mut self) -> Box<ContactRule> {
        let mut some = |low: f32, high: f32| self.random.one_in(3).then(|| self.number(low, high));
        Box::new(ContactRule {
            friction: some(0.0, 1.0),
            restitution: some(0.0, 1.0),
            surface_speed: some(-3.0, 3.0),
            hit_threshold: some(0.0, 3.0),
            one_way: self.random.one_in(2).then(|| self.vector(1.0)),
            ignore: self.random.one_in(9),
            sensor: self.random.one_in(7),
        })
    }

    pub(super) fn form(&mut self) -> Form {
        let size = self.number(0.1, 1.0);
        match self.random.below(9) {
            0 => Form::Circle(self.vector(0.3), size),
            1 => Form::Capsule(Vec2::new(-size, 0.0), self.vector(1.0), 0.3),
            2 => Form::Segment(Vec2::new(-size, 0.0), self.vector(2.0)),
            3 => Form::Rounded(size, 0.4, self.number(0.0, 0.2)),
            4 => {
                let count = self.random.within(3..9);
                let points = (0..count).map(|_| self.vector(0.7)).collect();
                Form::Polygon(points, if self.flag() { 0.0 } else { self.number(0.0, 0.2) })
            }
            // Few, since everything is in one or near it.
            6 if self.random.one_in(4) => Form::HalfSpace(self.vector(3.0), self.vector(1.0)),
            5 => Form::RectangleAt(size, 0.3, self.vector(1.0), self.number(-3.0, 3.0)),
            _ => Form::Rectangle(size, self.number(0.1, 1.0)),
        }
    }

    fn body(&mut self) -> Box<BodyDef> {
        let plain = !self.is_odd();
        Box::new(BodyDef {
            kind: self.kind(),
            position: Position::from(self.vector(5.0)),
            angle: self.number(-3.0, 3.0),
            linear_velocity: self.vector(6.0),
            angular_velocity: self.number(-3.0, 3.0),
            linear_damping: if plain { 0.0 } else { self.number(0.0, 1.0) },
            angular_damping: if plain { 0.0 } else { self.number(0.0, 1.0) },
            gravity_scale: if plain { 1.0 } else { self.number(-1.0, 2.0) },
            sleep_threshold: self.number(0.02, 0.5),
            allow_sleep: !self.random.one_in(6),
            awake: !self.random.one_in(6),
            fixed_rotation: self.random.one_in(8),
            fast_rotation: self.random.one_in(8),
            fixed_x: self.random.one_in(12),
            fixed_y: self.random.one_in(12),
            dominance: self.random.within(0..3) as i8 - 1,
            extra_substeps: if plain { 0 } else { self.random.within(0..4) as u32 },
            added_mass: if plain { 0.0 } else { self.number(0.0, 5.0) },
            speed_max: if plain { 1.0e6 } else { self.number(0.0, 20.0) },
            lasting_force: if plain { Vec2::ZERO } else { self.vector(5.0) },
            contact_recycling: !self.random.one_in(8),
            bullet: self.random.one_in(5),
            enabled: !self.random.one_in(9),
            user_key: self.random.bits(),
            ..BodyDef::default()
        })
    }

    fn joint(&mut self) -> Box<JointNumbers> {
        Box::new(JointNumbers {
            kind: self.any(),
            anchors: [self.vector(0.6), self.vector(0.6)],
            angles: [
                self.number(-1.0, 0.0),
                self.number(0.0, 1.0),
                self.number(-4.0, 4.0),
                self.number(-4.0, 4.0),
            ],
            enable: [self.flag(), self.flag(), self.flag()],
            spring: [self.number(0.0, 5.0), self.number(0.0, 2.0)],
            motor: [self.number(-5.0, 5.0), self.number(0.0, 50.0)],
            stiffness: [self.number(1.0, 60.0), self.number(0.0, 2.0)],
            thresholds: [self.number(0.0, 500.0), self.number(0.0, 500.0)],
            breaks: self.flag(),
            collide: self.random.one_in(3),
        })
    }

    /// The corners of a polygon, often a star around its center, which does not cross itself.
    fn corners(&mut self) -> Vec<DVec2> {
        let count = self.random.within(3..12);
        if self.random.one_in(6) {
            return (0..count).map(|_| self.vector(2.0).as_dvec2()).collect();
        }
        let step = core::f64::consts::TAU / count as f64;
        let corner = |place: usize, radius: f32| DVec2::from_angle(step * place as f64) * f64::from(radius);
        (0..count)
            .map(|place| corner(place, self.number(0.2, 1.2)))
            .collect()
    }

    fn change(&mut self) -> Change {
        match self.random.below(18) {
            0 => Change::Wake,
            1 => Change::LinearVelocity(self.vector(9.0)),
            2 => Change::AngularVelocity(self.number(-9.0, 9.0)),
            3 => Change::Target(self.vector(5.0), self.number(-3.0, 3.0), self.number(0.01, 0.1)),
            4 => Change::Force(self.vector(90.0)),
            5 => Change::ForceAt(self.vector(90.0), self.vector(5.0)),
            6 => Change::Torque(self.number(-90.0, 90.0)),
            7 => Change::Impulse(self.vector(9.0)),
            8 => Change::ImpulseAt(self.vector(9.0), self.vector(5.0)),
            9 => Change::AngularImpulse(self.number(-9.0, 9.0)),
            10 => Change::Damping(self.number(0.0, 2.0), self.number(0.0, 2.0)),
            11 => Change::GravityScale(self.number(-1.0, 2.0)),
            12 => Change::Bullet(self.flag()),
            13 => Change::Key(self.random.bits()),
            14 => Change::SleepThreshold(self.number(0.0, 1.0)),
            15 => Change::MaySleep(self.flag()),
            16 => Change::DropThrough,
            _ => Change::FixedRotation(self.flag()),
        }
    }

    /// Any call at all.
    pub(in crate::families) fn call(&mut self) -> Call {
        match self.random.below(21) {
            0 => self.call_about_the_world(),
            17 => self.call_about_ground(),
            18 | 19 => self.call_about_fields(),
            1..=3 => Call::Body(self.body()),
            4..=6 => Call::Shape(self.any(), self.shape_def(), self.form()),
            7 => self.call_about_a_body(),
            8 => self.call_about_a_shape(),
            9 => self.call_about_a_joint(),
            10 => self.call_that_cuts(),
            11 => Call::Change(self.any(), self.change()),
            12 => Call::Ask(
                self.vector(6.0),
                self.vector(9.0),
                self.random.bits(),
                self.form(),
            ),
            13 => Call::LookAround,
            14 => self.call_about_rules(),
            15 => self.call_on_a_shape(),
            16 => Call::Step(self.number(0.001, 0.05)),
            _ => Call::Steps(self.random.within(1..30)),
        }
    }

    fn call_about_the_world(&mut self) -> Call {
        match self.random.below(12) {
            0 => Call::Gravity(self.vector(12.0)),
            1 => Call::Substeps(if self.is_odd() {
                self.random.odd_number() as u32
            } else {
                self.random.within(1..7) as u32
            }),
            2 => Call::Sleeping(self.flag()),
            3 => Call::Continuous(self.flag()),
            4 => Call::Thresholds(self.number(0.0, 2.0), self.number(0.0, 2.0)),
            5 => Call::Softness(
                self.number(1.0, 60.0),
                self.number(0.0, 10.0),
                self.number(0.0, 5.0),
            ),
            6 => Call::SpeedMax(self.number(1.0, 400.0)),
            7 => Call::Debris(self.number(0.0, 0.5), self.flag()),
            8 => Call::Algorithm(self.any()),
            9 => Call::Lanes(self.any()),
            10 => Call::BatchBodies(self.random.pick(&[0, 1, 3, 256, u32::MAX])),
            _ => Call::Watch,
        }
    }

    fn call_about_a_body(&mut self) -> Call {
        match self.random.below(6) {
            0 => Call::DestroyBody(self.any()),
            1 | 2 => Call::Enable(self.any(), self.flag()),
            3 => Call::Kind(self.any(), self.kind()),
            _ => Call::Teleport(self.any(), self.vector(5.0), self.number(-3.0, 3.0)),
        }
    }

    fn call_about_a_shape(&mut self) -> Call {
        match self.random.below(8) {
            0 => Call::DestroyShape(self.any()),
            1 => Call::DestroyPolygon(self.any()),
            2 => Call::Filter(self.any(), self.filter()),
            3 => Call::ShapeKey(self.any(), self.random.bits()),
            4 => Call::Material(self.any(), self.number(0.0, 1.0), self.number(0.0, 1.0)),
            5 if self.flag() => Call::ContactSkin(self.any(), self.number(0.0, 0.3)),
            5 => Call::Surface(self.any(), self.number(0.0, 1.0), self.number(-2.0, 2.0)),
            6 => {
                let count = self.random.within(1..8);
                let points = (0..count)
                    .map(|i| Vec2::new(2.0 * i as f32 - 5.0, self.number(-1.0, 1.0)))
                    .collect();
                Call::Chain(self.any(), self.shape_def(), points, self.random.one_in(4))
            }
            _ => {
                let radius = if self.random.one_in(4) {
                    self.number(0.0, 0.2)
                } else {
                    0.0
                };
                Call::ConcavePolygon(self.any(), self.shape_def(), self.corners(), radius)
            }
        }
    }

    /// A grid of tiles, a heightfield, or a change of either.
    fn call_about_ground(&mut self) -> Call {
        match self.random.below(7) {
            0 => Call::TileGrid(self.any(), self.tile_grid()),
            1 => {
                let heights: Vec<f32> = (0..self.random.within(1..12))
                    .map(|_| self.number(-1.0, 1.0))
                    .collect();
                let holes = if self.flag() { heights.len() } else { 0 };
                let segments = (1..holes).map(|_| self.random.below(3) as u8).collect();
                Call::Heightfield(
                    self.any(),
                    Box::new(HeightfieldDef {
                        spacing: self.number(0.3, 2.0),
                        origin: self.vector(3.0),
                        before: self.flag().then(|| self.number(-1.0, 1.0)),
                        after: self.flag().then(|| self.number(-1.0, 1.0)),
                        grounds: (0..self.random.within(1..3)).map(|_| *self.shape_def()).collect(),
                        heights,
                        segments,
                    }),
                )
            }
            2 => Call::DestroyTileGrid(self.any()),
            3 => Call::CutTiles(TileCut {
                from: Position::from(self.vector(5.0)),
                to: Position::from(self.vector(5.0)),
                radius: self.number(0.0, 1.0),
                mask: self.random.pick(&[u64::MAX, u64::MAX, 0b101, 0]),
            }),
            _ => {
                let mut side = |least: usize| self.random.within(least..9) as u32;
                let block = TileBlock {
                    x: side(0),
                    y: side(0),
                    width: side(0),
                    height: side(0),
                };
                Call::FillTiles(self.any(), block, self.random.below(5) as u8)
            }
        }
    }

    fn tile_grid(&mut self) -> Box<TileGridDef> {
        let [width, height] = [0, 1].map(|_| self.random.within(1..9) as u32);
        let named = TileShape::NAMED.len();
        let tiles: Vec<Tile> = (0..self.random.within(1..4))
            .map(|_| Tile {
                shape: if self.random.one_in(4) {
                    let corners = (0..self.random.within(3..6)).map(|_| {
                        let corner = self.vector(0.5);
                        corner + Vec2::splat(0.5)
                    });
                    TileShape::Convex {
                        corners: corners.collect(),
                    }
                } else {
                    TileShape::NAMED[self.random.below(named)].1.clone()
                },
                def: *self.shape_def(),
            })
            .collect();
        let cells = (0..width * height)
            .map(|_| self.random.below(tiles.len() + 1) as u8)
            .collect();
        Box::new(TileGridDef {
            cell_size: self.number(0.3, 1.5),
            origin: self.vector(4.0),
            width,
            height,
            cells,
            tiles,
        })
    }

    /// A change of a shape in place.
    fn call_on_a_shape(&mut self) -> Call {
        match self.random.below(6) {
            0 => Call::Geometry(self.any(), self.form()),
            1 => Call::Density(self.any(), self.number(0.0, 4.0)),
            2 => Call::Sensor(self.any(), self.flag()),
            3 => Call::Events(self.any(), self.flag(), self.flag()),
            4 => {
                let rules = [self.random.pick(&RULES), self.random.pick(&RULES)];
                Call::CombineRules(self.any(), rules)
            }
            _ => Call::MaterialNumber(self.any(), self.material()),
        }
    }

    fn call_about_rules(&mut self) -> Call {
        let other = if self.random.one_in(4) {
            ANY_MATERIAL
        } else {
            self.material()
        };
        let materials = [self.material(), other];
        match self.random.below(4) {
            0 | 1 => Call::Rule(materials, self.rule()),
            2 => Call::RemoveRule(materials),
            _ => Call::IgnorePair([self.any(), self.any()], self.flag()),
        }
    }

    fn call_about_a_joint(&mut self) -> Call {
        match self.random.below(12) {
            0 => Call::DestroyJoint(self.any()),
            1 => Call::Motor(
                self.any(),
                self.flag(),
                self.number(-5.0, 5.0),
                self.number(0.0, 90.0),
            ),
            2 => Call::Limit(
                self.any(),
                self.flag(),
                self.number(-1.0, 0.0),
                self.number(0.0, 1.0),
            ),
            3 => Call::Spring(
                self.any(),
                self.flag(),
                self.number(-4.0, 4.0),
                self.number(0.0, 5.0),
                self.number(0.0, 2.0),
            ),
            4 => Call::Stiffness(self.any(), self.number(1.0, 60.0), self.number(0.0, 5.0)),
            5 | 6 => Call::Redefine(self.any(), self.joint()),
            7 => Call::JointThresholds(
                self.any(),
                self.number(0.0, 200.0),
                self.number(0.0, 200.0),
                self.flag(),
            ),
            8 => Call::Frames(
                self.any(),
                [self.vector(1.0), self.vector(1.0)],
                [self.number(-4.0, 4.0), self.number(-4.0, 4.0)],
            ),
            9 => Call::Collide(self.any(), self.flag()),
            _ => Call::Joint(self.any(), self.any(), self.joint()),
        }
    }

    fn call_that_cuts(&mut self) -> Call {
        match self.random.below(6) {
            0 | 1 => Call::Slice(self.any(), self.vector(5.0), self.vector(5.0)),
            2 | 3 => Call::CutThrough(self.vector(6.0), self.vector(6.0), u64::MAX),
            4 => {
                let count = self.random.within(0..7);
                Call::ShatterAt(self.any(), (0..count).map(|_| self.vector(4.0)).collect())
            }
            _ => Call::Shatter(self.any(), self.random.bits(), self.random.within(0..9)),
        }
    }

    /// A definition of a world.
    pub(in crate::families) fn world(&mut self) -> WorldDef {
        WorldDef {
            substeps: self.random.within(1..5) as u32,
            sleeping: !self.random.one_in(4),
            islands: if self.random.one_in(3) {
                self.random.pick(&IslandAlgorithm::ALL)
            } else {
                IslandAlgorithm::default()
            },
            ..WorldDef::default()
        }
    }
}
