//! Random writes to Transforms and velocities, several between two steps, in frames of any length: each body is where a plain
//! sum says.
#![allow(missing_docs)]

mod support;

use bevy_ecs::change_detection::DetectChangesMut;
use std::time::Duration;

use bevy_app::{App, FixedLast, Update};
use bevy_ecs::prelude::{Entity, Query, ResMut, Resource};
use bevy_math::{Quat, Vec2, Vec3};
use bevy_time::TimeUpdateStrategy;
use bevy_tombolo::{Body, Collider, GravityScale, TomboloPlugin, Velocity};
use bevy_transform::components::Transform;
use support::{app_with, ball, body_at, hash, physics};

const STEP: Duration = Duration::from_nanos(15_625_000);

/// The game writes to so many bodies, few of all, so that many get several writes.
const WRITTEN: usize = 6;

/// A generator of numbers; a failure names the seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    /// Within one of zero.
    fn number(&mut self) -> f32 {
        self.below(2001) as f32 / 1000.0 - 1.0
    }
}

/// One write of the game.
#[derive(Clone, Copy, Debug)]
enum Write {
    X(f32),
    Y(f32),
    Angle(f32),
    Scale(f32),
    Speed(Vec2),
    /// The value that is there, once more.
    Same,
}

/// Writes that systems make after the next step, and when poses have been drawn.
#[derive(Resource, Default)]
struct Plan {
    after_step: Vec<(Entity, Write)>,
    drawn: Vec<(Entity, Write)>,
}

type Written<'w, 's> = Query<'w, 's, (&'static mut Transform, &'static mut Velocity)>;

fn after_step(mut plan: ResMut<Plan>, mut bodies: Written) {
    make(core::mem::take(&mut plan.after_step), &mut bodies);
}

fn drawn(mut plan: ResMut<Plan>, mut bodies: Written) {
    make(core::mem::take(&mut plan.drawn), &mut bodies);
}

fn make(writes: Vec<(Entity, Write)>, bodies: &mut Written) {
    for (entity, write) in writes {
        let (mut transform, mut velocity) = bodies.get_mut(entity).unwrap();
        match write {
            Write::X(x) => transform.translation.x = x,
            Write::Y(y) => transform.translation.y = y,
            Write::Angle(angle) => transform.rotation = Quat::from_rotation_z(angle),
            Write::Scale(scale) => transform.scale = Vec3::splat(scale),
            Write::Speed(speed) => velocity.linear = speed,
            // Whatever is written as it is counts as changed.
            Write::Same => transform.set_changed(),
        }
    }
}

/// What a body should be doing.
#[derive(Clone, Copy)]
struct Model {
    at: Vec2,
    speed: Vec2,
}

impl Model {
    fn write(&mut self, write: Write) {
        match write {
            Write::X(x) => self.at.x = x,
            Write::Y(y) => self.at.y = y,
            Write::Speed(speed) => self.speed = speed,
            Write::Angle(_) | Write::Scale(_) | Write::Same => {}
        }
    }
}

fn app_of(interpolation: bool, resting: usize, moving: usize) -> (App, Vec<Entity>) {
    let mut app = app_with(TomboloPlugin {
        interpolation,
        ..TomboloPlugin::default()
    });
    app.init_resource::<Plan>();
    app.add_systems(FixedLast, after_step).add_systems(Update, drawn);
    for place in 0..resting {
        let place = Transform::from_xyz(5.0 * place as f32, -100.0, 0.0);
        app.world_mut()
            .spawn((Body::Static, Collider::circle(1.0), place));
    }
    let bodies = (0..moving).map(|place| {
        let body = ball(&mut app, 5.0 * place as f32, 100.0);
        app.world_mut()
            .entity_mut(body)
            .insert((GravityScale(0.0), Velocity::linear(0.0, 1.0)));
        body
    });
    let bodies = bodies.collect();
    (app, bodies)
}

