//! The bot: a player that wins every level, without a window: for tests, and to watch. Its acts depend on the
//! state of the world (the position of Pip, whether things rest) and not on the number of a step, so that it wins
//! although physics changes a little.

use tombolo::World;
use tombolo::geometry::Vec2;

use crate::play::{Input, Play};

/// One act of the bot.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Waits until a condition holds, or a number of steps have passed.
    Until(fn(&World) -> bool, u32),
    /// A stroke between two points that are computed when it begins.
    Stroke(fn(&World) -> Option<(Vec2, Vec2)>),
    /// A tap on an entity.
    Tap(&'static str),
}

/// The number of steps of a stroke by the bot: a quarter of a second.
const STROKE_STEPS: u32 = 15;

/// The least number of steps before a condition is checked.
const STEPS_MIN: u32 = 30;

/// A player that gives the input of each step.
#[derive(Clone, Debug)]
pub struct Bot {
    acts: &'static [Act],
    steps: u32,
    stroke: Option<(Vec2, Vec2)>,
    /// The last step for which its input was computed, and that input.
    last: Option<(u64, Input)>,
}

impl Bot {
    /// A bot that wins the level at a place in [`crate::levels::FILES`]; for places beyond them, one that does nothing.
    pub fn winner(level: usize) -> Self {
        let acts = WINS.get(level).copied().unwrap_or_default();
        Self {
            acts,
            steps: 0,
            stroke: None,
            last: None,
        }
    }

    /// A bot that loses any level, by a stroke through Pip.
    pub fn loser() -> Self {
        let acts = &[
            Act::Until(pip_rests, 240),
            Act::Stroke(|world| across(world, "pip", 1.0)),
        ];
        Self {
            acts,
            steps: 0,
            stroke: None,
            last: None,
        }
    }

    /// The input of the next step. Called again for the same step, as when frames are shorter than steps, it returns
    /// the same.
    pub fn input(&mut self, play: &Play) -> Input {
        let step = play.rules.steps();
        match self.last {
            Some((asked, input)) if asked == step => input,
            _ => {
                let input = self.decide(play);
                self.last = Some((step, input));
                input
            }
        }
    }

    fn decide(&mut self, play: &Play) -> Input {
        let Some(act) = self.acts.first() else {
            return Input::default();
        };
        self.steps += 1;
        match act {
            Act::Until(holds, steps_max) => {
                // A body that was only just released has no speed either.
                if self.steps >= STEPS_MIN && holds(&play.world) || self.steps >= *steps_max {
                    self.next();
                }
                Input::default()
            }
            Act::Tap(name) => self.tap(place(&play.world, name)),
            Act::Stroke(ends) => {
                if self.stroke.is_none() {
                    self.stroke = ends(&play.world);
                }
                self.draw()
            }
        }
    }

    fn tap(&mut self, at: Option<Vec2>) -> Input {
        let at = at.unwrap_or_default();
        let down = self.steps < 6;
        if !down {
            self.next();
        }
        Input { at, down }
    }

    fn draw(&mut self) -> Input {
        let Some((from, to)) = self.stroke else {
            self.next();
            return Input::default();
        };
        let share = (self.steps - 1) as f32 / STROKE_STEPS as f32;
        if self.steps > STROKE_STEPS {
            self.next();
            return Input { at: to, down: false };
        }
        Input {
            at: from.lerp(to, share),
            down: true,
        }
    }

    fn next(&mut self) {
        self.acts = &self.acts[1..];
        self.steps = 0;
        self.stroke = None;
    }
}

const WINS: [&[Act]; 8] = [
    &[
        Act::Until(|_| false, 30),
        Act::Stroke(|world| across(world, "rope[3]", 0.8)),
    ],
    &[Act::Until(|_| false, 60), Act::Stroke(past_pip)],
    &[
        Act::Until(pip_rests, 240),
        Act::Stroke(|world| across(world, "rope[7]", 0.8)),
    ],
    &[
        Act::Until(|_| false, 30),
        Act::Stroke(|world| across(world, "rope[1]", 0.8)),
        Act::Until(pip_rests, 240),
        Act::Tap("lift"),
    ],
    &[
        Act::Tap("fan"),
        Act::Until(|world| place(world, "pip").is_some_and(|pip| pip.x > -3.4), 300),
        Act::Stroke(|world| across(world, "rope[4]", 1.2)),
    ],
    &[
        Act::Until(|_| false, 30),
        Act::Stroke(|_| Some((Vec2::new(0.2, -0.9), Vec2::new(2.2, -0.9)))),
        Act::Until(|_| false, 240),
        Act::Stroke(|world| across(world, "rope[3]", 0.8)),
    ],
    &[
        Act::Until(|_| false, 30),
        Act::Stroke(|world| across(world, "rope[1]", 0.8)),
        Act::Until(
            |world| place(world, "bomb").is_some_and(|bomb| bomb.x > -6.8),
            600,
        ),
        Act::Until(|world| rests(world, "bomb"), 300),
        Act::Tap("bomb"),
    ],
    &[
        Act::Until(|_| false, 30),
        Act::Stroke(|world| across(world, "tie[8]", 0.8)),
        Act::Stroke(|world| across(world, "rope[3]", 0.8)),
        Act::Until(|_| false, 240),
        Act::Until(pip_rests, 240),
        Act::Tap("cart"),
    ],
];

fn place(world: &World, name: &str) -> Option<Vec2> {
    Some(world.pose(world.find(name)?)?.position)
}

fn rests(world: &World, name: &str) -> bool {
    let body = world.find(name).and_then(|entity| world.body(entity));
    body.is_none_or(|body| body.linear_velocity().length() < 0.1)
}

fn pip_rests(world: &World) -> bool {
    rests(world, "pip")
}

/// A stroke across an entity, by a number of meters to either side, in its present rotation.
fn across(world: &World, name: &str, reach: f32) -> Option<(Vec2, Vec2)> {
    let pose = world.pose(world.find(name)?)?;
    let [from, to] = [-reach, reach].map(|x| pose.transform_point(Vec2::new(x, 0.0)));
    Some((from, to))
}

/// A stroke across the limb, between Pip and the knob.
fn past_pip(world: &World) -> Option<(Vec2, Vec2)> {
    let limb = world.pose(world.find("limb")?)?;
    let [top, bottom] = [Vec2::new(3.95, 2.2), Vec2::new(3.95, -0.9)];
    Some((limb.transform_point(top), limb.transform_point(bottom)))
}
