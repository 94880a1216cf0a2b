//! [`WorldCall`]: the table of all calls that change a world of entities. Recordings store them by name, so existing
//! lines are fixed.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Position;
use tombolo_physics::recording::recorded_calls;
use tombolo_physics::{BodyDef, BodyId, Bytes, Call, Shatter};

use super::data::{RecordedDefinitions, RecordedValue, Resources, Sent};
use super::origin::RecordedOrigin;
use crate::component::Collider;
use crate::scene::SegmentCut;
use crate::world::asset_table::AssetKind;
use crate::world::command::Command;

/// The table of calls, in the form of that of physics: for each its name and arguments in recordings, and the code that
/// makes it again. It is passed on behind `$head`: here to declare [`WorldCall`], in `play.rs` to play it.
///
/// A new call is a line here, and `self.report(|| WorldCall::Name { .. })` in the method, before it does anything; it
/// makes calls that are recorded themselves within `self.outermost`. Names and arguments are fixed once recordings
/// have them; a new argument is a new call.
macro_rules! calls {
    ($then:ident! { $($head:tt)* }) => {
        $then! {
            $($head)*
            table:
            Apply { command: Command } => |world| world.apply(command);
            Create { name: Option<Box<str>> } => |world| world.create(name.as_deref());
            AddComponent { entity: Entity, manager: Box<str>, name: Box<str> } =>
                |world| world.add_component(entity, &manager, &name);
            RemoveComponent { entity: Entity, name: Box<str> } => |world| world.remove_component(entity, &name);
            SetName { entity: Entity, name: Option<Box<str>> } => |world| world.set_name(entity, name.as_deref());
            SetAll { entities: Vec<Entity>, path: Box<str>, value: RecordedValue } =>
                |world| world.set_recorded(&entities, &path, &value.0);
            SpawnBody { name: Option<Box<str>>, def: BodyDef, colliders: Vec<Collider> } =>
                |world| world.spawn_body(name.as_deref(), &def, &colliders);
            CutBodies { from: Position, to: Position, bodies: Vec<BodyId> } =>
                |world| world.cut_bodies(from, to, &bodies);
            Shatter { entity: Entity, pattern: Shatter } => |world| world.shatter(entity, &pattern);
            AddSegmentCut { segment_cut: SegmentCut } => |world| world.add_segment_cut(segment_cut);
            Define { resources: Resources } => |world| world.define(resources.0);
            DefineScript { name: Box<str>, text: Box<str> } => |world| world.load_script(&name, &text);
            Reload { kind: AssetKind, name: Box<str>, text: Box<str> } =>
                |world| world.reload(kind, &name, &text);
            Synchronize {} => |world| world.update_space();
            Random { state: u64 } => |world| world.set_random(state);
        }
    };
}
pub(super) use calls;

calls!(recorded_calls! {
    /// A call that changed a [`World`](crate::World), in the form of recordings. Each is named after its method;
    /// most calls are a [`Command`].
    pub enum WorldCall {
        AddScene { file: Box<str>, text: Box<str> }
        Physics { call: Call }
        ReplaceManager { saved: Bytes }
        Step { commands: Vec<Sent> }
        RestoreDefined { definitions: RecordedDefinitions, save: Bytes }
    }
    magic: *b"TOMBOWRC\x01\0\0\0",
    frames_kept: 64,
    begins_with: RecordedOrigin,
});
