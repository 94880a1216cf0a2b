//! Tests the broad phase against an oracle that compares all pairs, keeps its contacts as the caller of the broad phase
//! must, and returns the new ones; on 1, 2, 3 and 8 workers at once.

use super::{BroadPhase, Pair, ProxyDef, ProxyFilter, TreeKind};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tombolo_geometry::bvh::{BoxCast, Visit};
use tombolo_geometry::{Aabb, Vec2};
use tombolo_handles::BitSet;
use tombolo_threads::{Executor, Inline, Pool};

static POOLS: LazyLock<Vec<Pool>> = LazyLock::new(|| {
    [2, 3, 8]
        .map(|count| Pool::new(count).unwrap())
        .into_iter()
        .collect()
});

/// One call, or a batch, to the worlds and the oracle. A `which` picks among the live proxies.
#[derive(Clone, Debug)]
enum Operation {
    Create(ProxyDef),
    Destroy {
        which: usize,
    },
    Set {
        which: usize,
        fat_box: Aabb,
    },
    Filter {
        which: usize,
        filter: ProxyFilter,
    },
    /// Forbids a pair as a joint does; its contact is destroyed.
    Join {
        which: usize,
        other: usize,
    },
    /// Allows all joined pairs of a proxy again and touches it.
    Unjoin {
        which: usize,
    },
    /// Moves each live proxy whose bit is set by a step.
    Drift {
        pattern: u64,
        step: Vec2,
    },
    Find,
}

fn any_box() -> impl Strategy<Value = Aabb> {
    let size = prop_oneof![6 => 0.0..2.0_f32, 1 => 0.0..40.0_f32, 1 => Just(0.0)];
    (-8..8_i32, -8..8_i32, size.clone(), size).prop_map(|(x, y, width, height)| {
        let min = Vec2::new(x as f32, y as f32);
        Aabb::new(min, min + Vec2::new(width, height))
    })
}

fn any_filter() -> impl Strategy<Value = ProxyFilter> {
    let bits = || prop_oneof![3 => Just(u64::MAX), 2 => 0..8_u64];
    (bits(), bits(), -2..3_i32).prop_map(|(categories, mask, group)| ProxyFilter {
        categories,
        mask,
        group,
    })
}

fn any_def() -> impl Strategy<Value = ProxyDef> {
    let tree = prop_oneof![
        1 => Just(TreeKind::Static),
        1 => Just(TreeKind::Kinematic),
        4 => Just(TreeKind::Dynamic),
    ];
    (tree, 0..40_u32, any_box(), any_filter()).prop_map(|(tree, body, fat_box, filter)| ProxyDef {
        tree,
        body,
        shape: 0,
        fat_box,
        filter,
    })
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let which = || 0..1000_usize;
    prop_oneof![
        12 => any_def().prop_map(Operation::Create),
        3 => which().prop_map(|which| Operation::Destroy { which }),
        6 => (which(), any_box()).prop_map(|(which, fat_box)| Operation::Set { which, fat_box }),
        2 => (which(), any_filter()).prop_map(|(which, filter)| Operation::Filter { which, filter }),
        1 => (which(), which()).prop_map(|(which, other)| Operation::Join { which, other }),
        1 => which().prop_map(|which| Operation::Unjoin { which }),
        4 => (any::<u64>(), -1.0..1.0_f32, -1.0..1.0_f32)
            .prop_map(|(pattern, x, y)| Operation::Drift { pattern, step: Vec2::new(x, y) }),
        4 => Just(Operation::Find),
    ]
}

/// The oracle: compares all pairs.
#[derive(Default)]
struct Oracle {
    /// The proxies' definitions, by proxy index.
    live: Vec<Option<ProxyDef>>,
    contacts: BTreeSet<Pair>,
    joined: BTreeSet<Pair>,
    next_shape: u32,
}

impl Oracle {
    fn pick(&self, which: usize) -> Option<usize> {
        let live: Vec<usize> = (0..self.live.len())
            .filter(|&index| self.live[index].is_some())
            .collect();
        (!live.is_empty()).then(|| live[which % live.len()])
    }

    fn shape(&self, index: usize) -> u32 {
        self.live[index].unwrap().shape
    }

