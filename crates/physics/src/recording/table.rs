//! The two uses of a table of recorded calls: [`recorded_calls`] declares the calls, [`played_calls`] the function that
//! makes them again. Physics has such a table, and so has each world that is built on it and records itself.
//!
//! A table is a macro that passes its lines on: `calls!(recorded_calls! { … })`.

/// Declares the enum of a table's calls, with [`Data`](crate::described::Data) and
/// [`RecordedCall`](super::RecordedCall).
///
/// It begins with the enum's name, attributes in front; the first bytes of its recordings; the number of frames that a
/// player keeps; the type of what a recording begins with; and the calls that a player makes with more than the world.
/// The table follows. The calls of every kind of world are added behind.
#[doc(hidden)]
#[macro_export]
macro_rules! recorded_calls {
    (
        $(#[$attribute:meta])*
        pub enum $Calls:ident { $( $own:ident { $($own_field:ident: $own_type:ty),* } )* }
        magic: $magic:expr,
        frames_kept: $frames_kept:expr,
        begins_with: $origin:ty,
        table: $( $call:ident { $($field:ident: $type:ty),* } => |$world:ident| $play:expr; )*
    ) => {
        $crate::recording::recorded_calls! { @declare
            [$( #[$attribute] )*]
            $Calls {
                $( $call { $($field: $type),* } )*
                $( $own { $($own_field: $own_type),* } )*
                Restore { save: $crate::described::Bytes }
                Frame { number: u64 }
                RestoreFrame { number: u64 }
                StateHash { hash: u64 }
            }
        }

        impl $crate::recording::RecordedCall for $Calls {
            const MAGIC: [u8; 12] = $magic;
            const NAME: &'static str = stringify!($Calls);
            const FRAMES_KEPT: u64 = $frames_kept;

            fn describe(schema: &mut $crate::described::Schema) {
                <Self as $crate::described::Data>::kind(schema);
                <$origin as $crate::described::Data>::kind(schema);
            }

            fn role(&self) -> $crate::recording::CallRole<'_> {
                use $crate::recording::CallRole;
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

            fn restore(save: $crate::described::Bytes) -> Self {
                Self::Restore { save }
            }

            fn frame(number: u64) -> Self {
                Self::Frame { number }
            }

            fn restore_frame(number: u64) -> Self {
                Self::RestoreFrame { number }
            }
        }
    };
    (@declare
        [$( #[$attribute:meta] )*]
        $Calls:ident { $( $call:ident { $($field:ident: $type:ty),* } )* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $Calls {
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

        $crate::described::data_choice!($Calls { $( $call { $($field),* } ),* });

        impl $Calls {
            /// The names of all calls.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($call)),*];

            /// The name of the call.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$call { .. } => stringify!($call), )* }
            }
        }
    };
}
pub use recorded_calls;

/// Declares the function that makes a call of a table again. It has no effect for the calls that a player makes with more
/// than the world, which are listed, and for those of every kind of world. Results are discarded: a call that was
/// refused is refused again.
#[doc(hidden)]
#[macro_export]
macro_rules! played_calls {
    (
        fn $make:ident($made:ident: $Calls:ident, $on:ident: &mut $World:ty);
        no_effect: $($own:ident),*;
        table: $( $call:ident { $($field:ident: $type:ty),* } => |$world:ident| $play:expr; )*
    ) => {
        fn $make($made: $Calls, $on: &mut $World) {
            /// Takes a result of any type.
            fn discard<T>(_: T) {}
            match $made {
                $( $Calls::$call { $($field),* } => {
                    let $world = &mut *$on;
                    discard($play);
                } )*
                $Calls::Restore { .. }
                | $Calls::Frame { .. }
                | $Calls::RestoreFrame { .. }
                | $Calls::StateHash { .. }
                $( | $Calls::$own { .. } )* => {}
            }
        }
    };
}
pub use played_calls;
