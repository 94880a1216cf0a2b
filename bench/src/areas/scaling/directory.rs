//! A simulated directory of cache lines: how many lines of bodies' states move between cores while constraints are
//! solved, in three schedules. Nothing is timed.
//!
//! Of all awake bodies in islands that no batch takes: integration in tasks of 128 bodies, then twice all colors, in tasks
//! of 64 constraints, with a barrier after each color. Constraints are in the order of their creation; or each color is
//! sorted by chunks of bodies, as the solver has it with several workers; or the constraints within a chunk are solved by
//! the worker that has the chunk, and those between chunks are colored and solved like all others.
//!
//! A worker gets the same share of the tasks of each stage, as with the claims of `tombolo-threads` when nobody is late. A
//! line of 64 bytes has two bodies; a worker that writes one takes the line from the worker that wrote it last.

use std::collections::BTreeMap;

use tombolo::physics::{BodyId, BodyKind, BodyRef, GRAPH_COLORS, PhysicsWorld};

/// Bodies in a task of integration and in a chunk, constraints in a task of a color.
const TASK_BODIES: usize = 128;
const TASK_CONSTRAINTS: usize = 64;

/// Islands of at most so many bodies are solved in batches.
const BATCH_BODIES_MAX: u32 = 256;

/// Colors for constraints, without the overflow.
const COLORS: usize = GRAPH_COLORS as usize - 1;

/// States of bodies in a cache line.
const STATES_PER_LINE: usize = 2;

/// What nobody writes: a static or kinematic body.
const FIXED: u32 = u32::MAX;

/// The bodies of a constraint.
type Pair = [u32; 2];

/// How a pass over all constraints is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// Color by color, in the order of creation.
    Colors,
    /// Color by color, the constraints of each in the order of their chunks.
    SortedColors,
    /// Chunk by chunk, then the constraints between chunks color by color.
    Chunks,
}

/// The awake bodies in large islands, and the constraints between them.
pub(super) struct Graph {
    bodies: usize,
    /// The bodies of each constraint, and its color.
    constraints: Vec<(Pair, usize)>,
}

/// The pairs of each task of a stage.
type Stage = Vec<Vec<Pair>>;

/// What was counted of one substep: integration and two passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) barriers: usize,
    pub(super) lines: usize,
}

impl Graph {
    /// The bodies and constraints of a world.
    pub(super) fn of(world: &PhysicsWorld) -> Self {
        let awake = || world.bodies().filter(|body| body.is_awake());
        let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
        for island in awake().filter_map(|body| body.island()) {
            *sizes.entry(island).or_default() += 1;
        }
        let is_shared = |body: &BodyRef<'_>| {
            let size = body.island().and_then(|island| sizes.get(&island));
            body.kind() == BodyKind::Dynamic && size.is_some_and(|&size| size > BATCH_BODIES_MAX)
        };
        let shared = awake().filter(is_shared);
        let numbers: BTreeMap<u32, u32> = shared.map(|body| body.id().index()).zip(0..).collect();
        let number = |body: BodyId| numbers.get(&body.index()).copied().unwrap_or(FIXED);
        let contacts = world.contacts().filter_map(|contact| {
            let pair = contact.shapes().map(|shape| number(shape.body().id()));
            Some((pair, contact.color()? as usize))
        });
        let joints = world.joints().filter_map(|joint| {
            let pair = joint.bodies().map(|body| number(body.id()));
            Some((pair, joint.color()? as usize))
        });
        let constraints = contacts.chain(joints).filter(|(pair, _)| *pair != [FIXED; 2]);
        Self {
            bodies: numbers.len(),
            constraints: constraints.collect(),
        }
    }

    /// Counts one substep, after one that fills the directory.
    pub(super) fn count_substep(&self, division: Division, workers: usize) -> Counts {
        let bodies: Vec<Pair> = (0..self.bodies as u32).map(|body| [body, FIXED]).collect();
        let integrate = bodies.chunks(TASK_BODIES).map(<[_]>::to_vec).collect();
        let pass = self.pass(division);
        let mut directory = Directory {
            writers: vec![None; self.bodies.div_ceil(STATES_PER_LINE)],
            workers,
        };
        let mut counts = Counts::default();
        for _ in 0..2 {
            counts = Counts::default();
            for stage in [&integrate].into_iter().chain(&pass).chain(&pass) {
                directory.run(stage, &mut counts);
            }
        }
        counts
    }

    /// The stages of one pass.
    fn pass(&self, division: Division) -> Vec<Stage> {
        if division == Division::Chunks {
            return self.chunks();
        }
        let mut colors = vec![Vec::new(); COLORS + 1];
        for &(pair, color) in &self.constraints {
            colors[color].push(pair);
        }
        if division == Division::SortedColors {
            colors[..COLORS]
                .iter_mut()
                .for_each(|color| color.sort_by_key(chunk_of));
        }
        stages_of(&colors)
    }

    /// One stage with a task for each chunk, then those of the constraints between chunks.
    fn chunks(&self) -> Vec<Stage> {
        let mut inner = vec![Vec::new(); self.bodies.div_ceil(TASK_BODIES)];
        let mut border = Vec::new();
        for &(pair, _) in &self.constraints {
            let [first, last] = [chunk_of(&pair), chunk_of(&[pair[0].max(pair[1]), FIXED])];
            if first == last || pair.contains(&FIXED) {
                inner[first].push(pair);
            } else {
                border.push(pair);
            }
        }
        let mut stages = vec![inner];
        stages.extend(stages_of(&colored(&border, self.bodies)));
        stages
    }
}

