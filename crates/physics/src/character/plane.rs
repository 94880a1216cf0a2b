//! [`MovePlane`] and `solve_planes`: the constraints of obstacles on a character's move, and the move nearest to the
//! wanted one that all of them allow. Pure functions.

use glam::Vec2;

/// The moves that an obstacle allows: those `d` with `normal · d ≥ lower`.
///
/// A convex obstacle is behind the plane through its nearest point, so that a move that stays in front of the planes of
/// all obstacles within reach overlaps none of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovePlane {
    /// The direction away from the obstacle; a unit vector.
    pub normal: Vec2,
    /// The least displacement along the normal, in meters; above zero it pushes out of an overlap.
    pub lower: f32,
    /// The rank: if not all planes can be kept, those of the highest rank are dropped first.
    pub rank: u8,
}

/// The distance by which a move of up to a meter may be behind a plane and still keep it, in meters; for a longer one the
/// fraction of its length: rounding.
const TOLERANCE: f32 = 1.0e-6;

/// The sine of the angle between two normals below which the planes count as parallel and have no usable corner.
const PARALLEL: f64 = 1.0e-4;

/// A corner with the plane of something that moves is no way out if it is farther than the wanted move by more than so
/// many times what the planes push: between a plank that comes down on the ground and the ground itself, a narrow wedge, a
/// character would be shot out sideways.
const SQUEEZE_MAX: f32 = 4.0;

/// The move nearest to `wanted` that all planes allow, but for corners of narrow wedges, out of which something that moves
/// (a plane of rank above 0) would push many times as far as it moves itself. If there is none, the planes of the highest rank are dropped,
/// then those of the next; within the lowest rank the result is the move that is least behind any plane.
///
/// Exact, by trying each plane and each corner of two: the nearest move is unique, so the order of planes does not
/// matter except for rounding. Costs the cube of the number of planes in the worst case, and usually one comparison for
/// each.
///
/// ```
/// use tombolo_physics::{MovePlane, Vec2, solve_planes};
/// let floor = MovePlane { normal: Vec2::Y, lower: 0.0, rank: 0 };
/// let wall = MovePlane { normal: Vec2::NEG_X, lower: -0.25, rank: 0 };
/// assert_eq!(solve_planes(Vec2::new(1.0, -1.0), &[floor, wall]), Vec2::new(0.25, 0.0));
/// ```
pub fn solve_planes(wanted: Vec2, planes: &[MovePlane]) -> Vec2 {
    let mut rank = planes.iter().map(|plane| plane.rank).max().unwrap_or(0);
    loop {
        if let Some(found) = nearest_allowed(wanted, planes, rank) {
            return found;
        }
        if rank == 0 {
            return least_behind(wanted, planes);
        }
        rank -= 1;
    }
}

/// The rounding in meters of a move that was computed from `wanted`, and of its distance from a plane.
fn rounding(at: Vec2, wanted: Vec2) -> f32 {
    TOLERANCE * at.abs().max(wanted.abs()).max_element().max(1.0)
}

fn is_allowed(at: Vec2, wanted: Vec2, planes: &[MovePlane], rank: u8) -> bool {
    let tolerance = rounding(at, wanted);
    planes
        .iter()
        .all(|plane| plane.rank > rank || plane.normal.dot(at) >= plane.lower - tolerance)
}

fn onto(wanted: Vec2, plane: &MovePlane) -> Vec2 {
    wanted + (plane.lower - plane.normal.dot(wanted)) * plane.normal
}

/// The move onto two planes at once. In double precision, since the planes may be nearly parallel.
fn corner(a: &MovePlane, b: &MovePlane) -> Option<Vec2> {
    let normals = [a, b].map(|plane| plane.normal.as_dvec2());
    let lowers = [a, b].map(|plane| f64::from(plane.lower));
    let area = normals[0].perp_dot(normals[1]);
    (area.abs() > PARALLEL).then(|| {
        let corner = (lowers[1] * normals[0].perp() - lowers[0] * normals[1].perp()) / area;
        corner.as_vec2()
    })
}

