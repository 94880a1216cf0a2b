//! Replay of a trace: the part of the physics that drives islands, without the physics.
//!
//! A step of a replay has the parts that a step of a world has, as six calls, so that a bench can time those that are
//! the algorithm's own, and leave out the others, which cost the same under every algorithm.

use super::trace::TraceEvent;
use tombolo_physics::island::{
    AblationSwitches, IslandAlgorithm, IslandError, Islands, NewEdge, WorkBudget, WorkDone,
};
use tombolo_threads::Executor;

/// The null index.
const NONE: u32 = u32::MAX;

/// The choice of the first island to search among those that may have come apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitChoice {
    /// The islands take turns by ascending index, as in the engine.
    #[default]
    InTurn,
    /// They take turns, each once; first in a turn is the island whose node has been ready to sleep for longest.
    SleepiestInTurn,
    /// The island whose node has been ready to sleep for longest; at a tie the smaller index. Others may never be
    /// searched.
    Sleepiest,
    /// The island with the most nodes.
    Largest,
    /// The island whose spanning tree lost the most edges.
    MostLost,
    /// All islands that may have come apart, also without a node that is ready to sleep: as an exact algorithm does.
    All,
}

/// Islands that follow a trace.
#[derive(Clone, Debug)]
pub struct Replay {
    islands: Islands,
    budget: WorkBudget,
    choice: SplitChoice,
    /// For each node the step since which it is ready to sleep, or [`NONE`].
    ready_since: Vec<u32>,
    /// The awake nodes, and for each node its place among them, or [`NONE`].
    awake: Vec<u32>,
    places: Vec<u32>,
    /// Whether islands woke since the awake nodes were listed.
    woke: bool,
    candidates: Vec<u32>,
    /// The number of the turn, and for each island the turn in which it was last worked on, for
    /// [`SplitChoice::SleepiestInTurn`].
    turn: u32,
    served: Vec<u32>,
    step: u32,
}

impl Replay {
    /// A replay at the beginning of a trace.
    pub fn new(algorithm: IslandAlgorithm, budget: WorkBudget, choice: SplitChoice) -> Self {
        Self {
            islands: Islands::new(algorithm),
            budget,
            choice,
            ready_since: Vec::new(),
            awake: Vec::new(),
            places: Vec::new(),
            woke: false,
            candidates: Vec::new(),
            turn: 1,
            served: Vec::new(),
            step: 0,
        }
    }

    /// Switches techniques of the persistent algorithm off; at the beginning of the trace only.
    pub fn set_ablation(&mut self, switches: AblationSwitches) {
        self.islands.set_ablation(switches);
    }

    /// The present islands.
    pub fn islands(&self) -> &Islands {
        &self.islands
    }

    /// The awake nodes, in an order that depends on the trace and the sleeping ones only; after [`apply`](Self::apply)
    /// without those that woke in it, until [`list_awake`](Self::list_awake).
    pub fn awake(&self) -> &[u32] {
        &self.awake
    }

    /// Whether the node exists and is awake.
    pub fn is_awake(&self, node: u32) -> bool {
        self.places.get(node as usize).is_some_and(|&place| place != NONE)
    }

    /// Makes one whole step.
    ///
    /// # Errors
    ///
    /// In the same cases as [`apply`](Self::apply).
    pub fn step(&mut self, events: &[TraceEvent], executor: &dyn Executor) -> Result<WorkDone, IslandError> {
        self.apply(events)?;
        self.list_awake();
        self.find(executor)?;
        self.choose();
        let done = self.split_islands();
        self.fall_asleep()?;
        Ok(done)
    }

    /// Part 1: applies the events of a step. A new edge to a sleeping island wakes it.
    ///
    /// # Errors
    ///
    /// The first event that does not fit: the trace is broken there, and the rest of the step was not applied.
    pub fn apply(&mut self, events: &[TraceEvent]) -> Result<(), IslandError> {
        let is_begin = |event: &TraceEvent| matches!(event, TraceEvent::Begin(..));
        for run in events.chunk_by(|a, b| is_begin(a) && is_begin(b)) {
            match run[0] {
                TraceEvent::Begin(..) => self.begin(run)?,
                event => self.apply_other(event)?,
            }
        }
        Ok(())
    }

    /// Begins edges as the engine does: all that follow one another in the trace at once.
    fn begin(&mut self, run: &[TraceEvent]) -> Result<(), IslandError> {
        let edges = run.iter().filter_map(|&event| match event {
            TraceEvent::Begin(edge, nodes) => Some(NewEdge { edge, nodes }),
            _ => None,
        });
        // Joints made between two sleeping bodies wake both, as contacts do: simpler, and a trace has few. In a world
        // the narrow phase has determined who sleeps.
        if self.awake.len() < self.islands.total_nodes() as usize {
            for node in edges.clone().flat_map(|new| new.nodes) {
                self.wake(node)?;
            }
        }
        self.islands.link_many(edges)
    }

    fn apply_other(&mut self, event: TraceEvent) -> Result<(), IslandError> {
        match event {
            TraceEvent::Add(node) => {
                self.islands.add_node(node)?;
                if node as usize == self.places.len() {
                    // The usual case, since nodes are numbered in order.
                    self.places.push(NONE);
                    self.ready_since.push(NONE);
                } else if node as usize > self.places.len() {
                    self.places.resize(node as usize + 1, NONE);
                    self.ready_since.resize(node as usize + 1, NONE);
                }
                self.ready_since[node as usize] = NONE;
                self.enter_awake(node);
            }
            TraceEvent::Remove(node) => {
                self.wake(node)?;
                self.islands.remove_node(node)?;
                self.leave_awake(node);
            }
            TraceEvent::Begin(..) => self.begin(&[event])?,
            TraceEvent::End(edge) => {
                let nodes = self.islands.edge_nodes(edge).ok_or(IslandError::NoEdge(edge))?;
                self.wake(nodes[0])?;
                self.islands.unlink(edge)?;
            }
            TraceEvent::Sleep(node) => {
                self.islands.island_of(node).ok_or(IslandError::NoNode(node))?;
                self.ready_since[node as usize] = self.step;
            }
            TraceEvent::Wake(node) => {
                self.wake(node)?;
                self.ready_since[node as usize] = NONE;
            }
        }
        Ok(())
    }

