//! Refuses answers that can't be right: a fast wrong engine is no peer.

use anyhow::{Context, ensure};
use glam::Vec2;
use tombolo::scenes;

use super::recording::Recording;
use super::rounds::{Measured, Plan};

/// Contacts that Box2D's own benchmark program counts at the end of its scenes, for the revision that the runner uses.
/// The runner must reach the same numbers, or it does not run the same scenes.
const BOX2D_CONTACTS: &[(&str, usize)] = &[
    ("large_pyramid", 14_950),
    ("many_pyramids", 58_000),
    ("tumbler", 8_422),
];

/// What holds the bodies of a scene together until its last step.
struct Vessel {
    scene: &'static str,
    /// Whether a place is inside, its walls included.
    holds: fn(Vec2) -> bool,
}

/// The scenes with walls around them; at the top, troughs are open.
const VESSELS: &[Vessel] = &[
    Vessel {
        scene: "tumbler",
        // The corners of a square drum of 21 m, however it is turned.
        holds: |place| place.distance(Vec2::new(0.0, 10.0)) < 15.0,
    },
    Vessel {
        scene: "washer",
        holds: |place| place.distance(Vec2::new(0.0, 10.0)) < 18.0,
    },
    Vessel {
        scene: "spinner",
        holds: |place| place.distance(Vec2::new(0.0, 32.0)) < 40.0,
    },
    Vessel {
        scene: "compounds",
        holds: |place| place.x.abs() < 40.5 && place.y > -0.5,
    },
    Vessel {
        scene: "junkyard",
        holds: |place| place.x.abs() < 80.5 && place.y > -0.5,
    },
    Vessel {
        scene: "rain",
        // The lowest floor; what falls over the edge of a narrow rain falls past it.
        holds: |place| place.y > -1.0,
    },
    Vessel {
        scene: "ball_pit",
        holds: |place| place.x.abs() < 30.5 && place.y > -0.5,
    },
    Vessel {
        scene: "mixed_sizes",
        holds: |place| place.x.abs() < 100.5 && place.y > -0.5,
    },
    Vessel {
        scene: "mixer",
        holds: |place| place.x.abs() < 60.5 && place.y > -0.5,
    },
    Vessel {
        scene: "gas",
        // The walls of the full size, and so of all smaller ones.
        holds: |place| place.x.abs() < 101.0 && place.y.abs() < 101.0,
    },
    Vessel {
        scene: "terrain",
        holds: |place| place.y > -0.5,
    },
    Vessel {
        scene: "bridges",
        holds: |place| place.y > -0.5,
    },
];

/// Checks the answers of all engines to one plan.
///
/// # Errors
/// Names the engine, the scene and what is wrong.
pub(super) fn answers(plan: &Plan, recording: &Recording, measured: &[&Measured]) -> anyhow::Result<()> {
    for one in measured {
        answer(plan, recording, one).with_context(|| format!("{} on {}", one.build.name, plan.case()))?;
    }
    heights(plan, recording, measured)
}

fn answer(plan: &Plan, recording: &Recording, one: &Measured) -> anyhow::Result<()> {
    let counts = one.answer.counts;
    let shapes = recording
        .bodies
        .iter()
        .map(|body| body.shapes.len())
        .sum::<usize>();
    let expected = (recording.bodies.len(), shapes, recording.joints.len());
    ensure!(
        (counts.bodies, counts.shapes, counts.joints) == expected,
        "{counts:?} instead of {expected:?} bodies, shapes and joints",
    );
    let quality = recording.measure(&one.answer.bodies)?;
    let scene = scenes::find(plan.scene).expect("plans are made of known scenes");
    if scene.at_rest {
        // Half a body: the mean of an engine that lets a stack lean or fall is far beyond. Stacks are soft: the lower
        // half gives way under the upper, so what is allowed grows with rows times weight.
        let growth = (f64::from(plan.size) / f64::from(scene.size)).max(1.0);
        let allowed = 0.5 * growth * growth;
        ensure!(
            quality.drift_m.mean < allowed,
            "what should stay moved by {:.3} m in the mean",
            quality.drift_m.mean
        );
    }
    if let Some(vessel) = VESSELS.iter().find(|vessel| vessel.scene == plan.scene) {
        let escaped = recording
            .dynamic(&one.answer.bodies)
            .filter(|(_, motion)| !(vessel.holds)(Vec2::new(motion.x, motion.y)))
            .count();
        // A few slip through a wall where the crowd is pressed hardest.
        ensure!(
            escaped * 100 <= one.answer.bodies.len(),
            "{escaped} of {} bodies are outside what should hold them",
            one.answer.bodies.len(),
        );
    }
    let exact = plan.size == scene.size && plan.steps == scene.steps && plan.variant.seed == 0;
    if one.build.name == "box2d" && exact {
        for &(_, contacts) in BOX2D_CONTACTS.iter().filter(|(name, _)| *name == plan.scene) {
            ensure!(
                counts.contacts == contacts,
                "{} contacts instead of {contacts}",
                counts.contacts
            );
        }
    }
    Ok(())
}

/// Scenes whose bodies are thrown about for ever: where they are at one instant says nothing about another engine's. That
/// they are inside their vessels is checked for each engine alone.
const STIRRED: &[&str] = &["tumbler", "spinner", "washer", "mixer", "gas"];

/// The bodies of all engines lie at the same height in the mean, to a twentieth of the height that the scene spans.
fn heights(plan: &Plan, recording: &Recording, measured: &[&Measured]) -> anyhow::Result<()> {
    if STIRRED.contains(&plan.scene) {
        return Ok(());
    }
    let Some((first, others)) = measured.split_first() else {
        return Ok(());
    };
    let places = recording.bodies.iter().map(|body| f64::from(body.def.position.y));
    let (low, high) = places.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
    let allowed = ((high - low) / 20.0).max(0.5);
    let height = |one: &Measured| anyhow::Ok(recording.measure(&one.answer.bodies)?.height_m.mean);
    let ours = height(first)?;
    for other in others {
        let theirs = height(other)?;
        ensure!(
            (ours - theirs).abs() <= allowed,
            "{}: bodies are {ours:.2} m high in {} and {theirs:.2} m in {}",
            plan.case(),
            first.build.name,
            other.build.name,
        );
    }
    Ok(())
}
