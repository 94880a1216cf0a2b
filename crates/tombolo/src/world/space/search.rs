//! The shortest path through [`FreeRectangles`], exactly.
//!
//! A* over intervals instead of points: what is visible through an opening from the last corner of a path is one
//! state, whichever point of the opening the path will pass. A state's estimate is the straight line from the corner
//! through the interval to the goal; where an interval ends at a corner of a wall, the path may turn, and the search
//! continues from that corner. The first path to reach the goal's rectangle is the shortest in free space, so
//! nothing has to be straightened. (M. Cui, D. Harabor, A. Grastien, *Compromise-free Pathfinding on a Navigation
//! Mesh*, IJCAI 2017: Polyanya. Here all polygons are rectangles on integers, so corners are found exactly.)
//!
//! Ties between paths of equal length are decided by the position of their rectangles, so a path does not depend on
//! the order in which walls were built.
//!
//! Why: `docs/decisions.md#paths-are-the-shortest-by-polyanya-over-rectangles`.

use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::rectangles::{FreeRectangle, FreeRectangles, RectangleId, RectangleSide};

/// A point in finest cells from the lower corner of free space.
pub(super) type Point = [f64; 2];

/// The difference, in cells, below which two coordinates are equal: more than rounding, and too little to matter.
const SLACK: f64 = 1.0e-7;

/// The number of states after which the search checks whether any path leads to the goal: nearer goals are found
/// sooner than that check takes.
const PATIENCE: usize = 256;

/// The work of finding the connected parts of free space anew, for each rectangle; like the others in tenths of
/// microseconds.
const PART_WORK: usize = 2;
/// The work of taking a state from the open ones, expanded or not.
const STATE_WORK: usize = 3;
/// The work of an opening that an expansion looks through.
const OPENING_WORK: usize = 2;

/// The index of the start among the turning points.
const START: u32 = 0;
/// The interval of a whole side.
const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The ends of an interval: what there is at each end, such as a ray or a lateral side, is a pair with these indices.
const ENDS: [usize; 2] = [LOW, HIGH];
const LOW: usize = 0;
const HIGH: usize = 1;

/// A point where a path turns or starts.
#[derive(Clone, Copy, Debug)]
struct TurningPoint {
    at: Point,
    /// The length of the path up to it.
    cost: f64,
    /// The turning point before; that of the start is the start.
    from: u32,
}

/// The part of a side of a rectangle that is visible from a turning point, on the path into the rectangle.
#[derive(Clone, Copy, Debug)]
struct VisibleInterval {
    rectangle: RectangleId,
    /// The side through which the rectangle is entered.
    side: RectangleSide,
    low: f64,
    high: f64,
    /// The index of the turning point.
    turn: u32,
}

impl VisibleInterval {
    /// The coordinate of its low or its high end.
    fn end(&self, end: usize) -> f64 {
        [self.low, self.high][end]
    }
}

/// The work of a search, in tenths of microseconds: counted, so that it is the same on every machine and in a restored
/// world.
#[derive(Debug)]
pub(in crate::world) struct SearchWork {
    /// The work that the search has done.
    pub(in crate::world) done: usize,
    /// The work beyond which it ends.
    pub(in crate::world) most: usize,
    /// Whether finding the connected parts of free space is counted already. If not, a search that asks for them counts
    /// it, even if they are known: a restored world has to find them again.
    pub(in crate::world) knows_parts: bool,
}

impl SearchWork {
    /// A search that nothing ends.
    pub(super) fn unlimited() -> Self {
        Self {
            done: 0,
            most: usize::MAX,
            knows_parts: true,
        }
    }

    /// Whether the search has to end.
    fn is_used_up(&self) -> bool {
        self.done > self.most
    }

    /// Whether a path connects two rectangles, as far as the work allows to find that out.
    fn may_join(&mut self, rectangles: &mut FreeRectangles, a: RectangleId, b: RectangleId) -> bool {
        if !self.knows_parts {
            self.done += PART_WORK * rectangles.len();
            self.knows_parts = !self.is_used_up();
        }
        self.knows_parts && rectangles.are_joined(a, b)
    }
}

/// The goal and the state of a search; its memory is kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct PathSearch {
    goal: Point,
    /// The number of expanded states.
    expanded: usize,
    /// The number of openings that were looked through.
    openings: usize,
    turns: Vec<TurningPoint>,
    /// The best turning point at each corner so far.
    best: BTreeMap<[i64; 2], u32>,
    /// The rectangles that were searched around the start: it may be in several, on their sides.
    around_start: BTreeSet<RectangleId>,
    views: Vec<VisibleInterval>,
    /// The open states by cost and estimate, least first; costs are not negative, so their bits have their order.
    /// Then by age.
    open: BinaryHeap<Reverse<(u64, u32)>>,
}