fn nearest_allowed(wanted: Vec2, planes: &[MovePlane], rank: u8) -> Option<Vec2> {
    if is_allowed(wanted, wanted, planes, rank) {
        return Some(wanted);
    }
    let counts = |plane: &&MovePlane| plane.rank <= rank;
    let mut best: Option<(f32, Vec2)> = None;
    let mut keep = |candidate: Vec2| {
        let distance = candidate.distance_squared(wanted);
        if best.is_none_or(|known| distance < known.0) && is_allowed(candidate, wanted, planes, rank) {
            best = Some((distance, candidate));
        }
    };
    for (place, plane) in planes.iter().enumerate().filter(|(_, plane)| counts(plane)) {
        if plane.normal.dot(wanted) < plane.lower {
            keep(onto(wanted, plane));
        }
        for other in planes[place + 1..].iter().filter(counts) {
            let point = corner(plane, other);
            if let Some(point) = point.filter(|&point| !is_shot_out(point, wanted, [plane, other])) {
                keep(point);
            }
        }
    }
    best.map(|found| found.1)
}

/// Whether two planes, one of them of something that moves, push to their corner at a multiple of their own speed.
fn is_shot_out(corner: Vec2, wanted: Vec2, planes: [&MovePlane; 2]) -> bool {
    let push = planes[0].lower.max(planes[1].lower);
    let is_moving = planes.iter().any(|plane| plane.rank > 0);
    is_moving && push > 0.0 && corner.length() > wanted.length() + SQUEEZE_MAX * push
}

/// The candidate whose worst violation of a plane of rank 0 is least; of equal ones the nearest.
fn least_behind(wanted: Vec2, planes: &[MovePlane]) -> Vec2 {
    let hard = |plane: &&MovePlane| plane.rank == 0;
    let behind = |at: Vec2| {
        planes.iter().filter(hard).fold(0.0, |most: f32, plane| {
            most.max(plane.lower - plane.normal.dot(at))
        })
    };
    let mut best = (behind(wanted), 0.0, wanted);
    let mut keep = |candidate: Vec2| {
        let found = (behind(candidate), candidate.distance_squared(wanted));
        let tolerance = rounding(candidate, wanted);
        if found.0 < best.0 - tolerance || (found.0 < best.0 + tolerance && found.1 < best.1) {
            best = (found.0, found.1, candidate);
        }
    };
    for (place, plane) in planes.iter().enumerate().filter(|(_, plane)| hard(plane)) {
        keep(onto(wanted, plane));
        for other in planes[place + 1..].iter().filter(hard) {
            // For two planes that face each other, the middle between them.
            keep(0.5 * (onto(wanted, plane) + onto(wanted, other)));
            if let Some(point) = corner(plane, other) {
                keep(point);
            }
        }
    }
    best.2
}

#[cfg(test)]
mod tests {
    use super::*;
    use libm::{cosf, sinf};

    fn plane(angle: f32, lower: f32, rank: u8) -> MovePlane {
        MovePlane {
            normal: Vec2::new(cosf(angle), sinf(angle)),
            lower,
            rank,
        }
    }

    /// The oracle: the best of a fine grid of moves.
    fn searched(wanted: Vec2, planes: &[MovePlane]) -> Option<f32> {
        let mut best: Option<f32> = None;
        for x in -200..=200 {
            for y in -200..=200 {
                let at = Vec2::new(x as f32, y as f32) * 0.01;
                if planes.iter().all(|plane| plane.normal.dot(at) >= plane.lower) {
                    let distance = at.distance(wanted);
                    best = Some(best.map_or(distance, |known: f32| known.min(distance)));
                }
            }
        }
        best
    }

