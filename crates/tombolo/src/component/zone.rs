//! The component Zone: an area that lists the entities inside it. `world/zones/` runs it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::Pose;
use tombolo_geometry::split::{ConcavePolygon, ConcavePolygonError};
use tombolo_physics::{DVec2, PhysicsError};

use super::register::{Entries, Registered, Wakes, ZoneAnew};
use super::shape_geometry::{self, BuiltGeometry, ShapeGeometry};

/// An area that lists the entities inside it: those with the position of their Transform inside or on the border. It
/// follows the entity's own Transform and is not in physics: a zone notices entities without bodies, may be of any
/// size, concave and with holes, and costs nothing while no entity moves. A [`Trigger`](super::Trigger) reports
/// touching shapes instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zone {
    /// The shape of the area and its pose. Of a rounded polygon the corners count, not the radius.
    pub geometry: ShapeGeometry,
    /// The name of a component, such as a tag: only entities that have it count; empty for all entities.
    pub notices: Box<str>,
    /// The entities inside, ascending.
    pub(crate) visitors: Vec<Entity>,
}

impl Zone {
    /// The entities inside at the end of the last step, ascending.
    pub fn visitors(&self) -> &[Entity] {
        &self.visitors
    }

    /// The area's polygon in the entity's frame.
    pub(crate) fn local_polygon(&self) -> Result<ConcavePolygon, PhysicsError> {
        match self.geometry.build()? {
            BuiltGeometry::Concave(polygon, _) => Ok(polygon),
            BuiltGeometry::Solid(shape) => {
                let polygon = ConcavePolygon::of_shape(&shape).map(|(polygon, _)| polygon);
                polygon.ok_or(PhysicsError::TooThin)
            }
            BuiltGeometry::Chain(_) | BuiltGeometry::Heightfield(_) => Err(PhysicsError::TooThin),
        }
    }

    /// The area's polygon in the world, for an entity at a pose. In double precision, since rounding may make a small
    /// polygon far away cross itself.
    pub(crate) fn polygon_at(&self, pose: Pose) -> Result<ConcavePolygon, PhysicsError> {
        let local = self.local_polygon()?;
        let (sin, cos) = (f64::from(pose.rotation.sin), f64::from(pose.rotation.cos));
        let origin = pose.position.as_dvec2();
        let place = |p: &DVec2| origin + DVec2::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y);
        let points: Vec<DVec2> = local.points().iter().map(place).collect();
        let loops: Vec<&[DVec2]> = (0..local.loop_count())
            .map(|number| &points[local.loop_range(number)])
            .collect();
        let polygon: Result<_, ConcavePolygonError> = ConcavePolygon::with_holes(loops[0], &loops[1..]);
        Ok(polygon?)
    }
}

impl Registered for Zone {
    type Apply = ZoneAnew;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = shape_geometry::entries(
            |zone: &Self| &zone.geometry,
            |zone| &mut zone.geometry,
            ZoneAnew,
            Wakes::No,
        );
        fields!(entries, ZoneAnew, Wakes::No;
            notices => "The name of a component that entities have which count, such as a tag; all count if it is empty.",
        )
        .derived("visitor_count", |zone: &Self| zone.visitors.len() as u32)
        .doc("How many entities are in it.")
    }
}

impl Component for Zone {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.length(self.visitors.len());
        self.visitors
            .iter()
            .for_each(|visitor| out.entity(Some(*visitor)));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        let broken = || DataError::broken("a zone has visitors that none has");
        self.visitors.clear();
        for _ in 0..from.length(8, "the visitors of a zone")? {
            let visitor = from.entity("a visitor of a zone")?.ok_or_else(broken)?;
            if self.visitors.last().is_some_and(|last| *last >= visitor) {
                return Err(broken());
            }
            self.visitors.push(visitor);
        }
        Ok(())
    }
}
