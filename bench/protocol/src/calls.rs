//! Single calls between steps: the requests of the bench's area `calls` to an engine. The world, the bodies that are called,
//! rays and shapes are the same in every engine; a call is each engine's own ([`Calls`]).

use std::hint::black_box;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use glam::Vec2;
use serde::{Deserialize, Serialize};
use tombolo::geometry::Rot;
use tombolo::physics::BodyId;

use crate::ground::{self, Found, GRAVITY, Ground, Ray, time};
use crate::run::{exit_code, print};
use crate::saves::{COLUMN, Saves, columns};
use crate::{Engine, Roster, Setting};

/// The first argument of a runner for these requests.
pub const CALLS: &str = "calls";

/// The number of steps before the first call, in which the columns come to rest without sleeping.
const STEPS_BEFORE: u32 = 60;

/// The number of bodies that are created and destroyed, or moved, in each step of [`Call::Churn`] and [`Call::Nudges`].
pub const PER_STEP: usize = 200;

/// The side of the square whose overlaps are asked for, in meters.
pub const SQUARE: f32 = 2.0;

/// The radius of the circle that is cast, in meters.
pub const CIRCLE: f32 = 0.25;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Call {
    /// A body with a box is created.
    Create,
    /// A body with a box is destroyed.
    Destroy,
    /// A body is moved by up to a centimeter, as a user moves it, without a step.
    Move,
    /// An impulse on the center of a body.
    Impulse,
    /// The place of each body, one after the other.
    Read,
    /// The nearest hit of a ray of ten meters.
    Ray,
    /// The number of shapes that overlap a square.
    Overlap,
    /// The nearest hit of a circle that moves by five meters.
    Cast,
    /// A step after [`PER_STEP`] bodies were created and as many destroyed.
    Churn,
    /// A step after [`PER_STEP`] bodies were moved by up to a centimeter.
    Nudges,
}

impl Call {
    /// Whether the time is that of a step.
    pub fn is_step(self) -> bool {
        matches!(self, Self::Churn | Self::Nudges)
    }

    /// How far the two figures of two engines may be apart, as a part of the larger one: 0 for counts, which have to be equal;
    /// infinite for what says nothing.
    ///
    /// - Bodies come and go: bodies and shapes while those of the last round are there, and at the end; of steps, bodies and
    ///   shapes at the end.
    /// - Bodies are moved: their mean height, and the mean of the ways along x from where they were before the first move. Moves are
    ///   random, the same in all engines, so that those that do nothing leave the ways at 0; what contacts take back of
    ///   them differs by the engines' friction.
    /// - Impulses: the sums of what they change of velocities along y and along x, where they have both signs and the sum is
    ///   mostly rounding.
    /// - Places: their means along y and along x, where the columns lie around 0.
    /// - Rays and casts: hits and the mean fraction. Boxes differ by less than a millimeter between engines, so that fractions of
    ///   ways of 5 or 10 meters do by less than a thousandth; but one in some thousand grazes a corner in one engine and
    ///   passes it in another, and there the fractions have nothing in common. Box2D ends a cast its slop of 5 mm deeper than
    ///   the touch, more along a slanting way, where a box is a meter away in the mean.
    /// - Overlaps: their sum, which differs by squares of which a side grazes a box, and the number of squares.
    pub fn likeness(self) -> [f64; 2] {
        const ROUNDING: f64 = 0.01;
        const SLOP: f64 = 0.05;
        const FRICTION: f64 = 0.25;
        match self {
            Self::Create | Self::Destroy | Self::Churn => [0.0; 2],
            Self::Move | Self::Nudges => [ROUNDING, FRICTION],
            Self::Impulse | Self::Read => [ROUNDING, f64::INFINITY],
            Self::Ray => [ROUNDING; 2],
            Self::Cast => [ROUNDING, SLOP],
            Self::Overlap => [ROUNDING, 0.0],
        }
    }

    /// Whether engines that can are asked in a batch as well.
    pub fn has_batch(self) -> bool {
        matches!(self, Self::Ray | Self::Overlap | Self::Cast)
    }
}

/// The call, the size of the world, and the number of rounds.
#[derive(Clone, Debug, PartialEq, Parser)]
pub struct CallsOrder {
    /// What is called.
    #[arg(long, value_enum)]
    pub call: Call,
    /// The number of bodies in the world, a multiple of ten.
    #[arg(long)]
    pub bodies: u32,
    /// The number of calls of a round.
    #[arg(long)]
    pub count: u32,
    /// The number of rounds, or of steps.
    #[arg(long)]
    pub rounds: u32,
    /// Whether a round is one call for all of its questions, where the engine has such a call.
    #[arg(long)]
    pub batch: bool,
}