    /// Numbers from 0 to 1.
    fn numbers() -> impl FnMut() -> f32 {
        let mut seed = 7u32;
        move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1u32 << 24) as f32
        }
    }

    #[test]
    fn a_plane_of_any_rank_stops_what_is_fast() {
        for degrees in 1..90 {
            let slope = (degrees as f32).to_radians();
            let normal = Vec2::new(cosf(slope), sinf(slope));
            for speed in [1.0, 10.0, 20.0, 30.0, 50.0, 1000.0] {
                let wanted = Vec2::new(0.0, -speed);
                for rank in 0..3 {
                    let found = solve_planes(wanted, &[plane(slope, 0.0, rank)]);
                    let along = wanted - wanted.dot(normal) * normal;
                    let off = (found - along).length();
                    assert!(off < 1.0e-6 * speed, "{degrees} degrees, {speed} m/s: {found}");
                }
            }
        }
    }

    /// The same planes and the same move, all larger by one factor: the answer grows with them. (By powers of two, so that
    /// rounding does not: planes that are nearly parallel meet far off.)
    #[test]
    fn the_scale_does_not_matter() {
        let mut next = numbers();
        for _ in 0..2000 {
            let angles = [0; 3].map(|_| 6.3 * next());
            let lowers = [0; 3].map(|_| next() - 0.7);
            let ranks = [0; 3].map(|_| (3.0 * next()) as u8);
            let wanted = Vec2::new(2.0 * next() - 1.0, 2.0 * next() - 1.0);
            let solve = |scale: f32| {
                let planes = [0, 1, 2].map(|i| plane(angles[i], scale * lowers[i], ranks[i]));
                solve_planes(scale * wanted, &planes) / scale
            };
            let small = solve(1.0);
            for scale in [64.0, 1024.0] {
                let off = (solve(scale) - small).length();
                assert!(
                    off < 1.0e-4,
                    "{angles:?} {lowers:?} {ranks:?} {wanted}: off by {off}"
                );
            }
        }
    }

    #[test]
    fn the_move_is_as_near_as_a_search_finds() {
        let mut next = numbers();
        let mut with_move = 0;
        for _ in 0..60 {
            let planes: alloc::vec::Vec<_> = (0..4).map(|_| plane(6.3 * next(), next() - 0.7, 0)).collect();
            let wanted = Vec2::new(2.0 * next() - 1.0, 2.0 * next() - 1.0);
            let found = solve_planes(wanted, &planes);
            if let Some(distance) = searched(wanted, &planes) {
                with_move += 1;
                assert!(
                    is_allowed(found, wanted, &planes, 0),
                    "{planes:?} {wanted} {found}"
                );
                assert!(found.distance(wanted) <= distance + 1.0e-5);
                assert!(found.distance(wanted) >= distance - 0.03);
            }
        }
        assert!(with_move > 20);
    }

    /// A plank that comes down, tilted by two degrees, onto ground: its plane is dropped, and nobody is shot out sideways.
    #[test]
    fn a_narrow_wedge_shoots_nobody_out() {
        let floor = plane(core::f32::consts::FRAC_PI_2, 0.0, 0);
        for degrees in [0.1, 1.0, 2.0, 10.0, 20.0, 45.0] {
            let tilt = f32::to_radians(degrees);
            for rank in [1, 2] {
                let press = plane(tilt - core::f32::consts::FRAC_PI_2, 0.02, rank);
                let found = solve_planes(Vec2::ZERO, &[press, floor]);
                let way = 0.02 / sinf(tilt);
                let expected = if way > 0.08 { 0.0 } else { way };
                assert!(
                    (found - Vec2::new(expected, 0.0)).length() < 1.0e-4,
                    "{degrees}: {found}"
                );
            }
        }
    }

    #[test]
    fn planes_of_high_rank_yield_and_hard_ones_share() {
        let floor = plane(core::f32::consts::FRAC_PI_2, 0.1, 0);
        let press = plane(-core::f32::consts::FRAC_PI_2, 0.3, 1);
        let found = solve_planes(Vec2::ZERO, &[press, floor]);
        assert!((found - Vec2::new(0.0, 0.1)).length() < 1.0e-6, "{found}");
        let found = solve_planes(Vec2::ZERO, &[MovePlane { rank: 0, ..press }, floor]);
        assert!((found - Vec2::new(0.0, -0.1)).length() < 1.0e-6, "{found}");
    }
}
