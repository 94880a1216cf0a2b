//! [`Shatter`]: patterns of sites, whose Voronoi cells are the pieces.
//!
//! The cell of a site is the set of points that are nearer to it than to any other site: the body cut by the bisectors
//! to the other sites, nearest first, until they are too far away to matter. The splitter uses one line for each pair
//! of sites, so neighbors share their corners up to rounding.
//!
//! The pieces of a rounded polygon keep its radius: they fill a cell whose lines are moved into it by that, and are round again. A
//! cell narrower than two radii has no such piece; its neighbors get what is in it.

use super::core_pieces::{CorePieces, moved_left, split};
use super::solid::Solid;
use crate::concave_polygon::convex_parts;
use crate::constants::SHATTER_CELLS_MAX;
use crate::error::finite_vector;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::split::{ConcavePolygon, CutLine, Side, Splitter};
use tombolo_geometry::{Aabb, Pose, Position};

/// The pattern by which a body breaks: into the Voronoi cells of some sites.
#[derive(Clone, Debug, PartialEq)]
pub enum Shatter {
    /// These sites, in world coordinates; 2 to 1024 of them, all different. They may be outside the body.
    Sites(Vec<Position>),
    /// Sites distributed over the body by a pseudorandom generator: the same for the same seed and the same shapes,
    /// wherever the body is.
    Seeded {
        /// The seed of the generator.
        seed: u64,
        /// The number of sites; 2 to 1024.
        count: usize,
    },
}

/// Sites in the body's frame.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    sites: Vec<DVec2>,
    /// For each site the others, nearest first.
    neighbors: Vec<Vec<usize>>,
}

/// What the cell of a site has of a solid.
struct Cell {
    /// The pieces of the core.
    pieces: Vec<ConcavePolygon>,
    /// The sites on the other sides of the lines that bound it in the solid.
    others: Vec<usize>,
    /// Whether it has something of a rounded solid, and no piece of its radius.
    is_narrow: bool,
}

/// The number of attempts to place a site inside the body, before it may be outside.
const TRIES_MAX: usize = 32;

impl Shatter {
    /// Returns an error for a number of sites out of range, and for a site that is not finite.
    pub(crate) fn check(&self) -> Result<(), PhysicsError> {
        let (sites, count) = match self {
            Self::Sites(sites) => (sites.as_slice(), sites.len()),
            Self::Seeded { count, .. } => (Default::default(), *count),
        };
        if !(2..=SHATTER_CELLS_MAX).contains(&count) {
            let why = "give 2 to 1024 sites";
            return Err(PhysicsError::Pattern { why });
        }
        sites
            .iter()
            .try_for_each(|site| finite_vector("site", site.to_vec2()))
    }

    /// The sites in the frame of a body that has these shapes.
    pub(crate) fn cells(&self, pose: Pose, shapes: &[Shape]) -> Result<Cells, PhysicsError> {
        self.check()?;
        let sites = match self {
            Self::Sites(sites) => sites.iter().map(|&site| in_frame(pose, site)).collect(),
            Self::Seeded { seed, count } => random_sites(*seed, *count, shapes),
        };
        Cells::new(sites)
    }
}

/// A point of the world in a body's frame, in double precision.
pub(crate) fn in_frame(pose: Pose, place: Position) -> DVec2 {
    let offset = place.to_vec2().as_dvec2() - pose.position.as_dvec2();
    let (cos, sin) = (f64::from(pose.rotation.cos), f64::from(pose.rotation.sin));
    DVec2::new(cos * offset.x + sin * offset.y, cos * offset.y - sin * offset.x) / (cos * cos + sin * sin)
}

