//! Plans a cut: the fate of each group of fragments; `grouping.rs` says which fragments stay together.

use super::fragment::{Fragment, Knife};
use super::grouping::connected_groups;
use super::part_tree::PartTree;
use super::solid::Solid;
use crate::settings::{Debris, DebrisFate};
use crate::state::State;
use crate::{Filter, PhysicsError, Shape};
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::shape::MassProperties;
use tombolo_geometry::split::Splitter;

/// The changes that a cut will make to a body. None of them is made yet.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The body's index.
    pub(crate) body: u32,
    pub(super) solids: Vec<Solid>,
    pub(super) fragments: Vec<Fragment>,
    /// The convex parts of the fragments in a tree; empty for a composite that falls apart.
    pub(super) parts: PartTree,
    /// The groups, in the order of their first fragments.
    pub(super) groups: Vec<Group>,
    /// Shapes that are not cut but only move with a group, and the index of that group.
    pub(super) passengers: Vec<(Vec<u32>, usize)>,
    /// The members of a composite that falls apart, sorted, each with the index of its group; empty if a body is cut.
    pub(super) members: Vec<(u32, usize)>,
    /// The segments along which a line cut material, in the body's frame.
    pub(super) segments: Vec<[DVec2; 2]>,
}

/// Fragments that are connected.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their indices in the list of fragments.
    pub(super) fragments: Vec<usize>,
    pub(super) fate: Fate,
    /// The area in square meters.
    pub(super) area: f64,
    /// The mass in kilograms, whether the body is dynamic or not.
    pub(super) mass: f64,
    /// The center of mass in the body's frame; of the area if there is no mass.
    pub(super) center: DVec2,
    /// The moment of inertia about the center, in kilogram square meters.
    pub(super) inertia: f64,
}

/// The fate of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    /// It remains the body that was cut.
    Stay,
    /// It becomes a new body.
    Part,
    /// It becomes a new body with this filter.
    Debris(Filter),
    /// It is destroyed.
    Vanish,
}

impl Plan {
    /// Plans a cut; `None` if all fragments are still connected after it.
    pub(crate) fn new(
        state: &State,
        body: u32,
        knife: &Knife,
        splitter: &mut Splitter,
    ) -> Result<Option<Self>, PhysicsError> {
        let (solids, passengers) = state.solids_of(body);
        let mut fragments = Vec::new();
        let mut segments = Vec::new();
        let copies = |shapes: &[u32]| state.copies_of(shapes);
        for (index, solid) in solids.iter().enumerate() {
            fragments.extend(knife.fragments(index, solid, splitter, &mut segments, &copies)?);
        }
        let parts = PartTree::new(&fragments);
        let mut groups: Vec<Group> = connected_groups(&fragments, &parts, knife.segment())
            .into_iter()
            .map(|members| weigh(members, &fragments))
            .collect();
        if groups.len() < 2 {
            return Ok(None);
        }
        let on_tiles = state.fragments_on_tiles(body, &parts, fragments.len());
        if !decide_fates(&mut groups, &fragments, &on_tiles, state.settings().debris()) {
            return Ok(None);
        }
        state.check_no_composite(body, "a composite falls apart at its welds, and cannot be cut")?;
        state.load_tiles(body, &mut groups);
        let mut plan = Self {
            body,
            solids,
            fragments,
            parts,
            groups,
            passengers: Vec::new(),
            members: Vec::new(),
            segments,
        };
        plan.passengers = plan.groups_of_passengers(state, passengers);
        Ok(Some(plan))
    }

