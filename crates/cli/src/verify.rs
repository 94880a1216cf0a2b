//! `tombolo verify`: checks that a world gives the same bits at several thread counts and lane widths, and those that
//! were blessed.

use std::fmt::Write as _;
use std::path::Path;

use tombolo::physics::LaneWidth;
use tombolo::threads::Pool;

use crate::arguments::VerifyOptions;
use crate::golden::{Blessed, FILE, Golden};
use crate::output::{Failure, say};
use crate::source::{Changes, Source, verified_names};

/// One configuration of a run, which must not change a bit.
#[derive(Clone, Copy, Debug)]
struct Case {
    threads: usize,
    /// The lane width; the machine's widest unless given.
    lanes: Option<LaneWidth>,
    /// The width of batches; the engine's choice unless given.
    batches: Option<u32>,
}

impl Case {
    /// Every combination of the thread counts, lane widths and widths of batches that were asked for.
    fn all(options: &VerifyOptions) -> Vec<Self> {
        let widths: Vec<Option<LaneWidth>> = match options.lanes.as_slice() {
            [] => vec![None],
            given => given.iter().copied().map(Some).collect(),
        };
        let batches: Vec<Option<u32>> = match options.batches.as_slice() {
            [] => vec![None],
            given => given.iter().copied().map(Some).collect(),
        };
        let mut cases = Vec::new();
        for &threads in &options.threads {
            for &lanes in &widths {
                cases.extend(batches.iter().map(|&batches| Self {
                    threads,
                    lanes,
                    batches,
                }));
            }
        }
        cases
    }

    fn name(self) -> String {
        let threads = if self.threads == 1 {
            "1 thread".to_string()
        } else {
            format!("{} threads", self.threads)
        };
        let mut name = match self.lanes {
            None => threads,
            Some(width) => format!("{threads}, {}", width.lanes()),
        };
        match self.batches {
            None => {}
            Some(u32::MAX) => name.push_str(", one batch"),
            Some(bodies) => name.push_str(&format!(", batches of {bodies}")),
        }
        name
    }
}

/// The result of running one scene in every case.
struct Verdict {
    scene: String,
    steps: u32,
    /// The hashes after each step, for each case.
    hashes: Vec<Vec<u64>>,
}

/// Runs the scenes and compares.
///
/// # Errors
/// A scene cannot be run, hashes differ between cases, or a hash is not the blessed one.
pub(crate) fn verify(options: &VerifyOptions) -> Result<(), Failure> {
    let path = options.golden.as_deref();
    let mut golden = if options.bless {
        Golden::to_change(path.unwrap_or(Path::new(FILE)))?
    } else {
        Golden::find_file(path)?
    };
    let sources: Vec<Source> = match options.scenes.as_slice() {
        [] => verified_names().map(Source::find).collect::<Result<_, _>>()?,
        given => given
            .iter()
            .map(|scene| Source::find(scene))
            .collect::<Result<_, _>>()?,
    };
    let mut complaints = Vec::new();
    let cases = Case::all(options);
    say(&heading(&cases))?;
    for source in &sources {
        let verdict = run_scene(source, &cases, options, &golden)?;
        complaints.extend(verdict.disagreement(&cases));
        let blessed = golden.find(&verdict.scene);
        complaints.extend(
            blessed
                .and_then(|blessed| verdict.blessed_mismatch(blessed))
                .filter(|_| !options.bless),
        );
        complaints.extend(verdict.nothing_compared(blessed).filter(|_| !options.bless));
        say(&verdict.row(blessed))?;
        if let (true, Some(reason)) = (options.bless, &options.reason) {
            golden.bless(verdict.blessed(reason))?;
        }
    }
    if !complaints.is_empty() {
        return Err(Failure(complaints.join("; ")));
    }
    if options.bless {
        golden.save(path.unwrap_or(Path::new(FILE)))?;
    }
    Ok(())
}

fn run_scene(
    source: &Source,
    cases: &[Case],
    options: &VerifyOptions,
    golden: &Golden,
) -> Result<Verdict, Failure> {
    let scene = row_name(source);
    let blessed_steps = golden.find(&scene).map(|blessed| blessed.steps);
    let steps = options.steps.or(blessed_steps).unwrap_or(source.steps);
    let mut hashes = Vec::with_capacity(cases.len());
    for case in cases {
        // A thread for each worker, also beyond the number of cores: the more the workers disturb each other, the
        // better the test.
        let pool = Pool::with_thread_for_each(case.threads)?;
        let mut running = source.start(Changes {
            lanes: case.lanes,
            batches: case.batches,
            recording: None,
            ..Changes::default()
        })?;
        let mut after_each_step = Vec::with_capacity(steps as usize);
        for _ in 0..steps {
            running.step(&pool)?;
            after_each_step.push(running.state_hash());
        }
        hashes.push(after_each_step);
    }
    Ok(Verdict { scene, steps, hashes })
}

/// The name under which a world's hash is blessed: that of a shipped world, else the path of the file as it was given.
/// A file may have the name of a shipped world, and is another one.
fn row_name(source: &Source) -> String {
    match source.files.is_empty() {
        true => source.name.clone(),
        false => source.wanted.clone(),
    }
}

const SCENE_WIDTH: usize = 16;
const HASH_WIDTH: usize = 16;

fn heading(cases: &[Case]) -> String {
    let mut text = format!("{:<SCENE_WIDTH$} {:>6}", "scene", "steps");
    for case in cases {
        let _ = write!(text, "  {:<HASH_WIDTH$}", case.name());
    }
    text + "  blessed\n"
}

