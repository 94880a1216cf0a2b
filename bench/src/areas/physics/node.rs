//! What engines in Node need: Node itself, and the module of Tombolo that `packages/js/build` makes, or the packages of the peers,
//! which npm installs here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::builds::{BUILDS, Build};

/// The source of the module of a build in Node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Module {
    /// `packages/js/build` makes it.
    Ours,
    /// It is in a package that `bench/runners/web/package.json` names.
    Package,
}

/// The least version of Node, which `packages/js/package.json` names too.
const NODE_MIN: u32 = 18;

/// The file beside the packages that imports them.
const LOAD: &str = "load.mjs";

/// The folder of the peers' packages.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/runners/web")
}

/// Makes sure that all is there, and writes the program that calls Node; `folder` has the runner's sources.
///
/// # Errors
/// Something is missing and cannot be had: says what, where, and which engines do without.
pub(super) fn prepare(build: &Build, module: Module, folder: &Path, threads: usize) -> anyhow::Result<()> {
    check_node(&version_of_node()).with_context(|| without("Node", |other| other.module().is_none()))?;
    match module {
        Module::Ours => find_module(folder, threads)
            .with_context(|| without("that module", |other| other.module() != Some(Module::Ours)))?,
        Module::Package => install(folder, &packages())
            .with_context(|| without("those packages", |other| other.module() != Some(Module::Package)))?,
    }
    let program = build.program(1);
    let parent = program.parent().expect("a program is in a folder");
    std::fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
    let text = format!(
        "#!/bin/sh\nexec node '{}' {} '{}' '{}' \"$@\"\n",
        folder.join("run.mjs").display(),
        build.name,
        super::script::folder().display(),
        packages().display(),
    );
    std::fs::write(&program, text).with_context(|| format!("writing {}", program.display()))?;
    let status = Command::new("chmod").arg("+x").arg(&program).status();
    ensure!(status.context("starting chmod")?.success(), "chmod failed");
    Ok(())
}

/// Names the engines that do without something.
fn without(what: &str, does: impl Fn(&Build) -> bool) -> String {
    let names: Vec<&str> = BUILDS
        .iter()
        .filter(|build| does(build))
        .map(|build| build.name)
        .collect();
    format!("without {what} run --engines {}", names.join(","))
}

/// The answer of `node --version`, or why there is none.
fn version_of_node() -> Result<String, String> {
    let answer = Command::new("node")
        .arg("--version")
        .output()
        .map_err(|error| error.to_string())?;
    if answer.status.success() {
        Ok(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
    } else {
        Err(format!("it ended with {}", answer.status))
    }
}

fn check_node(answer: &Result<String, String>) -> anyhow::Result<()> {
    let wanted =
        format!("engines in Node want version {NODE_MIN} of it or a later one, as `node` on the path");
    let version = match answer {
        Ok(version) => version,
        Err(error) => bail!("{wanted}; it cannot be started: {error}"),
    };
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|word| word.parse::<u32>().ok());
    ensure!(
        major.is_some_and(|major| major >= NODE_MIN),
        "{wanted}; `node --version` says {version:?}"
    );
    Ok(())
}

/// Fails unless the module for so many threads was built.
fn find_module(folder: &Path, threads: usize) -> anyhow::Result<()> {
    let (name, how) = if threads == 1 {
        ("tombolo-physics.wasm", "packages/js/build makes it")
    } else {
        (
            "tombolo-physics-threads.wasm",
            "packages/js/build makes it where the compiler has its sources, `rustup component add rust-src`",
        )
    };
    let package = folder.join("../../../packages/js");
    let package = package.canonicalize().unwrap_or(package);
    ensure!(
        package.join(name).is_file(),
        "there is no {name} in {}: {how}",
        package.display()
    );
    Ok(())
}