    /// The groups that shapes go with which are not cut: that of the piece nearest to their center, if it does not vanish. Of
    /// a body that no mass moves, ground or a lift, only sensors leave, with a piece that contains their center: what is left
    /// of a tree may be nearest to ground that ends a mile from it.
    fn groups_of_passengers(&self, state: &State, passengers: Vec<Vec<u32>>) -> Vec<(Vec<u32>, usize)> {
        if passengers.is_empty() {
            return Vec::new();
        }
        let group_of = self.groups_of_fragments();
        let lasts = |group: &usize| self.groups[*group].fate != Fate::Vanish;
        let lasting_group = |fragment: usize| Some(group_of[fragment]).filter(lasts);
        let staying = staying(&self.groups);
        let is_dynamic = state.body_sims[self.body].is_dynamic();
        let with_group = |shapes: Vec<u32>| {
            let is_sensor = state.shapes.live(shapes[0]).sensor != 0;
            let nearest = self.parts.nearest(state.center_of(&shapes), lasting_group);
            let taking = nearest.filter(|&(distance, _)| is_dynamic || (is_sensor && distance <= 0.0));
            (shapes, taking.map_or(staying, |(_, group)| group))
        };
        passengers.into_iter().map(with_group).collect()
    }

    /// The group of each fragment.
    pub(super) fn groups_of_fragments(&self) -> Vec<usize> {
        let mut group_of = alloc::vec![0; self.fragments.len()];
        for (index, group) in self.groups.iter().enumerate() {
            group
                .fragments
                .iter()
                .for_each(|&fragment| group_of[fragment] = index);
        }
        group_of
    }

    /// The shapes of the solids that are cut, in the order of the solids.
    pub(super) fn cut_shapes(&self) -> Vec<u32> {
        let mut is_cut = alloc::vec![false; self.solids.len()];
        for fragment in &self.fragments {
            is_cut[fragment.solid] |= fragment.is_cut();
        }
        let cut = self.solids.iter().zip(is_cut).filter(|(_, is_cut)| *is_cut);
        cut.flat_map(|(solid, _)| solid.shapes.iter().copied()).collect()
    }

    /// The greatest numbers of bodies, shapes and concave polygons that the cut adds.
    pub(crate) fn additions(&self) -> [usize; 3] {
        let cut = || self.fragments.iter().filter(|fragment| fragment.is_cut());
        [
            self.groups.len() - 1,
            cut().map(|fragment| fragment.parts.len()).sum(),
            cut().count(),
        ]
    }
}

impl Group {
    /// Adds the mass of a shape that moves with the group and is not cut.
    fn load(&mut self, shape: &MassProperties) {
        let (added, center) = (f64::from(shape.mass), shape.center.as_dvec2());
        if added == 0.0 {
            return;
        }
        let mass = self.mass + added;
        let common = (self.mass * self.center + added * center) / mass;
        self.inertia += f64::from(shape.inertia)
            + self.mass * self.center.distance_squared(common)
            + added * center.distance_squared(common);
        (self.mass, self.center) = (mass, common);
    }
}

impl State {
    /// The groups that joints go with whose anchors are at points in the body's frame: that of the member which is
    /// loaded by the joint, or of a cut that of what contains the point or is nearest to it, of fragments the first of
    /// several, then of what is not cut. Costs O(log n) for each anchor, and O(n log n) for n shapes that are not cut.
    pub(super) fn groups_at(&self, plan: &Plan, anchors: &[Vec2]) -> Vec<usize> {
        if anchors.is_empty() {
            return Vec::new();
        }
        if plan.members.is_empty() {
            let group_of = plan.groups_of_fragments();
            let whole = PartTree::of_parts(self.whole_solids(plan));
            let nearest = |anchor: &Vec2| {
                let point = anchor.as_dvec2();
                let cut = plan.parts.nearest(point, |fragment| Some(group_of[fragment]));
                let uncut = whole.nearest(point, Some);
                let nearer = uncut.filter(|uncut| cut.is_none_or(|cut| uncut.0 < cut.0));
                nearer.or(cut).map_or(0, |(_, group)| group)
            };
            return anchors.iter().map(nearest).collect();
        }
        let of_member = |&anchor: &Vec2| {
            let member = self.member_at(plan.body, anchor);
            let place = plan.members.binary_search_by_key(&member, |(member, _)| *member);
            plan.members[place.expect("the plan has all members")].1
        };
        anchors.iter().map(of_member).collect()
    }

