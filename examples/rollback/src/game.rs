//! The game: two players push balls about in a pen. All that a frame needs is in the physics world.

use std::collections::BTreeMap;

use ggrs::{Config, GgrsRequest, PredictRepeatLast};
use tombolo_physics::{
    BodyDef, BodyId, FrameId, PhysicsWorld, RecordOptions, Rewind, RewindLimits, Shape, ShapeDef, Vec2,
    WorldDef,
};

/// Seconds of a frame.
const DT: f32 = 1.0 / 60.0;

/// What a session is made of: an input is a bit for each direction, a saved state the number of a frame in the ring.
pub struct Rollback;

impl Config for Rollback {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = FrameId;
    type Address = usize;
}

/// A game, as one of the peers has it.
pub struct Game {
    /// Everything that the next frame depends on.
    pub world: PhysicsWorld,
    rewind: Rewind<PhysicsWorld>,
    /// What was saved since the last step.
    saved: Option<(i32, FrameId)>,
    players: [BodyId; 2],
    /// The checksum of each frame, as it was saved the last time.
    pub checksums: BTreeMap<i32, u64>,
    /// How many steps were made, those that were made again among them.
    pub steps_made: u64,
    /// From this frame on the game does what it should not.
    pub cheats_from: Option<u64>,
    /// What was recorded.
    pub recording: Vec<u8>,
}

impl Game {
    /// The game at its start: every peer makes the same calls.
    pub fn new() -> Self {
        let mut world = PhysicsWorld::new(&WorldDef {
            gravity: Vec2::ZERO,
            ..WorldDef::default()
        })
        .expect("it is valid");
        world.start_recording(RecordOptions::default());
        let mut add = |def: BodyDef, shape: &Shape| {
            let body = world.create_body(&def).expect("it is valid");
            let def = ShapeDef {
                restitution: 0.9,
                ..ShapeDef::default()
            };
            world.create_shape(body, &def, shape).expect("it is valid");
            body
        };
        let wall = |w, h| Shape::new_box(w, h).expect("it is valid");
        for (x, y, w, h) in [
            (0.0, 7.0, 24.0, 1.0),
            (0.0, -7.0, 24.0, 1.0),
            (12.0, 0.0, 1.0, 14.0),
            (-12.0, 0.0, 1.0, 14.0),
        ] {
            add(BodyDef::fixed(x, y), &wall(w, h));
        }
        let ball = Shape::circle(Vec2::ZERO, 0.4).expect("it is valid");
        for i in 0..30 {
            let place = ((i % 6) as f32 * 1.5 - 3.75, (i / 6) as f32 * 1.5 - 3.0);
            add(
                BodyDef {
                    linear_damping: 0.2,
                    ..BodyDef::dynamic(place.0, place.1)
                },
                &ball,
            );
        }
        let player = wall(1.0, 1.0);
        let players = [-10.0, 10.0].map(|x| {
            add(
                BodyDef {
                    linear_damping: 1.0,
                    ..BodyDef::dynamic(x, 0.0)
                },
                &player,
            )
        });
        Self {
            world,
            // One frame for each that may be predicted, and the one that they begin from.
            rewind: Rewind::new(RewindLimits {
                frames_max: 10,
                ..RewindLimits::default()
            }),
            saved: None,
            players,
            checksums: BTreeMap::new(),
            steps_made: 0,
            cheats_from: None,
            recording: Vec::new(),
        }
    }

    /// Does what a session asks for, in the order in which it asks.
    pub fn handle(&mut self, requests: Vec<GgrsRequest<Rollback>>) {
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    // A session that waits saves the same frame in every turn: the ring would fill with it.
                    let waiting = self.saved.filter(|(saved, _)| *saved == frame);
                    let id = waiting.map_or_else(|| self.rewind.save(&mut self.world), |(_, id)| id);
                    self.saved = Some((frame, id));
                    let saved = self.rewind.frame(id).expect("it was saved just now");
                    let checksum = saved.checksum();
                    self.checksums.insert(frame, checksum);
                    cell.save(frame, Some(id), Some(u128::from(checksum)));
                }
                GgrsRequest::LoadGameState { cell, .. } => {
                    self.saved = None;
                    let id = cell.load().expect("it was saved");
                    self.rewind
                        .restore(&mut self.world, id)
                        .expect("the ring keeps as many as are predicted");
                }
                GgrsRequest::AdvanceFrame { inputs } => self.advance([inputs[0].0, inputs[1].0]),
            }
        }
        self.recording.extend(self.world.take_recording());
    }

    /// One frame.
    pub fn advance(&mut self, inputs: [u8; 2]) {
        for (player, input) in self.players.into_iter().zip(inputs) {
            let along = |more: u8, less: u8| {
                f32::from(u8::from(input & more != 0)) - f32::from(u8::from(input & less != 0))
            };
            let force = 25.0 * Vec2::new(along(1, 2), along(4, 8));
            self.world
                .body_mut(player)
                .and_then(|mut body| body.apply_force(force))
                .expect("players stay");
        }
        if self.cheats_from == Some(self.world.step_index()) {
            self.world
                .body_mut(self.players[0])
                .expect("players stay")
                .set_bullet(true);
        }
        self.world.step(DT).expect("a step is that long");
        self.steps_made += 1;
        self.saved = None;
    }
}

/// What a player does in a frame: something else every few frames.
pub fn input_of(player: usize, frame: i32) -> u8 {
    let mixed = (u64::from(frame.unsigned_abs() / 7) * 2 + player as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 60) as u8
}