impl CallsOrder {
    /// The arguments that a runner parses back to this order.
    pub fn to_arguments(&self) -> Vec<String> {
        let call = self.call.to_possible_value();
        let mut arguments = vec![
            CALLS.to_owned(),
            format!(
                "--call={}",
                call.map(|call| call.get_name().to_owned()).unwrap_or_default()
            ),
            format!("--bodies={}", self.bodies),
            format!("--count={}", self.count),
            format!("--rounds={}", self.rounds),
        ];
        arguments.extend(self.batch.then(|| "--batch".to_owned()));
        arguments
    }
}

/// The result of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallsAnswer {
    /// The engine's name, version and build.
    pub engine: String,
    /// The time of each round, in nanoseconds.
    pub round_ns: Vec<u64>,
    /// What came of it, so that it can be seen that engines did the same: see [`Call::likeness`].
    pub figures: [f64; 2],
}

/// An engine whose calls are timed. A handle is what its users keep of a body.
pub trait Calls: Engine {
    /// The engine's own id of a body.
    type Handle: Copy;

    /// The handle of a body of the world.
    fn handle(&self, body: BodyId) -> Self::Handle;

    /// Creates a dynamic body with a square of one meter, with default material.
    fn create(&mut self, place: Vec2) -> Self::Handle;

    /// Destroys a body with its shapes.
    fn destroy(&mut self, body: Self::Handle);

    /// Moves a body to a place without a turn, with the call that keeps the contacts of what still touches.
    fn set_place(&mut self, body: Self::Handle, place: Vec2);

    /// Applies an impulse to the center of a body and wakes it.
    fn push(&mut self, body: Self::Handle, impulse: Vec2);

    /// The place of a body.
    fn place(&self, body: Self::Handle) -> Vec2;

    /// The velocity of a body.
    fn velocity(&self, body: Self::Handle) -> Vec2;

    /// The sum of the places of all bodies, of which the user has kept the handles.
    fn sum_of_places(&self, bodies: &[Self::Handle]) -> Vec2 {
        bodies
            .iter()
            .fold(Vec2::ZERO, |sum, &body| sum + self.place(body))
    }

    /// The fraction of a ray before its nearest hit; 1 without a hit.
    fn ray(&self, ray: &Ray) -> f32;

    /// The number of shapes that overlap a square of [`SQUARE`] along the axes.
    fn overlap(&self, center: Vec2) -> usize;

    /// The fraction of the path of a circle of [`CIRCLE`] before its nearest hit; 1 without a hit.
    fn cast(&self, path: &Ray) -> f32;

    /// All rays in one call; `false` if the engine has no such call.
    fn rays(&mut self, rays: &[Ray], shares: &mut Vec<f32>) -> bool {
        let _ = (rays, shares);
        false
    }

    /// Likewise, overlaps.
    fn overlaps(&mut self, centers: &[Vec2], counts: &mut Vec<usize>) -> bool {
        let _ = (centers, counts);
        false
    }

    /// Likewise, casts.
    fn casts(&mut self, paths: &[Ray], shares: &mut Vec<f32>) -> bool {
        let _ = (paths, shares);
        false
    }
}

/// Like [`ground::run`], for an engine whose calls are timed too.
pub fn run<E: Ground + Calls>() -> ExitCode {
    match order() {
        Some(order) => answer::<E>(&order),
        None => ground::run::<E>(),
    }
}

/// Like [`run`], for an engine that saves as well.
pub fn run_with_saves<E: Ground + Calls + Saves>() -> ExitCode {
    match order() {
        Some(order) => answer::<E>(&order),
        None => crate::saves::run::<E>(),
    }
}

/// The order on the command line, if it is one of these.
fn order() -> Option<CallsOrder> {
    let word = std::env::args_os().nth(1)?;
    (word == CALLS).then(|| CallsOrder::parse_from(std::env::args_os().skip(1)))
}

fn answer<E: Calls>(order: &CallsOrder) -> ExitCode {
    exit_code::<E>(obey::<E>(order).and_then(|answer| print(&answer)))
}

fn obey<E: Calls>(order: &CallsOrder) -> Result<CallsAnswer, String> {
    let setting = Setting {
        gravity: Vec2::new(0.0, -GRAVITY),
        sleeping: false,
    };
    let mut roster = Roster::new(E::new(&setting, 1)?);
    columns(&mut roster, order.bodies / COLUMN, 0).map_err(|error| error.to_string())?;
    // The first is the ground.
    let ids: Vec<_> = roster.bodies().skip(1).collect();
    let mut engine = roster.target;
    (0..STEPS_BEFORE).for_each(|_| engine.step());
    let bodies = ids.into_iter().map(|body| engine.handle(body)).collect();
    let mut caller = Caller {
        engine,
        bodies,
        columns: order.bodies / COLUMN,
        random: oorandom::Rand32::new(7),
    };
    let (round_ns, figures) = match order.call {
        Call::Create | Call::Destroy => caller.come_and_go(order),
        Call::Move => caller.moves(order, order.count as usize),
        Call::Impulse => caller.impulses(order),
        Call::Read => caller.reads(order),
        Call::Ray => caller.hits(order, 10.0, E::ray, E::rays)?,
        Call::Overlap => caller.overlaps(order)?,
        Call::Cast => caller.hits(order, 5.0, E::cast, E::casts)?,
        Call::Churn => caller.churn(order),
        Call::Nudges => caller.moves(order, PER_STEP),
    };
    Ok(CallsAnswer {
        engine: E::name(),
        round_ns,
        figures,
    })
}