    /// The shapes of a body to which a joint may hold and which a cut leaves whole, with their groups before them: tiles, which
    /// stay, and segments.
    fn whole_solids(&self, plan: &Plan) -> Vec<(usize, Shape)> {
        let staying = staying(&plan.groups);
        let tiles = self.tiles_of(plan.body);
        let passengers = plan
            .passengers
            .iter()
            .flat_map(|(shapes, group)| shapes.iter().map(move |&shape| (*group, shape)))
            .filter(|&(_, shape)| self.shapes.live(shape).sensor == 0);
        let whole = tiles.map(|shape| (staying, shape)).chain(passengers);
        whole
            .map(|(group, shape)| (group, self.shape_geometries[shape]))
            .collect()
    }

    /// Adds the masses of a body's tiles to the group that remains the body: tile grids stay with it.
    fn load_tiles(&self, body: u32, groups: &mut [Group]) {
        let staying = &mut groups[staying(groups)];
        for shape in self.tiles_of(body) {
            staying.load(&self.mass_of(shape));
        }
    }

    /// The shapes of a body's tile grids.
    fn tiles_of(&self, body: u32) -> impl Iterator<Item = u32> {
        let shapes = self.solid_shapes_of(body);
        shapes.filter(move |&shape| self.tile_grids.span_of(shape).is_some())
    }

    /// For each fragment of a body whether it touches one of its tiles.
    fn fragments_on_tiles(&self, body: u32, parts: &PartTree, count: usize) -> Vec<bool> {
        let mut on_tiles = alloc::vec![false; count];
        for tile in self.tiles_of(body) {
            parts.for_each_bonded(&self.shape_geometries[tile], |fragment| on_tiles[fragment] = true);
        }
        on_tiles
    }
}

/// The index of the group that remains the body.
fn staying(groups: &[Group]) -> usize {
    let staying = groups.iter().position(|group| group.fate == Fate::Stay);
    staying.expect("one of the groups stays")
}

/// A group with its mass, all in double precision.
pub(super) fn weigh(members: Vec<usize>, fragments: &[Fragment]) -> Group {
    let (mut area, mut mass) = (0.0, 0.0);
    let (mut by_area, mut by_mass) = (DVec2::ZERO, DVec2::ZERO);
    for fragment in members.iter().map(|&member| &fragments[member]) {
        let moments = fragment.moments;
        let part = moments.area * fragment.density;
        area += moments.area;
        mass += part;
        by_area += moments.area * moments.centroid;
        by_mass += part * moments.centroid;
    }
    let center = if mass > 0.0 {
        by_mass / mass
    } else {
        by_area / area
    };
    let inertia = members.iter().map(|&member| {
        let Fragment { moments, density, .. } = &fragments[member];
        density * (moments.inertia + moments.area * moments.centroid.distance_squared(center))
    });
    Group {
        inertia: inertia.sum(),
        fragments: members,
        fate: Fate::Part,
        area,
        mass,
        center,
    }
}

/// Determines the fate of each group; `false` if none is thick enough to stay. The greatest of those that touch tiles stays, as
/// those do, and the greatest of all if none touches any.
fn decide_fates(groups: &mut [Group], fragments: &[Fragment], on_tiles: &[bool], debris: Debris) -> bool {
    let mut greatest: Option<(usize, (bool, f64))> = None;
    for (index, group) in groups.iter_mut().enumerate() {
        let is_thick = group
            .fragments
            .iter()
            .any(|&member| !fragments[member].parts.is_empty());
        let fate = match debris.fate {
            _ if !is_thick => Fate::Vanish,
            _ if group.area > f64::from(debris.area_max) => Fate::Part,
            DebrisFate::Vanish => Fate::Vanish,
            DebrisFate::Stay(filter) => Fate::Debris(filter),
        };
        let touches = group.fragments.iter().any(|&member| on_tiles[member]);
        let rank = (touches, group.area);
        if is_thick && greatest.is_none_or(|(_, best)| rank > best) {
            greatest = Some((index, rank));
        }
        group.fate = fate;
    }
    if let Some((greatest, _)) = greatest {
        groups[greatest].fate = Fate::Stay;
    }
    greatest.is_some()
}
