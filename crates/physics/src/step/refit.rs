//! The stage refit: brings the trees up to date with the boxes that the stage before renewed.

use super::Step;

pub(crate) fn refit(step: &mut Step<'_>) {
    let proxies = step.world.state.broad_phase.proxies.len();
    step.scratch.merge(|worker| &mut worker.moved_proxies, proxies);
    let moved = &step.scratch.merged.moved_proxies;
    step.world.state.broad_phase.refit(step.executor, moved.words());
}
