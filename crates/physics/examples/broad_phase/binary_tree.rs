//! The comparison: the design that most 2D engines have. A binary tree of fat boxes; boxes that moved enlarge their
//! ancestors, enlarged branches are rebuilt by median split, each moved proxy queries the tree, and a hash set says
//! which overlaps are known. Written for comparison only: the set of proxies is fixed.

use tombolo_geometry::Aabb;
use tombolo_physics::BitSet;
use tombolo_physics::broad_phase::{Pair, ProxyDef, ProxyFilter, TreeKind};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    bounds: Aabb,
    categories: u64,
    parent: u32,
    left: u32,
    /// For a leaf the proxy.
    right: u32,
    enlarged: bool,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.left == NONE
    }
}

/// Open addressing with linear probing; keys are never zero because the higher shape is not.
struct PairSet {
    slots: Vec<u64>,
    count: usize,
}

impl PairSet {
    fn start(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    fn contains(&self, key: u64) -> bool {
        let mut place = self.start(key);
        while self.slots[place] != 0 {
            if self.slots[place] == key {
                return true;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        false
    }

    fn insert(&mut self, key: u64) {
        if 2 * self.count >= self.slots.len() {
            let larger = vec![0; 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, larger);
            self.count = 0;
            old.into_iter()
                .filter(|&key| key != 0)
                .for_each(|key| self.insert(key));
        }
        let mut place = self.start(key);
        while self.slots[place] != 0 {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = key;
        self.count += 1;
    }
}

/// A binary tree over the dynamic proxies, a list of the few static ones, and the set of known pairs.
pub(crate) struct BinaryBroadPhase {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    leaves: Vec<u32>,
    proxies: Vec<(Aabb, ProxyFilter)>,
    statics: Vec<ProxyDef>,
    moved: Vec<u32>,
    has_moved: Vec<bool>,
    known: PairSet,
}

impl BinaryBroadPhase {
    pub(crate) fn new(defs: &[ProxyDef]) -> Self {
        let is_dynamic = |def: &&ProxyDef| def.tree == TreeKind::Dynamic;
        let proxies: Vec<_> = defs
            .iter()
            .filter(is_dynamic)
            .map(|def| (def.fat_box, def.filter))
            .collect();
        let statics = defs.iter().filter(|def| !is_dynamic(def)).copied().collect();
        let leaf = |(index, &(bounds, filter)): (usize, &(Aabb, ProxyFilter))| Node {
            bounds,
            categories: filter.categories,
            parent: NONE,
            left: NONE,
            right: index as u32,
            enlarged: false,
        };
        let mut made = Self {
            nodes: proxies.iter().enumerate().map(leaf).collect(),
            free: Vec::new(),
            root: NONE,
            leaves: (0..proxies.len() as u32).collect(),
            statics,
            moved: (0..proxies.len() as u32).collect(),
            has_moved: vec![true; proxies.len()],
            known: PairSet {
                slots: vec![0; 64],
                count: 0,
            },
            proxies,
        };
        let mut leaves = made.leaves.clone();
        made.root = made.build(&mut leaves);
        made
    }

    /// Median split along the longer axis.
    fn build(&mut self, parts: &mut [u32]) -> u32 {
        if let &mut [one] = parts {
            return one;
        }
        let centers = parts.iter().fold(Aabb::EMPTY, |bounds, &part| {
            let center = self.nodes[part as usize].bounds.center();
            bounds.union(Aabb::new(center, center))
        });
        let size = centers.max - centers.min;
        let axis = usize::from(size.y > size.x);
        let middle = parts.len() / 2;
        let place = |part: &u32| self.nodes[*part as usize].bounds.center()[axis];
        parts.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)));
        let (low, high) = parts.split_at_mut(middle);
        let (left, right) = (self.build(low), self.build(high));
        let (a, b) = (&self.nodes[left as usize], &self.nodes[right as usize]);
        let node = Node {
            bounds: a.bounds.union(b.bounds),
            categories: a.categories | b.categories,
            parent: NONE,
            left,
            right,
            enlarged: false,
        };
        let index = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        });
        self.nodes[index as usize] = node;
        self.nodes[left as usize].parent = index;
        self.nodes[right as usize].parent = index;
        index
    }

    pub(crate) fn refit(&mut self, boxes: &[Aabb], moved: &BitSet) {
        for index in moved {
            let fat_box = boxes[index];
            self.moved.push(index as u32);
            self.has_moved[index] = true;
            self.proxies[index].0 = fat_box;
            self.nodes[self.leaves[index] as usize].bounds = fat_box;
            let mut above = self.nodes[self.leaves[index] as usize].parent;
            while above != NONE {
                let node = &mut self.nodes[above as usize];
                if node.enlarged && node.bounds.contains(fat_box) {
                    break;
                }
                node.bounds = node.bounds.union(fat_box);
                node.enlarged = true;
                above = node.parent;
            }
        }
        self.rebuild_enlarged();
    }

    fn rebuild_enlarged(&mut self) {
        let mut parts = Vec::new();
        let mut stack = vec![self.root];
        while let Some(index) = stack.pop() {
            let node = self.nodes[index as usize];
            if node.is_leaf() || !node.enlarged {
                parts.push(index);
            } else {
                stack.extend([node.left, node.right]);
                self.free.push(index);
            }
        }
        self.root = self.build(&mut parts);
        self.nodes[self.root as usize].parent = NONE;
    }

    pub(crate) fn find_pairs(&mut self, out: &mut Vec<Pair>) {
        let mut stack = Vec::new();
        for &index in &self.moved {
            let (fat_box, filter) = self.proxies[index as usize];
            stack.push(self.root);
            while let Some(top) = stack.pop() {
                let node = &self.nodes[top as usize];
                if !node.bounds.overlaps(fat_box) || node.categories & filter.mask == 0 {
                    continue;
                }
                if !node.is_leaf() {
                    stack.extend([node.left, node.right]);
                    continue;
                }
                let other = node.right;
                let twice = self.has_moved[other as usize] && other < index;
                if other != index && !twice && !self.known.contains(key(index, other)) {
                    out.push(pair(index, other));
                }
            }
            for def in &self.statics {
                let wanted =
                    def.filter.categories & filter.mask != 0 && def.filter.mask & filter.categories != 0;
                if wanted && def.fat_box.overlaps(fat_box) && !self.known.contains(key(index, def.shape)) {
                    out.push(pair(index, def.shape));
                }
            }
        }
        out.iter()
            .for_each(|pair| self.known.insert(key(pair.shape_a, pair.shape_b)));
        out.sort_unstable();
        for index in self.moved.drain(..) {
            self.has_moved[index as usize] = false;
        }
    }

    /// Forgets pairs that no longer overlap; not timed, in either design the contacts' own work.
    pub(crate) fn drop_separated(&mut self, boxes: &[Aabb]) {
        let known: Vec<u64> = self.known.slots.iter().copied().filter(|&key| key != 0).collect();
        self.known.slots.fill(0);
        self.known.count = 0;
        for key in known {
            let fat_box = |index: u32| {
                boxes
                    .get(index as usize)
                    .copied()
                    .unwrap_or_else(|| self.statics[index as usize - boxes.len()].fat_box)
            };
            if fat_box((key >> 32) as u32).overlaps(fat_box(key as u32)) {
                self.known.insert(key);
            }
        }
    }
}

fn pair(a: u32, b: u32) -> Pair {
    Pair {
        shape_a: a.min(b),
        shape_b: a.max(b),
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}
