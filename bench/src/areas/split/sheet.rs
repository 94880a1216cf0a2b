//! The picture sheet of cuts: the nine configurations of a vertex on the line, combs, spirals and holes, and the
//! figures on which the algorithm was first tried. Pieces are drawn a little apart, each in a color, with their number.

use std::path::Path;

use glam::DVec2;
use plotters::coord::Shift;
use plotters::prelude::*;
use tombolo_geometry::split::{ConcavePolygon, CutLine, Slivers, Splitter, decompose};

use super::corpus::{comb, spiral};
use super::figures::FIGURES;
use crate::plot::{Drawing, on};

/// The number of pictures in a row.
const COLUMNS: usize = 10;
/// The size of one picture in pixels, its caption included.
const CELL: (u32, u32) = (170, 190);
const CAPTION: u32 = 20;

/// One cut.
struct Picture {
    name: String,
    polygon: ConcavePolygon,
    line: CutLine,
}

struct Sheet {
    pictures: Vec<Picture>,
}

/// Draws the sheet as SVG and PNG.
pub(super) fn draw(stem: &Path) -> anyhow::Result<()> {
    let sheet = Sheet {
        pictures: pictures()?,
    };
    let rows = sheet.pictures.len().div_ceil(COLUMNS) as u32;
    let size = (CELL.0 * COLUMNS as u32, CELL.1 * rows);
    on(SVGBackend::new(&stem.with_extension("svg"), size), &sheet)?;
    on(BitMapBackend::new(&stem.with_extension("png"), size), &sheet)
}

type Points = &'static [[f64; 2]];

