//! Traces recorded from worlds that are stepped for the purpose, with sleeping off: contacts between moving bodies as
//! the events report them, and readiness to sleep from speeds.

use std::collections::BTreeMap;

use tombolo_physics::island::{Trace, TraceEvent};
use tombolo_physics::{
    BodyDef, BodyKind, PhysicsError, PhysicsWorld, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;
/// Metres per second below which a body is slow, and steps for which it must be slow to be ready to sleep.
const SLOW: f32 = 0.05;
const STEPS_UNTIL_READY: u32 = 30;

/// `count` pyramids of base 10 on one floor, from their first touch.
pub(super) fn pyramids(count: u32, steps: usize) -> anyhow::Result<Trace> {
    let mut recorder = Recorder::new()?;
    let floor = recorder.world.create_body(&BodyDef::fixed(0.0, -1.0))?;
    let half_width = count as f32 * 6.0 + 10.0;
    recorder
        .world
        .create_shape(floor, &ShapeDef::default(), &Shape::rectangle(half_width, 1.0)?)?;
    for pyramid in 0..count {
        let middle = pyramid as f32 * 12.0 - half_width + 10.0;
        for row in 0..10 {
            for place in 0..10 - row {
                let x = middle + (place as f32 - (9 - row) as f32 / 2.0) * 1.05;
                recorder.add_box(x, 0.5 + row as f32, 0.5)?;
            }
        }
    }
    recorder.record(steps)
}

/// `side`² boxes in a hollow square that turns.
pub(super) fn tumbler(side: u32, steps: usize) -> anyhow::Result<Trace> {
    let mut recorder = Recorder::new()?;
    let reach = side as f32 * 0.32;
    let drum = BodyDef {
        angular_velocity: 0.44,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let drum = recorder.world.create_body(&drum)?;
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = if x == 0.0 {
            [reach + 0.5, 0.25]
        } else {
            [0.25, reach + 0.5]
        };
        let wall = Shape::rectangle_at(half[0], half[1], Vec2::new(x, y) * (reach + 0.25), 0.0)?;
        recorder.world.create_shape(drum, &ShapeDef::default(), &wall)?;
    }
    for index in 0..side * side {
        let at = |index: u32| (index as f32 - (side - 1) as f32 / 2.0) * 0.4;
        recorder.add_box(at(index % side), at(index / side), 0.125)?;
    }
    recorder.record(steps)
}

struct Recorder {
    world: PhysicsWorld,
    trace: Trace,
    bodies: Vec<tombolo_physics::BodyId>,
    /// For each body how many steps it was slow.
    slow_steps: Vec<u32>,
    /// The edge of each touching contact, by the bits of its id.
    edges: BTreeMap<u64, u32>,
    free: Vec<u32>,
    edge_end: u32,
}

impl Recorder {
    fn new() -> Result<Self, PhysicsError> {
        Ok(Self {
            world: PhysicsWorld::new(&WorldDef {
                sleeping: false,
                ..WorldDef::default()
            })?,
            trace: Trace::default(),
            bodies: Vec::new(),
            slow_steps: Vec::new(),
            edges: BTreeMap::new(),
            free: Vec::new(),
            edge_end: 0,
        })
    }

    fn add_box(&mut self, x: f32, y: f32, half: f32) -> anyhow::Result<()> {
        let node = self.bodies.len() as u32;
        let def = BodyDef {
            user_key: u64::from(node),
            ..BodyDef::dynamic(x, y)
        };
        let body = self.world.create_body(&def)?;
        self.world
            .create_shape(body, &ShapeDef::default(), &Shape::rectangle(half, half)?)?;
        self.trace.push(TraceEvent::Add(node));
        self.bodies.push(body);
        self.slow_steps.push(0);
        Ok(())
    }

    fn record(mut self, steps: usize) -> anyhow::Result<Trace> {
        for _ in 0..steps {
            self.world.step(DT)?;
            self.record_contacts();
            self.record_speeds();
            self.trace.end_step();
        }
        Ok(self.trace)
    }

    /// The node of a shape whose body can move.
    fn node(&self, shape: ShapeId) -> Option<u32> {
        let body = self.world.shape(shape)?.body();
        (body.kind() == BodyKind::Dynamic).then(|| body.user_key() as u32)
    }

    fn record_contacts(&mut self) {
        for event in self.world.events().end_touch() {
            if let Some(edge) = self.edges.remove(&event.contact.to_bits()) {
                self.trace.push(TraceEvent::End(edge));
                self.free.push(edge);
            }
        }
        for event in self.world.events().begin_touch() {
            if let (Some(a), Some(b)) = (self.node(event.shape_a), self.node(event.shape_b)) {
                let edge = self.free.pop().unwrap_or(self.edge_end);
                self.edge_end = self.edge_end.max(edge + 1);
                self.edges.insert(event.contact.to_bits(), edge);
                self.trace.push(TraceEvent::Begin(edge, [a, b]));
            }
        }
    }

    fn record_speeds(&mut self) {
        for (node, (&body, slow_steps)) in self.bodies.iter().zip(&mut self.slow_steps).enumerate() {
            let body = self.world.body(body).expect("no body is destroyed");
            if body.linear_velocity().length().max(body.angular_velocity().abs()) < SLOW {
                *slow_steps += 1;
                if *slow_steps == STEPS_UNTIL_READY {
                    self.trace.push(TraceEvent::Sleep(node as u32));
                }
            } else if std::mem::take(slow_steps) >= STEPS_UNTIL_READY {
                self.trace.push(TraceEvent::Wake(node as u32));
            }
        }
    }
}
