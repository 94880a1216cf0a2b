//! Solids: the parts of a body that can be cut, and the shapes that only move with a piece.

use crate::Shape;
use crate::shape::ShapeDef;
use crate::state::State;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::{AreaMoments, ConcavePolygon};

/// A concave polygon of a body, or a shape as one, in the body's frame.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    /// The shape, or the parts of the concave polygon, newest first.
    pub(crate) shapes: Vec<u32>,
    /// The concave polygon in the form that the splitter takes: a rounded one is its core.
    pub(crate) concave_polygon: ConcavePolygon,
    /// The radius of the skin, in meters.
    pub(crate) radius: f64,
    /// The density in kilograms per square meter.
    pub(crate) density: f64,
    /// The moments of the solid that the body's mass is computed from.
    pub(crate) moments: AreaMoments,
}

impl State {
    /// The solids of a body and the shapes that only go along (sensors and segments; the parts of one concave polygon
    /// together), both oldest first. Shapes of tile grids are neither.
    pub(crate) fn solids_of(&self, body: u32) -> (Vec<Solid>, Vec<Vec<u32>>) {
        let (mut solids, mut passengers) = (Vec::new(), Vec::new());
        let mut shapes = self.shapes_of(body).peekable();
        while let Some(shape) = shapes.next() {
            if self.tile_grids.span_of(shape).is_some() {
                continue;
            }
            let concave_polygon = self.concave_polygon_of(shape);
            let mut same_polygon = Vec::from([shape]);
            while let Some(fellow) = shapes.next_if(|&next| {
                concave_polygon.is_some() && self.concave_polygon_of(next) == concave_polygon
            }) {
                same_polygon.push(fellow);
            }
            if self.shapes.live(shape).sensor != 0 {
                passengers.push(same_polygon);
                continue;
            }
            match self.solid(same_polygon) {
                Ok(solid) => solids.push(solid),
                Err(shapes) => passengers.push(shapes),
            }
        }
        solids.reverse();
        passengers.reverse();
        (solids, passengers)
    }

    /// A shape or all parts of a concave polygon as a solid; the shapes themselves if they have no area.
    fn solid(&self, shapes: Vec<u32>) -> Result<Solid, Vec<u32>> {
        let shape = shapes[0];
        let density = f64::from(self.shapes.live(shape).density);
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.records.live(concave_polygon);
            return Ok(Solid {
                shapes,
                concave_polygon: self.concave_polygon_pool.concave_polygon(record),
                radius: f64::from(record.radius),
                density: f64::from(record.density),
                moments: record.moments(),
            });
        }
        let Some((concave_polygon, radius)) = ConcavePolygon::of_shape(&self.shape_geometries[shape]) else {
            return Err(shapes);
        };
        let mass = self.shape_geometries[shape].mass_properties(1.0);
        Ok(Solid {
            shapes,
            concave_polygon,
            radius,
            density,
            moments: AreaMoments {
                area: f64::from(mass.mass),
                centroid: mass.center.as_dvec2(),
                inertia: f64::from(mass.inertia),
            },
        })
    }

    /// The definition that a shape was created from, with another density.
    pub(crate) fn def_of_shape(&self, shape: u32) -> ShapeDef {
        self.shapes
            .live(shape)
            .def(&self.materials[shape], self.watcher_of(shape))
    }

    /// Copies of the geometries of some shapes.
    pub(crate) fn copies_of(&self, shapes: &[u32]) -> Vec<Shape> {
        shapes.iter().map(|&shape| self.shape_geometries[shape]).collect()
    }

    /// The middle of some shapes: the mean of their centers, in the body's frame.
    pub(crate) fn center_of(&self, shapes: &[u32]) -> DVec2 {
        let sum: DVec2 = shapes
            .iter()
            .map(|&shape| self.shape_geometries[shape].centroid().as_dvec2())
            .sum();
        sum / shapes.len() as f64
    }
}
