//! The runner programs: the build of each, and the path of its program.
//!
//! Each is in a workspace of its own under `bench/runners/`, so that neither its features nor its flags mix with
//! another's, and building Tombolo needs no peer and no C compiler.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use serde::de::DeserializeOwned;

use super::node::{self, Module};
use crate::report::print_note;

/// Makes the C library use large pages wherever it can, for every engine alike. With small ones a process may be a
/// fifth slower than its twin for its whole run, the more memory it reads in a step the likelier
/// (`docs/performance/peers.md`).
const HEAP: &str = "glibc.malloc.hugetlb=1";

/// One engine in one build.
#[derive(Debug, PartialEq)]
pub(in crate::areas) struct Build {
    /// The name on the command line and in tables.
    pub name: &'static str,
    /// The folder under `bench/runners/`; the program is called `runner-` and this.
    folder: &'static str,
    /// Cargo features of the runner.
    features: &'static [&'static str],
    /// The features for runs on one thread, in which dividing the work only costs; `None` if there is no such
    /// difference.
    features_alone: Option<&'static [&'static str]>,
    /// `RUSTFLAGS`; those of the caller's environment do not reach a runner.
    rust_flags: &'static str,
    /// What WebAssembly it runs in Node; Cargo builds nothing then, and `script.rs` writes its scenes.
    module: Option<Module>,
    /// Whether C is compiled, by clang if there is one, since it makes Box2D the fastest. The runner tells the compiler with
    /// the engine's name.
    has_c: bool,
    /// Whether it can use more than one thread.
    pub has_threads: bool,
    /// The scenes that the runner has counterparts for; empty for all of them.
    scenes: &'static [&'static str],
    /// Whether Cargo is told to try a compiler that is older than a dependency requires.
    ignores_rust_version: bool,
}

/// The values that most builds have in common.
const USUAL: Build = Build {
    name: "",
    folder: "",
    features: &[],
    features_alone: None,
    rust_flags: "",
    module: None,
    has_c: false,
    has_threads: true,
    scenes: &[],
    ignores_rust_version: false,
};

/// The same for packages of peers in Node.
const IN_NODE: Build = Build {
    folder: "web",
    module: Some(Module::Package),
    has_threads: false,
    ..USUAL
};

/// Every engine and build that runs scenes.
pub(in crate::areas) const BUILDS: &[Build] = &[
    // As users build it: without flags, instructions are chosen at run time.
    Build {
        name: "tombolo",
        folder: "tombolo",
        ..USUAL
    },
    Build {
        name: "box2d",
        folder: "box2d",
        has_c: true,
        ..USUAL
    },
    Build {
        name: "rapier",
        folder: "rapier",
        features: &["wide", "pool"],
        features_alone: Some(&["wide"]),
        rust_flags: "-C target-cpu=native",
        ..USUAL
    },
    Build {
        name: "rapier-plain",
        folder: "rapier",
        has_threads: false,
        ..USUAL
    },
    Build {
        name: "rapier-profiled",
        folder: "rapier",
        features: &["wide", "profiler"],
        rust_flags: "-C target-cpu=native",
        has_threads: false,
        ..USUAL
    },
    Build {
        name: "rapier-saves",
        folder: "rapier",
        features: &["wide", "saves"],
        rust_flags: "-C target-cpu=native",
        has_threads: false,
        ..USUAL
    },
    Build {
        name: "avian",
        folder: "avian",
        rust_flags: "-C target-cpu=native",
        scenes: &["large_pyramid", "many_pyramids", "tumbler"],
        // Its Bevy requires a newer compiler than this project, but compiles with this project's.
        ignores_rust_version: true,
        ..USUAL
    },
    // As many lanes as WebAssembly has.
    Build {
        name: "tombolo-four-lanes",
        folder: "tombolo",
        features: &["four-lanes"],
        ..USUAL
    },
    Build {
        name: "tombolo-web",
        module: Some(Module::Ours),
        has_threads: true,
        ..IN_NODE
    },
    Build {
        name: "rapier-web",
        ..IN_NODE
    },
    // This version bounds no motors and has no one-sided chains.
    Build {
        name: "rapier-simd-web",
        scenes: &[
            "large_pyramid",
            "many_pyramids",
            "joint_grid",
            "compounds",
            "smash",
            "junkyard",
            "rain",
            "washer",
            "plate",
            "towers",
            "dominoes",
            "bridges",
            "ball_pit",
            "mixed_sizes",
            "mixer",
            "gas",
            "free_fall",
            "pegs",
            "asleep",
        ],
        ..IN_NODE
    },
    Build {
        name: "box2d-web",
        ..IN_NODE
    },
];