impl PathSearch {
    /// The turning points of the shortest path, the goal last; `None` if there is no path, or if the work is used up:
    /// then the search ends within one expansion. Both points must be in their rectangles.
    pub(super) fn run(
        &mut self,
        rectangles: &mut FreeRectangles,
        start: (RectangleId, Point),
        goal: (RectangleId, Point),
        work: &mut SearchWork,
    ) -> Option<Vec<Point>> {
        self.expanded = 0;
        self.openings = 0;
        if start.0 == goal.0 {
            return Some(Vec::from([goal.1]));
        }
        self.goal = goal.1;
        self.best.clear();
        self.around_start.clear();
        self.views.clear();
        self.open.clear();
        self.turns.clear();
        self.turns.push(TurningPoint {
            at: start.1,
            cost: 0.0,
            from: START,
        });
        self.look_around_start(rectangles, start.0);
        while let Some(Reverse((_, index))) = self.open.pop() {
            work.done += STATE_WORK + OPENING_WORK * core::mem::take(&mut self.openings);
            if work.is_used_up() {
                return None;
            }
            let view = self.views[index as usize];
            if self.has_better_path(view.turn) {
                continue;
            }
            if view.rectangle == goal.0 {
                return Some(self.trace(&view, rectangles));
            }
            if self.expanded == PATIENCE && !work.may_join(rectangles, start.0, goal.0) {
                return None;
            }
            self.expanded += 1;
            self.expand(rectangles, &view);
        }
        None
    }

    /// Adds the views from the start through all sides of a rectangle that contains it, once. All four rectangles
    /// that meet at a point lead to each other in a ring, at no cost. The side that was entered is included: along it
    /// the path may lead to another opening.
    fn look_around_start(&mut self, rectangles: &FreeRectangles, id: RectangleId) {
        if self.around_start.insert(id) {
            let rectangle = rectangles.rectangle(id);
            for side in RectangleSide::ALL {
                self.look(rectangles, &rectangle, id, side, EVERYWHERE, START);
            }
        }
    }

    /// Expands a view: adds the views through it, and those that become visible where the path can turn at its ends.
    fn expand(&mut self, rectangles: &FreeRectangles, view: &VisibleInterval) {
        let rectangle = rectangles.rectangle(view.rectangle);
        let frame = EntryFrame::of(&rectangle, view.side);
        let seen_from = self.turns[view.turn as usize];
        let [ahead, along] = frame.enter(seen_from.at);
        if ahead > -SLACK {
            return self.expand_along(rectangles, &frame, view, along);
        }
        let sight = Sight::of(&frame, view, [ahead, along]);
        self.look(
            rectangles,
            &rectangle,
            view.rectangle,
            frame.far,
            sight.far,
            view.turn,
        );
        for end in ENDS {
            let seen = [sight.exit[end], sight.through[end]];
            self.look_lateral(rectangles, &frame, view, frame.lateral[end], seen, view.turn);
        }
        for end in ENDS {
            self.expand_at_end(rectangles, &frame, view, &sight, end);
        }
    }

    /// Adds the views that become visible where the path can turn at one end of a view: through the rest of the side
    /// entered and of the far side beyond that end, through the lateral side there up to the ray, and through the other
    /// one from the ray on.
    fn expand_at_end(
        &mut self,
        rectangles: &FreeRectangles,
        frame: &EntryFrame,
        view: &VisibleInterval,
        sight: &Sight,
        end: usize,
    ) {
        let at = view.end(end);
        let Some(turn) = self.add_turn(rectangles, frame, at, view.turn) else {
            return;
        };
        let other = 1 - end;
        let beyond = |coordinate: f64| {
            if end == LOW {
                [frame.low, coordinate]
            } else {
                [coordinate, frame.high]
            }
        };
        let (beside, far) = (beyond(at), beyond(sight.far[end]));
        let (before, after) = ([0.0, sight.exit[end]], [sight.through[other], frame.depth]);
        self.look(
            rectangles,
            &frame.rectangle,
            view.rectangle,
            view.side,
            beside,
            turn,
        );
        self.look_lateral(rectangles, frame, view, frame.lateral[end], before, turn);
        self.look(rectangles, &frame.rectangle, view.rectangle, frame.far, far, turn);
        self.look_lateral(rectangles, frame, view, frame.lateral[other], after, turn);
    }

