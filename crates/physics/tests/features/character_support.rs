//! A world with a character in it: 60 steps a second, gravity of 10 m/s², a capsule 1.6 m high and 0.6 m wide that walks at 6 m/s.
#![allow(dead_code, reason = "each test uses a part of it")]

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Character, CharacterDef, CharacterInput, CharacterScratch, PhysicsWorld, Pose,
    Position, QueryFilter, Shape, ShapeDef, Vec2, WorldDef,
};

pub(crate) const DT: f32 = 1.0 / 60.0;
/// From the middle of the capsule to its lowest point.
pub(crate) const HALF: f32 = 0.8;
/// Height of the middle over flat ground.
pub(crate) const STAND: f32 = HALF + tombolo_physics::CHARACTER_GAP_M;

pub(crate) struct Stage {
    pub(crate) world: PhysicsWorld,
    pub(crate) def: CharacterDef,
    pub(crate) character: Character,
    pub(crate) scratch: CharacterScratch,
}

pub(crate) fn capsule() -> Shape {
    Shape::capsule(Vec2::new(0.0, -0.5), Vec2::new(0.0, 0.5), 0.3).unwrap()
}

impl Stage {
    pub(crate) fn new(x: f32, y: f32) -> Self {
        let def = WorldDef {
            gravity: Vec2::new(0.0, -10.0),
            ..WorldDef::default()
        };
        Self {
            world: PhysicsWorld::new(&def).unwrap(),
            def: CharacterDef::new(capsule()),
            character: Character::new(Position::new(x, y)),
            scratch: CharacterScratch::default(),
        }
    }

    pub(crate) fn body(&mut self, kind: BodyKind, x: f32, y: f32, angle: f32, shape: &Shape) -> BodyId {
        let def = BodyDef {
            kind,
            position: Position::new(x, y),
            angle,
            ..BodyDef::default()
        };
        let body = self.world.create_body(&def).unwrap();
        self.world
            .create_shape(body, &ShapeDef::default(), shape)
            .unwrap();
        body
    }

    /// A static box by its corners.
    pub(crate) fn block(&mut self, left: f32, bottom: f32, right: f32, top: f32) -> BodyId {
        let shape = Shape::new_box(right - left, top - bottom).unwrap();
        let (x, y) = (0.5 * (left + right), 0.5 * (bottom + top));
        self.body(BodyKind::Static, x, y, 0.0, &shape)
    }

    /// A static polygon.
    pub(crate) fn solid(&mut self, points: &[[f32; 2]]) -> BodyId {
        let points: Vec<Vec2> = points.iter().map(|&point| point.into()).collect();
        let shape = Shape::polygon(&points, 0.0).unwrap();
        self.body(BodyKind::Static, 0.0, 0.0, 0.0, &shape)
    }

    pub(crate) fn step(&mut self, input: CharacterInput) {
        self.world.step(DT).unwrap();
        self.move_only(input);
    }

    pub(crate) fn move_only(&mut self, input: CharacterInput) {
        self.world
            .move_character(&self.def, &mut self.character, &input, DT, &mut self.scratch)
            .unwrap();
    }

    pub(crate) fn walk(&mut self, speed: f32) {
        self.step(CharacterInput {
            walk: speed,
            ..CharacterInput::default()
        });
    }

    pub(crate) fn at(&self) -> Vec2 {
        self.character.position.to_vec2()
    }

    /// How deep the character is in anything, in meters.
    pub(crate) fn overlap(&self) -> f32 {
        self.overlap_with(|_| true)
    }

    /// How deep the character is in bodies of a choice, in meters.
    pub(crate) fn overlap_with(&self, is_chosen: impl Fn(BodyId) -> bool) -> f32 {
        let here = Pose {
            position: self.at(),
            ..Pose::IDENTITY
        };
        let found = self
            .world
            .overlap_shape(&self.def.shape, here, QueryFilter::default())
            .unwrap();
        found.iter().fold(0.0, |most: f32, shape| {
            let shape = self.world.shape(*shape).unwrap();
            if !is_chosen(shape.body().id()) {
                return most;
            }
            let other = here.to(shape.body().pose());
            let between = tombolo_geometry::distance::surfaces(&self.def.shape, shape.geometry(), other, 1.0);
            most.max(between.map_or(0.0, |between| -between.separation))
        })
    }
}
