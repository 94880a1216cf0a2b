//! The tiles of a layer that fill their cells, wholly or in part, as a component `Tiles`. `shapes.rs` uses it.

use tombolo::physics::{Tile, TileGridDef, TileShape, Vec2};
use tombolo::scene::quoted;

use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point, number, vector};
use crate::limits::{CELLS_MAX, PIECES_MAX};
use crate::scale::Scale;

/// The tolerance between a drawn corner and that of a tile's shape, as a share of the cell.
const CORNER_TOLERANCE: f64 = 1.0e-6;

/// Characters for kinds of tiles with a named shape, in the order of the names.
const NAMED_LETTERS: [char; 13] = ['#', '_', '-', '[', ']', '/', '\\', '{', '}', 'l', 'h', 'k', 'm'];

/// Characters for tiles of other shapes.
const LETTERS: &str = "abcdefgijnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Equal cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    row: i64,
    from: i64,
    to: i64,
    kind: usize,
}

/// Where the cells of a component `Tiles` are among the map's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellFrame {
    left: i64,
    /// The row of the map that is the lowest of the world.
    lowest: i64,
    y_down: bool,
}

impl CellFrame {
    /// The column and row of the component's grid, from the left and from below, of a cell of the map that is in it.
    pub(crate) fn cell(&self, [column, row]: [i64; 2]) -> [u32; 2] {
        let up = if self.y_down {
            row - self.lowest
        } else {
            self.lowest - row
        };
        [(column - self.left) as u32, up as u32]
    }
}

/// Cells of a grid whose cells are squares, in the map's columns and rows.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// The side of a cell, in pixels.
    size: f64,
    /// Whether the rows of the world are in the order of the map's.
    y_down: bool,
    /// The kinds of cells: corners in units of a cell, with the y axis of the world.
    kinds: Vec<Vec<Point>>,
    runs: Vec<Run>,
}

impl Cells {
    /// No cells yet, each `size` pixels wide.
    pub(crate) fn new(size: f64, scale: &Scale) -> Self {
        Self {
            size,
            y_down: scale.y_down(),
            kinds: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// The number of the kind of the figures on a tile, in pixels about the cell's upper left corner; `None` if they
    /// are not one convex shape within the cell.
    pub(crate) fn kind_of(&mut self, figures: &[Figure]) -> Option<usize> {
        let [Figure::Outline(points)] = figures else {
            return None;
        };
        let y_of = |y: f64| if self.y_down { y } else { 1.0 - y };
        let corners = points.iter().map(|[x, y]| [x / self.size, y_of(y / self.size)]);
        let corners = without_repeated(corners.collect());
        let is_inside = |value: &f64| (-CORNER_TOLERANCE..=1.0 + CORNER_TOLERANCE).contains(value);
        if !(3..=8).contains(&corners.len()) || !corners.iter().flatten().all(is_inside) {
            return None;
        }
        let named = TileShape::NAMED.iter().find_map(|(_, shape)| {
            let of_shape: Vec<Point> = shape.corners().into_iter().map(point_of).collect();
            are_same(&corners, &of_shape).then_some(of_shape)
        });
        let corners = named.unwrap_or_else(|| {
            let clamp = |[x, y]: Point| [x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)];
            corners.into_iter().map(clamp).collect()
        });
        if let Some(known) = self.kinds.iter().position(|kind| are_same(kind, &corners)) {
            return Some(known);
        }
        let others = self.kinds.iter().filter(|kind| name_of(kind).is_none()).count();
        let has_letter = name_of(&corners).is_some() || others < LETTERS.len();
        if !has_letter || !is_convex(&corners) {
            return None;
        }
        self.kinds.push(corners);
        Some(self.kinds.len() - 1)
    }

    /// Sets the tile of a cell.
    ///
    /// # Errors
    /// There are too many runs of different tiles.
    pub(crate) fn put(
        &mut self,
        [column, row]: [i64; 2],
        kind: usize,
        origin: &Origin,
    ) -> Result<(), MapError> {
        if let Some(last) = self.runs.last_mut()
            && (last.row, last.to, last.kind) == (row, column, kind)
        {
            last.to += 1;
            return Ok(());
        }
        if self.runs.len() == PIECES_MAX {
            let message = format!("its tiles are more than {PIECES_MAX} pieces; divide the map");
            return Err(origin.refuse(message));
        }
        self.runs.push(Run {
            row,
            from: column,
            to: column + 1,
            kind,
        });
        Ok(())
    }

    /// Whether there are no cells.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The figures in the cells, cell by cell, in pixels.
    pub(crate) fn figures(&self) -> impl Iterator<Item = Figure> + '_ {
        self.runs.iter().flat_map(move |run| {
            (run.from..run.to).map(move |column| {
                let corner = |&[x, y]: &Point| {
                    let y = if self.y_down { y } else { 1.0 - y };
                    [(column as f64 + x) * self.size, (run.row as f64 + y) * self.size]
                };
                Figure::Outline(self.kinds[run.kind].iter().map(corner).collect())
            })
        })
    }

