//! Family `physics_calls`: calls on a physics world with hostile numbers and stale ids. Nothing panics, every structure
//! is valid, and a second world that is rebuilt from clones and saves in between gives the same results to the bit.

use tombolo_physics::{LaneWidth, PhysicsWorld, WorldDef};

use super::physics_world::{Call, Numbers, Player};
use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct PhysicsCalls;

/// One step of a case.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// The definition of the world: the first such operation counts.
    Make(Box<WorldDef>),
    /// A call on both worlds.
    Call(Call),
    /// The second world becomes a clone of the first.
    Clone,
    /// The second world is restored from a save of the first one.
    Restore,
    /// The first world is restored before each of a number of steps, the second is not.
    RestoreBeforeSteps(usize),
}

impl Family for PhysicsCalls {
    const NAME: &'static str = "physics_calls";
    const ABOUT: &'static str =
        "calls on physics worlds with hostile numbers, beside clones and saves of them";
    const CASES: u64 = 1_500;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let odd = random.pick(&[0, 40, 15, 6]);
        let count = random.within(4..90);
        let mut numbers = Numbers { random, odd };
        let mut operations = vec![Operation::Make(Box::new(numbers.world()))];
        for _ in 0..count {
            operations.push(match numbers.random.below(24) {
                0 => Operation::Clone,
                1 => Operation::Restore,
                2 => Operation::RestoreBeforeSteps(numbers.random.within(1..12)),
                _ => Operation::Call(numbers.call()),
            });
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let def = operations.iter().find_map(|operation| match operation {
            Operation::Make(def) => Some((**def).clone()),
            _ => None,
        });
        let world = PhysicsWorld::new(&def.unwrap_or_default()).map_err(|error| error.to_string())?;
        let mut second = Player::new(world.clone());
        let narrow = second.world.set_lanes(LaneWidth::One);
        hold!(narrow.is_ok(), "every machine has one lane");
        let mut first = Player::new(world);
        for (at, operation) in operations.iter().enumerate() {
            let mut has_stepped = false;
            match operation {
                Operation::Make(_) => {}
                Operation::Call(call) => {
                    let answers = [first.play(call), second.play(call)];
                    same!(answers[0], answers[1], "answers to call {at}");
                    // A refused step leaves the events as they were, and a restored world has none.
                    has_stepped =
                        matches!(call, Call::Step(_) | Call::Steps(_)) && answers[0].starts_with("Ok");
                }
                Operation::Clone => second.world = first.world.clone(),
                Operation::Restore => {
                    let save = first.world.save();
                    second
                        .world
                        .restore(&save)
                        .map_err(|error| format!("a world's own save: {error}"))?;
                    same!(
                        second.world.save().len(),
                        save.len(),
                        "length of the save of a save"
                    );
                }
                Operation::RestoreBeforeSteps(count) => {
                    for _ in 0..*count {
                        let save = first.world.save();
                        first
                            .world
                            .restore(&save)
                            .map_err(|error| format!("a world's own save: {error}"))?;
                        let step = Call::Step(1.0 / 60.0);
                        same!(first.play(&step), second.play(&step), "answers to a step");
                        same!(first.events(), second.events(), "events of a restored world");
                    }
                }
            }
            first.world.validate();
            same!(
                first.world.state_hash(),
                second.world.state_hash(),
                "hashes after operation {at}"
            );
            if has_stepped {
                same!(first.events(), second.events(), "events of step {at}");
            }
        }
        hold!(
            first.world.bodies().all(|body| body.position().is_finite()),
            "a body is nowhere"
        );
        Ok(())
    }
}