impl Verdict {
    /// The hash after the last step in the first case.
    fn hash(&self) -> u64 {
        self.hashes
            .first()
            .and_then(|after_each_step| after_each_step.last())
            .copied()
            .unwrap_or(0)
    }

    fn row(&self, blessed: Option<&Blessed>) -> String {
        let mut text = format!("{:<SCENE_WIDTH$} {:>6}", self.scene, self.steps);
        for after_each_step in &self.hashes {
            let _ = write!(text, "  {:016x}", after_each_step.last().copied().unwrap_or(0));
        }
        let blessed = match blessed {
            None => "none".to_string(),
            Some(blessed) if blessed.steps != self.steps => format!("for {} steps only", blessed.steps),
            Some(blessed) if blessed.hash == self.hash() => "the same".to_string(),
            Some(blessed) => format!("{:016x}", blessed.hash),
        };
        text + "  " + blessed.as_str() + "\n"
    }

    /// The first step at which two cases differ, as a message, if any do.
    fn disagreement(&self, cases: &[Case]) -> Option<String> {
        let (first, others) = self.hashes.split_first()?;
        others.iter().zip(&cases[1..]).find_map(|(other, case)| {
            let step = first.iter().zip(other).position(|(a, b)| a != b)? + 1;
            let (scene, reference, case) = (&self.scene, cases[0].name(), case.name());
            Some(format!("{scene}: {reference} and {case} part at step {step}"))
        })
    }

    /// A message if the hash is not the blessed one.
    fn blessed_mismatch(&self, blessed: &Blessed) -> Option<String> {
        let (scene, hash) = (&self.scene, self.hash());
        (blessed.steps == self.steps && blessed.hash != hash).then(|| {
            let Blessed {
                hash: expected,
                reason,
                ..
            } = blessed;
            format!("{scene}: the hash is {hash:016x}, not {expected:016x} as blessed for {reason:?}")
        })
    }

    /// A message if there was nothing to compare the hash with.
    fn nothing_compared(&self, blessed: Option<&Blessed>) -> Option<String> {
        let is_blessed = blessed.is_some_and(|blessed| blessed.steps == self.steps);
        (self.hashes.len() < 2 && !is_blessed).then(|| {
            let Self { scene, steps, .. } = self;
            format!("{scene}: nothing to compare with: it ran in one way only, and no hash is blessed for {steps} steps")
        })
    }

    fn blessed(&self, reason: &str) -> Blessed {
        Blessed {
            scene: self.scene.clone(),
            hash: self.hash(),
            steps: self.steps,
            reason: reason.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(threads: usize, lanes: Option<LaneWidth>) -> Case {
        Case {
            threads,
            lanes,
            batches: None,
        }
    }

    fn verdict(hashes: &[&[u64]]) -> Verdict {
        let hashes = hashes
            .iter()
            .map(|after_each_step| after_each_step.to_vec())
            .collect();
        Verdict {
            scene: "drop".to_string(),
            steps: 3,
            hashes,
        }
    }

    #[test]
    fn the_step_at_which_runs_part_is_named() {
        let parted = verdict(&[&[1, 2, 3], &[1, 2, 3], &[1, 9, 3]]);
        let message = "drop: 1 thread and 8 threads, 4 part at step 2";
        let cases = [case(1, None), case(2, None), case(8, Some(LaneWidth::Four))];
        assert_eq!(parted.disagreement(&cases).as_deref(), Some(message));
        assert_eq!(verdict(&[&[1, 2, 3], &[1, 2, 3]]).disagreement(&cases[..2]), None);
    }

    #[test]
    fn a_hash_that_was_not_blessed_is_named() {
        let blessed = |hash, steps| Blessed {
            scene: "drop".to_string(),
            hash,
            steps,
            reason: "first".to_string(),
        };
        let verdict = verdict(&[&[1, 2, 3]]);
        assert_eq!(verdict.blessed_mismatch(&blessed(3, 3)), None);
        assert_eq!(
            verdict.blessed_mismatch(&blessed(4, 99)),
            None,
            "other steps cannot be compared"
        );
        let message = "drop: the hash is 0000000000000003, not 0000000000000004 as blessed for \"first\"";
        assert_eq!(verdict.blessed_mismatch(&blessed(4, 3)).as_deref(), Some(message));
    }

    #[test]
    fn a_verification_without_a_comparison_is_no_proof() {
        let alone = verdict(&[&[1, 2, 3]]);
        let message =
            "drop: nothing to compare with: it ran in one way only, and no hash is blessed for 3 steps";
        assert_eq!(alone.nothing_compared(None).as_deref(), Some(message));
        let blessed = |steps| Blessed {
            scene: "drop".to_string(),
            hash: 3,
            steps,
            reason: String::new(),
        };
        assert_eq!(
            alone.nothing_compared(Some(&blessed(9))).as_deref(),
            Some(message)
        );
        assert_eq!(alone.nothing_compared(Some(&blessed(3))), None);
        assert_eq!(verdict(&[&[1], &[1]]).nothing_compared(None), None);
    }

    #[test]
    fn the_table_is_aligned() {
        let verdict = verdict(&[&[1, 2, 3], &[1, 2, 3]]);
        let (heading, row) = (heading(&[case(1, None), case(8, None)]), verdict.row(None));
        assert_eq!(heading.find("8 threads"), row.rfind("0000000000000003"));
        assert_eq!(heading.find("blessed"), row.find("none"));
    }
}