    /// The fields of the component with the cells, for a layer that is moved by an offset in pixels, and where its cells
    /// are among the map's; `None` if the cells are too far apart, or too small, for a grid.
    pub(crate) fn fields(
        &mut self,
        scale: &Scale,
        offset: Point,
    ) -> Option<(Vec<(String, String)>, CellFrame)> {
        self.put_in_order();
        let low = |of: fn(&Run) -> i64| self.runs.iter().map(of).min();
        let high = |of: fn(&Run) -> i64| self.runs.iter().map(of).max();
        let [left, top] = [low(|run| run.from)?, low(|run| run.row)?];
        let [right, bottom] = [high(|run| run.to)?, high(|run| run.row)? + 1];
        let (width, height) = (right.checked_sub(left)?, bottom.checked_sub(top)?);
        if width.checked_mul(height)? > CELLS_MAX as i64 {
            return None;
        }
        let lowest = if self.y_down { top } else { bottom };
        let in_pixels = [
            left as f64 * self.size + offset[0],
            lowest as f64 * self.size + offset[1],
        ];
        let origin = scale.point(in_pixels);
        let cell_size = scale.point([self.size, 0.0])[0];
        let (letters, lines): (Vec<char>, Vec<String>) = self.legend().into_iter().unzip();
        if !self.is_grid(cell_size, origin, [width, height]) {
            return None;
        }
        let mut rows = self.rows(&letters, left, [top, bottom]);
        if self.y_down {
            rows.reverse();
        }
        let list = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>();
        let rows = list(&rows).join(",\n            ");
        let fields = vec![
            ("cell_size".to_string(), number(cell_size)),
            ("origin".to_string(), vector(origin)),
            ("legend".to_string(), format!("[{}]", list(&lines).join(", "))),
            ("rows".to_string(), format!("[\n            {rows},\n        ]")),
        ];
        let frame = CellFrame {
            left,
            lowest: if self.y_down { top } else { bottom - 1 },
            y_down: self.y_down,
        };
        Some((fields, frame))
    }

    /// Sorts runs by row and column, joins those of neighboring chunks, and numbers kinds in that order: so the order
    /// in which cells were read does not matter.
    fn put_in_order(&mut self) {
        self.runs.sort();
        let mut numbers = vec![None; self.kinds.len()];
        let mut kinds = Vec::new();
        for run in &mut self.runs {
            let number = *numbers[run.kind].get_or_insert_with(|| {
                kinds.push(self.kinds[run.kind].clone());
                kinds.len() - 1
            });
            run.kind = number;
        }
        self.kinds = kinds;
        self.runs.dedup_by(|next, last| {
            let goes_on = (last.row, last.to, last.kind) == (next.row, next.from, next.kind);
            if goes_on {
                last.to = next.to;
            }
            goes_on
        });
    }

    /// Whether physics accepts the kinds in cells of this size at this position.
    fn is_grid(&self, cell_size: f64, [x, y]: Point, [width, height]: [i64; 2]) -> bool {
        let tiles = self.kinds.iter().map(|corners| {
            let corners = corners.iter().map(|&[x, y]| Vec2::new(x as f32, y as f32));
            Tile::new(TileShape::Convex {
                corners: corners.collect(),
            })
        });
        let def = TileGridDef {
            cell_size: cell_size as f32,
            origin: Vec2::new(x as f32, y as f32),
            width: width as u32,
            height: height as u32,
            tiles: tiles.collect(),
            cells: Vec::new(),
        };
        def.validate().is_ok()
    }