/// Tombolo's plugin for Bevy, as games build it.
pub(in crate::areas) const BEVY: Build = Build {
    name: "bevy",
    folder: "bevy",
    ..USUAL
};

/// The plugin for Bevy of Rapier's authors.
pub(in crate::areas) const BEVY_RAPIER: Build = Build {
    name: "bevy-rapier",
    folder: "bevy-rapier",
    features: &["wide", "pool"],
    features_alone: Some(&["wide"]),
    rust_flags: "-C target-cpu=native",
    ignores_rust_version: true,
    ..USUAL
};

/// The build of a name.
pub(in crate::areas) fn find(name: &str) -> anyhow::Result<&'static Build> {
    BUILDS.iter().find(|build| build.name == name).with_context(|| {
        let known: Vec<&str> = BUILDS.iter().map(|build| build.name).collect();
        format!(
            "there is no engine `{name}`; the engines are {}",
            known.join(", ")
        )
    })
}

impl Build {
    /// Whether it reads scenes from files that [`script`](super::script) writes.
    pub(super) fn reads_scripts(&self) -> bool {
        self.module.is_some()
    }

    /// The WebAssembly that it runs in Node.
    pub(super) fn module(&self) -> Option<Module> {
        self.module
    }

    /// Whether it is a build of this engine, all of which come to the same bits.
    pub(super) fn is_ours(&self) -> bool {
        self.folder == "tombolo" || self.module == Some(Module::Ours)
    }

    /// Why it does not run a scene on this number of threads; `None` if it does.
    pub(super) fn lacks(&self, scene: &str, threads: usize) -> Option<&'static str> {
        if !self.has_threads && threads > 1 {
            return Some("this build has one thread");
        }
        let has_scene = self.scenes.is_empty() || self.scenes.contains(&scene);
        (!has_scene).then_some("its runner has no counterpart of something in the scene")
    }

    /// The features for a number of threads, and the target folder.
    fn form(&self, threads: usize) -> (&'static [&'static str], PathBuf) {
        let (features, folder) = match self.features_alone {
            Some(alone) if threads == 1 => (alone, format!("{}-alone", self.name)),
            _ => (self.features, self.name.to_owned()),
        };
        let runners = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/runners");
        (features, runners.join(folder))
    }

    /// The path of the built program for a number of threads.
    pub(super) fn program(&self, threads: usize) -> PathBuf {
        let (_, folder) = self.form(threads);
        folder.join("release").join(format!("runner-{}", self.folder))
    }

    /// The built program for a number of threads, in the environment that every engine of every area has.
    pub(in crate::areas) fn command(&self, threads: usize) -> Command {
        let mut command = Command::new(self.program(threads));
        command.env("GLIBC_TUNABLES", HEAP);
        command
    }

    /// What the program for one thread answers to an order, in a process of its own.
    pub(in crate::areas) fn ask<A: DeserializeOwned>(&self, order: Vec<String>) -> anyhow::Result<A> {
        self.ask_on(1, order)
    }

    /// Likewise, the program for a number of threads.
    pub(in crate::areas) fn ask_on<A: DeserializeOwned>(
        &self,
        threads: usize,
        order: Vec<String>,
    ) -> anyhow::Result<A> {
        let program = self.program(threads);
        let output = self
            .command(threads)
            .args(order)
            .output()
            .with_context(|| format!("starting {}", program.display()))?;
        ensure!(
            output.status.success(),
            "{} ended with {}: {}",
            program.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).context("reading the runner's answer")
    }
}

