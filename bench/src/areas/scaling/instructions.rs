//! Counts instructions: runs this program under valgrind's tool callgrind, which counts in whole steps and reports the
//! share inside parallel runs. Counts repeat to within a few in a million, whatever else the machine does.
//!
//! Valgrind has no AVX-512, so the solver has eight lanes in it; the serial part does not use lanes.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use tombolo_scenes::SceneInfo;

/// The function at whose entry and exit counting is switched on and off.
const STEP: &str = "*scaling::plain_step*";

/// The beginning and end of the names of the function that makes all workers' calls, and of no other.
const PARALLEL_RUN: [&str; 2] = ["<tombolo_bench::areas::scaling::Counting as ", ">::run"];

/// The instructions of a step, in the mean over all steps but the first: all, and those outside of parallel runs.
///
/// # Errors
/// Valgrind is not installed, or did not count anything.
pub(super) fn count(scene: &SceneInfo, steps: u32) -> anyhow::Result<[f64; 2]> {
    let file = std::env::temp_dir().join(format!("tombolo-bench-{}.callgrind", std::process::id()));
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--quiet"])
        .arg(format!("--toggle-collect={STEP}"))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe()?)
        .args(["scaling", "--rounds=1"])
        .arg(format!("--scenes={}", scene.name))
        .arg(format!("--steps={steps}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("starting valgrind")?;
    ensure!(status.success(), "valgrind ended with {status}");
    let profile = std::fs::read_to_string(&file)?;
    std::fs::remove_file(&file)?;
    let all = total(&profile).context("valgrind wrote no total")?;
    let inside = inside_runs(&profile);
    ensure!(
        0 < inside && inside < all,
        "{}: valgrind counted {inside} of {all} instructions in parallel runs",
        scene.name
    );
    let counted = f64::from(steps.saturating_sub(1).max(1));
    Ok([all, all - inside].map(|count| count as f64 / counted))
}

/// The sum over all functions of a profile that counts one kind of event.
fn total(profile: &str) -> Option<u64> {
    let line = profile.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

/// The cost of calls of the function that makes all workers' calls, with everything that it called.
///
/// In the format, a called function is named by `cfn=(number) name`, later by its number alone; the line behind
/// `calls=…` ends with the cost. A name is given only with the first use of its number, so those of callers count.
fn inside_runs(profile: &str) -> u64 {
    let (mut run, mut sum) = (None, 0);
    let (mut is_run, mut is_cost) = (false, false);
    for line in profile.lines() {
        if is_cost {
            is_cost = false;
            let cost: u64 = line
                .split(' ')
                .next_back()
                .and_then(|cost| cost.parse().ok())
                .unwrap_or(0);
            sum += if is_run { cost } else { 0 };
        } else if line.starts_with("calls=") {
            is_cost = true;
        } else if let Some(function) = line.strip_prefix("cfn=").or_else(|| line.strip_prefix("fn=")) {
            let (number, name) = function.split_once(' ').unwrap_or((function, ""));
            if name.starts_with(PARALLEL_RUN[0]) && name.ends_with(PARALLEL_RUN[1]) {
                run = Some(number);
            }
            is_run = run == Some(number);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("events: Ir\nfn=(1)\n3 40\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn calls_of_runs_are_summed_and_others_are_not() {
        let name = "<tombolo_bench::areas::scaling::Counting as tombolo_threads::executor::Executor>";
        let profile = format!(
            "fn=(1) step\n1 5\ncfn=(2) {name}::run\ncalls=2 9\n* 70\ncfn=(3) {name}::worker_count\ncalls=1 9\n* 4\n\
             cfn=(2)\ncalls=1 9\n+3 20\n\nfn=(2)\n1 6\ncfn=(4) task\ncalls=2 1\n* 80\n"
        );
        assert_eq!(inside_runs(&profile), 90);
    }
}