    fn drop_contacts_of(&mut self, shape: u32) {
        self.contacts
            .retain(|pair| pair.shape_a != shape && pair.shape_b != shape);
    }

    fn wanted(&self, a: &ProxyDef, b: &ProxyDef) -> bool {
        let filter = if a.filter.group != 0 && a.filter.group == b.filter.group {
            a.filter.group > 0
        } else {
            a.filter.categories & b.filter.mask != 0 && b.filter.categories & a.filter.mask != 0
        };
        a.body != b.body
            && (a.tree == TreeKind::Dynamic || b.tree == TreeKind::Dynamic)
            && a.fat_box.overlaps(b.fat_box)
            && filter
            && !self.joined.contains(&pair(a.shape, b.shape))
    }

    /// Brings the contacts up to date and returns the new ones.
    fn find(&mut self) -> Vec<Pair> {
        let defs: Vec<ProxyDef> = self.live.iter().flatten().copied().collect();
        let mut all = BTreeSet::new();
        for (index, a) in defs.iter().enumerate() {
            for b in &defs[index + 1..] {
                if self.wanted(a, b) {
                    all.insert(pair(a.shape, b.shape));
                }
            }
        }
        let new = all.difference(&self.contacts).copied().collect();
        self.contacts = all;
        new
    }
}

fn pair(a: u32, b: u32) -> Pair {
    Pair {
        shape_a: a.min(b),
        shape_b: a.max(b),
    }
}

/// A world for each number of workers, and the oracle.
struct Checked {
    worlds: Vec<BroadPhase>,
    oracle: Oracle,
}

impl Checked {
    fn new() -> Self {
        Self {
            worlds: vec![BroadPhase::default(); 4],
            oracle: Oracle::default(),
        }
    }

