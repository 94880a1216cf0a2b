//! A uniform grid for boxes of one size: an object is stored in the cell of its center, and queries search one margin
//! farther.
//!
//! Written for this comparison, as fast as a grid without levels can be: the right choice if all objects are of one
//! size, lie in one bounded square, and there is memory for its cells.

use tombolo_geometry::orthtree::{Ball, Bounds, Region, Segment};

use super::scene::View;

pub(super) struct Grid {
    cells: Vec<Vec<(Bounds<2>, u32)>>,
    /// For each object its cell, and its place there.
    homes: Vec<(u32, u32)>,
    width: usize,
    inverse_size: f32,
    size: f32,
    /// The reach of objects out of their cells.
    margin: f32,
}

impl Grid {
    pub(super) fn new(side: f32, size: f32, margin: f32, boxes: &[Bounds<2>]) -> Self {
        let width = (side / size).ceil() as usize;
        let mut grid = Self {
            cells: vec![Vec::new(); width * width],
            homes: Vec::with_capacity(boxes.len()),
            width,
            inverse_size: 1.0 / size,
            size,
            margin,
        };
        for (index, bounds) in boxes.iter().enumerate() {
            let home = grid.put(index as u32, bounds);
            grid.homes.push(home);
        }
        grid
    }

    fn cell_of(&self, bounds: &Bounds<2>) -> usize {
        let [x, y] = [0, 1].map(|axis| self.clamp(0.5 * (bounds.min[axis] + bounds.max[axis])));
        y * self.width + x
    }

    fn clamp(&self, coordinate: f32) -> usize {
        ((coordinate * self.inverse_size).max(0.0) as usize).min(self.width - 1)
    }

    fn put(&mut self, index: u32, bounds: &Bounds<2>) -> (u32, u32) {
        let cell = self.cell_of(bounds);
        self.cells[cell].push((*bounds, index));
        (cell as u32, self.cells[cell].len() as u32 - 1)
    }

    pub(super) fn update(&mut self, index: u32, bounds: &Bounds<2>) {
        let (cell, place) = self.homes[index as usize];
        if self.cell_of(bounds) == cell as usize {
            self.cells[cell as usize][place as usize].0 = *bounds;
            return;
        }
        self.cells[cell as usize].swap_remove(place as usize);
        if let Some(&(_, moved)) = self.cells[cell as usize].get(place as usize) {
            self.homes[moved as usize].1 = place;
        }
        self.homes[index as usize] = self.put(index, bounds);
    }

    pub(super) fn query_box(&self, area: &Bounds<2>, mut visit: impl FnMut(u32)) {
        let low = area.min.map(|c| self.clamp(c - self.margin));
        let high = area.max.map(|c| self.clamp(c + self.margin));
        for y in low[1]..=high[1] {
            for cell in &self.cells[y * self.width + low[0]..=y * self.width + high[0]] {
                for (bounds, index) in cell {
                    if bounds.overlaps(area) {
                        visit(*index);
                    }
                }
            }
        }
    }

    pub(super) fn query_ball(&self, ball: &Ball<2>, mut visit: impl FnMut(u32)) {
        let area = Bounds::around(ball.center, ball.radius);
        let low = area.min.map(|c| self.clamp(c - self.margin));
        let high = area.max.map(|c| self.clamp(c + self.margin));
        for y in low[1]..=high[1] {
            for cell in &self.cells[y * self.width + low[0]..=y * self.width + high[0]] {
                for (bounds, index) in cell {
                    if super::contenders::touches(&bounds.min, &bounds.max, ball) {
                        visit(*index);
                    }
                }
            }
        }
    }

    pub(super) fn query_view(&self, view: &View, mut visit: impl FnMut(u32)) {
        let (area, region) = (&view.bounds, view.region());
        let low = area.min.map(|c| self.clamp(c - self.margin));
        let high = area.max.map(|c| self.clamp(c + self.margin));
        for y in low[1]..=high[1] {
            for cell in &self.cells[y * self.width + low[0]..=y * self.width + high[0]] {
                for (bounds, index) in cell {
                    if region.overlaps(bounds) {
                        visit(*index);
                    }
                }
            }
        }
    }

    /// Row by row: of each row the cells between the places at which the segment enters and leaves it.
    pub(super) fn query_segment(&self, segment: &Segment<2>, mut visit: impl FnMut(u32)) {
        let [x, y] = segment.origin;
        let [dx, dy] = segment.translation;
        let rows = [y.min(y + dy) - self.margin, y.max(y + dy) + self.margin].map(|c| self.clamp(c));
        for row in rows[0]..=rows[1] {
            let (bottom, top) = (
                row as f32 * self.size - self.margin,
                (row + 1) as f32 * self.size + self.margin,
            );
            let (mut first, mut last) = (0.0_f32, 1.0_f32);
            if dy != 0.0 {
                let (a, b) = ((bottom - y) / dy, (top - y) / dy);
                (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
            }
            if first > last {
                continue;
            }
            let ends = [x + first * dx, x + last * dx];
            let low = self.clamp(ends[0].min(ends[1]) - self.margin);
            let high = self.clamp(ends[0].max(ends[1]) + self.margin);
            for cell in &self.cells[row * self.width + low..=row * self.width + high] {
                for (bounds, index) in cell {
                    if super::contenders::crosses(&bounds.min, &bounds.max, segment) {
                        visit(*index);
                    }
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let members: usize = self.cells.iter().map(Vec::capacity).sum();
        self.cells.capacity() * size_of::<Vec<(Bounds<2>, u32)>>()
            + members * size_of::<(Bounds<2>, u32)>()
            + self.homes.capacity() * size_of::<(u32, u32)>()
    }
}