/// Builds a runner for a number of threads if it is not up to date; Cargo's progress goes to standard error. For one in Node
/// `node.rs` makes sure that all is there.
pub(in crate::areas) fn build(build: &Build, threads: usize) -> anyhow::Result<()> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("runners")
        .join(build.folder);
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    if let Some(module) = build.module {
        return node::prepare(build, module, &folder, threads);
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release"])
        .current_dir(&folder)
        .stdout(Stdio::null());
    let (features, target_folder) = build.form(threads);
    cargo.arg("--target-dir").arg(target_folder);
    if !features.is_empty() {
        cargo.arg("--features").arg(features.join(","));
    }
    if build.ignores_rust_version {
        cargo.arg("--ignore-rust-version");
    }
    cargo
        .env("RUSTFLAGS", build.rust_flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    if build.has_c {
        // The crate that compiles Box2D leaves its assertions on and optimizes less, whatever Cargo's profile.
        cargo.env("CFLAGS", "-O3 -DNDEBUG");
        let (program, version) = c_compiler()?;
        cargo.env("CC", program);
        cargo.env("RUNNER_C_COMPILER", format!("{program} {version}"));
    }
    let status = cargo.status().context("starting cargo")?;
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

/// The C compiler and its version: clang, else the system's own with a note, since Box2D is slower by it.
fn c_compiler() -> anyhow::Result<(&'static str, String)> {
    if let Some(version) = version_of("clang") {
        return Ok(("clang", version));
    }
    let version = version_of("cc").context("there is no C compiler `clang` and none `cc`")?;
    print_note(&format!(
        "there is no clang: Box2D is compiled by `cc` {version} and slower than it could be"
    ));
    Ok(("cc", version))
}

/// The version that a compiler tells; `None` if there is no such compiler.
fn version_of(program: &str) -> Option<String> {
    let answer = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&answer.stdout);
    answer.status.success().then(|| version_in(&text))
}

/// The first word of dots and digits in what a compiler says of itself, else its first line.
fn version_in(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let is_version = |word: &&str| word.contains('.') && word.chars().all(|c| c == '.' || c.is_ascii_digit());
    line.split_whitespace()
        .find(is_version)
        .unwrap_or(line)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn compilers_tell_their_versions() {
        assert_eq!(
            version_in("Debian clang version 14.0.6\nTarget: x86_64"),
            "14.0.6"
        );
        assert_eq!(version_in("Ubuntu clang version 18.1.3 (1ubuntu1)\n"), "18.1.3");
        assert_eq!(version_in("cc (Debian 12.2.0-14) 12.2.0\n"), "12.2.0");
        assert_eq!(
            version_in("a compiler without number"),
            "a compiler without number"
        );
    }

    #[test]
    fn every_runner_has_the_same_environment() {
        for build in BUILDS.iter().chain([&BEVY, &BEVY_RAPIER]) {
            let command = build.command(1);
            let set: Vec<(&OsStr, Option<&OsStr>)> = command.get_envs().collect();
            assert_eq!(set, [(OsStr::new("GLIBC_TUNABLES"), Some(OsStr::new(HEAP)))]);
        }
    }

    #[test]
    fn a_build_says_what_it_lacks() {
        let plain = find("rapier-plain").unwrap();
        assert_eq!(plain.lacks("tumbler", 1), None);
        assert!(plain.lacks("tumbler", 2).unwrap().contains("one thread"));
        let avian = find("avian").unwrap();
        assert_eq!(avian.lacks("tumbler", 2), None);
        assert!(avian.lacks("washer", 1).unwrap().contains("counterpart"));
    }
}
