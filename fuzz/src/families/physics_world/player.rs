//! [`Player`]: makes calls on a world and returns their results as text.

use std::fmt::Write as _;

use tombolo_physics::{
    Aabb, BodyId, BodyMut, ChainDef, ConcavePolygon, ConcavePolygonId, DVec2, Debris, DebrisFate, FieldId,
    IslandAlgorithm, JointId, LaneWidth, Motion, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter,
    Shape, ShapeDef, ShapeError, ShapeId, Shatter, Stage, TileGridId, Vec2,
};

use super::{Call, Change, Form};

/// The greatest number of bodies in a case: calls that make more are left out.
const BODIES_MAX: usize = 60;

/// The greatest number of shapes in a case.
const SHAPES_MAX: usize = 300;

/// A world, and the ids with which calls are made.
pub(in crate::families) struct Player {
    pub world: PhysicsWorld,
    pub(super) bodies: Vec<BodyId>,
    pub(super) shapes: Vec<ShapeId>,
    concave_polygons: Vec<ConcavePolygonId>,
    tile_grids: Vec<TileGridId>,
    pub(super) joints: Vec<JointId>,
    pub(super) fields: Vec<FieldId>,
}

pub(super) fn picked<T: Copy>(list: &[T], number: usize) -> Option<T> {
    (!list.is_empty()).then(|| list[number % list.len()])
}

/// The result of a call as text for comparison, since NaN differs from itself.
pub(super) fn text<T: std::fmt::Debug>(answer: &T) -> String {
    format!("{answer:?}")
}

impl Form {
    pub(super) fn make(&self) -> Result<Shape, ShapeError> {
        match self {
            Self::Circle(center, radius) => Shape::circle(*center, *radius),
            Self::Capsule(a, b, radius) => Shape::capsule(*a, *b, *radius),
            Self::Segment(a, b) => Shape::segment(*a, *b),
            Self::Rectangle(x, y) => Shape::new_box(2.0 * *x, 2.0 * *y),
            Self::RectangleAt(x, y, center, angle) => Shape::box_at(2.0 * *x, 2.0 * *y, *center, *angle),
            Self::Rounded(x, y, radius) => Shape::rounded_box(2.0 * *x, 2.0 * *y, *radius),
            Self::Polygon(points, radius) => Shape::polygon(points, *radius),
            Self::HalfSpace(point, normal) => Shape::half_space(*point, *normal),
        }
    }
}

impl Change {
    fn make(self, body: &mut BodyMut<'_>) -> Result<(), PhysicsError> {
        match self {
            Self::Wake => body.wake(),
            Self::LinearVelocity(velocity) => return body.set_linear_velocity(velocity),
            Self::AngularVelocity(velocity) => return body.set_angular_velocity(velocity),
            Self::Target(place, angle, dt) => return body.set_target(place.into(), angle, dt),
            Self::Force(force) => return body.apply_force(force),
            Self::ForceAt(force, place) => return body.apply_force_at(force, place.into()),
            Self::Torque(torque) => return body.apply_torque(torque),
            Self::Impulse(impulse) => return body.apply_impulse(impulse),
            Self::ImpulseAt(impulse, place) => return body.apply_impulse_at(impulse, place.into()),
            Self::AngularImpulse(impulse) => return body.apply_angular_impulse(impulse),
            Self::Damping(linear, angular) => return body.set_damping(linear, angular),
            Self::GravityScale(scale) => return body.set_gravity_scale(scale),
            Self::Bullet(bullet) => body.set_bullet(bullet),
            Self::Key(key) => body.set_user_key(key),
            Self::SleepThreshold(threshold) => return body.set_sleep_threshold(threshold),
            Self::MaySleep(may) => body.set_may_sleep(may),
            Self::FixedRotation(fixed) => body.set_fixed_rotation(fixed),
            Self::DropThrough => body.drop_through(),
        }
        Ok(())
    }
}