    /// Expands a view from a turning point on the side itself: within the view everything is visible, beyond its ends
    /// nothing.
    fn expand_along(
        &mut self,
        rectangles: &FreeRectangles,
        frame: &EntryFrame,
        view: &VisibleInterval,
        along: f64,
    ) {
        let seen_by = if along < view.low - SLACK {
            self.add_turn(rectangles, frame, view.low, view.turn)
        } else if along > view.high + SLACK {
            self.add_turn(rectangles, frame, view.high, view.turn)
        } else {
            Some(view.turn)
        };
        match seen_by {
            Some(START) => self.look_around_start(rectangles, view.rectangle),
            // At a corner one cell is wall, so rectangles are no ring around it, and no rectangle is entered again.
            Some(turn) => {
                let rectangle = rectangles.rectangle(view.rectangle);
                for side in [frame.far, frame.lateral[0], frame.lateral[1]] {
                    self.look(rectangles, &rectangle, view.rectangle, side, EVERYWHERE, turn);
                }
            }
            None => {}
        }
    }

    /// Adds views like [`look`](Self::look) for a lateral side, which is visible between two depths.
    fn look_lateral(
        &mut self,
        rectangles: &FreeRectangles,
        frame: &EntryFrame,
        view: &VisibleInterval,
        side: RectangleSide,
        depths: [f64; 2],
        turn: u32,
    ) {
        if depths[0] < depths[1] {
            let [a, b] = depths.map(|depth| frame.line + frame.sign * depth);
            self.look(
                rectangles,
                &frame.rectangle,
                view.rectangle,
                side,
                [a.min(b), a.max(b)],
                turn,
            );
        }
    }

    /// Adds the views from a turning point through the openings of a side of a rectangle, as far as the side is
    /// visible.
    fn look(
        &mut self,
        rectangles: &FreeRectangles,
        rectangle: &FreeRectangle,
        id: RectangleId,
        side: RectangleSide,
        seen: [f64; 2],
        turn: u32,
    ) {
        let [low, high] = seen.map(snap);
        if low >= high {
            return;
        }
        let at = self.turns[turn as usize];
        let line = f64::from(rectangle.edge(side));
        rectangles.openings(rectangle, id, side, |beyond, from, to| {
            self.openings += 1;
            let view = VisibleInterval {
                rectangle: beyond,
                side: side.opposite(),
                low: low.max(f64::from(from)),
                high: high.min(f64::from(to)),
                turn,
            };
            if view.low < view.high {
                let through = passage(&view, line, at.at, self.goal);
                let whole = at.cost + distance(at.at, through) + distance(through, self.goal);
                self.open
                    .push(Reverse((whole.to_bits(), self.views.len() as u32)));
                self.views.push(view);
            }
        });
    }

    /// Adds a turning point at the end of a view, if it is a corner that no other path reaches sooner, and returns its
    /// index. Of equal paths the first is kept: the other reaches nothing from there that has no shorter path.
    fn add_turn(
        &mut self,
        rectangles: &FreeRectangles,
        frame: &EntryFrame,
        end: f64,
        from: u32,
    ) -> Option<u32> {
        let place = end as i64;
        if place as f64 != end {
            return None;
        }
        let corner = frame.leave(place);
        let at = corner.map(|coordinate| coordinate as f64);
        let before = self.turns[from as usize];
        let cost = before.cost + distance(before.at, at);
        if let Some(&known) = self.best.get(&corner) {
            let best = self.turns[known as usize];
            if best.from == from {
                return Some(known);
            }
            if cost >= best.cost - SLACK {
                return None;
            }
        } else if !rectangles.is_corner(corner) {
            return None;
        }
        let turn = self.turns.len() as u32;
        self.turns.push(TurningPoint { at, cost, from });
        self.best.insert(corner, turn);
        Some(turn)
    }

    /// Whether a better path to a turning point's position has been found since.
    fn has_better_path(&self, turn: u32) -> bool {
        let corner = self.turns[turn as usize].at.map(|coordinate| coordinate as i64);
        turn != START && self.best.get(&corner) != Some(&turn)
    }

    /// The turning points of the path to a view of the goal's rectangle.
    fn trace(&self, view: &VisibleInterval, rectangles: &FreeRectangles) -> Vec<Point> {
        let line = f64::from(rectangles.rectangle(view.rectangle).edge(view.side));
        let mut turn = view.turn;
        let last = self.turns[turn as usize].at;
        let through = passage(view, line, last, self.goal);
        let mut path = Vec::from([self.goal]);
        let bent = distance(last, through) + distance(through, self.goal);
        if bent > distance(last, self.goal) + SLACK {
            path.push(through);
        }
        while turn != START {
            path.push(self.turns[turn as usize].at);
            turn = self.turns[turn as usize].from;
        }
        path.reverse();
        path
    }
}

