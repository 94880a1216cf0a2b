//! Runs a family's cases: the corpus first, then new seeds; catches panics, shrinks cases that fail, and keeps their
//! seeds.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use tombolo_threads::Stopwatch;

use crate::corpus::Corpus;
use crate::family::Family;
use crate::random::Random;
use crate::report::{Progress, print_note};
use crate::watch;

/// The length of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Length {
    /// A number of cases.
    Cases(u64),
    /// As many cases as begin within this time in seconds.
    Seconds(f64),
}

/// The settings of a run from the command line.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `None`: the family's own number of cases, divided by `share`.
    pub length: Option<Length>,
    /// Divides the family's own number of cases.
    pub share: u64,
    /// The first seed; the others follow from it.
    pub seed: u64,
    /// The number of finds after which a family stops.
    pub finds_max: u64,
    /// Whether each case's seed is printed before it runs: for cases that kill the program.
    pub trace: bool,
    /// The folder for seeds of finds.
    pub corpus: Corpus,
}

/// The result of a family's run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub family: &'static str,
    pub cases: u64,
    pub seconds: f64,
    pub finds: u64,
}

/// A family without its type, as an entry of the registry.
pub(crate) struct Entry {
    pub name: &'static str,
    pub about: &'static str,
    pub cases: u64,
    run: fn(&Settings) -> anyhow::Result<Outcome>,
    replay: fn(u64, bool) -> bool,
}

impl Entry {
    pub(crate) const fn of<F: Family>() -> Self {
        Self {
            name: F::NAME,
            about: F::ABOUT,
            cases: F::CASES,
            run: run::<F>,
            replay: replay::<F>,
        }
    }

    /// Runs the corpus and the cases.
    pub(crate) fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        (self.run)(settings)
    }

    /// Runs one case and shows it; returns whether it passed. With `shrink` a failing case is made smaller.
    pub(crate) fn replay(&self, seed: u64, shrink: bool) -> bool {
        (self.replay)(seed, shrink)
    }
}

/// The seed of a run's n-th case.
fn case_seed(first: u64, case: u64) -> u64 {
    Random::new(first ^ case.wrapping_mul(0xd6e8_feb8_6659_fd93)).bits()
}

fn run<F: Family>(settings: &Settings) -> anyhow::Result<Outcome> {
    let length = settings
        .length
        .unwrap_or(Length::Cases(F::CASES.div_ceil(settings.share)));
    let progress = Progress::start(F::NAME, length);
    let clock = Stopwatch::start();
    let (mut cases, mut finds) = (0, 0);
    let mut try_seed = |seed: u64, is_kept: bool| -> anyhow::Result<u64> {
        if settings.trace {
            print_note(&format!("{}: {seed:#018x}", F::NAME));
        }
        if let Err(find) = run_seed::<F>(seed) {
            finds += 1;
            tell::<F>(&find);
            if !is_kept {
                settings.corpus.keep(F::NAME, seed, &find.message)?;
            }
        }
        Ok(finds)
    };
    for seed in settings.corpus.seeds(F::NAME)? {
        try_seed(seed, true)?;
        cases += 1;
    }
    for case in 0.. {
        let more = match length {
            Length::Cases(count) => case < count,
            Length::Seconds(seconds) => clock.elapsed_seconds() < seconds,
        };
        if !more {
            break;
        }
        let finds = try_seed(case_seed(settings.seed, case), false)?;
        cases += 1;
        progress.show(case, clock.elapsed_seconds());
        if finds >= settings.finds_max {
            break;
        }
    }
    watch::rest();
    Ok(Outcome {
        family: F::NAME,
        cases,
        seconds: clock.elapsed_seconds(),
        finds,
    })
}

fn replay<F: Family>(seed: u64, shrink: bool) -> bool {
    let operations = F::generate(&mut Random::new(seed));
    show_operations(&operations);
    watch::case(F::NAME, seed, F::SECONDS_MAX);
    let result = attempt::<F>(&operations);
    if let (Err(message), true) = (&result, shrink) {
        tell::<F>(&smaller::<F>(seed, operations, message.clone()));
    } else if let Err(message) = &result {
        print_note(&format!("FIND {}: {message}", F::NAME));
    }
    watch::rest();
    result.is_ok()
}

/// A case that failed, in its smallest form.
struct Find<F: Family> {
    seed: u64,
    message: String,
    operations: Vec<F::Operation>,
    generated: usize,
}

fn run_seed<F: Family>(seed: u64) -> Result<(), Find<F>> {
    watch::case(F::NAME, seed, F::SECONDS_MAX);
    let operations = F::generate(&mut Random::new(seed));
    match attempt::<F>(&operations) {
        Ok(()) => Ok(()),
        Err(message) => Err(smaller::<F>(seed, operations, message)),
    }
}

/// The greatest number of tries at shrinking a find, and the time for them in seconds.
const SHRINK_TRIES_MAX: u32 = 3_000;
const SHRINK_SECONDS_MAX: f64 = 15.0;