/// The chunk of the first body that a constraint changes.
fn chunk_of(pair: &Pair) -> usize {
    pair[0].min(pair[1]) as usize / TASK_BODIES
}

/// Colors in the order of the list: each pair the first color that neither of its bodies has.
fn colored(pairs: &[Pair], bodies: usize) -> Vec<Vec<Pair>> {
    let mut used = vec![0_u32; bodies];
    let mut colors = vec![Vec::new(); COLORS + 1];
    for &pair in pairs {
        let taken = used[pair[0] as usize] | used[pair[1] as usize];
        let color = (taken.trailing_ones() as usize).min(COLORS);
        if color < COLORS {
            pair.iter().for_each(|&body| used[body as usize] |= 1 << color);
        }
        colors[color].push(pair);
    }
    colors
}

/// A stage for each color that has constraints; the last color, the overflow, is one task.
fn stages_of(colors: &[Vec<Pair>]) -> Vec<Stage> {
    let (overflow, colors) = colors.split_last().expect("the overflow is a color");
    let divided = colors
        .iter()
        .map(|color| color.chunks(TASK_CONSTRAINTS).map(<[_]>::to_vec).collect());
    let overflow = (!overflow.is_empty()).then(|| vec![overflow.clone()]);
    let stages = divided.chain(overflow);
    stages.filter(|stage: &Stage| !stage.is_empty()).collect()
}

/// For each line of states the worker that wrote it last.
struct Directory {
    writers: Vec<Option<usize>>,
    workers: usize,
}

impl Directory {
    fn run(&mut self, stage: &Stage, counts: &mut Counts) {
        let share = stage.len().div_ceil(self.workers).max(1);
        for (worker, tasks) in stage.chunks(share).enumerate() {
            let bodies = tasks.iter().flatten().flatten();
            for &body in bodies.filter(|&&body| body != FIXED) {
                let last = self.writers[body as usize / STATES_PER_LINE].replace(worker);
                counts.lines += usize::from(last.is_some_and(|last| last != worker));
            }
        }
        counts.barriers += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chunks; a constraint of each body with the next, in an order that alternates between the chunks.
    fn graph() -> Graph {
        let bodies = 2 * TASK_BODIES;
        let mut constraints: Vec<(Pair, usize)> = (0..bodies as u32 - 1)
            .map(|body| ([body, body + 1], body as usize % 2))
            .collect();
        constraints.sort_by_key(|(pair, _)| (pair[0] as usize % TASK_BODIES, pair[0]));
        Graph { bodies, constraints }
    }

    #[test]
    fn one_worker_takes_no_line_from_another() {
        for division in [Division::Colors, Division::SortedColors, Division::Chunks] {
            assert_eq!(graph().count_substep(division, 1).lines, 0, "{division:?}");
        }
    }

    #[test]
    fn only_the_constraint_between_two_chunks_moves_lines_between_two_workers() {
        let graph = graph();
        // The lines of both bodies of that constraint, from and to: in both passes, and in integration.
        let chunks = graph.count_substep(Division::Chunks, 2);
        assert!(chunks.lines <= 4, "{chunks:?}");
        let sorted = graph.count_substep(Division::SortedColors, 2);
        assert!(sorted.lines <= 8, "{sorted:?}");
        let colors = graph.count_substep(Division::Colors, 2);
        assert!(colors.lines > 100, "{colors:?}");
        // Integration and two passes: of two colors, or of the chunks and one color.
        assert_eq!([colors.barriers, sorted.barriers, chunks.barriers], [5, 5, 5]);
    }
}