impl Player {
    /// A world with the ids of all its objects.
    pub(in crate::families) fn new(world: PhysicsWorld) -> Self {
        let bodies = world.bodies().map(|body| body.id()).collect();
        let shapes = world.shapes().map(|shape| shape.id()).collect();
        let concave_polygons = world
            .concave_polygons()
            .map(|concave_polygon| concave_polygon.id())
            .collect();
        let tile_grids = world.tile_grids().map(|grid| grid.id()).collect();
        let joints = world.joints().map(|joint| joint.id()).collect();
        let fields = world.fields().collect();
        Self {
            world,
            bodies,
            shapes,
            concave_polygons,
            tile_grids,
            joints,
            fields,
        }
    }

    /// Makes a call and returns its result.
    pub(in crate::families) fn play(&mut self, call: &Call) -> String {
        let world = &mut self.world;
        match call {
            Call::Gravity(gravity) => text(&world.set_gravity(*gravity)),
            Call::Substeps(substeps) => text(&world.set_substeps(*substeps)),
            Call::Sleeping(enabled) => text(&world.set_sleeping_enabled(*enabled)),
            Call::Continuous(enabled) => text(&world.set_continuous(*enabled)),
            Call::Thresholds(restitution, hit) => text(&world.set_thresholds(*restitution, *hit)),
            Call::Softness(hertz, ratio, push) => text(&world.set_contact_softness(*hertz, *ratio, *push)),
            Call::SpeedMax(speed) => text(&world.set_speed_max(*speed)),
            Call::Debris(area_max, stay) => {
                let fate = if *stay {
                    DebrisFate::Stay(Debris::FILTER)
                } else {
                    DebrisFate::Vanish
                };
                text(&world.set_debris(Debris {
                    area_max: *area_max,
                    fate,
                }))
            }
            Call::Algorithm(number) => {
                text(&world.set_island_algorithm(IslandAlgorithm::ALL[number % IslandAlgorithm::ALL.len()]))
            }
            Call::Lanes(number) => {
                // Machines differ in their lane widths, but no result may.
                let _ = world.set_lanes(LaneWidth::ALL[number % LaneWidth::ALL.len()]);
                String::new()
            }
            Call::BatchBodies(bodies) => text(&world.set_batch_bodies_max(*bodies)),
            Call::Watch => {
                world.watch_bodies();
                world.take_changed_bodies();
                String::new()
            }
            Call::Step(dt) => self.step(*dt),
            Call::Steps(count) => (0..*count).map(|_| self.step(1.0 / 60.0)).collect(),
            Call::LookAround => self.look_around(),
            Call::Ask(from, along, mask, form) => self.ask(*from, *along, *mask, form),
            _ => self.play_on_something(call),
        }
    }

    fn step(&mut self, dt: f32) -> String {
        text(&self.world.step(dt))
    }

    fn play_on_something(&mut self, call: &Call) -> String {
        let world = &mut self.world;
        match call {
            Call::Body(def) => {
                if world.counters().bodies >= BODIES_MAX {
                    return String::new();
                }
                let answer = world.create_body(def);
                self.bodies.extend(answer.as_ref().ok());
                text(&answer)
            }
            Call::DestroyBody(body) => self.on_body(*body, |world, body| text(&world.destroy_body(body))),
            Call::Enable(body, enabled) => self.on_body(*body, |world, body| {
                text(&world.body_mut(body).map(|mut body| body.set_enabled(*enabled)))
            }),
            Call::Kind(body, kind) => self.on_body(*body, |world, body| {
                text(&world.body_mut(body).map(|mut body| body.set_kind(*kind)))
            }),
            Call::Teleport(body, place, angle) => self.on_body(*body, |world, body| {
                text(
                    &world
                        .body_mut(body)
                        .and_then(|mut body| body.teleport(Pose::new(*place, *angle))),
                )
            }),
            Call::Change(body, change) => self.on_body(*body, |world, body| {
                text(&world.body_mut(body).map(|mut body| change.make(&mut body)))
            }),
            _ => {
                let answer = self.play_on_joints(call).or_else(|| self.play_on_rules(call));
                let answer = answer.or_else(|| self.play_on_fields(call));
                answer.unwrap_or_else(|| self.play_on_shapes(call))
            }
        }
    }