    /// The character and the line of each kind.
    fn legend(&self) -> Vec<(char, String)> {
        let mut others = LETTERS.chars();
        let line = |corners: &Vec<Point>| {
            if let Some(place) = name_of(corners) {
                let letter = NAMED_LETTERS[place];
                return (letter, format!("{letter} {}", TileShape::NAMED[place].0));
            }
            let letter = others.next().expect("kinds without a letter are refused");
            let corners: Vec<String> = corners
                .iter()
                .map(|&[x, y]| format!("{},{}", number(x), number(y)))
                .collect();
            (letter, format!("{letter} {}", corners.join(" ")))
        };
        self.kinds.iter().map(line).collect()
    }

    /// The rows from the first to the last of the map, with numbers before runs, and before equal rows.
    fn rows(&self, letters: &[char], left: i64, [top, bottom]: [i64; 2]) -> Vec<String> {
        let mut texts: Vec<(u64, String)> = Vec::new();
        let mut runs = self.runs.iter().peekable();
        for row in top..bottom {
            let mut text = String::new();
            let mut at = left;
            while let Some(run) = runs.next_if(|run| run.row == row) {
                push_run(&mut text, run.from.max(at) - at, '.');
                push_run(&mut text, run.to - run.from.max(at), letters[run.kind]);
                at = at.max(run.to);
            }
            match texts.last_mut() {
                Some((count, last)) if *last == text => *count += 1,
                _ => texts.push((1, text)),
            }
        }
        let line = |(count, text): (u64, String)| match count {
            1 => text,
            _ => format!("{count}:{text}"),
        };
        texts.into_iter().map(line).collect()
    }
}

fn push_run(text: &mut String, count: i64, letter: char) {
    match count {
        ..=0 => {}
        1..=3 => (0..count).for_each(|_| text.push(letter)),
        _ => *text += &format!("{count}{letter}"),
    }
}

fn point_of(corner: Vec2) -> Point {
    [f64::from(corner.x), f64::from(corner.y)]
}

/// The index among the shapes with names.
fn name_of(corners: &[Point]) -> Option<usize> {
    TileShape::NAMED.iter().position(|(_, shape)| {
        let of_shape: Vec<Point> = shape.corners().into_iter().map(point_of).collect();
        are_same(corners, &of_shape)
    })
}

fn is_near(p: &Point, q: &Point) -> bool {
    (p[0] - q[0]).abs() <= CORNER_TOLERANCE && (p[1] - q[1]).abs() <= CORNER_TOLERANCE
}

/// An outline without corners that lie on the one before.
fn without_repeated(mut corners: Vec<Point>) -> Vec<Point> {
    corners.dedup_by(|next, last| is_near(next, last));
    while let [first, .., last] = &*corners
        && is_near(first, last)
    {
        corners.pop();
    }
    corners
}

/// Whether two outlines are the same, whatever their first corner and orientation.
fn are_same(a: &[Point], b: &[Point]) -> bool {
    let count = b.len();
    // A step of one corner back is one of all others forward.
    let follows = |first: usize, step: usize| {
        let mut places = a.iter().enumerate();
        places.all(|(index, corner)| is_near(corner, &b[(first + index * step) % count]))
    };
    a.len() == count && (0..count).any(|first| follows(first, 1) || follows(first, count - 1))
}

/// Whether an outline is that of its hull: one that crosses itself has the same corners in another order.
fn is_convex(corners: &[Point]) -> bool {
    let points: Vec<Vec2> = corners
        .iter()
        .map(|&[x, y]| Vec2::new(x as f32, y as f32))
        .collect();
    let hull = tombolo::physics::Shape::polygon(&points, 0.0);
    hull.is_ok_and(|hull| {
        let hull: Vec<Point> = hull.vertices().iter().copied().map(point_of).collect();
        are_same(corners, &hull)
    })
}