    fn executors() -> impl Iterator<Item = &'static dyn Executor> {
        let pools = POOLS.iter().map(|pool| pool as &dyn Executor);
        core::iter::once(&Inline as &dyn Executor).chain(pools)
    }

    fn create(&mut self, mut def: ProxyDef) {
        def.shape = self.oracle.next_shape;
        self.oracle.next_shape += 1;
        let mut index = 0;
        for world in &mut self.worlds {
            index = world.create_proxy(def).unwrap() as usize;
        }
        self.oracle
            .live
            .resize(self.oracle.live.len().max(index + 1), None);
        assert!(self.oracle.live[index].replace(def).is_none());
    }

    fn apply(&mut self, operation: Operation) {
        let Self { worlds, oracle } = self;
        match operation {
            Operation::Create(def) => self.create(def),
            Operation::Destroy { which } => {
                let Some(index) = oracle.pick(which) else { return };
                oracle.drop_contacts_of(oracle.shape(index));
                oracle.live[index] = None;
                worlds
                    .iter_mut()
                    .for_each(|world| world.destroy_proxy(index as u32));
            }
            Operation::Set { which, fat_box } => {
                let Some(index) = oracle.pick(which) else { return };
                oracle.live[index].as_mut().unwrap().fat_box = fat_box;
                worlds
                    .iter_mut()
                    .for_each(|world| world.set_box(index as u32, fat_box).unwrap());
            }
            Operation::Filter { which, filter } => {
                let Some(index) = oracle.pick(which) else { return };
                oracle.live[index].as_mut().unwrap().filter = filter;
                worlds
                    .iter_mut()
                    .for_each(|world| world.set_filter(index as u32, filter));
            }
            Operation::Join { which, other } => {
                let Some((a, b)) = oracle.pick(which).zip(oracle.pick(other)) else {
                    return;
                };
                let joined = pair(oracle.shape(a), oracle.shape(b));
                oracle.joined.insert(joined);
                oracle.contacts.remove(&joined);
            }
            Operation::Unjoin { which } => {
                let Some(index) = oracle.pick(which) else { return };
                let shape = oracle.shape(index);
                oracle
                    .joined
                    .retain(|pair| pair.shape_a != shape && pair.shape_b != shape);
                worlds.iter_mut().for_each(|world| world.touch(index as u32));
            }
            Operation::Drift { pattern, step } => self.drift(pattern, step),
            Operation::Find => self.find(),
        }
    }

    fn drift(&mut self, pattern: u64, step: Vec2) {
        let mut moved = BitSet::with_len(self.oracle.live.len());
        for (index, def) in self.oracle.live.iter_mut().enumerate() {
            if let Some(def) = def
                && pattern >> (index * 7 % 64) & 1 != 0
            {
                def.fat_box = Aabb::new(def.fat_box.min + step, def.fat_box.max + step);
                moved.set(index);
            }
        }
        for (world, executor) in self.worlds.iter_mut().zip(Self::executors()) {
            for (fat_box, def) in world.boxes_mut().iter_mut().zip(&self.oracle.live) {
                *fat_box = def.map_or(*fat_box, |def| def.fat_box);
            }
            world.refit(executor, &moved);
        }
    }

    fn find(&mut self) {
        let contacts = self.oracle.contacts.clone();
        let expected = self.oracle.find();
        let joined = &self.oracle.joined;
        for (world, executor) in self.worlds.iter_mut().zip(Self::executors()) {
            let mut found = Vec::new();
            world.find_pairs(
                executor,
                &|a, b, _| !contacts.contains(&pair(a, b)) && !joined.contains(&pair(a, b)),
                &mut found,
            );
            assert_eq!(found, expected, "{} workers", executor.worker_count());
        }
    }

    fn check(&self) {
        self.worlds[0].validate();
        let bytes = |world: &BroadPhase| {
            let trees = world
                .trees
                .iter()
                .map(|tree| bytemuck::cast_slice(&tree.nodes).to_vec());
            (
                trees.collect::<Vec<Vec<u8>>>(),
                world.boxes.clone(),
                world.proxies.clone(),
            )
        };
        for world in &self.worlds[1..] {
            assert!(
                bytes(world) == bytes(&self.worlds[0]),
                "state differs between numbers of workers"
            );
        }
        for area in [
            Aabb::new(Vec2::splat(-3.0), Vec2::splat(1.5)),
            Aabb::new(Vec2::ZERO, Vec2::ZERO),
        ] {
            let mut found = Vec::new();
            self.worlds[0].query_box(area, 6, |shape| {
                found.push(shape);
                Visit::Continue
            });
            found.sort_unstable();
            let live = self.oracle.live.iter().flatten();
            let mut expected: Vec<u32> = live
                .filter(|def| def.fat_box.overlaps(area) && def.filter.categories & 6 != 0)
                .map(|def| def.shape)
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}

proptest! {
    #[test]
    fn random_calls_give_the_pairs_of_the_oracle_on_any_number_of_workers(
        operations in prop::collection::vec(any_operation(), 1..300),
    ) {
        let mut checked = Checked::new();
        for operation in operations {
            let found = matches!(operation, Operation::Find);
            checked.apply(operation);
            if found {
                checked.check();
            }
        }
        checked.apply(Operation::Find);
        checked.check();
    }
}

/// A repeatable stream of numbers in [0, 1).
fn numbers(mut state: u64) -> impl FnMut() -> f32 {
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

fn small_box(number: &mut impl FnMut() -> f32, span: f32) -> Aabb {
    let center = Vec2::new(number() * span, number() * span);
    Aabb::new(center, center).grown(0.5)
}

fn dynamic(body: u32, fat_box: Aabb) -> ProxyDef {
    ProxyDef {
        tree: TreeKind::Dynamic,
        body,
        shape: body,
        fat_box,
        filter: ProxyFilter::default(),
    }
}

#[test]
fn a_crowd_that_moves_for_many_steps_agrees_with_the_oracle() {
    let mut number = numbers(1);
    let mut checked = Checked::new();
    let ground = Aabb::new(Vec2::new(-5.0, -5.0), Vec2::new(35.0, 2.0));
    checked.create(ProxyDef {
        tree: TreeKind::Static,
        ..dynamic(0, ground)
    });
    for body in 1..700 {
        checked.create(dynamic(body, small_box(&mut number, 30.0)));
    }
    for step in 0..40 {
        checked.apply(Operation::Find);
        let pattern = if step % 5 == 4 {
            1 << 13
        } else {
            0x1111_1111_1111_1111 << (step % 4)
        };
        let step = Vec2::new(number() - 0.4, number() - 0.5);
        checked.apply(Operation::Drift { pattern, step });
    }
    checked.check();
}

#[test]
fn a_copy_of_the_arrays_goes_on_with_the_same_pairs() {
    let mut number = numbers(2);
    let mut original = BroadPhase::default();
    for body in 0..300 {
        original
            .create_proxy(dynamic(body, small_box(&mut number, 15.0)))
            .unwrap();
    }
    let find = |world: &mut BroadPhase| {
        let mut out = Vec::new();
        world.find_pairs(&Inline, &|_, _, _| true, &mut out);
        out
    };
    find(&mut original);
    original.set_box(7, small_box(&mut number, 15.0)).unwrap();
    original.destroy_proxy(3);
    let mut copy = BroadPhase {
        trees: original.trees.clone(),
        proxies: original.proxies.clone(),
        boxes: original.boxes.clone(),
        free: original.free.clone(),
        ..BroadPhase::default()
    };
    for _ in 0..50 {
        let def = dynamic(1000, small_box(&mut number, 15.0));
        assert_eq!(original.create_proxy(def), copy.create_proxy(def));
        let index = (number() * 300.0) as u32;
        let fat_box = small_box(&mut number, 15.0);
        if index != 3 {
            original.set_box(index, fat_box).unwrap();
            copy.set_box(index, fat_box).unwrap();
        }
        assert_eq!(find(&mut original), find(&mut copy));
        assert_eq!(original.trees, copy.trees);
    }
}

#[test]
fn boxes_that_are_not_valid_are_refused_and_change_nothing() {
    let mut world = BroadPhase::default();
    let good = Aabb::new(Vec2::ZERO, Vec2::ONE);
    let index = world.create_proxy(dynamic(0, good)).unwrap();
    let before = world.clone();
    for bad in [
        Aabb::EMPTY,
        Aabb::new(Vec2::ONE, Vec2::ZERO),
        Aabb::new(Vec2::splat(f32::NAN), Vec2::ONE),
        Aabb::new(Vec2::ZERO, Vec2::splat(f32::INFINITY)),
    ] {
        assert!(world.create_proxy(dynamic(1, bad)).is_err());
        let error = world.set_box(index, bad).unwrap_err();
        assert!(error.to_string().contains("give finite edges"), "{error}");
    }
    assert_eq!(world.trees, before.trees);
    assert_eq!(
        (world.proxies.len(), &world.boxes, &world.free),
        (1, &before.boxes, &before.free)
    );
}

#[test]
fn no_proxy_and_one_proxy_have_no_pairs() {
    let mut world = BroadPhase::default();
    let mut out = Vec::new();
    world.find_pairs(&Inline, &|_, _, _| true, &mut out);
    world.refit(&Inline, &BitSet::new());
    world
        .create_proxy(dynamic(0, Aabb::new(Vec2::ZERO, Vec2::ONE)))
        .unwrap();
    world.find_pairs(&Inline, &|_, _, _| true, &mut out);
    assert_eq!(out, []);
}

#[test]
fn a_cast_over_three_trees_narrows_as_hits_are_found() {
    let mut world = BroadPhase::default();
    for (shape, tree) in [TreeKind::Static, TreeKind::Kinematic, TreeKind::Dynamic]
        .into_iter()
        .enumerate()
    {
        let min = Vec2::new(10.0 - 3.0 * shape as f32, -0.5);
        let def = dynamic(shape as u32, Aabb::new(min, min + Vec2::ONE));
        world.create_proxy(ProxyDef { tree, ..def }).unwrap();
    }
    let ray = BoxCast {
        start: Vec2::ZERO,
        translation: Vec2::new(20.0, 0.0),
        half_size: Vec2::ZERO,
        fraction_max: 1.0,
    };
    let mut seen = Vec::new();
    world.cast(&ray, 1, |shape, fraction_max| {
        let hit = (10.0 - 3.0 * shape as f32) / 20.0;
        assert!(hit <= fraction_max);
        seen.push(shape);
        hit
    });
    assert_eq!(
        seen,
        [0, 1, 2],
        "each is nearer than the one before, so none is left out"
    );
    seen.clear();
    world.cast(&ray, 1, |shape, _| {
        seen.push(shape);
        0.0
    });
    assert_eq!(seen, [0], "0 stops in all trees");
}
