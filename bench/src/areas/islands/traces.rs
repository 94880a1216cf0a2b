//! The traces of the area: some recorded from worlds, the others generated, each an exaggeration of one behavior of
//! islands.

use std::collections::BTreeMap;

use anyhow::ensure;
use tombolo_bench_designs::islands::{Trace, TraceEvent};

use super::recorded;

/// xorshift64*: it gives the same traces on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A number from -1 to 1.
    fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// A named trace.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) trace: Trace,
}

/// The traces whose names contain `only`; with `smoke` smaller and shorter ones.
pub(super) fn all(smoke: bool, only: &str) -> anyhow::Result<Vec<Case>> {
    let shrink = if smoke { 10 } else { 1 };
    let steps = 300 / shrink;
    type Make = Box<dyn Fn() -> anyhow::Result<Trace>>;
    let scene = |name: &'static str, steps: usize| -> Make {
        Box::new(move || recorded::scene(name, smoke, steps / shrink))
    };
    let made_up = |make: Box<dyn Fn() -> Trace>| -> Make { Box::new(move || Ok(make())) };
    let makers: [(&str, Make); 12] = [
        (
            "182 pyramids, recorded",
            Box::new(move || recorded::pyramids(182 / shrink as u32, steps)),
        ),
        ("many_pyramids, recorded", scene("many_pyramids", 200)),
        (
            "tumbler of 2,025, recorded",
            Box::new(move || recorded::tumbler(45 / (shrink as u32).min(3), steps * 2)),
        ),
        ("tumbler on its joint, recorded", scene("tumbler", 600)),
        (
            "pile of 10,000, recorded",
            Box::new(move || recorded::pile(100 / shrink as u32, steps * 2)),
        ),
        ("junkyard, recorded", scene("junkyard", 400)),
        ("rain of ragdolls, recorded", scene("rain", 600)),
        (
            "182 pyramids that flicker",
            made_up(Box::new(move || pyramids(182 / shrink, steps))),
        ),
        (
            "tumbling 2,000",
            made_up(Box::new(move || tumbling(2000 / shrink, steps))),
        ),
        (
            "piles stirred in turn, 10,000",
            made_up(Box::new(move || mixed_piles(100 / shrink, 100, steps * 2))),
        ),
        (
            "chain of 4,096 cut again and again",
            made_up(Box::new(move || cut_chain(4096 / shrink as u32, steps))),
        ),
        (
            "10,000 explode",
            made_up(Box::new(move || explosion(100 / shrink as u32, steps))),
        ),
    ];
    let chosen = makers.into_iter().filter(|(name, _)| name.contains(only));
    let cases: Vec<Case> = chosen
        .map(|(name, make)| {
            let name = name.to_owned();
            make().map(|trace| Case { name, trace })
        })
        .collect::<anyhow::Result<_>>()?;
    ensure!(!cases.is_empty(), "no trace has `{only}` in its name");
    Ok(cases)
}

/// Pyramids of base 10, all awake; each step one contact in a thousand ends, and begins again two steps later.
fn pyramids(count: usize, steps: usize) -> Trace {
    let mut trace = Trace::default();
    let mut edges = Vec::new();
    for pyramid in 0..count as u32 {
        let first = pyramid * 55;
        (first..first + 55).for_each(|node| trace.push(TraceEvent::Add(node)));
        let mut row = first;
        for width in (2..=10).rev() {
            for place in 0..width - 1 {
                let above = row + width + place;
                edges.push([row + place, above]);
                edges.push([row + place + 1, above]);
            }
            row += width;
        }
    }
    for (edge, &nodes) in edges.iter().enumerate() {
        trace.push(TraceEvent::Begin(edge as u32, nodes));
    }
    trace.end_step();
    flicker(&mut trace, &edges, edges.len() / 1000 + 1, steps);
    trace
}