/// Installs the packages of the runner's manifest, unless those versions are there.
fn install(folder: &Path, packages: &Path) -> anyhow::Result<()> {
    let wanted = wanted(&folder.join("package.json"))?;
    std::fs::create_dir_all(packages).with_context(|| format!("creating {}", packages.display()))?;
    for name in ["package.json", LOAD] {
        std::fs::copy(folder.join(name), packages.join(name))
            .with_context(|| format!("copying {name} into {}", packages.display()))?;
    }
    if missing(&wanted, packages).is_empty() {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]);
    let place = packages.display();
    let status = npm.current_dir(packages).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("starting npm, which installs packages into {place}"))?;
    let missing = missing(&wanted, packages);
    ensure!(
        status.success() && missing.is_empty(),
        "npm ended with {status}, and {place} lacks {}: `npm install` there says why",
        if missing.is_empty() {
            "nothing".to_owned()
        } else {
            missing.join(", ")
        }
    );
    Ok(())
}

/// The packages that a manifest depends on, with their versions.
fn wanted(manifest: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let manifest_of = || format!("reading {}", manifest.display());
    let value = read(manifest).with_context(manifest_of)?;
    let packages = value["dependencies"]
        .as_object()
        .context("it has no dependencies")
        .with_context(manifest_of)?;
    let pair = |(name, version): (&String, &Value)| Some((name.clone(), version.as_str()?.to_owned()));
    Ok(packages.iter().filter_map(pair).collect())
}

/// The packages that are not there in their version, as `name@version`.
fn missing(wanted: &[(String, String)], packages: &Path) -> Vec<String> {
    let is_there = |name: &str, version: &str| {
        let manifest = packages.join("node_modules").join(name).join("package.json");
        read(&manifest).is_ok_and(|value| value["version"] == version)
    };
    wanted
        .iter()
        .filter(|(name, version)| !is_there(name, version))
        .map(|(name, version)| format!("{name}@{version}"))
        .collect()
}

fn read(manifest: &Path) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(manifest)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_missing_or_old_is_named() {
        assert!(check_node(&Ok("v18.0.0".to_owned())).is_ok());
        assert!(check_node(&Ok("v20.20.2".to_owned())).is_ok());
        for answer in [Ok("v16.1.0"), Ok(""), Err("not found")] {
            let answer = answer.map(str::to_owned).map_err(str::to_owned);
            let error = check_node(&answer).unwrap_err().to_string();
            assert!(error.contains("version 18"), "{error}");
        }
        let package = include_str!("../../../../packages/js/package.json");
        assert!(package.contains(&format!("\"node\": \">={NODE_MIN}\"")));
    }

    #[test]
    fn each_need_has_engines_that_do_without() {
        assert_eq!(
            without("npm", |build| build.module() == Some(Module::Ours)),
            "without npm run --engines tombolo-web"
        );
        let modules: Vec<Option<Module>> = BUILDS.iter().map(Build::module).collect();
        assert_eq!(
            modules
                .iter()
                .filter(|module| **module == Some(Module::Package))
                .count(),
            3
        );
    }

    #[test]
    fn packages_of_other_versions_are_installed_anew() {
        let folder = std::env::temp_dir().join(format!("tombolo-bench-{}", std::process::id()));
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(
            "package.json",
            r#"{ "dependencies": { "@a/b": "1.2.3", "c": "4.0.0" } }"#,
        );
        put("node_modules/@a/b/package.json", r#"{ "version": "1.2.3" }"#);
        let wanted = wanted(&folder.join("package.json")).unwrap();
        assert_eq!(missing(&wanted, &folder), ["c@4.0.0"]);
        put("node_modules/c/package.json", r#"{ "version": "4.0.1" }"#);
        assert_eq!(missing(&wanted, &folder), ["c@4.0.0"]);
        put("node_modules/c/package.json", r#"{ "version": "4.0.0" }"#);
        assert!(missing(&wanted, &folder).is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_runner_names_its_packages() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("runners/web/package.json");
        assert_eq!(wanted(&manifest).unwrap().len(), 3);
    }
}
