//! Area `bevy`: whole updates of apps of Bevy with Tombolo's plugin, beside Avian's plugins and bevy_rapier2d. Each is a
//! runner program with the release of Bevy that its plugin supports, without windows and rendering; one update makes one
//! step.
//!
//! The files, in the order of a run: `rounds.rs` asks the runners in turn and keeps the least time of each update,
//! `check.rs` refuses apps whose boxes are not where they should be.
//!
//! The targets: 0.25 of the time with Avian, 0.5 of that with bevy_rapier2d, and a plugin that adds a tenth to the step
//! of the physics: what is left of an update less the step, and less an update in which Bevy propagates as many changed
//! Transforms without any plugin.

mod check;
mod rounds;

use anyhow::{Context, bail, ensure};
use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use tombolo_bench_protocol::apps::{AppWorld, Content, Schedules};

use super::physics::builds::{self, Build};
use super::{Area, Run};
use rounds::{Contender, Measured, Plan};

pub(super) const AREA: Area = Area {
    name: "bevy",
    description: "Whole updates of apps of Bevy: our plugin beside Avian and bevy_rapier2d, and its part beside the step's",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Plugins beside ours: avian, bevy-rapier; none for ours alone
    #[arg(long, value_delimiter = ',', default_value = "avian,bevy-rapier")]
    engines: Vec<String>,
    /// Boxes: a pyramid of 5,050, 10,000 in free fall
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [AppWorld::Pyramid, AppWorld::Falling])]
    worlds: Vec<AppWorld>,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// How often each app is run; each update counts with its least time
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// A peer and the largest part of its time that ours may take.
struct Peer {
    build: &'static Build,
    contents: &'static [Content],
    target: f64,
}

/// The largest part of a step that the plugin may add to it.
const OWN_PART_TARGET: f64 = 0.1;

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    ensure!(
        options.threads.iter().all(|&threads| threads > 0),
        "--threads takes numbers from 1"
    );
    let peers = peers(&options.engines)?;
    for build in std::iter::once(&builds::BEVY).chain(peers.iter().map(|peer| peer.build)) {
        for &threads in &options.threads {
            builds::build(build, threads)
                .with_context(|| format!("building the runner of {}", build.name))?;
        }
    }
    let rounds = if run.smoke { 1 } else { options.rounds };
    for &world in &options.worlds {
        // The places of our boxes are the same bits for every number of threads.
        let mut ours: Option<Vec<[f32; 3]>> = None;
        for &threads in &options.threads {
            let plan = Plan::new(world, threads, run.smoke);
            let contenders = contenders(&peers);
            let measured = rounds::measure(&plan, &contenders, rounds)?;
            for one in &measured {
                check::answer(&plan, one)?;
                if one.is(&builds::BEVY, Content::Plugin) {
                    let places = ours.get_or_insert_with(|| one.places.clone());
                    ensure!(
                        *places == one.places,
                        "{}: the boxes of our plugin end elsewhere than in another run",
                        plan.case()
                    );
                }
            }
            push(run, &plan, &measured, &peers)?;
        }
    }
    Ok(())
}

/// The peers of these names.
fn peers(names: &[String]) -> anyhow::Result<Vec<Peer>> {
    let named = names.iter().filter(|name| !name.is_empty() && *name != "none");
    let peer = |name: &String| match name.as_str() {
        "avian" => Ok(Peer {
            build: builds::find("avian")?,
            contents: &[Content::Plugin, Content::Interpolated],
            target: 0.25,
        }),
        "bevy-rapier" => Ok(Peer {
            build: &builds::BEVY_RAPIER,
            contents: &[Content::Plugin, Content::Interpolated],
            target: 0.5,
        }),
        _ => bail!("there is no plugin `{name}`; the plugins are avian, bevy-rapier"),
    };
    named.map(peer).collect()
}

