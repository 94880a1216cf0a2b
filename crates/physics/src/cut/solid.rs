//! Solids: what of a body can be cut, and what only goes with a piece.

use crate::Shape;
use crate::shape::ShapeDef;
use crate::state::State;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::{AreaMoments, Outline};

/// An outline of a body, or a shape as one, in the body's frame.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    /// The shape, or the parts of the outline, newest first.
    pub(crate) shapes: Vec<u32>,
    /// As the splitter takes it: a rounded one is its core.
    pub(crate) outline: Outline,
    /// Metres that the skin stands out.
    pub(crate) radius: f64,
    /// Kilograms per square metre.
    pub(crate) density: f64,
    /// Of the solid as the body's mass has it.
    pub(crate) moments: AreaMoments,
}

impl State {
    /// The solids of a body and the shapes that only go along (sensors and segments; the parts of one outline together),
    /// both oldest first.
    pub(crate) fn solids_of(&self, body: u32) -> (Vec<Solid>, Vec<Vec<u32>>) {
        let (mut solids, mut passengers) = (Vec::new(), Vec::new());
        let mut shapes = self.shapes_of(body).peekable();
        while let Some(shape) = shapes.next() {
            let outline = self.outline_of(shape);
            let mut fellows = Vec::from([shape]);
            while let Some(fellow) =
                shapes.next_if(|&next| outline.is_some() && self.outline_of(next) == outline)
            {
                fellows.push(fellow);
            }
            if self.shape_record(shape).sensor != 0 {
                passengers.push(fellows);
                continue;
            }
            match self.solid(fellows) {
                Ok(solid) => solids.push(solid),
                Err(shapes) => passengers.push(shapes),
            }
        }
        solids.reverse();
        passengers.reverse();
        (solids, passengers)
    }

    /// A shape or all parts of an outline as a solid; the shapes themselves if they have no inside.
    fn solid(&self, shapes: Vec<u32>) -> Result<Solid, Vec<u32>> {
        let shape = shapes[0];
        let density = f64::from(self.shape_record(shape).density);
        if let Some(outline) = self.outline_of(shape) {
            let record = self.outline_pool.record(outline);
            return Ok(Solid {
                shapes,
                outline: self.outline_pool.outline(record),
                radius: f64::from(record.radius),
                density: f64::from(record.density),
                moments: record.moments(),
            });
        }
        let Some((outline, radius)) = Outline::of_shape(&self.outlines[shape]) else {
            return Err(shapes);
        };
        let mass = self.outlines[shape].mass_properties(1.0);
        Ok(Solid {
            shapes,
            outline,
            radius,
            density,
            moments: AreaMoments {
                area: f64::from(mass.mass),
                centroid: mass.center.as_dvec2(),
                inertia: f64::from(mass.inertia),
            },
        })
    }

    /// What a shape was created from, with another density.
    pub(crate) fn def_of_shape(&self, shape: u32) -> ShapeDef {
        self.shape_record(shape).def(&self.materials[shape])
    }

    /// The shapes themselves.
    pub(crate) fn copies_of(&self, shapes: &[u32]) -> Vec<Shape> {
        shapes.iter().map(|&shape| self.outlines[shape]).collect()
    }

    /// The middle of some shapes: the mean of their centres, in the body's frame.
    pub(crate) fn middle_of(&self, shapes: &[u32]) -> DVec2 {
        let sum: DVec2 = shapes
            .iter()
            .map(|&shape| self.outlines[shape].centroid().as_dvec2())
            .sum();
        sum / shapes.len() as f64
    }
}
