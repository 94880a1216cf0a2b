//! The picture sheet: the last frame of each scene, engines side by side, one camera for all. A viewer notices faults
//! that no metric was made for.

use std::path::Path;

use glam::Vec2;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf32;
use plotters::prelude::*;
use tombolo::physics::{BodyKind, Shape};
use tombolo_bench_protocol::BodyMotion;
use tombolo_geometry::Pose;

use super::builds::Build;
use super::recording::{Recording, pose};
use super::rounds::{Measured, Plan};
use crate::plot::{Drawing, on};

/// Pixels of one picture.
const CELL: (u32, u32) = (640, 480);
/// Pixels above each picture, for its name.
const CAPTION: u32 = 26;

/// Draws the sheet: one row a scene, one column an engine.
pub(super) fn draw(
    path: &Path,
    builds: &[&'static Build],
    plans: &[Plan],
    measured: &[Measured],
) -> anyhow::Result<()> {
    let mut rows: Vec<Vec<Picture<'_>>> = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        if plans[..index].iter().any(|earlier| earlier.scene == plan.scene) {
            continue;
        }
        let of_scene: Vec<&Measured> = builds
            .iter()
            .filter_map(|build| {
                measured
                    .iter()
                    .find(|one| one.plan.scene == plan.scene && one.build == *build)
            })
            .collect();
        let recording = std::rc::Rc::new(Recording::make(plan)?);
        let Some(first) = of_scene.first() else { continue };
        let camera = Camera::fit(&recording, &first.answer.bodies);
        rows.push(
            of_scene
                .iter()
                .map(|&measured| Picture {
                    measured,
                    recording: recording.clone(),
                    camera,
                })
                .collect(),
        );
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return Ok(());
    }
    let size = (CELL.0 * columns as u32, (CELL.1 + CAPTION) * rows.len() as u32);
    on(BitMapBackend::new(path, size), &Sheet { rows, columns })
}

/// The part of the world that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Camera {
    center: Vec2,
    half_size: Vec2,
}

impl Camera {
    /// Shows all dynamic bodies but the outermost hundredth on each side, which may have been thrown far away.
    fn fit(recording: &Recording, frame: &[BodyMotion]) -> Self {
        let dynamic = || {
            let both = recording.bodies.iter().zip(frame);
            both.filter(|(body, _)| body.def.kind == BodyKind::Dynamic)
                .map(|(_, motion)| motion)
        };
        let (left, right) = inner_span(dynamic().map(|motion| motion.x).collect());
        let (low, high) = inner_span(dynamic().map(|motion| motion.y).collect());
        let needed = Vec2::new(right - left, high - low) * 0.53 + Vec2::splat(1.0);
        let aspect = CELL.0 as f32 / CELL.1 as f32;
        let half_height = needed.y.max(needed.x / aspect);
        Self {
            center: Vec2::new((left + right) / 2.0, (low + high) / 2.0),
            half_size: Vec2::new(half_height * aspect, half_height),
        }
    }

    fn shows(&self, point: Vec2, radius: f32) -> bool {
        let away = (point - self.center).abs() - self.half_size;
        away.max_element() < radius
    }

    /// The part of a convex polygon inside the picture. Plotters moves corners that are outside to the nearest edge,
    /// which bends what it draws. (Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974.)
    fn clip(&self, polygon: &[Vec2]) -> Vec<Vec2> {
        let mut points = polygon.to_vec();
        for outward in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
            let limit = self.center.dot(outward) + self.half_size.dot(outward.abs());
            let beyond = |point: Vec2| point.dot(outward) - limit;
            let mut kept = Vec::with_capacity(points.len() + 1);
            for (index, &end) in points.iter().enumerate() {
                let start = points[(index + points.len() - 1) % points.len()];
                let (a, b) = (beyond(start), beyond(end));
                if (a > 0.0) != (b > 0.0) {
                    kept.push(start.lerp(end, a / (a - b)));
                }
                if b <= 0.0 {
                    kept.push(end);
                }
            }
            points = kept;
        }
        points
    }
}

/// The span of all values but the smallest and largest hundredth; zeros for no values.
fn inner_span(mut values: Vec<f32>) -> (f32, f32) {
    values.sort_by(f32::total_cmp);
    let cut = values.len() / 100;
    match values.get(cut..values.len() - cut) {
        Some([low, .., high]) => (*low, *high),
        Some([only]) => (*only, *only),
        _ => (0.0, 0.0),
    }
}

