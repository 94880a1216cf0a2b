//! [`register_both`]: functions whose last argument may be left out.

/// Registers a function in two forms: with its last argument, and without it. The function takes an `Option` of it.
macro_rules! register_both {
    ($engine:ident, $($function:ident($($argument:ident: $kind:ty),+; $last:ty)),+ $(,)?) => {$(
        $engine.register_fn(stringify!($function), |$($argument: $kind),+| $function($($argument,)+ None));
        $engine.register_fn(stringify!($function), |$($argument: $kind,)+ last: $last| {
            $function($($argument,)+ Some(last))
        });
    )+};
}

pub(super) use register_both;