/// Sites at random points of the box around some shapes, inside a shape if an attempt succeeds. They are places of an
/// `f32`; one at which a site is already, as many are for small shapes far from the origin, is taken in double precision.
fn random_sites(seed: u64, count: usize, shapes: &[Shape]) -> Vec<DVec2> {
    let boxes = shapes.iter().map(|shape| shape.aabb(Pose::IDENTITY));
    let area = boxes.reduce(Aabb::union).unwrap_or_default();
    let mut random = seed;
    let mut place = || {
        let mut unit = || (next(&mut random) >> 40) as f32 / (1_u32 << 24) as f32;
        let part = Vec2::new(unit(), unit());
        let size = area.max - area.min;
        let exact = area.min.as_dvec2() + size.as_dvec2() * part.as_dvec2();
        (area.min + size * part, exact)
    };
    let mut sites: Vec<DVec2> = Vec::with_capacity(count);
    for _ in 0..count {
        let mut site = place();
        for _ in 0..TRIES_MAX {
            if shapes.iter().any(|shape| shape.contains_point(site.0)) {
                break;
            }
            site = place();
        }
        let rounded = site.0.as_dvec2();
        sites.push(if sites.contains(&rounded) { site.1 } else { rounded });
    }
    sites
}

/// The next number of S. Vigna's splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Cells {
    fn new(sites: Vec<DVec2>) -> Result<Self, PhysicsError> {
        let mut neighbors = Vec::with_capacity(sites.len());
        for (index, &site) in sites.iter().enumerate() {
            let mut others: Vec<usize> = (0..sites.len()).filter(|&other| other != index).collect();
            let distance = |other: usize| site.distance_squared(sites[other]);
            others.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
            if distance(others[0]) == 0.0 {
                let why = "two sites lie in one place";
                return Err(PhysicsError::Pattern { why });
            }
            neighbors.push(others);
        }
        Ok(Self { sites, neighbors })
    }

    /// The line half way between two sites, with the first on its left: through the same two points whichever site is
    /// first.
    fn line(&self, site: usize, other: usize) -> Result<CutLine, PhysicsError> {
        let (a, b) = (self.sites[site.min(other)], self.sites[site.max(other)]);
        let middle = 0.5 * (a + b);
        let across = DVec2::new(a.y - b.y, b.x - a.x);
        let line = CutLine::through(middle, middle + across).map_err(PhysicsError::Line)?;
        Ok(if site < other { line } else { line.reversed() })
    }

    /// The pieces of a solid's core by cells.
    pub(super) fn pieces(&self, solid: &Solid, splitter: &mut Splitter) -> Result<CorePieces, PhysicsError> {
        let mut all = Vec::new();
        let mut is_cut = false;
        for (site, cell) in (0..).zip(self.cells_of(solid, splitter)?) {
            let Some(cell) = cell else { continue };
            is_cut |= !cell.others.is_empty() && !cell.pieces.is_empty();
            all.extend(cell.pieces.into_iter().map(|piece| (Some(site), piece)));
        }
        let cell = match all[..] {
            // No cell has enough of it for a piece.
            [] => self.nearest(solid.moments.centroid),
            // No other cell has one.
            [(cell, _)] => cell,
            _ => return Ok((all, is_cut)),
        };
        // The solid stays as it is.
        Ok((Vec::from([(cell, solid.concave_polygon.clone())]), false))
    }

    fn nearest(&self, point: DVec2) -> Option<u32> {
        let distance = |site: usize| self.sites[site].distance_squared(point);
        let nearest = (0..self.sites.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        nearest.map(|site| site as u32)
    }

    /// The cells that may reach a solid, each at the place of its site. Of a rounded one each has a piece, or has nothing of
    /// it: what lies in a cell too narrow for a piece of its radius goes to the cells around that, as if there were no site.
    /// Of several the first is left out first, which may make others wide enough.
    fn cells_of(&self, solid: &Solid, splitter: &mut Splitter) -> Result<Vec<Option<Cell>>, PhysicsError> {
        let mut is_left_out = alloc::vec![false; self.sites.len()];
        let mut cells: Vec<Option<Cell>> = self.sites.iter().map(|_| None).collect();
        loop {
            for site in self.sites_near(solid, &is_left_out) {
                if cells[site].is_none() {
                    cells[site] = Some(self.cell(site, solid, &is_left_out, splitter)?);
                }
            }
            let is_narrow = |cell: &Option<Cell>| cell.as_ref().is_some_and(|cell| cell.is_narrow);
            let Some(narrow) = cells.iter().position(is_narrow) else {
                return Ok(cells);
            };
            is_left_out[narrow] = true;
            // Those that it bounds are another part of the core now.
            let is_bound = |cell: &mut Cell| cell.others.contains(&narrow);
            cells.iter_mut().for_each(|cell| drop(cell.take_if(is_bound)));
            cells[narrow] = None;
        }
    }

    /// The sites whose cells may reach a solid: those that are not farther from its middle than the nearest one by more
    /// than its width. For each point of the solid that one is nearer than any other site.
    fn sites_near(&self, solid: &Solid, is_left_out: &[bool]) -> Vec<usize> {
        /// More than rounding adds.
        const SLACK: f64 = 1.0 + 1.0e-9;
        let middle = solid.moments.centroid;
        let reach = farthest(core::slice::from_ref(&solid.concave_polygon), middle) + solid.radius;
        let distance = |site: usize| self.sites[site].distance(middle);
        let known = || (0..self.sites.len()).filter(|&site| !is_left_out[site]);
        let nearest = known().map(distance).fold(f64::INFINITY, f64::min);
        let limit = SLACK * (nearest + 2.0 * reach);
        known().filter(|&site| distance(site) <= limit).collect()
    }

    /// What the cell of a site has of a solid.
    fn cell(
        &self,
        site: usize,
        solid: &Solid,
        is_left_out: &[bool],
        splitter: &mut Splitter,
    ) -> Result<Cell, PhysicsError> {
        let core = &solid.concave_polygon;
        let mut cell = self.clip(site, core, solid.radius, is_left_out, splitter)?;
        if solid.radius == 0.0 {
            return Ok(cell);
        }
        for piece in &cell.pieces {
            if !convex_parts(piece, solid.radius as f32)?.is_empty() {
                return Ok(cell);
            }
        }
        // It has something of the solid, if only of the skin, where the core is nearer to it than a radius.
        let around = self.clip(site, core, -solid.radius, is_left_out, splitter)?;
        cell.is_narrow = !around.pieces.is_empty();
        cell.others.extend(around.others);
        Ok(cell)
    }

    /// The part of a core in the cell of a site, whose lines are moved into it by `inset` meters.
    fn clip(
        &self,
        site: usize,
        core: &ConcavePolygon,
        inset: f64,
        is_left_out: &[bool],
        splitter: &mut Splitter,
    ) -> Result<Cell, PhysicsError> {
        let mut pieces = Vec::from([core.clone()]);
        let mut others = Vec::new();
        let center = self.sites[site];
        let mut reach = farthest(&pieces, center) + inset;
        for &other in self.neighbors[site].iter().filter(|&&other| !is_left_out[other]) {
            if center.distance(self.sites[other]) > 2.0 * reach || pieces.is_empty() {
                break;
            }
            let line = moved_left(&self.line(site, other)?, inset)?;
            let mut kept = Vec::with_capacity(pieces.len());
            let mut was_cut = false;
            for concave_polygon in pieces {
                let halves = split(splitter, &concave_polygon, &line)?;
                was_cut |= halves.is_cut() || halves.piece(0).side() == Side::Right;
                if halves.is_cut() {
                    let inner = halves.iter().filter(|piece| piece.side() != Side::Right);
                    kept.extend(inner.map(|piece| piece.to_polygon()));
                } else if halves.piece(0).side() != Side::Right {
                    kept.push(concave_polygon);
                }
            }
            pieces = kept;
            if was_cut {
                others.push(other);
                reach = farthest(&pieces, center) + inset;
            }
        }
        Ok(Cell {
            pieces,
            others,
            is_narrow: false,
        })
    }
}

fn farthest(pieces: &[ConcavePolygon], from: DVec2) -> f64 {
    let points = pieces.iter().flat_map(|piece| piece.points());
    libm::sqrt(points.fold(0.0, |most: f64, p| most.max(p.distance_squared(from))))
}