/// The last frame of one engine in one scene.
struct Picture<'a> {
    measured: &'a Measured,
    recording: std::rc::Rc<Recording>,
    camera: Camera,
}

struct Sheet<'a> {
    rows: Vec<Vec<Picture<'a>>>,
    columns: usize,
}

impl Drawing for Sheet<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let cells = area.split_evenly((self.rows.len(), self.columns));
        for (row, pictures) in self.rows.iter().enumerate() {
            for (column, picture) in pictures.iter().enumerate() {
                picture.draw(&cells[row * self.columns + column])?;
            }
        }
        Ok(())
    }
}

type World<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf32, RangedCoordf32>>;

impl Picture<'_> {
    fn draw<B: DrawingBackend>(&self, cell: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let (caption, canvas) = cell.split_vertically(CAPTION);
        let text = format!("{} · {}", self.measured.plan.scene, self.measured.answer.engine);
        caption.draw(&Text::new(text, (8, 6), ("sans-serif", 17)))?;
        canvas.fill(&RGBColor(247, 246, 242))?;
        let Camera { center, half_size } = self.camera;
        let (low, high) = (center - half_size, center + half_size);
        let mut world: World<'_, B> =
            ChartBuilder::on(&canvas).build_cartesian_2d(low.x..high.x, low.y..high.y)?;
        let count = self.recording.bodies.len() as f64;
        for (index, (body, motion)) in self
            .recording
            .bodies
            .iter()
            .zip(&self.measured.answer.bodies)
            .enumerate()
        {
            // The color by order of creation, so that mixing shows.
            let color = match body.def.kind {
                BodyKind::Dynamic => HSLColor(index as f64 / count * 0.8, 0.55, 0.5).to_rgba(),
                _ => RGBColor(150, 150, 150).to_rgba(),
            };
            for (_, shape) in &body.shapes {
                self.shape(&mut world, shape, pose(motion), color)?;
            }
        }
        Ok(())
    }

    fn shape<B: DrawingBackend>(
        &self,
        world: &mut World<'_, B>,
        shape: &Shape,
        pose: Pose,
        color: RGBAColor,
    ) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let points: Vec<Vec2> = shape
            .vertices()
            .iter()
            .map(|&vertex| pose.transform_point(vertex))
            .collect();
        let radius_px = shape.radius() / self.camera.half_size.y * CELL.1 as f32 / 2.0;
        let wide = points
            .iter()
            .fold(0.0_f32, |wide, point| wide.max(point.distance(points[0])))
            + shape.radius();
        if !self.camera.shows(points[0], wide) {
            return Ok(());
        }
        let place = |point: &Vec2| (point.x, point.y);
        match points[..] {
            [center] => {
                world.draw_series([Circle::new(place(&center), radius_px, color.filled())])?;
            }
            [_, _] => {
                let style = color.stroke_width((2.0 * radius_px).max(1.0) as u32);
                world.draw_series([PathElement::new(
                    points.iter().map(place).collect::<Vec<_>>(),
                    style,
                )])?;
            }
            _ => {
                let visible = self.camera.clip(&points);
                world.draw_series([Polygon::new(
                    visible.iter().map(place).collect::<Vec<_>>(),
                    color.filled(),
                )])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_what_is_inside_and_cuts_the_rest() {
        let camera = Camera {
            center: Vec2::ZERO,
            half_size: Vec2::ONE,
        };
        let square = |half: f32, x: f32| {
            [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(a, b)| Vec2::new(a + x, b))
        };
        assert_eq!(camera.clip(&square(0.5, 0.0)), square(0.5, 0.0));
        let half_outside = camera.clip(&square(0.5, 1.0));
        assert!(half_outside.iter().all(|point| point.x <= 1.0) && half_outside.len() == 4);
        assert!(camera.clip(&square(0.5, 5.0)).is_empty());
        let around = camera.clip(&square(9.0, 0.0));
        let off_corner = |point: &Vec2| (point.abs() - Vec2::ONE).abs().max_element();
        assert!(around.len() == 4 && around.iter().all(|point| off_corner(point) < 1e-5));
    }

    #[test]
    fn the_camera_leaves_out_a_body_that_flew_away() {
        let mut values: Vec<f32> = (0..200).map(|i| i as f32).collect();
        values.push(1e6);
        assert_eq!(inner_span(values), (2.0, 198.0));
        assert_eq!(inner_span(vec![3.0]), (3.0, 3.0));
        assert_eq!(inner_span(Vec::new()), (0.0, 0.0));
    }
}