fn some_writes(draw: &mut Draw) -> Vec<(usize, Write)> {
    let count = draw.below(9);
    let mut writes = Vec::new();
    for _ in 0..count {
        let body = draw.below(WRITTEN);
        let write = match draw.below(6) {
            0 => Write::X(5.0 * body as f32 + draw.number()),
            1 => Write::Y(100.0 + draw.number()),
            2 => Write::Angle(3.0 * draw.number()),
            3 => Write::Scale(1.0 + 0.4 * draw.number()),
            4 => Write::Speed(Vec2::new(draw.number(), draw.number())),
            _ => Write::Same,
        };
        writes.push((body, write));
    }
    writes
}

/// Returns the hash at the end.
fn run(seed: u64, interpolation: bool, resting: usize, moving: usize, frames: usize) -> u64 {
    let mut draw = Draw(seed);
    let (mut app, bodies) = app_of(interpolation, resting, moving);
    let mut models: Vec<Model> = (0..moving)
        .map(|place| Model {
            at: Vec2::new(5.0 * place as f32, 100.0),
            speed: Vec2::new(0.0, 1.0),
        })
        .collect();
    let mut waiting: Vec<(usize, Write)> = Vec::new();
    for frame in 0..frames {
        let length = [STEP / 3, STEP, STEP * 5 / 2][draw.below(3)];
        app.insert_resource(TimeUpdateStrategy::ManualDuration(length));
        let (after, drawn) = (some_writes(&mut draw), some_writes(&mut draw));
        let of_entities = |writes: &[(usize, Write)]| {
            let writes = writes.iter().map(|&(body, write)| (bodies[body], write));
            writes.collect::<Vec<_>>()
        };
        let mut plan = app.world_mut().resource_mut::<Plan>();
        plan.after_step.extend(of_entities(&after));
        plan.drawn = of_entities(&drawn);
        waiting.extend(after);
        let before = physics(&app).world().step_index();
        app.update();
        for _ in before..physics(&app).world().step_index() {
            for model in &mut models {
                model.at += model.speed * STEP.as_secs_f32();
            }
            for (body, write) in waiting.drain(..) {
                models[body].write(write);
            }
        }
        // The physics learns of a write in the next step, so those of which there are writes are compared at the end.
        for (body, model) in models.iter().enumerate().skip(WRITTEN) {
            let off = (body_at(&app, bodies[body]) - model.at).length();
            assert!(off < 2.0e-3, "seed {seed}, frame {frame}, body {body}: {off}");
        }
        for (body, write) in drawn {
            models[body].write(write);
        }
    }
    // A step without writes: now the physics knows of all.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(STEP * 2));
    let before = physics(&app).world().step_index();
    app.world_mut().resource_mut::<Plan>().after_step.clear();
    waiting.clear();
    app.update();
    let made = physics(&app).world().step_index() - before;
    for (body, model) in models.iter().enumerate() {
        let expected = model.at + model.speed * STEP.as_secs_f32() * made as f32;
        let is = body_at(&app, bodies[body]);
        assert!(
            (is - expected).length() < 2.0e-3,
            "seed {seed}, body {body}: {is} is not {expected}"
        );
    }
    hash(&app)
}

#[test]
fn several_writes_between_two_steps_count_in_their_order() {
    for seed in 0..12 {
        for (resting, moving) in [(60, 8), (0, 20)] {
            assert_eq!(
                run(seed, false, resting, moving, 40),
                run(seed, true, resting, moving, 40),
                "seed {seed}: interpolation changes nothing"
            );
        }
    }
}

/// A quarter of all, and fewer, of which each share is shown in another way.
#[test]
fn writes_among_thousands_that_move_count_too() {
    for resting in [7_400, 20_000] {
        assert_eq!(
            run(1, false, resting, 2_500, 12),
            run(1, true, resting, 2_500, 12),
            "{resting}"
        );
    }
}
