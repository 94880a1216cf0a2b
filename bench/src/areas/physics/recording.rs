//! The content of a scene after any of its steps: a [`Recording`] builds it without simulating it, so that the shapes
//! and joints behind an engine's list of poses are known.

use glam::Vec2;
use tombolo::physics::{BodyDef, BodyId, BodyKind, ChainDef, JointDef, PhysicsError, Shape, ShapeDef};
use tombolo_bench_protocol::worlds::World;
use tombolo_bench_protocol::{BodyMotion, Ledger, Roster};
use tombolo_geometry::{Pose, Rot};
use tombolo_scenes::{self as scenes, SceneTarget};

use super::rounds::Plan;

/// A body as the scene defined it.
#[derive(Clone, Debug)]
pub(in crate::areas) struct RecordedBody {
    /// Its definition.
    pub def: BodyDef,
    /// Its shapes.
    pub shapes: Vec<(ShapeDef, Shape)>,
}

/// The content of a scene after one of its steps.
#[derive(Default)]
pub(in crate::areas) struct Recording {
    /// The existing bodies, in the order of creation, as runners list them.
    pub bodies: Vec<RecordedBody>,
    /// The existing joints, with the places of their bodies in `bodies`.
    pub joints: Vec<(usize, usize, JointDef)>,
    /// Gravity, in meters per second squared.
    pub gravity: Vec2,
}

impl Recording {
    /// The scene of a plan after its last step.
    pub(super) fn make(plan: &Plan) -> anyhow::Result<Self> {
        Self::after(plan, plan.steps)
    }

    /// Builds the scene of a plan and makes its changes before each of the first `steps` steps.
    pub(super) fn after(plan: &Plan, steps: u32) -> anyhow::Result<Self> {
        let scene = scenes::find(plan.scene).expect("plans are made of known scenes");
        let mut roster = Roster::new(Recorder::default());
        let mut motion = scene.build(plan.size, plan.variant.seed, &mut roster)?;
        for step in 0..steps {
            motion.before_step(step, &mut roster)?;
        }
        Ok(Self::of(&roster, scene.gravity))
    }

    /// A world that changes nothing between steps.
    pub(in crate::areas) fn of_world(world: &World) -> anyhow::Result<Self> {
        let mut roster = Roster::new(Recorder::default());
        let setting = world.setting().map_err(anyhow::Error::msg)?;
        world.build(&mut roster)?;
        Ok(Self::of(&roster, setting.gravity))
    }

    fn of(roster: &Roster<Recorder>, gravity: Vec2) -> Self {
        let living: Vec<usize> = roster.bodies().map(|body| roster.target.ids.body(body)).collect();
        let place_of = |record: usize| living.binary_search(&record).ok();
        let recorder = &roster.target;
        let joints = recorder
            .joints
            .iter()
            .filter_map(|(a, b, def)| Some((place_of(*a)?, place_of(*b)?, def.clone())));
        Self {
            joints: joints.collect(),
            bodies: living
                .iter()
                .map(|&record| recorder.bodies[record].clone())
                .collect(),
            gravity,
        }
    }

    /// The dynamic bodies, and their motions.
    pub(in crate::areas) fn dynamic<'a>(
        &'a self,
        frame: &'a [BodyMotion],
    ) -> impl Iterator<Item = (&'a RecordedBody, &'a BodyMotion)> {
        self.bodies
            .iter()
            .zip(frame)
            .filter(|(body, _)| body.def.kind == BodyKind::Dynamic)
    }
}

/// The pose of a body in the type of our own geometry.
pub(in crate::areas) fn pose(motion: &BodyMotion) -> Pose {
    Pose {
        position: Vec2::new(motion.x, motion.y),
        rotation: Rot {
            cos: motion.cos,
            sin: motion.sin,
        },
    }
}

/// Records the definitions of a scene.
#[derive(Default)]
struct Recorder {
    /// The places in `bodies`, by id.
    ids: Ledger<usize>,
    bodies: Vec<RecordedBody>,
    joints: Vec<(usize, usize, JointDef)>,
}

impl SceneTarget for Recorder {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        self.bodies.push(RecordedBody {
            def: def.clone(),
            shapes: Vec::new(),
        });
        Ok(self.ids.enter(self.bodies.len() - 1))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        self.bodies[self.ids.body(body)]
            .shapes
            .push((def.clone(), *shape));
        Ok(())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let segments = def
            .segments()?
            .into_iter()
            .map(|shape| (def.shape.clone(), shape));
        self.bodies[self.ids.body(body)].shapes.extend(segments);
        Ok(())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        let [a, b] = def.bodies().map(|body| self.ids.body(body));
        self.joints.push((a, b, def.clone()));
        Ok(())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        self.ids.strike(body);
        Ok(())
    }

    fn set_linear_velocity(&mut self, _: BodyId, _: Vec2) -> Result<(), PhysicsError> {
        // The motion of bodies is computed by the engines.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounds::Variant;
    use super::*;

    #[test]
    fn rain_keeps_its_number_of_bodies_once_it_is_full() {
        let plan = Plan {
            scene: "rain",
            size: 2,
            variant: Variant {
                size_factor: 1.0,
                seed: 0,
            },
            steps: 41,
            threads: 1,
        };
        let after = |steps| {
            let recording = Recording::after(&plan, steps).unwrap();
            (recording.bodies.len(), recording.joints.len())
        };
        assert_eq!(after(8), (1 + 25 * 11, 25 * 10));
        assert_eq!(after(9), (1 + 50 * 11, 50 * 10));
        assert_eq!(after(41), (1 + 50 * 11, 50 * 10));
    }
}