    /// Part 2: adds the nodes of islands that woke to the awake ones, by ascending index. In a world the bodies
    /// themselves wake here, whatever the algorithm.
    pub fn list_awake(&mut self) {
        if !core::mem::take(&mut self.woke) {
            return;
        }
        let islands = self.islands.awake_islands().iter();
        let mut woken: Vec<u32> = islands
            .flat_map(|&island| self.islands.nodes(island))
            .filter(|&node| self.places[node as usize] == NONE)
            .collect();
        woken.sort_unstable();
        woken.into_iter().for_each(|node| self.enter_awake(node));
    }

    /// Part 3: finds islands, for the algorithms that do so in each step.
    ///
    /// # Errors
    ///
    /// None that a replay can cause.
    pub fn find(&mut self, executor: &dyn Executor) -> Result<(), IslandError> {
        self.islands.update(executor, &self.awake)
    }

    /// Part 4: makes islands that may have come apart and have a node that is ready to sleep candidates.
    pub fn choose(&mut self) {
        let mut candidates = Vec::new();
        self.served.resize(self.islands.island_index_end() as usize, 0);
        for &island in self.islands.awake_islands() {
            let ready_since = self
                .islands
                .nodes(island)
                .map(|node| self.ready_since[node as usize]);
            let longest = ready_since.min().unwrap_or(NONE);
            if self.islands.needs_split(island) && (longest != NONE || self.choice == SplitChoice::All) {
                let urgency = match self.choice {
                    SplitChoice::InTurn => 0,
                    SplitChoice::Sleepiest | SplitChoice::SleepiestInTurn | SplitChoice::All => longest,
                    SplitChoice::Largest => u32::MAX - self.islands.node_count(island),
                    SplitChoice::MostLost => u32::MAX - self.islands.lost_count(island),
                };
                candidates.push((urgency, island));
            }
        }
        if self.choice == SplitChoice::SleepiestInTurn {
            let is_served = |island: u32| self.served[island as usize] == self.turn;
            if candidates.iter().all(|&(_, island)| is_served(island)) {
                self.turn += 1;
            }
            let is_served = |island: u32| self.served[island as usize] == self.turn;
            candidates.sort_unstable_by_key(|&(urgency, island)| (is_served(island), urgency, island));
        } else {
            candidates.sort_unstable();
        }
        self.candidates.clear();
        self.candidates
            .extend(candidates.into_iter().map(|(_, island)| island));
    }

    /// Part 5: splits islands, for the algorithm that keeps them.
    pub fn split_islands(&mut self) -> WorkDone {
        match self.choice {
            SplitChoice::InTurn => self.islands.split_islands_in_turn(self.budget, &self.candidates),
            SplitChoice::SleepiestInTurn => {
                let state =
                    |islands: &Islands, island| (islands.needs_split(island), islands.lost_count(island));
                let before: Vec<_> = self
                    .candidates
                    .iter()
                    .map(|&island| state(&self.islands, island))
                    .collect();
                let done = self.islands.split_islands(self.budget, &self.candidates);
                for (&island, before) in self.candidates.iter().zip(before) {
                    if state(&self.islands, island) != before {
                        self.served[island as usize] = self.turn;
                    }
                }
                done
            }
            _ => self.islands.split_islands(self.budget, &self.candidates),
        }
    }

    /// Part 6: puts islands to sleep in which all nodes are ready.
    ///
    /// # Errors
    ///
    /// None that a replay can cause.
    pub fn fall_asleep(&mut self) -> Result<(), IslandError> {
        let is_ready = |node: u32| self.ready_since[node as usize] != NONE;
        let sleeps =
            |&island: &u32| !self.islands.needs_split(island) && self.islands.nodes(island).all(is_ready);
        let ready: Vec<u32> = self
            .islands
            .awake_islands()
            .iter()
            .copied()
            .filter(sleeps)
            .collect();
        for island in ready {
            self.islands.sleep(island)?;
            let nodes: Vec<u32> = self.islands.nodes(island).collect();
            nodes.into_iter().for_each(|node| self.leave_awake(node));
        }
        self.step += 1;
        Ok(())
    }

    /// Wakes the island of a node, if it sleeps.
    fn wake(&mut self, node: u32) -> Result<(), IslandError> {
        let island = self.islands.island_of(node).ok_or(IslandError::NoNode(node))?;
        if self.islands.is_asleep(island) {
            self.islands.wake(island)?;
            self.woke = true;
        }
        Ok(())
    }

    fn enter_awake(&mut self, node: u32) {
        self.places[node as usize] = self.awake.len() as u32;
        self.awake.push(node);
    }

    fn leave_awake(&mut self, node: u32) {
        let place = core::mem::replace(&mut self.places[node as usize], NONE) as usize;
        if place == NONE as usize {
            // The island woke in this step, and the node is not listed yet.
            return;
        }
        self.awake.swap_remove(place);
        if let Some(&moved) = self.awake.get(place) {
            self.places[moved as usize] = place as u32;
        }
    }
}
