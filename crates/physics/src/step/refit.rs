//! The stage refit: updates the trees to the boxes that `finish_bodies` renewed.

use super::stage::Step;

pub(crate) fn refit(step: &mut Step<'_>) {
    let proxies = step.world.state.broad_phase.proxies.len();
    step.scratch.merge(|worker| &mut worker.moved_proxies, proxies);
    let moved = &step.scratch.merged.moved_proxies;
    step.world.state.broad_phase.refit(step.executor, moved);
}
