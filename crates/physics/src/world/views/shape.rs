//! Methods of [`ShapeRef`]: reading a shape's geometry, material, filter and events.

use super::{BodyRef, ShapeRef};
use crate::body::NONE;
use crate::composite::MemberId;
use crate::concave_polygon::ConcavePolygonId;
use crate::shape::{CombineRule, Filter, Material, ShapeId};
use crate::state::State;
use crate::tile_grid::TileSpan;
use tombolo_geometry::Aabb;
use tombolo_geometry::shape::Shape;

impl<'a> ShapeRef<'a> {
    /// The shape's id.
    pub fn id(&self) -> ShapeId {
        self.id
    }

    pub(crate) fn of(state: &'a State, shape: u32) -> Self {
        let id = state.shapes.live_id(shape);
        Self { state, id }
    }

    /// The concave polygon that the shape is a convex part of; `None` for a shape that is not a part of one.
    pub fn part_of(&self) -> Option<ConcavePolygonId> {
        let concave_polygon = self.state.concave_polygon_of(self.id.index())?;
        Some(self.state.concave_polygon_pool.records.live_id(concave_polygon))
    }

    /// The shape's span of tiles and the state, if it is made of tiles.
    pub(in crate::world) fn span(&self) -> Option<(&'a State, &'a TileSpan)> {
        let span = self.state.tile_grids.span_of(self.id.index())?;
        Some((self.state, span))
    }

    /// The member of a composite that the shape belongs to; `None` on any other body.
    pub fn member(&self) -> Option<MemberId> {
        let member = self.state.member_of(self.id.index())?;
        self.state.members.handle_of_slot(member)
    }

    /// The shape's geometry, in the body's frame.
    pub fn geometry(&self) -> &'a Shape {
        &self.state.shape_geometries[self.id.index()]
    }

    /// The body that the shape is attached to.
    pub fn body(&self) -> BodyRef<'a> {
        let body = self.state.shape_links[self.id.index()].body;
        let id = self.state.bodies.live_id(body);
        BodyRef {
            state: self.state,
            id,
        }
    }

    /// The shape's collision filter.
    pub fn filter(&self) -> Filter {
        self.state.shapes.live(self.id.index()).filter()
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.state.shapes.live(self.id.index()).user_key
    }

    /// The shape's box in the broad phase: the geometry's box when it was last updated, in world coordinates, with a
    /// margin of a few centimeters, so that it need not change in every step. `None` for a sensor and while the body is
    /// disabled, as they have no proxy.
    pub fn fat_aabb(&self) -> Option<Aabb> {
        let proxy = self.state.shape_links[self.id.index()].proxy;
        (proxy != NONE).then(|| self.state.broad_phase.fat_box(proxy))
    }

    /// Whether the shape is a sensor.
    pub fn is_sensor(&self) -> bool {
        self.state.shapes.live(self.id.index()).sensor != 0
    }

    /// The shapes that overlapped this sensor at the end of the last step and still exist, by index. A solid shape has
    /// some only if it detects static and kinematic bodies ([`ShapeDef::sees_fixed`](crate::ShapeDef::sees_fixed)), or
    /// was a sensor in that step. Costs O(log overlaps + found).
    pub fn visitors(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let (state, id) = (self.state, self.id);
        let first = state
            .overlaps
            .partition_point(|overlap| overlap.key()[0] < u64::from(id.index()));
        let events = state
            .overlaps
            .iter()
            .skip(first)
            .map_while(|overlap| overlap.event());
        events
            .take_while(move |event| event.sensor.index() == id.index())
            .filter(move |event| event.sensor == id && state.shapes.contains(event.visitor))
            .map(move |event| ShapeRef {
                state,
                id: event.visitor,
            })
    }

    /// The density in kilograms per square meter.
    pub fn density(&self) -> f32 {
        self.state.shapes.live(self.id.index()).density
    }

    fn material(&self) -> &'a Material {
        &self.state.materials[self.id.index()]
    }

    /// The coefficient of Coulomb friction.
    pub fn friction(&self) -> f32 {
        self.material().friction
    }

    /// The coefficient of restitution.
    pub fn restitution(&self) -> f32 {
        self.material().restitution
    }

    /// The rolling resistance, as a fraction of the normal force times a radius.
    pub fn rolling_resistance(&self) -> f32 {
        self.material().rolling_resistance
    }

    /// The speed of the surface along the shape, in meters per second.
    pub fn tangent_speed(&self) -> f32 {
        self.material().tangent_speed
    }

    /// The number of the shape's material, by which contact rules refer to it.
    pub fn material_number(&self) -> u32 {
        self.material().id
    }

    /// The distance in meters that the shape keeps from others; see [`ShapeDef::contact_skin`](crate::ShapeDef::contact_skin).
    pub fn contact_skin(&self) -> f32 {
        self.material().contact_skin()
    }

    /// The rules by which friction and restitution are combined with those of the other shape of a contact.
    pub fn combine_rules(&self) -> [CombineRule; 2] {
        let material = self.material();
        [material.friction_rule(), material.restitution_rule()]
    }

    /// Whether begin and end of touches are reported.
    pub fn has_contact_events(&self) -> bool {
        self.state.shapes.live(self.id.index()).contact_events != 0
    }

    /// The force in newtons from which the shape's touches are reported; 0 if they are not.
    pub fn force_threshold(&self) -> f32 {
        let watcher = self.state.watcher_of(self.id.index());
        watcher.map_or(0.0, |watcher| watcher.force_threshold)
    }

    /// Whether the shape, if it is a sensor, reports other sensors.
    pub fn sees_sensors(&self) -> bool {
        let watcher = self.state.watcher_of(self.id.index());
        watcher.is_some_and(|watcher| watcher.sees_sensors != 0)
    }

    /// Whether the shape, on a static or kinematic body, reports the shapes of such bodies.
    pub fn sees_fixed(&self) -> bool {
        let watcher = self.state.watcher_of(self.id.index());
        watcher.is_some_and(|watcher| watcher.sees_fixed != 0)
    }

    /// Whether hard hits are reported.
    pub fn has_hit_events(&self) -> bool {
        self.state.shapes.live(self.id.index()).hit_events != 0
    }
}
