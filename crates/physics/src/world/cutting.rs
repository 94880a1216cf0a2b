//! Calls that cut bodies: along a line, along a segment through all bodies that it crosses, and into the cells of a
//! shatter pattern.

use super::PhysicsWorld;
use super::query::QueryFilter;
use crate::PhysicsError;
use crate::body::BodyId;
use crate::cut::{Cut, Knife, Plan, Shatter, in_frame};
use crate::error::finite_vector;
use crate::recording::Call;
use alloc::vec::Vec;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::split::{CutLine, Splitter};
use tombolo_geometry::{Aabb, Position};
use tombolo_threads::FloatEnvironment;

/// Cutting. Rules of all three calls:
///
/// - **What is cut.** Concave polygons with their holes, and polygons, circles and capsules, which become concave
///   polygons; a circle or capsule first becomes a polygon of the same area
///   ([`ROUND_ERROR_RELATIVE`](tombolo_geometry::split::ROUND_ERROR_RELATIVE)). A rounded polygon is cut in its core
///   and keeps its radius; the rounded borders of the pieces meet at the line, and the density rises to make up for the
///   area that the new round corners lack. A line that would leave a side without a core does not cut it: it goes with the
///   side of its center. A cell that is too narrow for a piece of the radius has none: the cells around it get what is in
///   it, as if it had no site. Segments and sensors are not cut: they go with the piece nearest to their
///   center. Of a body that is not dynamic all of them stay, but sensors whose center is in a piece that leaves: ground is
///   still the level's when a tree on it is felled.
/// - **Connected pieces.** Pieces of different shapes of a body stay one body if they touch (or are nearer than 5 mm)
///   on the same side; shapes that were not cut and are on the same side stay together in any case. A segment parts
///   only what it passes: where shapes touch beyond its ends they stay together, and what hangs together through nothing
///   that it cuts stays with the rest around its ends.
/// - **Ids.** The piece of the greatest area remains the body, of a body with tiles the greatest of those that touch one,
///   with its id, and with the ids of shapes that were not cut; the others become new bodies of the same kind, with the same user key, damping and flags. Concave polygons of
///   pieces are new, with the material, filter, events and user key of the shape they were cut from. All pieces keep
///   the frame of the body: its position and angle, and so the coordinates of corners, anchors and pictures in it. Only
///   the centers of mass differ.
/// - **Motion.** Each piece has the velocity that its matter had: momentum and angular momentum are kept. So are the
///   forces applied since the last step. A lasting force is shared by mass and a lasting torque by inertia, so that each
///   piece is accelerated as the body was. A body's own and added mass are forgotten: pieces weigh what their shapes do, and
///   momentum is kept of those.
/// - **Tile grids** are not cut: they stay with the body. [`PhysicsWorld::cut_tiles`] empties cells along a segment.
/// - **Joints** go with what contains their anchor or is nearest to it: a piece, also one that vanishes, or a tile or a
///   segment, wherever that stays.
/// - **Waking.** The body and all bodies that touch it wake; a piece without support falls, one at rest sleeps again.
/// - **Small pieces** are [`Debris`](crate::Debris).
/// - **Events** of the next step report all pieces ([`Events::cut`](crate::Events::cut),
///   [`Events::vanished`](crate::Events::vanished)).
impl PhysicsWorld {
    /// Cuts a body along the infinite line through two points. `None` if the line does not divide it; the world is then
    /// unchanged.
    ///
    /// Costs O(n log n) for n corners, for concave pieces O(n²), and O(m log m) for m shapes, contacts and joints of the
    /// body.
    ///
    /// # Errors
    ///
    /// If the body is gone or the line would part a composite, the points are not finite, or too near each other to have a
    /// direction from where the body is, a concave polygon was cut so often that rounding made it cross itself, or the world
    /// is full. The world is then unchanged.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Position, Shape, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let plank = world.create_body(&BodyDef::dynamic(0.0, 3.0))?;
    /// world.create_shape(plank, &ShapeDef::default(), &Shape::new_box(4.0, 0.2)?)?;
    /// let cut = world.slice(plank, Position::new(1.0, 0.0), Position::new(1.0, 1.0))?;
    /// let cut = cut.expect("the line crosses the plank");
    /// let masses = [cut.body, cut.pieces[0]].map(|id| world.body(id).unwrap().mass());
    /// assert!((masses[0] - 0.6).abs() < 1e-6 && (masses[1] - 0.2).abs() < 1e-6);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn slice(&mut self, body: BodyId, from: Position, to: Position) -> Result<Option<Cut>, PhysicsError> {
        self.log.report(|| Call::Slice { body, from, to });
        let _environment = FloatEnvironment::enter();
        let knife = self.line_knife(body, from, to, CutLine::through)?;
        self.cut(body, &knife)
    }

    /// Cuts every body that a segment crosses from one side to the other, by index of the body. A body in which the
    /// segment ends is not cut, nor is one of which it cuts no shape, unless it runs along a seam of two; composites stay
    /// whole.
    ///
    /// Shapes that touch are parted whatever else the body has. Those that stay whole do so with one another if the
    /// segment does not pass between them, and go with one of the pieces that have a shape which was not cut.
    ///
    /// Costs the bodies near the segment, and for each cut the cost of [`PhysicsWorld::slice`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::slice`], composites aside; if one body cannot be cut, none is.
    pub fn cut_through(
        &mut self,
        from: Position,
        to: Position,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<Cut>, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        finite_vector("from", from.to_vec2())?;
        finite_vector("to", to.to_vec2())?;
        let mut bodies: Vec<BodyId> = Vec::new();
        self.visit_near_segment(from, to, &filter, |body| bodies.push(body));
        self.cut_bodies(from, to, &bodies)
    }

    /// The number of shapes that [`PhysicsWorld::cut_through`] must examine: those whose boxes are near the segment.
    /// Costs the boxes that overlap the segment's.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Position, QueryFilter, Shape, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// for x in [0.0, 5.0] {
    ///     let body = world.create_body(&BodyDef::dynamic(x, 0.0))?;
    ///     world.create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 1.0)?)?;
    /// }
    /// let (from, to) = (Position::new(-2.0, 2.0), Position::new(6.0, -6.0));
    /// assert_eq!(world.shapes_near_segment(from, to, QueryFilter::default()), 1);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn shapes_near_segment(&self, from: Position, to: Position, filter: QueryFilter<'_>) -> usize {
        let _environment = FloatEnvironment::enter();
        let mut count = 0;
        self.visit_near_segment(from, to, &filter, |_| count += 1);
        count
    }

    /// Calls `visit` with the body of each shape that the filter accepts and whose box is near a segment.
    fn visit_near_segment(
        &self,
        from: Position,
        to: Position,
        filter: &QueryFilter<'_>,
        mut visit: impl FnMut(BodyId),
    ) {
        let area = Aabb::from_points(&[from.to_vec2(), to.to_vec2()]);
        self.visit_box(area, filter, |seen| {
            if is_near_line(from, to, seen.geometry.aabb(seen.pose)) {
                visit(seen.body());
            }
            Visit::Continue
        });
    }

    /// Cuts bodies where a segment crosses them, by index of the body.
    pub(crate) fn cut_bodies(
        &mut self,
        from: Position,
        to: Position,
        bodies: &[BodyId],
    ) -> Result<Vec<Cut>, PhysicsError> {
        self.log.report(|| Call::CutBodies {
            from,
            to,
            bodies: bodies.to_vec(),
        });
        let _environment = FloatEnvironment::enter();
        let mut bodies = bodies.to_vec();
        bodies.sort_unstable_by_key(|body| body.index());
        bodies.dedup();
        let mut plans = Vec::new();
        let mut splitter = Splitter::new();
        let mut additions = [0; 3];
        for body in bodies {
            if self.state.is_composite(self.state.check_body(body)?) {
                continue;
            }
            let knife = self.line_knife(body, from, to, CutLine::segment_cut)?;
            let plan = Plan::new(&self.state, body.index(), &knife, &mut splitter)?;
            if let Some(plan) = plan {
                for (sum, more) in additions.iter_mut().zip(plan.additions()) {
                    *sum += more;
                }
                plans.push(plan);
            }
        }
        let [bodies, shapes, concave_polygons] = additions;
        self.state.check_capacity(bodies, shapes, concave_polygons)?;
        let shapes = self.watched_shapes(|state| {
            let of_bodies = plans.iter().flat_map(|plan| state.shapes_of(plan.body));
            of_bodies.collect()
        });
        let cuts: Vec<Cut> = plans.iter().map(|plan| self.state.apply_cut(plan)).collect();
        self.note_destroyed(shapes);
        cuts.iter().for_each(|cut| self.note_body(cut.body.index()));
        Ok(cuts)
    }

    /// Breaks a body into the cells of a pattern. `None` if it lies in one cell or has nothing that can be cut; the world is
    /// then unchanged.
    ///
    /// Costs a split for each two cells that are near each other and a shape, and a look at each site for each shape; and as
    /// much as for the cells around it, and that look, for each cell that is too narrow for a rounded shape.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::slice`]; and if there are fewer than 2 or more than 1024 sites, or two at
    /// the same point.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Shatter, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let pane = world.create_body(&BodyDef::dynamic(0.0, 3.0))?;
    /// world.create_shape(pane, &ShapeDef::default(), &Shape::new_box(2.0, 2.0)?)?;
    /// let broken = world.shatter(pane, &Shatter::Seeded { seed: 7, count: 12 })?.unwrap();
    /// assert_eq!(broken.pieces.len(), 11);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn shatter(&mut self, body: BodyId, pattern: &Shatter) -> Result<Option<Cut>, PhysicsError> {
        self.log.report(|| Call::Shatter {
            body,
            pattern: pattern.clone(),
        });
        let _environment = FloatEnvironment::enter();
        let index = self.state.check_body(body)?;
        let (solids, _) = self.state.solids_of(index);
        let shapes: Vec<_> = solids
            .iter()
            .flat_map(|solid| self.state.copies_of(&solid.shapes))
            .collect();
        if shapes.is_empty() {
            return pattern.check().map(|()| None);
        }
        let cells = pattern.cells(self.state.body_poses[index].pose, &shapes)?;
        self.cut(body, &Knife::Cells(cells))
    }

    /// The line or segment of a cut in the frame of a body.
    fn line_knife(
        &self,
        body: BodyId,
        from: Position,
        to: Position,
        line: impl Fn(glam::DVec2, glam::DVec2) -> Result<CutLine, tombolo_geometry::split::LineError>,
    ) -> Result<Knife, PhysicsError> {
        let body = self.state.check_body(body)?;
        finite_vector("from", from.to_vec2())?;
        finite_vector("to", to.to_vec2())?;
        let pose = self.state.body_poses[body].pose;
        let line = line(in_frame(pose, from), in_frame(pose, to)).map_err(PhysicsError::Line)?;
        Ok(Knife::Line(line))
    }

    fn cut(&mut self, body: BodyId, knife: &Knife) -> Result<Option<Cut>, PhysicsError> {
        let body = self.state.check_body(body)?;
        let Some(plan) = Plan::new(&self.state, body, knife, &mut Splitter::new())? else {
            return Ok(None);
        };
        let [bodies, shapes, concave_polygons] = plan.additions();
        self.state.check_capacity(bodies, shapes, concave_polygons)?;
        self.note_body(body);
        let shapes = self.watched_shapes(|state| state.shapes_of(body).collect());
        let cut = self.state.apply_cut(&plan);
        self.note_destroyed(shapes);
        Ok(Some(cut))
    }
}

/// Whether a line is nearer to a box than the rounding error plus the distance by which a circle's polygon extends
/// beyond the circle. A box is on one side of a line if its center is farther from the line than its corners reach
/// (Ericson, Real-Time Collision Detection, 5.2.3).
fn is_near_line(from: Position, to: Position, bounds: Aabb) -> bool {
    const GROWTH_RELATIVE: f64 = 0.01;
    const GROWTH_M: f64 = 0.01;
    const ROUNDING: f64 = 8.0 * f64::EPSILON;
    let (lower, upper) = (bounds.min.as_dvec2(), bounds.max.as_dvec2());
    let from = from.to_vec2().as_dvec2();
    let along = to.to_vec2().as_dvec2() - from;
    let half = 0.5 * (upper - lower) * (1.0 + GROWTH_RELATIVE) + GROWTH_M;
    let to_center = 0.5 * (lower + upper) - from;
    let (a, b) = (along.x * to_center.y, along.y * to_center.x);
    (a - b).abs() <= half.x * along.y.abs() + half.y * along.x.abs() + ROUNDING * (a.abs() + b.abs())
}
