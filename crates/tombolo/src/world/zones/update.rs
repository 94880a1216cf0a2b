//! The stage `zones`: cuts zones that moved again, and updates the visitors for entities and zones that moved. Also
//! the queries of zones.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{Dense, Entity, InstanceId, Kept, NameHash};
use tombolo_geometry::orthtree::Bounds;
use tombolo_geometry::split::ConcavePolygon;
use tombolo_physics::{PhysicsError, Vec2};
use tombolo_threads::FloatEnvironment;

use super::{STRAY_MAX_M, ZoneKey, Zones};
use crate::component::{ZONE, Zone};
use crate::world::World;
use crate::world::events::ZoneVisit;

impl World {
    /// The entities whose zones contain a point, by entity, without duplicates; as of the last step, or of the restore
    /// of a world that was restored since. Empty for a point that is not finite.
    ///
    /// ```
    /// use tombolo::physics::Vec2;
    /// use tombolo::{Event, Scene, World};
    /// let scene = Scene::parse("lake.ron", r#"(
    ///     settings: (gravity: (0, 0)),
    ///     entities: {
    ///         "lake": {"water": Zone(shape: Outline(
    ///             points: [(0, 0), (20, 0), (20, 20), (0, 20)], holes: [[(8, 8), (8, 12), (12, 12), (12, 8)]],
    ///         ))},
    ///         "boat": {"body": Body(kind: Dynamic, linear_velocity: (60, 0)), "hull": Collider(shape: Circle(radius: 0.5))},
    ///     },
    ///     place: [One(name: "lake", entity: "lake"), One(name: "boat", entity: "boat", at: (-0.5, 10))],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let (lake, boat) = (world.find("lake").unwrap(), world.find("boat").unwrap());
    /// world.step();
    /// assert!(world.events().iter().any(|event| matches!(event, Event::EnterZone(visit) if visit.visitor == boat)));
    /// assert_eq!(world.zones_of(boat), [lake]);
    /// assert_eq!(world.zones_at(Vec2::new(10.0, 10.0)), [], "the island");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn zones_at(&self, point: Vec2) -> Vec<Entity> {
        owners(&self.zones.at(point.as_dvec2()))
    }

    /// The present areas of the zones, for drawing: the entity of each and its polygon in the world, in the order of
    /// the components. Zones with an invalid geometry, which contain no entity, are left out. Costs time in the
    /// corners of all.
    pub fn zone_polygons(&self) -> Vec<(Entity, ConcavePolygon)> {
        let zones = self.zone_components().into_iter();
        let zones = zones.flat_map(|zones| zones.owners().zip(zones.values()));
        let polygon = |((entity, _), zone): (ZoneKey, &Zone)| {
            let pose = self.pose(entity)?;
            Some((entity, zone.polygon_at(pose).ok()?))
        };
        zones.filter_map(polygon).collect()
    }

    /// The entities whose zones an entity was in at the end of the last step, by entity, without duplicates.
    pub fn zones_of(&self, visitor: Entity) -> Vec<Entity> {
        owners(self.zones.of(visitor))
    }

    /// The entities in the zones of an entity at the end of the last step, by entity, without duplicates.
    pub fn visitors_of(&self, zone: Entity) -> Vec<Entity> {
        let zones = self.zone_components().into_iter();
        let zones = zones.flat_map(|zones| zones.of(zone));
        let mut visitors: Vec<Entity> = zones
            .flat_map(|(_, zone)| zone.visitors.iter().copied())
            .collect();
        visitors.sort_unstable();
        visitors.dedup();
        visitors
    }

    /// The stage `zones`. Costs nothing without zones; else the entities that moved, and for each zone that moved or
    /// changed a cut and the entities nearby.
    pub(in crate::world) fn update_zones(&mut self) {
        if self.has_no_zones() && self.zones.placed.is_empty() {
            if !self.zones.is_new() {
                self.zones = Kept::default();
            }
            return;
        }
        // The first zones of a world need all entities, which were not examined before.
        let everybody = self.zones.is_stale || self.zones.placed.is_empty();
        let waiting = self.take_waiting();
        let mut moved: Vec<Entity> = if everybody {
            self.entities.entities().iter().collect()
        } else {
            waiting
                .into_iter()
                .chain(self.moved.list().iter().copied())
                .collect()
        };
        moved.sort_unstable();
        moved.dedup();
        // Of the step alone: between two frames it is 0.
        Kept::cache_mut(&mut self.zones).seen = self.moved.list().len();
        let mut changed = Vec::new();
        for &entity in &moved {
            for (zone, refused) in self.cut_zones_of(entity) {
                if let Some(error) = refused {
                    self.note_fault(format!("zone of {}: {error}; nobody is in it", self.show(entity)));
                }
                changed.push(zone);
            }
            self.note_stray(entity);
        }
        // The pairs that may have changed.
        let mut pairs: Vec<(ZoneKey, Entity)> = Vec::new();
        for &entity in &moved {
            let now = self.pose(entity).map(|pose| pose.position.as_dvec2());
            let now = now.map(|point| self.zones.at(point)).unwrap_or_default();
            let before = self.zones.of(entity).iter().copied();
            pairs.extend(now.into_iter().chain(before).map(|zone| (zone, entity)));
        }
        for &zone in &changed {
            let near = self.entities_near(zone).into_iter();
            pairs.extend(near.map(|entity| (zone, entity)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (zone, visitor) in pairs {
            self.decide(zone, visitor);
        }
    }

    /// The entities that moved after the last stage; from now on no entity waits, and none but those that move is looked
    /// at. As everywhere here, zones that nothing happens to are not borrowed for change, so that frames share them.
    fn take_waiting(&mut self) -> Vec<Entity> {
        if self.zones.is_stale {
            self.zones.is_stale = false;
        }
        if self.zones.waiting.is_empty() {
            return Vec::new();
        }
        mem::take(&mut self.zones.waiting)
    }

    /// Cuts the zones of entities that moved since the last stage, for scripts that ask for the zones at a point. Who is
    /// in them is decided in the stage, which also reports zones that are refused.
    #[cfg(feature = "script")]
    pub(in crate::world) fn cut_moved_zones(&mut self) {
        if self.has_no_zones() {
            return;
        }
        if self.zones.placed.is_empty() {
            // The first zones of a world: entities that moved before were not kept.
            self.zones.is_stale = true;
            self.cut_all_zones();
            return;
        }
        let calls: &[Entity] = if self.moved.is_read {
            &[]
        } else {
            self.moved.list()
        };
        let mut moved: Vec<Entity> = self.zones.waiting.iter().chain(calls).copied().collect();
        moved.sort_unstable();
        moved.dedup();
        for entity in moved {
            drop(self.cut_zones_of(entity));
        }
    }

    /// Creates the zones of a restored world, as its calls and scripts find them. The next stage examines all entities.
    pub(in crate::world) fn rebuild_zones(&mut self) {
        let _environment = FloatEnvironment::enter();
        self.zones = Kept::new(Zones {
            is_stale: true,
            ..Zones::default()
        });
        self.learn_visitors();
        self.cut_all_zones();
    }

    fn cut_all_zones(&mut self) {
        let zones = self.zone_components().into_iter();
        let mut owners: Vec<Entity> = zones.flat_map(Dense::owners).map(|(entity, _)| entity).collect();
        owners.sort_unstable();
        owners.dedup();
        for entity in owners {
            drop(self.cut_zones_of(entity));
        }
    }

    /// Keeps entities that move after the stage for that of the next step.
    pub(in crate::world) fn keep_moved_for_zones(&mut self) {
        if !self.zones.placed.is_empty() {
            let late = &self.moved.list()[self.zones.seen.min(self.moved.list().len())..];
            if !late.is_empty() {
                self.zones.waiting.extend_from_slice(late);
            }
        }
        Kept::cache_mut(&mut self.zones).seen = 0;
    }

    fn zone_components(&self) -> Option<&Dense<Zone>> {
        self.entities.manager(ZONE)
    }

    fn has_no_zones(&self) -> bool {
        self.zone_components()
            .is_none_or(|zones| zones.values().is_empty())
    }

    /// Computes `of_visitors` from the components.
    fn learn_visitors(&mut self) {
        self.zones.of_visitors.clear();
        let Some(components) = self.entities.manager::<Dense<Zone>>(ZONE) else {
            return;
        };
        for (zone, component) in components.owners().zip(components.values()) {
            for &visitor in &component.visitors {
                self.zones.of_visitors.entry(visitor).or_default().push(zone);
            }
        }
        self.zones
            .of_visitors
            .values_mut()
            .for_each(|zones| zones.sort_unstable());
    }

    /// Cuts the zones of an entity at their present poses; returns them, each with the reason if it was refused.
    fn cut_zones_of(&mut self, entity: Entity) -> Vec<(ZoneKey, Option<String>)> {
        let Some(pose) = self.pose(entity) else {
            return Vec::new();
        };
        let zones = self.zone_components().into_iter();
        let mut zones: Vec<_> = zones
            .flat_map(|zones| zones.of(entity))
            .map(|(instance, zone)| (instance, zone.polygon_at(pose)))
            .collect();
        zones.sort_unstable_by_key(|(instance, _)| *instance);
        let place = |(instance, polygon): (InstanceId, Result<ConcavePolygon, PhysicsError>)| {
            let zone = (entity, instance);
            let refused = match polygon {
                Ok(polygon) => {
                    let placed = self.zones.place(zone, &polygon);
                    placed.err().map(|error| format!("{error}"))
                }
                Err(error) => {
                    self.zones.take_away(zone);
                    Some(format!("{error}"))
                }
            };
            (zone, refused)
        };
        zones.into_iter().map(place).collect()
    }

    /// Updates `stray`, by which candidates are found, for an entity.
    fn note_stray(&mut self, entity: Entity) {
        let place = self.pose(entity).zip(self.space.bounds(entity));
        let off =
            place.map(|(pose, bounds)| libm::sqrt(bounds.distance_squared(&pose.position.to_array())) as f32);
        let is_unplaced = off.is_none_or(|off| off > STRAY_MAX_M);
        if is_unplaced != self.zones.unplaced.contains(&entity) {
            if is_unplaced {
                self.zones.unplaced.insert(entity);
            } else {
                self.zones.unplaced.remove(&entity);
            }
        }
        let stray = off.filter(|_| !is_unplaced).map_or(0.0, f32::next_up);
        if stray > self.zones.stray {
            self.zones.stray = stray;
        }
    }

    /// The entities that were in a zone, or may be now.
    fn entities_near(&self, zone: ZoneKey) -> Vec<Entity> {
        let component = self
            .zone_components()
            .and_then(|zones| zones.value(zone.0, zone.1));
        let mut near = component.map(|zone| zone.visitors.clone()).unwrap_or_default();
        if let Some(placed) = self.zones.placed.get(&zone) {
            let (bounds, stray) = (placed.bounds, self.zones.stray);
            let grown = Bounds::new(
                bounds.min.map(|edge| edge - stray),
                bounds.max.map(|edge| edge + stray),
            );
            self.space.visit(&grown, |entity, _| near.push(entity));
            near.extend(&self.zones.unplaced);
        }
        near
    }

    /// Updates whether an entity is in a zone; a change is written to the zone, and becomes an event.
    fn decide(&mut self, zone: ZoneKey, visitor: Entity) {
        let Some(component) = self
            .zone_components()
            .and_then(|zones| zones.value(zone.0, zone.1))
        else {
            return;
        };
        let notices = |name: &str| name.is_empty() || self.entities.find(visitor, name).is_some();
        let is_inside = zone.0 != visitor
            && self
                .pose(visitor)
                .is_some_and(|pose| self.zones.contains(zone, pose.position.as_dvec2()))
            && notices(&component.notices);
        let place = component.visitors.binary_search(&visitor);
        match (place, is_inside) {
            (Err(place), true) => {
                self.change_visitors(zone, |visitors| visitors.insert(place, visitor));
                let zones = self.zones.of_visitors.entry(visitor).or_default();
                let place = zones.partition_point(|known| *known < zone);
                zones.insert(place, zone);
                self.entity_events.entered_zone(visit(zone, visitor));
            }
            (Ok(place), false) => {
                self.change_visitors(zone, |visitors| {
                    visitors.remove(place);
                });
                self.forget_visit(zone, visitor);
                self.entity_events.left_zone(visit(zone, visitor));
            }
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    fn change_visitors(&mut self, zone: ZoneKey, change: impl FnOnce(&mut Vec<Entity>)) {
        let zones: Option<&mut Dense<Zone>> = self.entities.manager_mut(ZONE);
        if let Some(zone) = zones.and_then(|zones| zones.value_mut(zone.0, zone.1)) {
            change(&mut zone.visitors);
        }
    }

    fn forget_visit(&mut self, zone: ZoneKey, visitor: Entity) {
        if let Some(zones) = self.zones.of_visitors.get_mut(&visitor) {
            zones.retain(|known| *known != zone);
            if zones.is_empty() {
                self.zones.of_visitors.remove(&visitor);
            }
        }
    }

    /// Makes entities that are about to end leave their zones.
    pub(in crate::world) fn leave_zones(&mut self, entities: &[Entity]) {
        if self.has_no_zones() {
            return;
        }
        for &visitor in entities {
            let is_known =
                self.zones.unplaced.contains(&visitor) || self.zones.of_visitors.contains_key(&visitor);
            if !is_known {
                continue;
            }
            self.zones.unplaced.remove(&visitor);
            for zone in self.zones.of_visitors.remove(&visitor).unwrap_or_default() {
                self.change_visitors(zone, |visitors| visitors.retain(|known| *known != visitor));
                self.entity_events.left_zone(visit(zone, visitor));
            }
        }
    }

    /// Removes the zones whose components have ended: their visitors leave.
    pub(in crate::world) fn end_zones(&mut self) {
        let zones: Option<&mut Dense<Zone>> = self.entities.manager_mut(ZONE);
        for end in zones.map(Dense::take_ended).unwrap_or_default() {
            let zone = (end.entity, end.instance);
            self.zones.take_away(zone);
            for visitor in end.value.visitors {
                self.forget_visit(zone, visitor);
                self.entity_events.left_zone(visit(zone, visitor));
            }
        }
    }
}

fn visit((zone, instance): ZoneKey, visitor: Entity) -> ZoneVisit {
    ZoneVisit {
        zone,
        component: component_name(instance),
        visitor,
    }
}

fn component_name(instance: InstanceId) -> NameHash {
    NameHash::from_bits(instance.0)
}

/// The entities of zones, in the order of the zones.
fn owners(zones: &[ZoneKey]) -> Vec<Entity> {
    let mut owners: Vec<Entity> = zones.iter().map(|zone| zone.0).collect();
    owners.dedup();
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    #[test]
    fn a_level_far_from_its_origin_does_not_make_zones_look_far() {
        let text = r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "level": {"body": Body(), "rock": Collider(shape: Box(width: 1, height: 1), position: (500, 0))},
                "lamp": {"light": Zone(shape: Circle(radius: 1.5))},
                "mark": {"mark": Tag()},
            },
            place: [
                One(name: "level", entity: "level"),
                One(name: "lamp", entity: "lamp"),
                Grid(name: "mark", entity: "mark", at: (-20, -20), columns: 20, rows: 20, column_step: (2, 0), row_step: (0, 2)),
            ],
        )"#;
        let mut world = World::from_scene(&Scene::parse("level.ron", text).unwrap()).unwrap();
        world.step();
        let [lamp, level] = ["lamp", "level"].map(|name| world.find(name).unwrap());
        let visitors = world.visitors_of(lamp);
        assert!(visitors.contains(&level), "{visitors:?}: its place counts");
        let instance = world.zone_components().unwrap().of(lamp).next().unwrap().0;
        let near = world.entities_near((lamp, instance));
        assert!(near.len() < 20, "{} of 402 entities", near.len());
    }
}