/// The nine configurations in the order of their table, along the x axis: the vertex in the middle has it.
const CONFIGURATIONS: [(&str, Points); 11] = [
    ("LOR", &[[-1.0, 0.0], [1.0, -1.0], [1.0, 1.0]]),
    ("ROL", &[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]),
    (
        "LOL, reflex",
        &[[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [0.0, 0.0], [-2.0, 1.0]],
    ),
    ("LOL, touching", &[[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]),
    (
        "ROR, reflex",
        &[[-2.0, 1.0], [-2.0, -1.0], [0.0, 0.0], [2.0, -1.0], [2.0, 1.0]],
    ),
    ("ROR, touching", &[[0.0, 0.0], [-1.0, -1.0], [1.0, -1.0]]),
    (
        "OOR",
        &[
            [-2.0, 0.0],
            [0.0, 0.0],
            [0.0, -1.0],
            [2.0, -1.0],
            [2.0, 1.0],
            [-2.0, 1.0],
        ],
    ),
    (
        "LOO",
        &[
            [-2.0, -1.0],
            [2.0, -1.0],
            [2.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.0],
            [-2.0, 0.0],
        ],
    ),
    (
        "ROO",
        &[
            [-2.0, -1.0],
            [0.0, -1.0],
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [-2.0, 1.0],
        ],
    ),
    (
        "OOL",
        &[
            [-2.0, -1.0],
            [2.0, -1.0],
            [2.0, 0.0],
            [0.0, 0.0],
            [0.0, 1.0],
            [-2.0, 1.0],
        ],
    ),
    (
        "OOO",
        &[[-2.0, 0.0], [0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [-2.0, 1.0]],
    ),
];

fn pictures() -> anyhow::Result<Vec<Picture>> {
    let points = |list: &[[f64; 2]]| -> Vec<DVec2> { list.iter().map(|&p| p.into()).collect() };
    let mut pictures = Vec::new();
    let mut add = |name: String, polygon: ConcavePolygon, line: CutLine| {
        pictures.push(Picture { name, polygon, line });
    };
    let line =
        |x: f64, y: f64, to_x: f64, to_y: f64| CutLine::through(DVec2::new(x, y), DVec2::new(to_x, to_y));
    for (name, corners) in CONFIGURATIONS {
        add(
            name.to_owned(),
            ConcavePolygon::new(&points(corners))?,
            line(-3.0, 0.0, 3.0, 0.0)?,
        );
    }
    let teeth = ConcavePolygon::new(&comb(6))?;
    add("comb, teeth".to_owned(), teeth.clone(), line(0.0, 2.0, 1.0, 2.0)?);
    add(
        "comb, slanting".to_owned(),
        teeth.clone(),
        line(0.0, 2.8, 11.0, 0.3)?,
    );
    add("comb, at the gaps".to_owned(), teeth, line(0.0, 1.0, 1.0, 1.0)?);
    let arms = ConcavePolygon::new(&spiral(11))?;
    add("spiral".to_owned(), arms.clone(), line(-1.0, 0.1, 1.0, 0.2)?);
    add("spiral, slanting".to_owned(), arms, line(-1.0, -1.1, 1.0, 1.0)?);
    let ring = |half: f64, x: f64, y: f64| {
        points(&[
            [x - half, y - half],
            [x - half, y + half],
            [x + half, y + half],
            [x + half, y - half],
        ])
    };
    let mut border = ring(3.0, 0.0, 0.0);
    border.reverse();
    let holes = [ring(0.7, -1.4, 0.0), ring(0.7, 1.4, 0.5), ring(0.5, 0.0, -2.0)];
    let holes: Vec<&[DVec2]> = holes.iter().map(|hole| &hole[..]).collect();
    let cheese = ConcavePolygon::with_holes(&border, &holes)?;
    add(
        "holes, two cut".to_owned(),
        cheese.clone(),
        line(-1.0, 0.0, 1.0, 0.2)?,
    );
    add(
        "holes, one touched".to_owned(),
        cheese.clone(),
        line(-1.0, -1.5, 1.0, -1.5)?,
    );
    let segment_cut = CutLine::segment_cut(DVec2::new(-4.0, 0.0), DVec2::new(1.4, 0.3))?;
    add("segment into a hole".to_owned(), cheese, segment_cut);
    for (number, figure) in FIGURES.iter().enumerate() {
        let polygon = ConcavePolygon::new(&points(figure.polygon))?;
        for &([x, y, to_x, to_y], _) in figure.lines {
            let name = format!("figure {}", number + 1);
            add(name, polygon.clone(), line(x, y, to_x, to_y)?);
        }
    }
    Ok(pictures)
}

impl Drawing for Sheet {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let rows = self.pictures.len().div_ceil(COLUMNS);
        let mut splitter = Splitter::new();
        for (picture, cell) in self.pictures.iter().zip(area.split_evenly((rows, COLUMNS))) {
            picture.draw(&cell, &mut splitter)?;
        }
        Ok(())
    }
}

impl Picture {
    fn draw<B: DrawingBackend>(
        &self,
        cell: &DrawingArea<B, Shift>,
        splitter: &mut Splitter,
    ) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let pieces = splitter.split(&self.polygon, &self.line, Slivers::default())?;
        let (caption, canvas) = cell.split_vertically(CAPTION);
        let text = format!("{}: {}", self.name, pieces.len());
        caption.draw(&Text::new(text, (8, 5), ("sans-serif", 12)))?;

        let corners = self.polygon.points().iter();
        let (low, high) = corners.fold((DVec2::MAX, DVec2::MIN), |(low, high), &p| {
            (low.min(p), high.max(p))
        });
        let (middle, half) = (0.5 * (low + high), 0.62 * (high - low).max_element());
        let mut world = ChartBuilder::on(&canvas)
            .build_cartesian_2d(middle.x - half..middle.x + half, middle.y - half..middle.y + half)?;
        let along = (self.line.to() - self.line.from()).normalize();
        let apart = DVec2::new(-along.y, along.x) * (0.025 * half);
        for (index, piece) in pieces.iter().enumerate() {
            let shift = match piece.side() {
                tombolo_geometry::split::Side::Left => apart,
                tombolo_geometry::split::Side::Right => -apart,
                tombolo_geometry::split::Side::On => DVec2::ZERO,
            };
            let color = HSLColor((0.13 + 0.381_966 * index as f64) % 1.0, 0.6, 0.6);
            let polygon = piece.to_polygon();
            // Filled by convex parts, which have no holes.
            for part in decompose(&polygon)?.iter() {
                let corner = |&vertex: &u32| (polygon.points()[vertex as usize] + shift).into();
                let part: Vec<(f64, f64)> = part.iter().map(corner).collect();
                world.draw_series([Polygon::new(part, color.filled())])?;
            }
            for loop_index in 0..piece.loop_count() {
                let ring = piece.loop_vertices(loop_index);
                let ring = ring.iter().chain(&ring[..1]).map(|v| (v.position + shift).into());
                let ring: Vec<(f64, f64)> = ring.collect();
                world.draw_series([PathElement::new(ring, BLACK.stroke_width(1))])?;
            }
        }
        let (from, to) = if self.line.is_segment() {
            (self.line.from(), self.line.to())
        } else {
            let center = self.line.from() + along * along.dot(middle - self.line.from());
            (center - 3.0 * half * along, center + 3.0 * half * along)
        };
        let Some(ends) = clip(from, to, middle, half) else {
            return Ok(());
        };
        let style = RGBColor(200, 30, 30).stroke_width(1);
        world.draw_series([PathElement::new(ends.map(|end| end.into()).to_vec(), style)])?;
        Ok(())
    }
}

/// The part of a segment inside a square; plotters bends lines that leave the picture. (Liang and Barsky, "A new
/// concept and method for line clipping", 1984.)
fn clip(from: DVec2, to: DVec2, middle: DVec2, half: f64) -> Option<[DVec2; 2]> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let way = to - from;
    for (step, room) in [
        (-way.x, from.x - (middle.x - half)),
        (way.x, middle.x + half - from.x),
        (-way.y, from.y - (middle.y - half)),
        (way.y, middle.y + half - from.y),
    ] {
        if step < 0.0 {
            enter = enter.max(room / step);
        } else if step > 0.0 {
            leave = leave.min(room / step);
        } else if room < 0.0 {
            return None;
        }
    }
    (enter < leave).then(|| [enter, leave].map(|t| from + t * way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_holds_all_that_was_promised() {
        let pictures = pictures().unwrap();
        assert_eq!(pictures.len(), 11 + 8 + 41);
        let mut splitter = Splitter::new();
        let mut count = |picture: &Picture| {
            let pieces = splitter.split(&picture.polygon, &picture.line, Slivers::default());
            pieces.unwrap().len()
        };
        let counts: Vec<usize> = pictures.iter().map(&mut count).collect();
        // The comb's teeth, and each figure's lines as their file says.
        assert_eq!(counts[11], 7);
        let expected = FIGURES.iter().flat_map(|figure| figure.lines);
        assert!(counts[19..].iter().eq(expected.map(|(_, count)| count)));
    }

    #[test]
    fn lines_end_at_the_edge_of_the_picture() {
        let ends = clip(DVec2::new(-9.0, 0.5), DVec2::new(9.0, 0.5), DVec2::ZERO, 1.0);
        assert_eq!(ends, Some([DVec2::new(-1.0, 0.5), DVec2::new(1.0, 0.5)]));
        assert_eq!(
            clip(DVec2::new(-9.0, 2.0), DVec2::new(9.0, 2.0), DVec2::ZERO, 1.0),
            None
        );
    }
}
