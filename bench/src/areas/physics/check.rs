//! Refuses results that can't be right: an engine that is fast and wrong is no peer.

use anyhow::{Context, ensure};
use glam::Vec2;
use tombolo::physics::BodyKind;
use tombolo_scenes as scenes;

use super::quality::{self, Quality};
use super::recording::Recording;
use super::rounds::{Measured, Plan};

/// Contacts that Box2D's own benchmark program counts at the end of its scenes, for the revision that the runner uses.
/// The runner must reach the same numbers, or it does not run the same scenes.
const BOX2D_CONTACTS: &[(&str, usize)] = &[
    ("large_pyramid", 14_950),
    ("many_pyramids", 58_000),
    ("tumbler", 8_422),
];

/// The container that holds the bodies of a scene until its last step.
struct Container {
    scene: &'static str,
    /// Whether a position is inside, the walls included.
    holds: fn(Vec2) -> bool,
}

/// The scenes with walls; troughs are open at the top.
const CONTAINERS: &[Container] = &[
    Container {
        scene: "tumbler",
        // The corners of a square drum of 21 m, at any angle.
        holds: |place| place.distance(Vec2::new(0.0, 10.0)) < 15.0,
    },
    Container {
        scene: "washer",
        holds: |place| place.distance(Vec2::new(0.0, 10.0)) < 18.0,
    },
    Container {
        scene: "spinner",
        holds: |place| place.distance(Vec2::new(0.0, 32.0)) < 40.0,
    },
    Container {
        scene: "compounds",
        holds: |place| place.x.abs() < 40.5 && place.y > -0.5,
    },
    Container {
        scene: "junkyard",
        holds: |place| place.x.abs() < 80.5 && place.y > -0.5,
    },
    Container {
        scene: "rain",
        // The lowest floor; bodies that fall over the edge of a narrow rain fall past it.
        holds: |place| place.y > -1.0,
    },
    Container {
        scene: "ball_pit",
        holds: |place| place.x.abs() < 30.5 && place.y > -0.5,
    },
    Container {
        scene: "mixed_sizes",
        holds: |place| place.x.abs() < 100.5 && place.y > -0.5,
    },
    Container {
        scene: "mixer",
        holds: |place| place.x.abs() < 60.5 && place.y > -0.5,
    },
    Container {
        scene: "gas",
        // The walls of the full size, and so of all smaller ones.
        holds: |place| place.x.abs() < 101.0 && place.y.abs() < 101.0,
    },
    Container {
        scene: "terrain",
        holds: |place| place.y > -0.5,
    },
    Container {
        scene: "bridges",
        holds: |place| place.y > -0.5,
    },
];

/// The peers whose results for a plan cannot be right, by the names of their builds, and why.
pub(super) type Refused = Vec<(&'static str, String)>;

/// Checks the results of all engines for one plan. A peer that is refused gets no rows in that plan.
///
/// # Errors
/// A result of this engine cannot be right, or is unlike that of every peer that is not refused: names the engine, the scene and the
/// fault.
pub(super) fn answers(plan: &Plan, recording: &Recording, measured: &[&Measured]) -> anyhow::Result<Refused> {
    let mut refused = Refused::new();
    let mut qualities: Vec<(&'static str, Quality)> = Vec::new();
    for one in measured {
        match answer(plan, recording, one).and_then(|()| quality::over(plan, &one.frames)) {
            Ok(quality) => qualities.push((one.build.name, quality)),
            Err(error) if !one.build.is_ours() => refused.push((one.build.name, format!("{error:#}"))),
            Err(error) => return Err(error.context(format!("{} on {}", one.build.name, plan.case()))),
        }
    }
    same_bits(measured).with_context(|| plan.case())?;
    refused.extend(penetrations(recording, &qualities).with_context(|| plan.case())?);
    qualities.retain(|(name, _)| refused.iter().all(|(peer, _)| peer != name));
    refused.extend(likeness(plan, recording, &qualities).with_context(|| plan.case())?);
    Ok(refused)
}

/// Checks that all builds of this engine end alike to the bit: the lanes of a module of WebAssembly and of a processor, its functions of
/// numbers and the system's.
fn same_bits(measured: &[&Measured]) -> anyhow::Result<()> {
    let mut ours = measured.iter().filter(|one| one.build.is_ours());
    let Some(first) = ours.next() else { return Ok(()) };
    for other in ours {
        ensure!(
            first.answer.hash == other.answer.hash,
            "{} ends differently from {}: hashes {:#x} and {:#x}",
            other.build.name,
            first.build.name,
            other.answer.hash,
            first.answer.hash,
        );
    }
    Ok(())
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
        // Half a body: the mean of an engine in which a stack leans or falls is far beyond. Stacks are soft: the lower
        // half is compressed by the upper, so the limit grows with rows times weight.
        let growth = (f64::from(plan.size) / f64::from(scene.size)).max(1.0);
        let allowed = 0.5 * growth * growth;
        ensure!(
            quality.drift_m.mean < allowed,
            "what should stay moved by {:.3} m in the mean",
            quality.drift_m.mean
        );
    }
    if let Some(container) = CONTAINERS.iter().find(|container| container.scene == plan.scene) {
        let escaped = recording
            .dynamic(&one.answer.bodies)
            .filter(|(_, motion)| !(container.holds)(Vec2::new(motion.x, motion.y)))
            .count();
        // A few bodies pass through a wall at the points of the greatest pressure.
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
                counts.contacts == Some(contacts),
                "{:?} contacts instead of {contacts}",
                counts.contacts
            );
        }
    }
    Ok(())
}