/// An engine with columns of boxes, and what is asked of it.
struct Caller<E: Calls> {
    engine: E,
    /// All dynamic bodies.
    bodies: Vec<E::Handle>,
    columns: u32,
    random: oorandom::Rand32,
}

impl<E: Calls> Caller<E> {
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.random.rand_float()
    }

    fn any_body(&mut self) -> E::Handle {
        let index = self.random.rand_range(0..self.bodies.len() as u32);
        self.bodies[index as usize]
    }

    /// A place in the air above the columns, a meter from all others of the same number of calls.
    fn above(&self, index: usize) -> Vec2 {
        let across = self.columns as usize;
        let [column, row] = [index % across, index / across];
        Vec2::new(2.0 * column as f32 - self.columns as f32, 20.0 + 2.0 * row as f32)
    }

    /// A ray from a gap between two columns, where no engine has to say whether it begins in a shape.
    fn ray(&mut self, length: f32) -> Ray {
        let gap = self.random.rand_range(0..self.columns) as f32;
        let x = 2.0 * gap - self.columns as f32 + 1.0 + self.between(-0.2, 0.2);
        let origin = Vec2::new(x, self.between(0.5, 12.0));
        let direction = Rot::from_angle(self.between(0.0, std::f32::consts::TAU));
        Ray {
            origin,
            translation: length * Vec2::new(direction.cos, direction.sin),
        }
    }

    fn counts(&self) -> [f64; 2] {
        let counts = self.engine.counts();
        [counts.bodies as f64, counts.shapes as f64]
    }

    /// Bodies that come, and go again before the next round.
    fn come_and_go(&mut self, order: &CallsOrder) -> Found {
        let places: Vec<Vec2> = (0..order.count as usize).map(|index| self.above(index)).collect();
        let mut made = Vec::with_capacity(places.len());
        let mut round_ns = Vec::new();
        let engine = &mut self.engine;
        let sum = |engine: &E| {
            let counts = engine.counts();
            (counts.bodies + counts.shapes) as f64
        };
        let mut with_made = 0.0;
        for _ in 0..order.rounds {
            let creating = time(|| made.extend(places.iter().map(|&place| engine.create(place))));
            // What comes is known to queries and stands in trees after a step only in some engines.
            engine.step();
            with_made = sum(engine);
            let destroying = time(|| made.drain(..).for_each(|body| engine.destroy(body)));
            engine.step();
            round_ns.push(match order.call {
                Call::Create => creating,
                _ => destroying,
            });
        }
        (round_ns, [with_made, sum(engine)])
    }

    /// So many bodies are moved in each round, and a step follows, which counts if it is what is timed.
    fn moves(&mut self, order: &CallsOrder, count: usize) -> Found {
        let mut round_ns = Vec::new();
        let before = self.places_x();
        for _ in 0..order.rounds {
            let moved = |caller: &mut Self| {
                let body = caller.any_body();
                let place = caller.engine.place(body) + Vec2::new(caller.between(-0.01, 0.01), 0.0);
                (body, place)
            };
            let nudges: Vec<_> = (0..count).map(|_| moved(self)).collect();
            let engine = &mut self.engine;
            let moving = time(|| {
                nudges
                    .iter()
                    .for_each(|&(body, place)| engine.set_place(body, place));
            });
            let stepping = time(|| engine.step());
            round_ns.push(match order.call {
                Call::Move => moving,
                _ => moving + stepping,
            });
        }
        (round_ns, self.height_and_way(&before))
    }

    fn impulses(&mut self, order: &CallsOrder) -> Found {
        let mut round_ns = Vec::new();
        let mut change = [0.0; 2];
        for _ in 0..order.rounds {
            let pushes: Vec<(E::Handle, Vec2)> = (0..order.count)
                .map(|_| (self.any_body(), Vec2::new(self.between(-0.1, 0.1), 0.1)))
                .collect();
            let sum = |engine: &E, bodies: &[E::Handle]| {
                bodies.iter().fold([0.0; 2], |sum: [f64; 2], &body| {
                    let velocity = engine.velocity(body);
                    [sum[0] + f64::from(velocity.x), sum[1] + f64::from(velocity.y)]
                })
            };
            let before = sum(&self.engine, &self.bodies);
            let engine = &mut self.engine;
            round_ns.push(time(|| {
                pushes
                    .iter()
                    .for_each(|&(body, impulse)| engine.push(body, impulse));
            }));
            let after = sum(&self.engine, &self.bodies);
            change = [0, 1].map(|axis| change[axis] + after[axis] - before[axis]);
            self.engine.step();
        }
        (round_ns, [change[1], change[0]])
    }

    fn places_x(&self) -> Vec<f32> {
        let places = self.bodies.iter().map(|&body| self.engine.place(body));
        places.map(|place| place.x).collect()
    }

    /// The mean height, and the mean of the ways along x since bodies were at `before`.
    fn height_and_way(&self, before: &[f32]) -> [f64; 2] {
        let after = self.places_x();
        let ways = before
            .iter()
            .zip(&after)
            .map(|(x, now)| f64::from((now - x).abs()));
        let count = before.len().max(1) as f64;
        [self.mean_place()[0], ways.sum::<f64>() / count]
    }

    fn mean_place(&self) -> [f64; 2] {
        let sum = self.engine.sum_of_places(&self.bodies);
        let count = self.bodies.len().max(1) as f32;
        [f64::from(sum.y / count), f64::from(sum.x / count)]
    }

    fn reads(&mut self, order: &CallsOrder) -> Found {
        let round_ns = (0..order.rounds)
            .map(|_| time(|| _ = black_box(self.engine.sum_of_places(&self.bodies))))
            .collect();
        (round_ns, self.mean_place())
    }

    /// The same questions in each round, one by one or all in one call, and the answers of the last.
    ///
    /// # Errors
    /// The engine has no call for many at once.
    fn ask<Q, A>(
        &mut self,
        order: &CallsOrder,
        questions: &[Q],
        one: impl Fn(&E, &Q) -> A,
        many: impl Fn(&mut E, &[Q], &mut Vec<A>) -> bool,
    ) -> Result<(Vec<u64>, Vec<A>), String> {
        let engine = &mut self.engine;
        let mut answers = Vec::new();
        let mut ask = || {
            if order.batch {
                return many(engine, questions, &mut answers);
            }
            answers.clear();
            answers.extend(questions.iter().map(|question| one(engine, question)));
            true
        };
        if !ask() {
            return Err(format!(
                "this engine has no call for many of {:?} at once",
                order.call
            ));
        }
        let round_ns = (0..order.rounds).map(|_| time(|| _ = ask())).collect();
        Ok((round_ns, answers))
    }

    /// The number of hits along paths of a length and the mean fraction before them.
    fn hits(
        &mut self,
        order: &CallsOrder,
        length: f32,
        one: impl Fn(&E, &Ray) -> f32,
        many: impl Fn(&mut E, &[Ray], &mut Vec<f32>) -> bool,
    ) -> Result<Found, String> {
        let paths: Vec<Ray> = (0..order.count).map(|_| self.ray(length)).collect();
        let (round_ns, shares) = self.ask(order, &paths, one, many)?;
        let met = shares.iter().filter(|&&share| share < 1.0).count();
        let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
        Ok((round_ns, [met as f64, sum / shares.len().max(1) as f64]))
    }

    fn overlaps(&mut self, order: &CallsOrder) -> Result<Found, String> {
        let centers: Vec<Vec2> = (0..order.count).map(|_| self.ray(1.0).origin).collect();
        let one = |engine: &E, &center: &Vec2| engine.overlap(center);
        let (round_ns, counts) = self.ask(order, &centers, one, E::overlaps)?;
        let sum: usize = counts.iter().sum();
        Ok((round_ns, [sum as f64, counts.len() as f64]))
    }

    /// Steps, in each of which so many bodies come above the columns and those that came longest ago go.
    fn churn(&mut self, order: &CallsOrder) -> Found {
        let mut round_ns = Vec::new();
        let mut there = std::collections::VecDeque::new();
        for round in 0..order.rounds as usize {
            let first = (round % 4) * PER_STEP;
            let places: Vec<Vec2> = (first..first + PER_STEP).map(|index| self.above(index)).collect();
            let engine = &mut self.engine;
            round_ns.push(time(|| {
                if there.len() > 3 * PER_STEP {
                    there.drain(..PER_STEP).for_each(|body| engine.destroy(body));
                }
                there.extend(places.iter().map(|&place| engine.create(place)));
                engine.step();
            }));
        }
        (round_ns, self.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        for batch in [false, true] {
            let order = CallsOrder {
                call: Call::Nudges,
                bodies: 10_000,
                count: 200,
                rounds: 30,
                batch,
            };
            assert_eq!(CallsOrder::parse_from(order.to_arguments()), order);
        }
    }
}