/// Steps in which `per_step` edges end and begin again two steps later.
fn flicker(trace: &mut Trace, edges: &[[u32; 2]], per_step: usize, steps: usize) {
    let mut random = Random(7);
    let mut gone: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for step in 0..steps {
        for edge in std::mem::take(&mut gone[step % 2]) {
            trace.push(TraceEvent::Begin(edge as u32, edges[edge]));
        }
        for _ in 0..per_step {
            let edge = random.below(edges.len());
            if !gone.iter().flatten().any(|&other| other == edge) {
                trace.push(TraceEvent::End(edge as u32));
                gone[step % 2].push(edge);
            }
        }
        trace.end_step();
    }
}

/// Points that touch while they are near each other.
struct Points {
    places: Vec<[f32; 2]>,
    /// Touching pairs and the edge of each.
    edges: BTreeMap<[u32; 2], u32>,
    free: Vec<u32>,
    next_edge: u32,
}

/// The distance below which points touch; they part above 1.1 times as much.
const TOUCH: f32 = 1.0;

impl Points {
    fn new(places: Vec<[f32; 2]>) -> Self {
        Self {
            places,
            edges: BTreeMap::new(),
            free: Vec::new(),
            next_edge: 0,
        }
    }

    fn distance_squared(&self, [a, b]: [u32; 2]) -> f32 {
        let (a, b) = (self.places[a as usize], self.places[b as usize]);
        (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
    }

    /// Adds the contacts that ended and began since the last call.
    fn touch(&mut self, trace: &mut Trace) {
        let parted = |pair: &[u32; 2]| self.distance_squared(*pair) > TOUCH * TOUCH * 1.21;
        for pair in self.edges.keys().copied().filter(parted).collect::<Vec<_>>() {
            let edge = self.edges.remove(&pair).expect("listed above");
            trace.push(TraceEvent::End(edge));
            self.free.push(edge);
        }
        let mut cells: BTreeMap<[i32; 2], Vec<u32>> = BTreeMap::new();
        let cell = |place: [f32; 2]| place.map(|x| (x / TOUCH).floor() as i32);
        for (node, &place) in self.places.iter().enumerate() {
            cells.entry(cell(place)).or_default().push(node as u32);
        }
        for node in 0..self.places.len() as u32 {
            let [x, y] = cell(self.places[node as usize]);
            let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [x + dx, y + dy]));
            for other in around
                .filter_map(|cell| cells.get(&cell))
                .flatten()
                .copied()
                .filter(|&other| other > node)
            {
                let pair = [node, other];
                if self.distance_squared(pair) < TOUCH * TOUCH && !self.edges.contains_key(&pair) {
                    let edge = self.free.pop().unwrap_or_else(|| {
                        self.next_edge += 1;
                        self.next_edge - 1
                    });
                    self.edges.insert(pair, edge);
                    trace.push(TraceEvent::Begin(edge, pair));
                }
            }
        }
    }
}

/// Points in a box that all move all the time: none sleeps, and some contacts change in every step.
fn tumbling(count: usize, steps: usize) -> Trace {
    let side = (count as f32 * 0.62).sqrt();
    let mut random = Random(11);
    let mut at = || {
        [
            (random.signed() + 1.0) * side / 2.0,
            (random.signed() + 1.0) * side / 2.0,
        ]
    };
    let mut points = Points::new((0..count).map(|_| at()).collect());
    let mut velocities: Vec<[f32; 2]> = (0..count)
        .map(|_| [random.signed() * 0.02, random.signed() * 0.02])
        .collect();
    let mut trace = Trace::default();
    (0..count as u32).for_each(|node| trace.push(TraceEvent::Add(node)));
    for _ in 0..=steps {
        points.touch(&mut trace);
        trace.end_step();
        for (place, velocity) in points.places.iter_mut().zip(&mut velocities) {
            for axis in 0..2 {
                place[axis] += velocity[axis];
                if place[axis] < 0.0 || place[axis] > side {
                    velocity[axis] = -velocity[axis];
                    place[axis] += 2.0 * velocity[axis];
                }
            }
        }
    }
    trace
}