/// The overlap that is granted beyond the multiple of the best engine's, as a part of the distance from the center of a
/// shape to its nearest edge (the median of a scene's). Engines let shapes overlap by a slop on purpose, whatever their size, and
/// where one of them leaves less the multiple of next to nothing would refuse a slop.
const GRANTED: f64 = 0.01;

/// Checks that bodies overlap no more in one engine than in others: in ours, the first, at most half as much again in the
/// mean as in the best, in others four times as much, and [`GRANTED`] beyond that; nor by half the distance from a shape's
/// center to its nearest edge. Returns the peers for which that does not hold.
fn penetrations(recording: &Recording, qualities: &[(&'static str, Quality)]) -> anyhow::Result<Refused> {
    let mean = |quality: &Quality| quality.penetration_m.mean;
    let means = qualities.iter().map(|(_, quality)| mean(quality));
    let least = means.fold(f64::INFINITY, f64::min);
    let shapes = recording
        .bodies
        .iter()
        .filter(|body| body.def.kind == BodyKind::Dynamic);
    let extents = shapes.flat_map(|body| body.shapes.iter().map(|(_, shape)| f64::from(shape.min_extent())));
    let extent = quality::median(extents.collect());
    let bound = 0.5 * extent;
    let granted = if extent.is_nan() { 0.0 } else { GRANTED * extent };
    let mut refused = Refused::new();
    for (index, (name, quality)) in qualities.iter().enumerate() {
        let mean = mean(quality);
        let allowed = if index == 0 { 1.5 } else { 4.0 } * least + granted;
        let fault = if mean > allowed {
            format!(
                "what touches overlaps by {:.2} mm in the mean in {name}, by {:.2} mm in another engine; {:.2} mm are allowed",
                mean * 1e3,
                least * 1e3,
                allowed * 1e3,
            )
        } else if mean > bound {
            format!(
                "what touches overlaps by {:.2} mm in the mean in {name}",
                mean * 1e3
            )
        } else {
            continue;
        };
        ensure!(index > 0, fault);
        refused.push((name, fault));
    }
    Ok(refused)
}

/// Scenes whose bodies are stirred for ever: the position of one body at one instant says nothing, the mean of all
/// bodies over some frames does.
const STIRRED: &[&str] = &["tumbler", "spinner", "washer", "mixer", "gas"];

/// Checks that the mean height of the bodies of all engines is equal, to a twentieth of the height that the scene
/// spans. For stirred scenes also that they turn as far and move as fast. Returns the peers that differ from ours, the first.
///
/// # Errors
/// All peers differ: then ours may be the one that is wrong.
fn likeness(
    plan: &Plan,
    recording: &Recording,
    qualities: &[(&'static str, Quality)],
) -> anyhow::Result<Refused> {
    let Some(((first, ours), others)) = qualities.split_first() else {
        return Ok(Refused::new());
    };
    let places = recording.bodies.iter().map(|body| f64::from(body.def.position.y));
    let (low, high) = places.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
    let allowed = ((high - low) / 20.0).max(0.5);
    let mut refused = Refused::new();
    for (other, theirs) in others {
        if let Some(fault) = unlike(plan, allowed, (first, ours), (other, theirs)) {
            refused.push((other, fault));
        }
    }
    ensure!(
        refused.is_empty() || refused.len() < others.len(),
        refused.swap_remove(0).1
    );
    Ok(refused)
}

/// What differs between two engines' bodies, whose mean heights may be `allowed_m` apart.
fn unlike(plan: &Plan, allowed_m: f64, ours: (&str, &Quality), theirs: (&str, &Quality)) -> Option<String> {
    /// The tolerance of turns, in radians.
    const TURN_ALLOWED: f64 = 0.25;
    const MOVEMENT_ALLOWED: f64 = 1.5;
    let ((first, ours), (other, theirs)) = (ours, theirs);
    let [a, b] = [ours, theirs].map(|quality| quality.height_m.mean);
    if (a - b).abs() > allowed_m {
        return Some(format!(
            "bodies are {a:.2} m high in {first} and {b:.2} m in {other}"
        ));
    }
    if !STIRRED.contains(&plan.scene) {
        return None;
    }
    let [a, b] = [ours, theirs].map(|quality| quality.turn_rad.mean);
    if (a - b).abs() > TURN_ALLOWED {
        return Some(format!(
            "bodies are turned by {a:.2} rad in the mean in {first} and by {b:.2} rad in {other}"
        ));
    }
    let [a, b] = [ours, theirs].map(|quality| quality.kinetic_j);
    (a > MOVEMENT_ALLOWED * b || b > MOVEMENT_ALLOWED * a)
        .then(|| format!("bodies move with {a:.0} J in {first} and with {b:.0} J in {other}"))
}

#[cfg(test)]
mod tests {
    use super::super::builds;
    use super::super::rounds::Variant;
    use super::*;
    use tombolo_bench_protocol::Answer;

    fn plan(scene: &'static str) -> Plan {
        Plan {
            scene,
            size: scenes::find(scene).unwrap().size_small,
            variant: Variant {
                size_factor: 1.0,
                seed: 0,
            },
            steps: 1,
            threads: 1,
        }
    }

    #[test]
    fn builds_of_this_engine_that_end_differently_are_refused() {
        let run = |name: &str, hash| Measured {
            plan: plan("tumbler"),
            build: builds::find(name).unwrap(),
            frames: Vec::new(),
            answer: Answer {
                hash,
                ..Answer::default()
            },
            least_ns: Vec::new(),
        };
        let judge = |runs: &[(&str, u64)]| {
            let runs: Vec<Measured> = runs.iter().map(|&(name, hash)| run(name, hash)).collect();
            same_bits(&runs.iter().collect::<Vec<_>>())
        };
        assert!(
            judge(&[
                ("rapier-web", 2),
                ("tombolo-web", 1),
                ("tombolo-four-lanes", 1),
                ("box2d-web", 3)
            ])
            .is_ok()
        );
        for others in [
            ["tombolo-four-lanes", "box2d-web"],
            ["tombolo", "tombolo-four-lanes"],
        ] {
            let error = judge(&[("tombolo-web", 1), (others[0], 2), (others[1], 2)]).unwrap_err();
            assert!(error.to_string().contains("tombolo-web"), "{error}");
        }
    }

    /// A frame's figures, all equal but for one change.
    fn quality(change: impl Fn(&mut Quality)) -> Quality {
        let spread = |mean| quality::Spread {
            count: 1,
            max: mean,
            mean,
        };
        let mut quality = Quality {
            penetration_m: spread(0.01),
            joint_separation_m: spread(0.0),
            drift_m: spread(0.0),
            height_m: spread(5.0),
            turn_rad: spread(1.0),
            energy_j: 100.0,
            kinetic_j: 100.0,
        };
        change(&mut quality);
        quality
    }

    #[test]
    fn what_overlaps_more_than_in_another_engine_is_refused() {
        let recording = Recording::make(&plan("tumbler")).unwrap();
        let judge = |ours: f64, theirs: f64| {
            let [ours, theirs] =
                [ours, theirs].map(|mean| quality(|quality| quality.penetration_m.mean = mean));
            penetrations(&recording, &[("a", ours), ("b", theirs)])
        };
        // 1.25 mm are granted.
        assert!(judge(0.016, 0.01).unwrap().is_empty());
        assert!(
            judge(0.017, 0.01)
                .unwrap_err()
                .to_string()
                .contains("17.00 mm in the mean in a")
        );
        assert!(judge(0.01, 0.041).unwrap().is_empty());
        let refused = judge(0.01, 0.042).unwrap();
        assert!(
            matches!(&refused[..], [("b", fault)] if fault.contains("in b")),
            "{refused:?}"
        );
        // Boxes of a quarter of a meter, both engines equally wrong.
        assert!(judge(0.07, 0.07).is_err());
    }

    #[test]
    fn mixing_scenes_are_checked_by_height_turn_and_movement() {
        let judge = |scene, change: fn(&mut Quality)| {
            let plan = plan(scene);
            let recording = Recording::make(&plan).unwrap();
            likeness(
                &plan,
                &recording,
                &[("a", quality(|_| ())), ("b", quality(change))],
            )
        };
        assert!(judge("tumbler", |_| ()).is_ok());
        assert!(judge("tumbler", |quality| quality.height_m.mean = 7.0).is_err());
        assert!(judge("tumbler", |quality| quality.turn_rad.mean = 1.3).is_err());
        assert!(judge("tumbler", |quality| quality.kinetic_j = 60.0).is_err());
        assert!(judge("tumbler", |quality| quality.kinetic_j = 160.0).is_err());
        assert!(judge("rain", |quality| quality.kinetic_j = 160.0).is_ok());
        assert!(judge("rain", |quality| quality.height_m.mean = 50.0).is_err());
    }

    #[test]
    fn one_peer_of_two_that_differs_is_left_out() {
        let plan = plan("rain");
        let recording = Recording::make(&plan).unwrap();
        let high = |height: f64| quality(|quality| quality.height_m.mean = height);
        let judge = |b, c| {
            likeness(
                &plan,
                &recording,
                &[("a", high(5.0)), ("b", high(b)), ("c", high(c))],
            )
        };
        assert!(judge(5.0, 5.0).unwrap().is_empty());
        let refused = judge(50.0, 5.0).unwrap();
        assert!(matches!(&refused[..], [("b", _)]), "{refused:?}");
        let error = judge(50.0, 60.0).unwrap_err();
        assert!(error.to_string().contains("50.00 m in b"), "{error}");
    }
}
