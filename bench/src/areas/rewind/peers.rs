//! Saves of whole worlds by other engines: Box2D's snapshot and a bincode of Rapier's world, each in a process of its own.

use anyhow::ensure;
use tombolo_bench_protocol::saves::{SavesAnswer, SavesOrder};

use super::super::Run;
use super::super::physics::builds::{self, Build};
use super::{Case, SavedFrame};
use crate::report::print_note;

/// The builds of the named engines, compiled if they are not up to date.
pub(super) fn build(engines: &[&str]) -> anyhow::Result<Vec<&'static Build>> {
    let builds: Vec<_> = engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<_>>()?;
    for build in &builds {
        builds::build(build, 1)?;
    }
    Ok(builds)
}

/// Rows of our frames beside each peer's saves of the same world.
pub(super) fn compare(
    case: &Case,
    ours: &SavedFrame,
    peers: &[&Build],
    saves: u32,
    run: &mut Run,
) -> anyhow::Result<()> {
    let Some((world, size)) = case.of_peers else {
        return Ok(());
    };
    let counts = case.world.counters();
    for peer in peers {
        let order = SavesOrder { world, size, saves };
        let answer: SavesAnswer = peer.ask(order.to_arguments())?;
        // Ours has a pen besides, in which balls fly in another case.
        ensure!(
            counts.bodies.abs_diff(answer.counts.bodies) <= 1,
            "{}: ours has {} bodies, {} {}",
            case.name,
            counts.bodies,
            answer.engine,
            answer.counts.bodies
        );
        print_note(&format!(
            "{}: ours {} awake and {} contacts, {} {} and {}",
            case.name,
            counts.awake_bodies,
            counts.contacts,
            answer.engine,
            answer.counts.awake,
            answer
                .counts
                .contacts
                .map_or_else(|| "untold ones".to_owned(), |count| count.to_string())
        ));
        let mut times = answer.save_ns;
        times.sort_unstable();
        let median_us = times[times.len() / 2] as f64 * 1e-3;
        let kilobytes = answer.bytes as f64 * 1e-3;
        let report = &mut run.report;
        let save = Some((answer.engine.as_str(), median_us));
        report.push(case.name, "save of a frame", "µs", ours.us, save);
        let bytes = Some((answer.engine.as_str(), kilobytes));
        report.push(case.name, "bytes of a frame", "kB", ours.kilobytes, bytes);
    }
    Ok(())
}
