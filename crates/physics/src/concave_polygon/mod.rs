//! Concave polygons on bodies, with holes, each owned by a body as one object.
//!
//! A concave polygon keeps its corners in the body's frame, in double precision. Its convex parts collide with other
//! bodies; they are shapes like any other and store the index of their polygon. Mass and inertia come from the polygon,
//! not from the parts. Here are the records and the pool of corners; `parts.rs` computes the parts,
//! `world/concave_polygons.rs` has the calls.

mod parts;

pub(crate) use parts::convex_parts;

use crate::persistent::{PlainArray, PlainMap};
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::plain_data;
use tombolo_geometry::split::{AreaMoments, ConcavePolygon};
use tombolo_handles::{Handle, TypeTag};

/// A handle of a concave polygon of one world; goes stale when the concave polygon or its body is destroyed, or when it
/// is cut.
pub type ConcavePolygonId = Handle<ConcavePolygonRecord>;

plain_data! {
    /// The record of a concave polygon, except for its corners. Opaque to users.
    #[derive(Debug)]
    pub struct ConcavePolygonRecord {
        /// The area in square meters, the skin included.
        pub(crate) area: f64,
        /// The center of the area in the body's frame.
        pub(crate) center: [f64; 2],
        /// The second moment of the area about its center, m⁴.
        pub(crate) inertia: f64,
        /// The index of its first corner in the pool.
        pub(crate) first_point: u32,
        /// The number of its corners.
        pub(crate) point_count: u32,
        /// The index of its first loop end in the pool.
        pub(crate) first_loop: u32,
        /// The number of its loops: the border and the holes.
        pub(crate) loop_count: u32,
        /// The body's index.
        pub(crate) body: u32,
        /// The number of shapes that are its parts.
        pub(crate) part_count: u32,
        /// The radius of its skin, in meters.
        pub(crate) radius: f32,
        /// The density in kilograms per square meter.
        pub(crate) density: f32,
        /// The first of its parts in the body's list of shapes; the others follow it without gaps.
        pub(crate) first_part: u32,
        /// Always 0.
        pub(crate) unused: u32,
    }
}

const _: () = assert!(size_of::<ConcavePolygonRecord>() == 72);

impl ConcavePolygonRecord {
    pub(crate) fn moments(&self) -> AreaMoments {
        AreaMoments {
            area: self.area,
            centroid: DVec2::from_array(self.center),
            inertia: self.inertia,
        }
    }
}

/// All concave polygons of a world. Their corners are in one array, those of each concave polygon contiguous; gaps that
/// destroyed ones leave are closed when they are more than the corners in use.
#[derive(Clone, Debug)]
pub(crate) struct ConcavePolygonPool {
    pub(crate) records: PlainMap<ConcavePolygonRecord>,
    /// Corners, in meters in the frames of the bodies.
    pub(crate) points: PlainArray<[f64; 2]>,
    /// For each concave polygon, one past the last corner of each loop, counted from its first corner.
    pub(crate) loop_ends: PlainArray<u32>,
    /// The numbers of corners and loops in use. Two elements.
    pub(crate) live: PlainArray<u32>,
}

/// The number of corners in gaps up to which none are closed.
const GAPS_MIN: usize = 1024;

impl ConcavePolygonPool {
    pub(crate) fn new(tag: TypeTag) -> Self {
        Self {
            records: PlainMap::with_tag(tag),
            points: PlainArray::default(),
            loop_ends: PlainArray::default(),
            live: Vec::from([0; 2]).into(),
        }
    }

    /// Stores a concave polygon; the indices of `record` into the pool are set.
    pub(crate) fn insert(
        &mut self,
        concave_polygon: &ConcavePolygon,
        record: ConcavePolygonRecord,
    ) -> ConcavePolygonId {
        if self.points.len() > 2 * self.live[0_u32] as usize + GAPS_MIN {
            self.close_gaps();
        }
        let record = ConcavePolygonRecord {
            first_point: self.points.count(),
            point_count: concave_polygon.points().len() as u32,
            first_loop: self.loop_ends.count(),
            loop_count: concave_polygon.loop_count() as u32,
            ..record
        };
        for point in concave_polygon.points() {
            // Adding zero converts a negative zero to a positive one.
            self.points.push((*point + DVec2::ZERO).to_array());
        }
        for &end in concave_polygon.loop_ends() {
            self.loop_ends.push(end);
        }
        self.live[0_u32] += record.point_count;
        self.live[1_u32] += record.loop_count;
        self.records.insert(record)
    }

