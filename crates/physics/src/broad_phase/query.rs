//! Queries over all three trees: static first, then kinematic, then dynamic; and over one of them.

use super::{BroadPhase, Proxy, TreeKind};
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{BoxCast, Visit};

impl BroadPhase {
    /// Calls `visit(shape)` for the shapes whose fat box shares a point with `area` and that have one of `categories`.
    /// Cost: O(log n + found).
    pub fn query_box(&self, area: Aabb, categories: u64, mut visit: impl FnMut(u32) -> Visit) {
        self.proxies_in_box(area, categories, |proxy| visit(proxy.shape));
    }

    /// Like [`query_box`](Self::query_box), with the proxies of the shapes, which say what a query asks of each first: its
    /// body and its filter.
    pub(crate) fn proxies_in_box(&self, area: Aabb, categories: u64, mut visit: impl FnMut(&Proxy) -> Visit) {
        let mut answer = Visit::Continue;
        for tree in &self.trees {
            tree.query_box(area, categories, |item| {
                let proxy = &self.proxies[item as usize];
                if proxy.categories & categories != 0 {
                    answer = visit(proxy);
                }
                answer
            });
            if answer == Visit::Stop {
                return;
            }
        }
    }

    /// Calls `visit(shape)` for the shapes of one tree whose fat box shares a point with `area` and with which a proxy
    /// [passes the filter](Self::passes_filter), in the order of the tree. Cost: O(log n + found).
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn query_pairs(&self, tree: TreeKind, proxy: u32, area: Aabb, mut visit: impl FnMut(u32)) {
        let asking = self.live(proxy);
        // A common positive group overrides the mask, and nodes store only categories.
        let categories = if asking.group > 0 { u64::MAX } else { asking.mask };
        self.trees[tree as usize].query_box(area, categories, |item| {
            let other = &self.proxies[item as usize];
            if asking.passes_filter(other) {
                visit(other.shape);
            }
            Visit::Continue
        });
    }

    /// Whether two proxies are of two bodies, and the filters of both let them collide.
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn passes_filter(&self, proxy: u32, other: u32) -> bool {
        self.live(proxy).passes_filter(self.live(other))
    }

    /// Calls `visit(shape)` for the shapes of one tree whose fat box shares a point with `area`, in the order of the tree.
    /// Cost: O(log n + found).
    pub fn query_tree(&self, tree: TreeKind, area: Aabb, mut visit: impl FnMut(u32)) {
        self.search_tree(tree, area, |shape| {
            visit(shape);
            Visit::Continue
        });
    }

    /// Like [`query_tree`](Self::query_tree) until `visit` stops it.
    pub fn search_tree(&self, tree: TreeKind, area: Aabb, mut visit: impl FnMut(u32) -> Visit) {
        let visit_item = |item: u32| visit(self.proxies[item as usize].shape);
        self.trees[tree as usize].query_box(area, u64::MAX, visit_item);
    }

    /// Whether the fat box of any shape of one tree shares a point with `area`. Cost: O(log n).
    pub fn is_any_in(&self, tree: TreeKind, area: Aabb) -> bool {
        let mut found = false;
        self.trees[tree as usize].query_box(area, u64::MAX, |_| {
            found = true;
            Visit::Stop
        });
        found
    }

    /// Calls `visit(shape, fraction_max)` for the shapes whose fat box the moving box (a ray, if its half size is zero)
    /// may meet and that have one of `categories`, near ones first within a tree. `visit` returns the fraction of the
    /// translation that is still of interest, at most `fraction_max`; 0 stops. Cost: O(log n + found) for a short
    /// translation.
    pub fn cast(&self, cast: &BoxCast, categories: u64, mut visit: impl FnMut(u32, f32) -> f32) {
        self.proxies_on_path(cast, categories, |proxy, present| visit(proxy.shape, present));
    }

    /// Like [`cast`](Self::cast), with the proxies of the shapes.
    pub(crate) fn proxies_on_path(
        &self,
        cast: &BoxCast,
        categories: u64,
        mut visit: impl FnMut(&Proxy, f32) -> f32,
    ) {
        let mut cast = *cast;
        for tree in &self.trees {
            let mut fraction_max = cast.fraction_max;
            tree.cast(&cast, categories, |item, present| {
                let proxy = &self.proxies[item as usize];
                fraction_max = present;
                if proxy.categories & categories != 0 {
                    fraction_max = visit(proxy, present);
                }
                fraction_max
            });
            if fraction_max <= 0.0 {
                return;
            }
            cast.fraction_max = fraction_max;
        }
    }

    /// Calls `visit(shape, distance_max)` for the shapes whose fat box may be within `distance_max` meters of `area`
    /// and that have one of `categories`, near ones first within a tree. `visit` returns the distance that is still of
    /// interest, at most `distance_max`; less than zero stops. Cost: O(log n + found) for a short distance.
    pub fn query_near(
        &self,
        area: Aabb,
        distance_max: f32,
        categories: u64,
        mut visit: impl FnMut(u32, f32) -> f32,
    ) {
        let mut rest = distance_max;
        for tree in &self.trees {
            if rest < 0.0 {
                return;
            }
            tree.query_near(area, rest, categories, |item, present| {
                let proxy = &self.proxies[item as usize];
                rest = present;
                if proxy.categories & categories != 0 {
                    rest = visit(proxy.shape, present);
                }
                rest
            });
        }
    }

    /// The shapes that [`query_box`](Self::query_box) visits, in the same order.
    pub fn iter_box(&self, area: Aabb, categories: u64) -> impl Iterator<Item = u32> + use<'_> {
        let items = self
            .trees
            .iter()
            .flat_map(move |tree| tree.iter_box(area, categories));
        self.shapes_with(items, categories)
    }

    /// The shapes that [`cast`](Self::cast) visits if all of the translation stays of interest, in the same order.
    pub fn iter_cast(&self, cast: BoxCast, categories: u64) -> impl Iterator<Item = u32> + use<'_> {
        let items = self
            .trees
            .iter()
            .flat_map(move |tree| tree.iter_cast(&cast, categories));
        self.shapes_with(items, categories)
    }

    /// The shapes that [`query_near`](Self::query_near) visits if all of the distance stays of interest, in the same
    /// order.
    pub fn iter_near(
        &self,
        area: Aabb,
        distance_max: f32,
        categories: u64,
    ) -> impl Iterator<Item = u32> + use<'_> {
        let trees = self.trees.iter();
        let items = trees.flat_map(move |tree| tree.iter_near(area, distance_max, categories));
        self.shapes_with(items, categories)
    }

    /// The shapes of proxies that have one of `categories`.
    fn shapes_with<'a, I: Iterator<Item = u32>>(
        &'a self,
        items: I,
        categories: u64,
    ) -> impl Iterator<Item = u32> + use<'a, I> {
        items.filter_map(move |item| {
            let proxy = &self.proxies[item as usize];
            (proxy.categories & categories != 0).then_some(proxy.shape)
        })
    }
}
