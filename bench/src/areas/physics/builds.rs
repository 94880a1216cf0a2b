//! The runner programs: how each is built, and where it ends up.
//!
//! Each lives in a workspace of its own under `bench/runners/`, so that neither its features nor its flags mix with
//! another's, and building Tombolo needs no peer and no C compiler.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

/// One engine, built in one way.
#[derive(Debug, PartialEq)]
pub(super) struct Build {
    /// The name on the command line and in tables.
    pub name: &'static str,
    /// The folder under `bench/runners/`; the program is called `runner-` and this.
    folder: &'static str,
    /// Cargo features of the runner.
    features: &'static [&'static str],
    /// `RUSTFLAGS`; what the caller has in the environment does not reach a runner.
    rust_flags: &'static str,
    /// Whether C is compiled, by clang if there is one, since it makes Box2D the fastest.
    has_c: bool,
    /// Whether it can use more than one thread.
    pub has_threads: bool,
}

/// What most builds have in common.
const USUAL: Build = Build {
    name: "",
    folder: "",
    features: &[],
    rust_flags: "",
    has_c: false,
    has_threads: true,
};

/// Every engine and build.
pub(super) const BUILDS: &[Build] = &[
    // As users build it: no flags, instructions are chosen at run time.
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
        features: &["wide"],
        rust_flags: "-C target-cpu=native",
        ..USUAL
    },
    Build {
        name: "rapier-plain",
        folder: "rapier",
        has_threads: false,
        ..USUAL
    },
];

/// The build of a name.
pub(super) fn find(name: &str) -> anyhow::Result<&'static Build> {
    BUILDS.iter().find(|build| build.name == name).with_context(|| {
        let known: Vec<&str> = BUILDS.iter().map(|build| build.name).collect();
        format!(
            "there is no engine `{name}`; the engines are {}",
            known.join(", ")
        )
    })
}

impl Build {
    fn target_folder(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../target/runners")
            .join(self.name)
    }

    /// The built program.
    pub(super) fn program(&self) -> PathBuf {
        self.target_folder()
            .join("release")
            .join(format!("runner-{}", self.folder))
    }
}

/// Builds a runner if it is not up to date; Cargo's progress goes to standard error.
pub(super) fn build(build: &Build) -> anyhow::Result<()> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("runners")
        .join(build.folder);
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release"])
        .current_dir(&folder)
        .stdout(Stdio::null());
    cargo.arg("--target-dir").arg(build.target_folder());
    if !build.features.is_empty() {
        cargo.arg("--features").arg(build.features.join(","));
    }
    cargo
        .env("RUSTFLAGS", build.rust_flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    if build.has_c {
        // The crate that compiles Box2D leaves its assertions on and optimises less, whatever Cargo's profile.
        cargo.env("CFLAGS", "-O3 -DNDEBUG");
        if answers("clang") {
            cargo.env("CC", "clang");
        }
    }
    let status = cargo.status().context("starting cargo")?;
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

fn answers(program: &str) -> bool {
    let silent = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    silent.is_ok_and(|status| status.success())
}
