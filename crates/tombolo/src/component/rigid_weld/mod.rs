//! The component RigidWeld: welds the bodies of two entities into one until the weld breaks.
//!
//! `record.rs` has its fields; this file has their properties.

mod record;

use tombolo_entity::{Component, DataError, Reader, Schema, Value, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::POSITION_MAX_M;
use tombolo_physics::{RigidWeldId, RigidWeldRef};

pub use record::RigidWeld;

use super::register::{Entries, InScene, Registered, SceneForm, ToWeld, Wakes, either_way, up_to};

impl RigidWeld {
    /// The properties of the two ends.
    fn ends(entries: Entries<Self>) -> Entries<Self> {
        let named = InScene::Within(SceneForm::To, "Entity(name), Previous");
        let parent = InScene::Within(SceneForm::To, "Parent");
        let anew = || ToWeld::Anew(|_| ());
        let entries = fields!(entries, anew(), Wakes::Yes;
            to, at InScene::Never => "The other entity; none for what `to_name` says.",
        );
        // A new name is looked up; it replaces the entity that the old name referred to.
        let entries = fields!(entries, ToWeld::Anew(|weld| weld.to = None), Wakes::Yes;
            to_name, at named => "The name of the other entity, looked up when the weld is made.",
        );
        fields!(entries, anew(), Wakes::Yes;
            to_parent, at parent => "Whether the other one is the entity's parent, if nothing else is given.",
            pivot ["m"] in either_way(POSITION_MAX_M)
                => "Where the weld is, in the entity's frame: its torque is about that point.",
        )
    }

    /// The properties of breaking.
    fn strength(entries: Entries<Self>) -> Entries<Self> {
        let entries = fields!(entries, ToWeld::Thresholds, Wakes::Yes;
            force_threshold ["N"] in up_to(f32::MAX) => "Above which force it is reported, or breaks; 0 for never.",
            torque_threshold ["N m"] in up_to(f32::MAX)
                => "Above which torque it is reported, or breaks; 0 for never.",
            breaks => "Whether it breaks above a threshold.",
        );
        fields!(entries, ToWeld::Anew(|_| ()), Wakes::Yes;
            broken, at InScene::Never
                => "Whether it has broken. Setting it to false welds the two as they are then, to true takes it away.",
        )
    }
}

impl Registered for RigidWeld {
    type Apply = ToWeld;
    type Live = fn(RigidWeldRef<'_>) -> Value;

    fn entries() -> Entries<Self> {
        Self::strength(Self::ends(Entries::new()))
            .derived("weld_force", |_: &Self| Vec2::ZERO)
            .live(|weld| Value::Vec2(weld.force()))
            .unit("N")
            .doc("What it did to the entity, averaged over the last step.")
            .derived("weld_torque", |_: &Self| 0.0_f32)
            .live(|weld| Value::F32(weld.torque()))
            .unit("N m")
            .doc("What it turned the entity with about its point, averaged over the last step.")
    }
}

impl Component for RigidWeld {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, RigidWeldId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = RigidWeldId::from_bits(from.u64("a rigid weld's id")?);
        Ok(())
    }
}
