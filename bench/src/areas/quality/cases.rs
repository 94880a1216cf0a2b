//! The cases of area `quality`: the worlds, their numbers of steps, and the figures measured for each.

use tombolo_bench_protocol::worlds::{Carrier, Piece, World};

use super::measures::*;
use super::seen::Seen;

/// One world and its figures.
pub(super) struct Case {
    /// The name in tables.
    pub name: String,
    /// The world that is watched.
    pub world: World,
    /// The number of steps to watch.
    pub steps: u32,
    /// The figures, one row each.
    pub measures: Vec<Measure>,
    /// Whether a smoke run has it.
    pub smoke: bool,
    /// Engines without a feature that it needs.
    pub lacked_by: &'static [&'static str],
    /// A note for the reader.
    pub note: Option<&'static str>,
}

/// One figure of a world.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    /// Its name.
    pub metric: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The least meaningful value: a smaller figure counts as this much.
    pub least: f64,
    /// The function that computes it.
    pub figure: fn(&Seen) -> f64,
}

const fn measure(metric: &'static str, unit: &'static str, least: f64, figure: fn(&Seen) -> f64) -> Measure {
    Measure {
        metric,
        unit,
        least,
        figure,
    }
}

const OVERLAP: Measure = measure("greatest overlap, all steps", "mm", 0.5, overlap_mm);
const MEAN_OVERLAP: Measure = measure("mean overlap", "mm", 0.1, mean_overlap_mm);
const DRIFT: Measure = measure("top's drift", "mm", 0.5, drift_mm);
const SINKING: Measure = measure("top's sinking", "mm", 0.5, sinking_mm);
const SAG: Measure = measure("end's sag", "mm", 0.5, sinking_mm);
const SPEED: Measure = measure("mean speed", "mm/s", 0.1, mean_speed_mm_s);
const JITTER: Measure = measure("jitter", "mm/s", 0.1, jitter_mm_s);
const ASLEEP: Measure = measure("steps until all sleep", "", 1.0, steps_until_asleep);
const JOINT_GAP: Measure = measure("greatest joint gap, all steps", "mm", 0.1, joint_gap_mm);
const CREEP: Measure = measure("creep", "mm/s", 0.1, creep_mm_s);
const SLIDE: Measure = measure("way off by", "%", 0.5, slide_error_percent);
const ROLLING: Measure = measure("loss of speed off by", "%", 1.0, rolling_error_percent);
const HANGING: Measure = measure("hang in the air", "", 0.5, hanging_count);
const SUNK: Measure = measure("sink more than 1 cm", "", 0.5, sunk_count);
const TURN: Measure = measure("mean turn, upper half", "rad", 0.01, upper_turn_rad);
const KINETIC: Measure = measure("kinetic energy", "J", 1.0, kinetic_j);
const FIRST_BOUNCE: Measure = measure("first bounce off by", "%", 1.0, first_bounce_error_percent);
const WORST_LOSS: Measure = measure("lowest bounce, lost", "%", 1.0, worst_loss_percent);
const WORST_GAIN: Measure = measure("highest bounce, won", "%", 1.0, worst_gain_percent);

/// Every case, in the order in which tables show them.
pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    stacks(&mut cases);
    weights(&mut cases);
    chains(&mut cases);
    slopes(&mut cases);
    bounces(&mut cases);
    rods(&mut cases);
    kinematic(&mut cases);
    tilted(&mut cases);
    rolling(&mut cases);
    scenes(&mut cases);
    cases
}

fn case(name: String, world: World, steps: u32, measures: &[Measure]) -> Case {
    Case {
        name,
        world,
        steps,
        measures: measures.to_vec(),
        smoke: false,
        lacked_by: &[],
        note: None,
    }
}

fn stacks(cases: &mut Vec<Case>) {
    for (piece, word) in [(Piece::Brick, "boxes"), (Piece::Hexagon, "hexagons")] {
        for count in [10, 25, 40] {
            for (offset_m, aside) in [(0.0, "straight"), (0.04, "4 cm aside"), (0.1, "10 cm aside")] {
                for (sleeping, steps) in [(false, 300), (true, 600)] {
                    let world = World::Stack {
                        piece,
                        count,
                        offset_m,
                        sleeping,
                    };
                    let (state, measures): (_, &[Measure]) = if sleeping {
                        ("sleep on", &[ASLEEP])
                    } else {
                        ("sleep off", &[DRIFT, SINKING, SPEED, JITTER, OVERLAP])
                    };
                    let name = format!("{count} {word}, {aside}, {state}");
                    cases.push(Case {
                        smoke: count == 10,
                        ..case(name, world, steps, measures)
                    });
                }
            }
        }
    }
}

fn weights(cases: &mut Vec<Case>) {
    for ratio in [10.0, 100.0, 1000.0] {
        for count in [2, 6] {
            let name = format!("{count} boxes in turn 1 : {ratio}");
            let world = World::Weights { ratio, count };
            cases.push(Case {
                smoke: ratio == 10.0,
                ..case(name, world, 300, &[SINKING, SPEED, JITTER, OVERLAP])
            });
        }
    }
}