    /// Removes the concave polygon of a slot.
    pub(crate) fn remove(&mut self, concave_polygon: u32) {
        let record = *self.records.live(concave_polygon);
        self.records.remove(self.records.live_id(concave_polygon));
        self.live[0_u32] -= record.point_count;
        self.live[1_u32] -= record.loop_count;
    }

    pub(crate) fn points_of(&self, record: &ConcavePolygonRecord) -> &[[f64; 2]] {
        let first = record.first_point as usize;
        self.points.slice(first..first + record.point_count as usize)
    }

    pub(crate) fn loop_ends_of(&self, record: &ConcavePolygonRecord) -> &[u32] {
        let first = record.first_loop as usize;
        self.loop_ends.slice(first..first + record.loop_count as usize)
    }

    /// The concave polygon in the form that the splitter takes.
    pub(crate) fn concave_polygon(&self, record: &ConcavePolygonRecord) -> ConcavePolygon {
        let points = self.points_of(record).iter().map(|&p| p.into()).collect();
        ConcavePolygon::from_saved(points, self.loop_ends_of(record).to_vec())
            .expect("concave polygons are checked when they are made or restored")
    }

    /// Rewrites the pool without gaps, in the order of the records.
    fn close_gaps(&mut self) {
        let mut points = Vec::with_capacity(2 * self.live[0_u32] as usize);
        let mut loop_ends = Vec::with_capacity(2 * self.live[1_u32] as usize);
        for dense in 0..self.records.len() {
            let mut record = *self.records.value_at(dense).expect("below the length");
            let (first_point, first_loop) = (points.len() as u32, loop_ends.len() as u32);
            points.extend_from_slice(self.points_of(&record));
            loop_ends.extend_from_slice(self.loop_ends_of(&record));
            (record.first_point, record.first_loop) = (first_point, first_loop);
            *self.records.value_at_mut(dense).expect("below the length") = record;
        }
        self.points = points.into();
        self.loop_ends = loop_ends.into();
    }

    /// Whether all ranges are in the pool and all corners are valid for concave polygons. Cost: O(corners and loops).
    pub(crate) fn is_sound(&self) -> bool {
        let [points, loops] = [self.points.len() as u64, self.loop_ends.len() as u64];
        let mut live = [0_u64; 2];
        let sound = |record: &ConcavePolygonRecord| {
            let end = |first: u32, count: u32| u64::from(first) + u64::from(count);
            live[0] += u64::from(record.point_count);
            live[1] += u64::from(record.loop_count);
            // Bounded, so that corners which many concave polygons share are not checked again and again.
            live[0] <= points
                && live[1] <= loops
                && end(record.first_point, record.point_count) <= points
                && end(record.first_loop, record.loop_count) <= loops
                && {
                    let corners = self.points_of(record).iter().map(|&p| p.into()).collect();
                    ConcavePolygon::from_saved(corners, self.loop_ends_of(record).to_vec()).is_ok()
                }
        };
        self.records.values().all(sound)
            && self.live.len() == 2
            && live == [self.live[0_u32], self.live[1_u32]].map(u64::from)
    }

    /// Whether no two concave polygons share a corner or the end of a loop. Cost: a sort of the concave polygons.
    pub(crate) fn is_disjoint(&self) -> bool {
        let apart = |range: fn(&ConcavePolygonRecord) -> (u32, u32)| {
            let mut ranges: Vec<(u32, u32)> = self.records.values().map(range).collect();
            ranges.sort_unstable();
            ranges.is_sorted_by(|a, b| a.0 + a.1 <= b.0)
        };
        apart(|record| (record.first_point, record.point_count))
            && apart(|record| (record.first_loop, record.loop_count))
    }
}