/// Separate piles that rest most of the time; each is stirred now and then for 20 steps, and the bodies that were moved
/// are ready to sleep half a second after.
fn mixed_piles(piles: usize, size: usize, steps: usize) -> Trace {
    const STIRRED: usize = 20;
    const UNTIL_READY: usize = 30;
    let side = (size as f32 * 0.8).sqrt();
    let mut random = Random(13);
    let mut places = Vec::new();
    for pile in 0..piles {
        for _ in 0..size {
            let x = (random.signed() + 1.0) * side / 2.0 + pile as f32 * (side + 20.0);
            places.push([x, (random.signed() + 1.0) * side / 2.0]);
        }
    }
    let mut points = Points::new(places);
    let mut moved_at: Vec<Option<usize>> = vec![Some(0); piles * size];
    let mut mixed_until = vec![0; piles];
    let mut trace = Trace::default();
    (0..(piles * size) as u32).for_each(|node| trace.push(TraceEvent::Add(node)));
    for step in 0..=steps {
        for (pile, until) in mixed_until.iter_mut().enumerate() {
            if random.below(150) == 0 {
                *until = step + STIRRED;
            }
            let nodes = pile * size..(pile + 1) * size;
            for (node, moved_at) in nodes.clone().zip(&mut moved_at[nodes]) {
                if step < *until && random.below(3) == 0 {
                    if moved_at.is_none() {
                        trace.push(TraceEvent::Wake(node as u32));
                    }
                    *moved_at = Some(step);
                    points.places[node][0] += random.signed() * 0.1;
                    points.places[node][1] += random.signed() * 0.1;
                } else if moved_at.is_some_and(|at| step >= at + UNTIL_READY) {
                    *moved_at = None;
                    trace.push(TraceEvent::Sleep(node as u32));
                }
            }
        }
        points.touch(&mut trace);
        trace.end_step();
    }
    trace
}

/// A chain that is cut near its middle in one step and joined in the next; all its bodies but one are ready to sleep.
fn cut_chain(count: u32, steps: usize) -> Trace {
    let mut random = Random(17);
    let mut trace = Trace::default();
    (0..count).for_each(|node| trace.push(TraceEvent::Add(node)));
    (1..count).for_each(|node| trace.push(TraceEvent::Begin(node, [node - 1, node])));
    trace.end_step();
    (1..count).for_each(|node| trace.push(TraceEvent::Sleep(node)));
    let mut cut = None;
    for _ in 0..steps {
        match cut.take() {
            Some(edge) => trace.push(TraceEvent::Begin(edge, [edge - 1, edge])),
            None => {
                let edge = count / 2 - 16 + random.below(32) as u32;
                trace.push(TraceEvent::Wake(edge));
                trace.push(TraceEvent::End(edge));
                trace.push(TraceEvent::Sleep(edge));
                cut = Some(edge);
            }
        }
        trace.end_step();
    }
    trace
}

/// One block of `side`² boxes, of which all contacts end within ten steps; some pairs stay together. All are ready to
/// sleep half a second later.
fn explosion(side: u32, steps: usize) -> Trace {
    const AT: usize = 5;
    const LASTS: usize = 10;
    let mut random = Random(19);
    let mut trace = Trace::default();
    let mut edges = Vec::new();
    for node in 0..side * side {
        trace.push(TraceEvent::Add(node));
        if node % side > 0 {
            edges.push([node - 1, node]);
        }
        if node >= side {
            edges.push([node - side, node]);
        }
    }
    for (edge, &nodes) in edges.iter().enumerate() {
        trace.push(TraceEvent::Begin(edge as u32, nodes));
    }
    trace.end_step();
    // One edge in twenty holds.
    let ends: Vec<Option<usize>> = edges
        .iter()
        .map(|_| (random.below(20) > 0).then(|| AT + random.below(LASTS)))
        .collect();
    for step in 0..steps {
        for edge in (0..edges.len()).filter(|&edge| ends[edge] == Some(step)) {
            trace.push(TraceEvent::End(edge as u32));
        }
        if step == AT + LASTS + 30.min(steps / 4) {
            (0..side * side).for_each(|node| trace.push(TraceEvent::Sleep(node)));
        }
        trace.end_step();
    }
    trace
}