/// Every app of a plan: of each plugin and content one for each executor of schedules, and ours without a plugin.
fn contenders(peers: &[Peer]) -> Vec<Contender> {
    let ours: &[Content] = &[Content::Plugin, Content::Interpolated, Content::Bare];
    let of_peers = peers.iter().map(|peer| (peer.build, peer.contents));
    let mut list = Vec::new();
    for (build, contents) in std::iter::once((&builds::BEVY, ours)).chain(of_peers) {
        for &content in contents {
            for &schedules in Schedules::value_variants() {
                list.push(Contender {
                    build,
                    content,
                    schedules,
                });
            }
        }
    }
    list
}

/// Pushes the rows of a plan: each plugin with the executor that it is faster with.
fn push(run: &mut Run, plan: &Plan, measured: &[Measured], peers: &[Peer]) -> anyhow::Result<()> {
    let case = plan.case();
    for (content, metric) in [
        (Content::Plugin, "update"),
        (Content::Interpolated, "update, interpolated"),
    ] {
        let ours = best(measured, &builds::BEVY, content)?;
        for peer in peers.iter().filter(|peer| peer.contents.contains(&content)) {
            let theirs = best(measured, peer.build, content)?;
            let (a, b) = (ours.update_ms(), theirs.update_ms());
            run.report.push(&case, metric, "ms", a, Some((&theirs.plugin, b)));
            if a > peer.target * b && !run.smoke {
                run.short.push(format!(
                    "{case}, {metric}: {:.2} of {}, target {}",
                    a / b,
                    theirs.plugin,
                    peer.target
                ));
            }
        }
        push_parts(run, &case, metric, measured, ours)?;
    }
    for one in measured {
        crate::report::print_note(&format!(
            "{case}: {}, {:?}, {:?} schedules: {:.3} ms",
            one.plugin,
            one.contender.content,
            one.contender.schedules,
            one.update_ms()
        ));
    }
    Ok(())
}

/// Pushes an update of ours, and the parts of it: the step, Bevy's own, and what is left for the plugin.
fn push_parts(
    run: &mut Run,
    case: &str,
    metric: &str,
    measured: &[Measured],
    ours: &Measured,
) -> anyhow::Result<()> {
    let bare = measured
        .iter()
        .find(|one| {
            one.is(&builds::BEVY, Content::Bare) && one.contender.schedules == ours.contender.schedules
        })
        .context("no app without a plugin was run")?;
    let step = ours.step_ms().context("our runner tells its steps")?;
    let own = ours.update_ms() - step - bare.update_ms();
    let rows = [
        (format!("{metric}: of it the step"), "ms", step),
        (format!("{metric}: of it Bevy's own"), "ms", bare.update_ms()),
        (format!("{metric}: of it the plugin"), "ms", own),
        (format!("{metric}: the plugin in steps"), "", own / step),
    ];
    for (metric, unit, value) in rows {
        run.report.push(case, &metric, unit, value, None);
    }
    if own > OWN_PART_TARGET * step && !run.smoke {
        run.short.push(format!(
            "{case}, {metric}: the plugin adds {:.2} of a step, target {OWN_PART_TARGET}",
            own / step
        ));
    }
    Ok(())
}

/// The faster of the runs of a plugin that differ in the executor of schedules.
fn best<'a>(measured: &'a [Measured], build: &Build, content: Content) -> anyhow::Result<&'a Measured> {
    measured
        .iter()
        .filter(|one| one.is(build, content))
        .min_by(|a, b| a.update_ms().total_cmp(&b.update_ms()))
        .with_context(|| format!("{} was not run", build.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_and_worlds_are_listed_with_commas() {
        let command = (AREA.options)(clap::Command::new(AREA.name).no_binary_name(true));
        let matches = command.get_matches_from(["--engines", "bevy-rapier,avian", "--worlds", "falling"]);
        let options = Options::from_arg_matches(&matches).unwrap();
        assert_eq!(options.worlds, [AppWorld::Falling]);
        let peers = peers(&options.engines).unwrap();
        let names: Vec<&str> = peers.iter().map(|peer| peer.build.name).collect();
        assert_eq!(names, ["bevy-rapier", "avian"]);
        // Ours with three contents, the others with two, each with two executors.
        assert_eq!(contenders(&peers).len(), 14);
        assert!(super::peers(&["bullet".to_owned()]).is_err());
        assert!(super::peers(&["none".to_owned()]).unwrap().is_empty());
    }
}