    fn play_on_shapes(&mut self, call: &Call) -> String {
        match call {
            Call::Shape(body, def, form) => self.shape(*body, def, form),
            Call::Chain(body, def, points, closed) => self.chain(*body, def, points, *closed),
            Call::ConcavePolygon(body, def, corners, radius) => {
                self.concave_polygon(*body, def, corners, *radius)
            }
            Call::Heightfield(body, def) => {
                let Some(body) = picked(&self.bodies, *body).filter(|_| !self.is_full()) else {
                    return String::new();
                };
                let answer = self.world.create_heightfield(body, def);
                self.shapes.extend(answer.iter().flatten());
                text(&answer)
            }
            Call::TileGrid(body, def) => {
                let Some(body) = picked(&self.bodies, *body).filter(|_| !self.is_full()) else {
                    return String::new();
                };
                let answer = self.world.create_tile_grid(body, def);
                self.tile_grids.extend(answer.as_ref().ok());
                text(&answer)
            }
            Call::FillTiles(grid, block, tile) => match picked(&self.tile_grids, *grid) {
                Some(grid) => text(&self.world.fill_tiles(grid, *block, *tile)),
                None => String::new(),
            },
            Call::CutTiles(cut) => text(&self.world.cut_tiles(cut)),
            Call::DestroyTileGrid(grid) => match picked(&self.tile_grids, *grid) {
                Some(grid) => text(&self.world.destroy_tile_grid(grid)),
                None => String::new(),
            },
            Call::DestroyShape(shape) => {
                self.on_shape(*shape, |world, shape| text(&world.destroy_shape(shape)))
            }
            Call::DestroyPolygon(concave_polygon) => match picked(&self.concave_polygons, *concave_polygon) {
                Some(concave_polygon) => text(&self.world.destroy_concave_polygon(concave_polygon)),
                None => String::new(),
            },
            Call::Filter(shape, filter) => self.on_shape(*shape, |world, shape| {
                text(&world.shape_mut(shape).map(|mut shape| shape.set_filter(*filter)))
            }),
            Call::ShapeKey(shape, key) => self.on_shape(*shape, |world, shape| {
                text(&world.shape_mut(shape).map(|mut shape| shape.set_user_key(*key)))
            }),
            Call::Material(shape, friction, restitution) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .and_then(|mut shape| shape.set_material(*friction, *restitution)),
                )
            }),
            Call::Surface(shape, resistance, speed) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .and_then(|mut shape| shape.set_surface(*resistance, *speed)),
                )
            }),
            Call::ContactSkin(shape, skin) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .and_then(|mut shape| shape.set_contact_skin(*skin)),
                )
            }),
            Call::Slice(body, from, to) => self.cut(|world, bodies| {
                let body = picked(bodies, *body)?;
                Some(text(&world.slice(body, (*from).into(), (*to).into())))
            }),
            Call::CutThrough(from, to, mask) => self.cut(|world, _| {
                let filter = QueryFilter {
                    mask: *mask,
                    ..QueryFilter::default()
                };
                Some(text(&world.cut_through((*from).into(), (*to).into(), filter)))
            }),
            Call::Shatter(body, seed, count) => self.cut(|world, bodies| {
                let pattern = Shatter::Seeded {
                    seed: *seed,
                    count: *count,
                };
                Some(text(&world.shatter(picked(bodies, *body)?, &pattern)))
            }),
            Call::ShatterAt(body, sites) => self.cut(|world, bodies| {
                let sites = sites.iter().map(|&site| site.into()).collect();
                Some(text(
                    &world.shatter(picked(bodies, *body)?, &Shatter::Sites(sites)),
                ))
            }),
            _ => unreachable!("all calls are played"),
        }
    }

    fn on_body(&mut self, body: usize, call: impl FnOnce(&mut PhysicsWorld, BodyId) -> String) -> String {
        match picked(&self.bodies, body) {
            Some(body) => call(&mut self.world, body),
            None => String::new(),
        }
    }

    pub(super) fn on_shape(
        &mut self,
        shape: usize,
        call: impl FnOnce(&mut PhysicsWorld, ShapeId) -> String,
    ) -> String {
        match picked(&self.shapes, shape) {
            Some(shape) => call(&mut self.world, shape),
            None => String::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.world.counters().shapes >= SHAPES_MAX
    }

    fn shape(&mut self, body: usize, def: &ShapeDef, form: &Form) -> String {
        let (Some(body), Ok(shape)) = (picked(&self.bodies, body), form.make()) else {
            return String::new();
        };
        if self.is_full() {
            return String::new();
        }
        let answer = self.world.create_shape(body, def, &shape);
        self.shapes.extend(answer.as_ref().ok());
        text(&answer)
    }

    fn chain(&mut self, body: usize, def: &ShapeDef, points: &[Vec2], closed: bool) -> String {
        let Some(body) = picked(&self.bodies, body).filter(|_| !self.is_full()) else {
            return String::new();
        };
        let def = ChainDef {
            points: points.to_vec(),
            closed,
            shape: def.clone(),
        };
        let answer = self.world.create_chain(body, &def);
        self.shapes.extend(answer.iter().flatten());
        text(&answer)
    }

    fn concave_polygon(&mut self, body: usize, def: &ShapeDef, corners: &[DVec2], radius: f32) -> String {
        let (Some(body), Ok(concave_polygon)) = (picked(&self.bodies, body), ConcavePolygon::new(corners))
        else {
            return String::new();
        };
        if self.is_full() {
            return String::new();
        }
        let answer = self
            .world
            .create_rounded_polygon(body, def, &concave_polygon, radius);
        if let Ok(id) = answer {
            self.concave_polygons.push(id);
            let concave_polygon = self.world.concave_polygon(id).expect("it was just made");
            self.shapes.extend(concave_polygon.parts().map(|part| part.id()));
        }
        text(&answer)
    }

    fn cut(&mut self, call: impl FnOnce(&mut PhysicsWorld, &[BodyId]) -> Option<String>) -> String {
        let counters = self.world.counters();
        if counters.bodies >= BODIES_MAX || counters.shapes >= SHAPES_MAX {
            return String::new();
        }
        let answer = call(&mut self.world, &self.bodies).unwrap_or_default();
        let Self {
            world,
            bodies,
            shapes,
            concave_polygons,
            ..
        } = self;
        // New bodies are not reported one by one.
        let last = bodies.len();
        bodies.extend(world.bodies().map(|body| body.id()));
        shapes.extend(world.shapes().skip(last).map(|shape| shape.id()));
        concave_polygons.extend(
            world
                .concave_polygons()
                .map(|concave_polygon| concave_polygon.id()),
        );
        [bodies.len(), shapes.len(), concave_polygons.len()]
            .iter()
            .for_each(|&count| assert!(count < 1 << 20, "a case is small"));
        answer
    }

    /// The results of every query.
    fn ask(&self, from: Vec2, along: Vec2, mask: u64, form: &Form) -> String {
        let world = &self.world;
        let filter = QueryFilter {
            mask: if mask.is_multiple_of(3) { mask } else { u64::MAX },
            ..QueryFilter::default()
        };
        let place = Position::from(from);
        let mut answers = text(&world.cast_ray(place, along, filter));
        answers += &text(&world.cast_ray_all(place, along, filter));
        answers += &text(&world.overlap_point(place, filter));
        let area = Aabb {
            min: from,
            max: from + along,
        };
        answers += &text(&world.overlap_box(area, filter));
        if let Ok(shape) = form.make() {
            let pose = Pose::new(from, along.x);
            answers += &text(&world.overlap_shape(&shape, pose, filter));
            answers += &text(&world.cast_shape(&shape, Motion::line(pose, along), filter));
        }
        answers
    }

    /// The results of every getter of every object.
    fn look_around(&self) -> String {
        let world = &self.world;
        let mut seen = String::new();
        for body in world.bodies() {
            let parts = (
                body.shapes().count(),
                body.contacts().count(),
                body.joints().count(),
            );
            let motion = (body.linear_velocity(), body.angular_velocity());
            let mass = (body.mass(), body.inertia(), body.center_of_mass());
            let at = (
                body.position(),
                body.rotation(),
                body.velocity_at(body.position()),
            );
            let flags = [
                body.is_awake(),
                body.is_enabled(),
                body.is_frozen(),
                body.is_bullet(),
                body.is_debris(),
                body.may_sleep(),
                body.has_fixed_rotation(),
            ];
            let rest = (
                body.linear_damping(),
                body.angular_damping(),
                body.gravity_scale(),
                body.sleep_threshold(),
                body.user_key(),
                body.kind(),
                body.island().is_some(),
            );
            let _ = write!(
                seen,
                "{:?}",
                (
                    body.id(),
                    parts,
                    motion,
                    mass,
                    at,
                    flags,
                    rest,
                    body.aabb(),
                    body.pose()
                )
            );
        }
        for shape in world.shapes() {
            let surface = (
                shape.friction(),
                shape.restitution(),
                shape.tangent_speed(),
                shape.contact_skin(),
                shape.density(),
            );
            let flags = (
                shape.is_sensor(),
                shape.has_contact_events(),
                shape.has_hit_events(),
                (shape.material_number(), shape.combine_rules()),
            );
            let visitors: Vec<ShapeId> = shape.visitors().map(|visitor| visitor.id()).collect();
            let _ = write!(
                seen,
                "{:?}",
                (
                    shape.id(),
                    surface,
                    flags,
                    visitors,
                    shape.fat_aabb(),
                    shape.filter()
                )
            );
            let _ = write!(
                seen,
                "{:?}",
                (
                    shape.part_of(),
                    shape.body().id(),
                    shape.user_key(),
                    shape.geometry()
                )
            );
        }
        for contact in world.contacts() {
            let points: Vec<_> = contact.points().collect();
            let shapes = contact.shapes().map(|shape| shape.id());
            let _ = write!(
                seen,
                "{:?}",
                (
                    contact.id(),
                    shapes,
                    contact.is_touching(),
                    contact.normal(),
                    (contact.rule(), contact.is_passing()),
                    points
                )
            );
        }
        for joint in world.joints() {
            let bodies = joint.bodies().map(|body| body.id());
            let impulses = (joint.linear_impulse(), joint.motor_impulse());
            let _ = write!(
                seen,
                "{:?}",
                (
                    joint.id(),
                    bodies,
                    joint.anchors(),
                    joint.angle(),
                    impulses,
                    joint.motor(),
                    (joint.force(), joint.torque()),
                    (joint.linear_error(), joint.angular_error()),
                    joint.def()
                )
            );
        }
        for concave_polygon in world.concave_polygons() {
            let loops: Vec<Vec<Vec2>> = (0..concave_polygon.loop_count())
                .map(|place| concave_polygon.loop_points(place).collect())
                .collect();
            let parts = concave_polygon.parts().count();
            let _ = write!(
                seen,
                "{:?}",
                (
                    concave_polygon.id(),
                    concave_polygon.body().id(),
                    parts,
                    loops,
                    concave_polygon.area(),
                    concave_polygon.radius()
                )
            );
            drop(concave_polygon.to_polygon());
        }
        let _ = write!(
            seen,
            "{:?}",
            (
                world.gravity(),
                world.substeps(),
                world.step_index(),
                world.debris(),
                world.memory().len(),
                world.contact_rules().collect::<Vec<_>>(),
                world.fields().map(|id| world.field(id)).collect::<Vec<_>>()
            )
        );
        // Counts of this machine and times: called, not compared.
        let _ = (
            world.counters(),
            world.solver_tasks().len(),
            world.profile().seconds(Stage::Collide),
        );
        seen
    }

    /// The events of the last step.
    pub(in crate::families) fn events(&self) -> String {
        let events = self.world.events();
        text(&(
            events.begin_touch(),
            events.end_touch(),
            events.hit(),
            (events.enter(), events.leave()),
            (events.moved(), events.woke(), events.fell_asleep()),
            (events.frozen(), events.held(), events.joint()),
            (events.cut(), events.vanished(), events.force()),
        ))
    }
}