/// The visible part of a rectangle from a turning point through a view: two rays from the turning point through the
/// view's ends, low and high, bound it.
struct Sight {
    /// The intersections of the rays with the far side.
    far: [f64; 2],
    /// The depth in the rectangle at which each ray meets the side at its own end.
    exit: [f64; 2],
    /// The depth at which the other ray meets that side, up to which the side is visible.
    through: [f64; 2],
}

impl Sight {
    /// The sight from a turning point at `[ahead, along]` in the frame of the side entered.
    fn of(frame: &EntryFrame, view: &VisibleInterval, [ahead, along]: [f64; 2]) -> Self {
        let ends = [view.low, view.high];
        let slopes = ends.map(|end| (end - along) / -ahead);
        let far = ENDS.map(|end| ends[end] + slopes[end] * frame.depth);
        // The depth at which a ray meets a lateral side; zero if it runs along it, so that the path may turn at the
        // next corner of that side.
        let meets = |end: usize, edge: f64| {
            let offset = edge - ends[end];
            if offset.abs() < SLACK {
                0.0
            } else {
                (offset / slopes[end]).min(frame.depth)
            }
        };
        let if_seen = |seen: bool, end: usize, edge: f64| if seen { meets(end, edge) } else { frame.depth };
        let (first, last) = (frame.low, frame.high);
        let [low_far, high_far] = far;
        Self {
            far,
            exit: [
                if_seen(low_far <= first + SLACK, LOW, first),
                if_seen(high_far >= last - SLACK, HIGH, last),
            ],
            through: [
                if_seen(high_far < first, HIGH, first),
                if_seen(low_far > last, LOW, last),
            ],
        }
    }
}

/// The frame of a rectangle that is entered: coordinates go ahead from the side entered, and along it.
struct EntryFrame {
    rectangle: FreeRectangle,
    axis: usize,
    /// The coordinate of the side, and 1 if ahead is to greater coordinates, else -1.
    line: f64,
    sign: f64,
    depth: f64,
    low: f64,
    high: f64,
    far: RectangleSide,
    /// The lateral sides, that of the low end first.
    lateral: [RectangleSide; 2],
}

impl EntryFrame {
    fn of(rectangle: &FreeRectangle, side: RectangleSide) -> Self {
        let axis = side.axis();
        let lateral = if axis == 0 {
            [RectangleSide::South, RectangleSide::North]
        } else {
            [RectangleSide::West, RectangleSide::East]
        };
        Self {
            rectangle: *rectangle,
            axis,
            line: f64::from(rectangle.edge(side)),
            sign: if side.is_high() { -1.0 } else { 1.0 },
            depth: f64::from(rectangle.high[axis] - rectangle.low[axis]),
            low: f64::from(rectangle.low[1 - axis]),
            high: f64::from(rectangle.high[1 - axis]),
            far: side.opposite(),
            lateral,
        }
    }

    /// The distance of a point ahead of the side entered, and its coordinate along it.
    fn enter(&self, point: Point) -> [f64; 2] {
        [self.sign * (point[self.axis] - self.line), point[1 - self.axis]]
    }

    /// The point on the side entered at a coordinate along it.
    fn leave(&self, along: i64) -> [i64; 2] {
        let mut point = [along; 2];
        point[self.axis] = self.line as i64;
        point
    }
}

/// The point at which the shortest path from one point through a view to another passes the view's side, which is at
/// `line`. If both points are on one side of it, the path returns.
fn passage(view: &VisibleInterval, line: f64, from: Point, to: Point) -> Point {
    let axis = view.side.axis();
    let [near, far] = [from, to].map(|point| (point[axis] - line).abs());
    let [start, end] = [from, to].map(|point| point[1 - axis]);
    let whole = near + far;
    let along = if whole > 0.0 {
        start + (end - start) * (near / whole)
    } else {
        start
    };
    let mut through = [along.clamp(view.low, view.high); 2];
    through[axis] = line;
    through
}

fn distance(a: Point, b: Point) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    libm::sqrt(x * x + y * y)
}

/// Rounds a coordinate that is an integer apart from rounding errors.
fn snap(coordinate: f64) -> f64 {
    let whole = libm::rint(coordinate);
    if (coordinate - whole).abs() < SLACK {
        whole
    } else {
        coordinate
    }
}