fn chains(cases: &mut Vec<Case>) {
    for (load_ratio, load) in [(1.0, 1), (10.0, 10), (100.0, 100)] {
        for links in [20, 100] {
            for (level, how) in [(false, "hangs"), (true, "falls from level")] {
                let name = format!("chain of {links}, load 1 : {load}, {how}");
                let world = World::Chain {
                    links,
                    load_ratio,
                    level,
                };
                let smoke = links == 20 && load == 1;
                cases.push(Case {
                    smoke,
                    ..case(name, world, 300, &[JOINT_GAP])
                });
            }
        }
    }
    for planks in [50, 200] {
        let name = format!("bridge of {planks} planks");
        cases.push(case(name, World::Bridge { planks }, 600, &[JOINT_GAP]));
    }
    for planks in [4, 8, 16] {
        let name = format!("cantilever of {planks} welded planks");
        let world = World::Cantilever { planks };
        cases.push(Case {
            smoke: planks == 4,
            lacked_by: &["avian"],
            ..case(name, world, 1200, &[SAG, JOINT_GAP, SPEED])
        });
    }
}

fn slopes(cases: &mut Vec<Case>) {
    for friction in [0.3, 0.6] {
        for (share, word) in [(0.95, "0.95"), (0.99, "0.99"), (1.02, "1.02"), (1.1, "1.10")] {
            let name = format!("slope of {word} of friction {friction}");
            let world = World::Slope { friction, share };
            let measure = if share < 1.0 { CREEP } else { SLIDE };
            cases.push(Case {
                smoke: true,
                ..case(name, world, 300, &[measure])
            });
        }
    }
}

fn bounces(cases: &mut Vec<Case>) {
    for (piece, word) in [(Piece::Ball, "ball"), (Piece::Cube, "box")] {
        for height_m in [0.5, 1.0, 2.0, 5.0, 20.0] {
            let world = |restitution| World::Drop {
                piece,
                restitution,
                height_m,
            };
            let name = format!("{word} of restitution 1 from {height_m} m");
            cases.push(Case {
                smoke: height_m == 1.0,
                note: Some("nothing bounces below 1 m/s (5 cm), in any of the three"),
                ..case(name, world(1.0), 1300, &[FIRST_BOUNCE, WORST_LOSS, WORST_GAIN])
            });
            let name = format!("{word} of restitution 0.5 from {height_m} m");
            cases.push(Case {
                smoke: height_m == 1.0,
                ..case(name, world(0.5), 300, &[FIRST_BOUNCE])
            });
        }
    }
}

fn rods(cases: &mut Vec<Case>) {
    let kinds = [
        (2.0, 0.04, "2 m × 4 cm", 100.0, "100 m"),
        (2.0, 0.04, "2 m × 4 cm", 1000.0, "1 km"),
        (1.0, 0.1, "1 m × 10 cm", 100.0, "100 m"),
        (1.0, 0.1, "1 m × 10 cm", 1000.0, "1 km"),
    ];
    for (length_m, thickness_m, size, floor_m, floor) in kinds {
        let world = World::Rods {
            count: 200,
            length_m,
            thickness_m,
            floor_m,
        };
        let name = format!("200 rods of {size} on {floor}");
        cases.push(Case {
            smoke: false,
            ..case(name, world, 400, &[HANGING, SUNK, OVERLAP])
        });
    }
}

fn kinematic(cases: &mut Vec<Case>) {
    let kinds = [
        (Carrier::Drum, "box on a drum of 10 m, 0.1 rad/s", 240),
        (Carrier::HollowDrum, "box in a drum of 10 m, 0.1 rad/s", 240),
        (Carrier::Beam, "box on a beam of 20 m, 0.1 rad/s", 240),
        (Carrier::Lift, "3 boxes on a lift, 2 m/s", 240),
        (Carrier::Gears, "60 boxes between two gears", 600),
    ];
    for (by, name, steps) in kinds {
        cases.push(Case {
            smoke: by != Carrier::Gears,
            ..case(name.to_owned(), World::Carried { by }, steps, &[OVERLAP])
        });
    }
}

fn tilted(cases: &mut Vec<Case>) {
    cases.push(Case {
        smoke: true,
        ..case(
            "box tilted by 2.2°, back at 2 rad/s".to_owned(),
            World::Tilted { count: 1 },
            60,
            &[OVERLAP],
        )
    });
    cases.push(Case {
        smoke: true,
        ..case(
            "200 boxes tilted by chance".to_owned(),
            World::Tilted { count: 200 },
            60,
            &[SUNK, OVERLAP],
        )
    });
}

fn rolling(cases: &mut Vec<Case>) {
    for (floor_m, floor) in [(100.0, "100 m"), (1000.0, "1 km")] {
        let world = World::Rolling {
            resistance: 0.05,
            speed: 5.0,
            floor_m,
        };
        cases.push(Case {
            smoke: true,
            lacked_by: &["rapier", "avian"],
            ..case(
                format!("ball with rolling resistance on {floor}"),
                world,
                60,
                &[ROLLING],
            )
        });
    }
}

fn scenes(cases: &mut Vec<Case>) {
    let kinds: [(&str, u32, u32, &[Measure]); 5] = [
        (
            "large_pyramid",
            30,
            300,
            &[SINKING, SPEED, JITTER, OVERLAP, MEAN_OVERLAP],
        ),
        ("mixer", 60, 200, &[TURN, KINETIC, OVERLAP, MEAN_OVERLAP]),
        ("spinner", 6076, 200, &[KINETIC, OVERLAP, MEAN_OVERLAP]),
        ("tumbler", 45, 300, &[KINETIC, OVERLAP, MEAN_OVERLAP]),
        ("washer", 90, 200, &[KINETIC, OVERLAP, MEAN_OVERLAP]),
    ];
    for (name, size, steps, measures) in kinds {
        let world = World::Scene {
            name: name.to_owned(),
            size,
        };
        cases.push(case(format!("{name}, size {size}"), world, steps, measures));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_all_different() {
        let mut names: Vec<String> = all().into_iter().map(|case| case.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
