//! Refuses apps whose boxes are not where they should be: a plugin that does not step, or does not write Transforms, is
//! no peer.

use anyhow::{Context, ensure};
use glam::Vec2;
use tombolo_bench_protocol::apps::{AppWorld, Content};
use tombolo_bench_protocol::ground::GRAVITY;
use tombolo_scenes::{STEP_S, SUBSTEPS};

use super::rounds::{Measured, Plan};

/// The mean distance that the boxes of a pyramid may move, in meters: half a box, as for the scenes at rest.
const MOVED_MAX_M: f32 = 0.5;

/// The steps that an app may be behind or ahead: the first update of Bevy's fixed schedules makes none, and an
/// interpolated Transform is a step behind.
const STEPS_APART: u32 = 2;

/// Checks the places of an app's boxes.
///
/// # Errors
/// Names the plugin, the plan and the fault.
pub(super) fn answer(plan: &Plan, one: &Measured) -> anyhow::Result<()> {
    let start = plan.order(one.contender.content, one.contender.schedules).boxes();
    places(plan, one.contender.content, &start, &one.places)
        .with_context(|| format!("{} on {}", one.plugin, plan.case()))
}

fn places(plan: &Plan, content: Content, start: &[Vec2], places: &[[f32; 3]]) -> anyhow::Result<()> {
    ensure!(
        start.len() == places.len(),
        "{} boxes instead of {}",
        places.len(),
        start.len()
    );
    ensure!(
        places.iter().flatten().all(|number| number.is_finite()),
        "a Transform is not finite"
    );
    let moved = |(start, place): (&Vec2, &[f32; 3])| Vec2::new(place[0], place[1]) - *start;
    let mut moved = start.iter().zip(places).map(moved);
    match (content, plan.world) {
        (Content::Bare, _) => ensure!(moved.all(|by| by == Vec2::ZERO), "boxes move without a plugin"),
        (_, AppWorld::Pyramid) => {
            let sum: f32 = moved.map(Vec2::length).sum();
            let mean = sum / start.len() as f32;
            ensure!(
                mean < MOVED_MAX_M,
                "boxes at rest moved by {mean:.3} m in the mean"
            );
        }
        (_, AppWorld::Falling) => {
            // A thousandth for rounding, which differs by engine.
            let least = 0.999 * fall(plan.steps - STEPS_APART);
            let most = 1.001 * fall(plan.steps + STEPS_APART);
            ensure!(
                moved.all(|by| by.x.abs() < 1.0e-3 && (least..=most).contains(&-by.y)),
                "a box did not fall by {least:.3} to {most:.3} m"
            );
        }
    }
    Ok(())
}

/// The distance that a box falls in so many steps, in meters.
fn fall(steps: u32) -> f32 {
    let time = STEP_S / SUBSTEPS as f32;
    let count = (steps * SUBSTEPS) as f32;
    0.5 * GRAVITY * time * time * count * (count + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(world: AppWorld, content: Content, by: Vec2) -> bool {
        let plan = Plan::new(world, 1, true);
        let start = [Vec2::new(1.0, 2.0), Vec2::new(3.0, 2.0)];
        let ends = start.map(|at| [at.x + by.x, at.y + by.y, 0.0]);
        places(&plan, content, &start, &ends).is_ok()
    }

    #[test]
    fn a_plugin_that_does_not_move_what_falls_is_refused() {
        let steps = Plan::new(AppWorld::Falling, 1, true).steps;
        let fallen = |by: f32| judge(AppWorld::Falling, Content::Plugin, Vec2::new(0.0, -by));
        assert!(fallen(fall(steps)) && fallen(fall(steps - 1)) && fallen(fall(steps - STEPS_APART)));
        assert!(!fallen(0.0) && !fallen(fall(steps / 2)) && !fallen(fall(2 * steps)));
        assert!(!judge(
            AppWorld::Falling,
            Content::Plugin,
            Vec2::new(0.1, -fall(steps))
        ));
        // Half of g t² for one second, as the integration with substeps has it.
        assert!((fall(60) - 5.0).abs() < 0.05);
    }

    #[test]
    fn a_pyramid_that_falls_apart_is_refused() {
        let moved = |by| judge(AppWorld::Pyramid, Content::Interpolated, Vec2::new(by, 0.0));
        assert!(moved(0.1) && !moved(0.6) && !moved(f32::NAN));
    }

    #[test]
    fn without_a_plugin_nothing_moves() {
        assert!(judge(AppWorld::Falling, Content::Bare, Vec2::ZERO));
        assert!(!judge(AppWorld::Pyramid, Content::Bare, Vec2::new(0.0, 0.01)));
    }
}
