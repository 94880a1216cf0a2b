//! [`WorldCall`]: the table of all calls that change a world of entities. Recordings store them by name, so existing
//! lines are fixed.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Position;
use tombolo_physics::described::{Data, Schema};
use tombolo_physics::recorded::{CallRole, RecordedCall};
use tombolo_physics::{BodyDef, BodyId, Bytes, Call, Shatter, data_choice};

use super::data::{RecordedValue, Resources, Sent};
use super::origin::RecordedOrigin;
use crate::component::Collider;
use crate::scene::SegmentCut;
use crate::world::asset_table::AssetKind;
use crate::world::command::Command;

/// The table of calls: for each its name and arguments in recordings, and the code that repeats it. `$then` is passed
/// the whole table: here to declare [`WorldCall`], in `play.rs` to play it.
///
/// A new call is a line here, and `self.report(|| WorldCall::Name { .. })` in the method, before it does anything; it
/// makes calls that are recorded themselves within `self.outermost`. Names and arguments are fixed once recordings
/// have them; a new argument is a new call.
macro_rules! calls {
    ($then:ident) => {
        $then! {
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

/// Declares the calls that a player repeats with more than the world.
macro_rules! declare {
    ($( $call:ident { $($field:ident: $type:ty),* } => |$world:ident| $play:expr; )*) => {
        declare_all! {
            $( $call { $($field: $type),* } )*
            AddScene { file: Box<str>, text: Box<str> }
            Physics { call: Call }
            Manager { manager: u32, held: Bytes }
            Step { commands: Vec<Sent> }
            Restore { save: Bytes }
            Frame { number: u64 }
            RestoreFrame { number: u64 }
            StateHash { hash: u64 }
        }
    };
}

/// Declares [`WorldCall`].
macro_rules! declare_all {
    ($( $call:ident { $($field:ident: $type:ty),* } )*) => {
        /// A call that changed a [`World`](crate::World), in the form of recordings. Each is named after its method;
        /// most calls are a [`Command`].
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum WorldCall {
            $(
                #[doc = concat!("`", stringify!($call), "`.")]
                $call {
                    $(
                        #[doc = concat!("The argument `", stringify!($field), "`.")]
                        $field: $type,
                    )*
                },
            )*
        }

        data_choice!(WorldCall { $( $call { $($field),* } ),* });

        impl WorldCall {
            /// The names of all calls.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($call)),*];

            /// The name of the call.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$call { .. } => stringify!($call), )* }
            }
        }
    };
}
calls!(declare);

impl RecordedCall for WorldCall {
    const MAGIC: [u8; 12] = *b"TOMBOWRC\x01\0\0\0";
    const NAME: &'static str = "WorldCall";
    const FRAMES_KEPT: u64 = 64;

    fn describe(schema: &mut Schema) {
        Self::kind(schema);
        RecordedOrigin::kind(schema);
    }

    fn role(&self) -> CallRole<'_> {
        match self {
            Self::Step { .. } => CallRole::Step,
            Self::StateHash { hash } => CallRole::StateHash(*hash),
            Self::Restore { save } => CallRole::Restore(save),
            Self::Frame { number } => CallRole::Frame(*number),
            Self::RestoreFrame { number } => CallRole::RestoreFrame(*number),
            _ => CallRole::Call,
        }
    }

    fn state_hash(hash: u64) -> Self {
        Self::StateHash { hash }
    }

    fn restore(save: Bytes) -> Self {
        Self::Restore { save }
    }

    fn frame(number: u64) -> Self {
        Self::Frame { number }
    }

    fn restore_frame(number: u64) -> Self {
        Self::RestoreFrame { number }
    }
}