/// Removes operations, in ever smaller pieces, as long as the rest still fails.
fn smaller<F: Family>(seed: u64, mut operations: Vec<F::Operation>, mut message: String) -> Find<F> {
    let generated = operations.len();
    let clock = Stopwatch::start();
    let mut tries = 0;
    let mut piece = operations.len().div_ceil(2);
    while piece > 0 {
        let mut from = 0;
        let mut shrank = false;
        while from < operations.len() {
            tries += 1;
            if tries > SHRINK_TRIES_MAX || clock.elapsed_seconds() > SHRINK_SECONDS_MAX {
                piece = 0;
                shrank = false;
                break;
            }
            let mut fewer = operations.clone();
            fewer.drain(from..operations.len().min(from + piece));
            watch::case(F::NAME, seed, F::SECONDS_MAX);
            match attempt::<F>(&fewer) {
                Ok(()) => from += piece,
                Err(new_message) => {
                    (operations, message) = (fewer, new_message);
                    shrank = true;
                }
            }
        }
        if !shrank {
            piece /= 2;
        }
    }
    Find {
        seed,
        message,
        operations,
        generated,
    }
}

fn tell<F: Family>(find: &Find<F>) {
    let (name, seed) = (F::NAME, find.seed);
    print_note(&format!("FIND {name}: {}", find.message));
    print_note(&format!(
        "seed {seed:#018x}, {} of {} operations are left; again with: tombolo-fuzz {name} --replay {seed:#018x}",
        find.operations.len(),
        find.generated
    ));
    show_operations(&find.operations);
}

fn show_operations<T: std::fmt::Debug>(operations: &[T]) {
    for (at, operation) in operations.iter().enumerate() {
        print_note(&format!("  {at:3} {operation:?}"));
    }
}

thread_local! {
    /// The position of the last panic of this thread.
    static PANIC_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The position of the last panic of any thread: for panics that reach the harness from a worker.
static LAST_PLACE: Mutex<String> = Mutex::new(String::new());

/// Silences panics, which are a part of many cases, and records their positions.
pub(crate) fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        // During a thread's end its storage is gone.
        let _ = PANIC_PLACE.try_with(|noted| noted.borrow_mut().clone_from(&place));
        if let Ok(mut last) = LAST_PLACE.lock() {
            *last = place;
        }
    }));
}

/// The text of a panic's payload, if it has one. A payload that cannot be dropped without another panic is leaked.
pub(crate) fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "without a text".to_owned());
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    text
}

fn attempt<F: Family>(operations: &[F::Operation]) -> Result<(), String> {
    PANIC_PLACE.with_borrow_mut(String::clear);
    match catch_unwind(AssertUnwindSafe(|| F::run(operations))) {
        Ok(result) => result,
        Err(payload) => {
            let text = panic_text(payload);
            let mut place = PANIC_PLACE.with_borrow(String::clone);
            if place.is_empty() {
                place = LAST_PLACE
                    .lock()
                    .map_or_else(|_| String::new(), |last| last.clone());
            }
            Err(format!("panic at {place}: {text}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Length, Settings};
    use crate::corpus::Corpus;
    use crate::family::Family;
    use crate::random::Random;

    /// Fails when both a 3 and a 7 are among the numbers, by a panic if they are in this order.
    struct Planted;

    impl Family for Planted {
        const NAME: &'static str = "planted";
        const ABOUT: &'static str = "a defect that is known";
        const CASES: u64 = 300;
        type Operation = usize;

        fn generate(random: &mut Random) -> Vec<usize> {
            (0..random.below(20)).map(|_| random.below(20)).collect()
        }

        fn run(operations: &[usize]) -> Result<(), String> {
            let place = |number| operations.iter().position(|&other| other == number);
            match (place(3), place(7)) {
                (Some(three), Some(seven)) if three < seven => panic!("3 before 7"),
                (Some(_), Some(_)) => Err("7 before 3".to_owned()),
                _ => Ok(()),
            }
        }
    }

    fn settings(folder: &str) -> Settings {
        let folder = std::env::temp_dir().join(format!("tombolo-fuzz-{}-{folder}", std::process::id()));
        // It exists only if an earlier test program with this number was killed.
        let _ = std::fs::remove_dir_all(&folder);
        Settings {
            length: None,
            share: 1,
            seed: 1,
            finds_max: 3,
            trace: false,
            corpus: Corpus::new(folder),
        }
    }

    #[test]
    fn a_planted_defect_is_found_kept_and_replayed_first() {
        let entry = Entry::of::<Planted>();
        let mut settings = settings("kept");
        let first = entry.run(&settings).expect("the corpus can be written");
        assert_eq!(first.finds, 3);
        let kept = settings.corpus.seeds("planted").expect("the corpus can be read");
        assert_eq!(kept.len(), 3);
        assert!(!entry.replay(kept[0], false));
        settings.length = Some(Length::Cases(0));
        let again = entry.run(&settings).expect("the corpus can be read");
        assert_eq!((again.cases, again.finds), (3, 3));
        assert_eq!(settings.corpus.seeds("planted").expect("as before").len(), 3);
    }

    #[test]
    fn a_find_is_shrunk_to_the_two_operations_that_matter() {
        let operations = vec![1, 9, 7, 7, 4, 15, 3, 2, 3, 8, 1];
        let find = super::smaller::<Planted>(0, operations, "7 before 3".to_owned());
        assert_eq!(find.operations, [7, 3]);
        assert_eq!(find.message, "7 before 3");
    }

    #[test]
    fn a_panic_is_a_find_with_its_text() {
        let message = super::attempt::<Planted>(&[3, 7]).expect_err("a panic");
        assert!(message.ends_with("3 before 7"), "{message}");
    }

    #[test]
    fn the_same_seed_gives_the_same_cases_and_another_gives_others() {
        let seeds = |first| (0..100).map(move |case| super::case_seed(first, case));
        assert!(seeds(1).eq(seeds(1)));
        assert!(seeds(1).zip(seeds(2)).all(|(one, other)| one != other));
    }
}
