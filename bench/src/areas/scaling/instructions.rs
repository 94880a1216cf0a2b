//! Counts instructions: runs this program under valgrind's tool callgrind, twice, once counting in whole steps and once
//! leaving out what is inside of parallel runs. Counts repeat to within a few in a million, whatever else the machine does.
//!
//! Valgrind knows no AVX-512, so the solver has eight lanes in it; what is serial does not use lanes.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use tombolo::scenes::SceneInfo;

/// Counting is switched whenever a function of such a name is entered or left.
const STEP: &str = "*scaling*counted_step*";
const PARALLEL_RUN: &str = "*scaling*Counting*run*";

/// Instructions of a step, in the mean over all steps but the first: all, and those outside of parallel runs.
///
/// # Errors
/// Valgrind is not there, or did not count anything.
pub(super) fn count(scene: &SceneInfo, steps: u32) -> anyhow::Result<[f64; 2]> {
    let timed = f64::from(steps.saturating_sub(1).max(1));
    let all = collect(scene, steps, &[STEP])?;
    let serial = collect(scene, steps, &[STEP, PARALLEL_RUN])?;
    ensure!(
        0 < serial && serial < all,
        "{}: valgrind counted {serial} of {all} instructions",
        scene.name
    );
    Ok([all, serial].map(|count| count as f64 / timed))
}

fn collect(scene: &SceneInfo, steps: u32, toggles: &[&str]) -> anyhow::Result<u64> {
    let file = std::env::temp_dir().join(format!("tombolo-bench-{}.callgrind", std::process::id()));
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--quiet"])
        .args(toggles.iter().map(|name| format!("--toggle-collect={name}")))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe()?)
        .args(["scaling", "--rounds=1"])
        .arg(format!("--scenes={}", scene.name))
        .arg(format!("--steps={steps}"))
        .stdout(Stdio::null())
        .status()
        .context("starting valgrind")?;
    ensure!(status.success(), "valgrind ended with {status}");
    let profile = std::fs::read_to_string(&file)?;
    std::fs::remove_file(&file)?;
    total(&profile).context("valgrind wrote no total")
}

/// The sum over all functions of a profile that counts one kind of event.
fn total(profile: &str) -> Option<u64> {
    let line = profile.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("events: Ir\nfn=(1)\n3 40\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("events: Ir\n"), None);
    }
}
