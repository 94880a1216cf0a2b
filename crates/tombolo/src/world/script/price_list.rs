//! The prices of the language's functions: the kinds of prices, and the table of functions. `marks.rs` and
//! `prices.rs` use it.

/// The price of a function, beside the one operation of every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Price {
    /// The function reads numbers only, or charges for itself.
    Free,
    /// It reads one element, and the language the size of the whole.
    Short,
    /// The same, and its result may be large.
    Element,
    /// It reads the whole value, perhaps by calling functions of the language for each part.
    Whole,
    /// It sorts the value.
    Sort,
    /// It calls a function for each element.
    Each,
    /// It creates a value of a requested size, and charges for itself.
    Pad,
    /// It composes a string again letter by letter.
    Letters,
    /// It makes a list of a string's parts.
    Parts,
}

/// The functions by their prices; functions that are not listed are [`Whole`](Price::Whole). A test compares this
/// table with all functions that exist.
#[rustfmt::skip]
pub(super) const PRICES: &[(Price, &[&str])] = &[
    (Price::Free, &[
        // Functions of numbers.
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "exp", "ln", "log", "floor", "ceiling",
        "round", "int", "fraction", "to_radians", "to_degrees", "hypot", "pow", "PI", "E", "is_nan", "is_finite", "is_infinite",
        "lerp", "clamp", "abs", "sign", "is_zero", "is_even", "is_odd", "to_int", "to_float", "to_hex", "to_octal", "to_binary",
        "bits", "range", "start", "end", "is_inclusive", "is_exclusive",
        // Functions of vectors.
        "vec2", "dot", "cross", "length", "distance", "normalize", "angle", "rotate",
        // Functions of the world, which charge for themselves.
        "me", "tagged", "name_of", "is_alive", "has", "parent", "children", "spawn_entity", "despawn",
        "apply_impulse", "apply_angular_impulse", "apply_force", "apply_torque", "apply_local_impulse", "apply_local_force",
        "sleep", "wake_touching", "slice", "cut_through", "explode",
        "cast_ray", "cast_ray_all", "cast_circle", "cast_circle_all", "cast_box", "cast_box_all",
        "query_box", "query_point", "query_circle", "closest", "several_closest", "touches_of_circle", "touches_of_box",
        "cast_rays", "cast_circles", "cast_boxes", "query_boxes", "query_points", "query_circles",
        "tile", "set_tile", "fill_tiles", "cut_tiles", "cell_at", "cell_center",
        "drop_through", "set_contact_rule", "remove_contact_rule", "set_category_rule", "remove_category_rule",
        "use_callbacks",
        "axis", "action", "pressed", "released", "has_input",
        "entities_in_box", "entities_in_circle", "nearest", "find_path", "zones_at", "zones_of", "visitors_of",
        "time", "set_timer", "repeat_timer", "stop_timer", "has_timer", "random", "random_int",
        // Functions of the language itself.
        "Fn", "call", "type_of", "is_def_fn", "is_def_var", "is_shared",
    ]),
    (Price::Short, &["len", "is_empty", "push", "pop", "shift", "remove", "set", "insert", "chop", "truncate", "clear", "bytes"]),
    (Price::Element, &["get"]),
    (Price::Sort, &["sort", "sort_desc", "order", "order_desc"]),
    (Price::Each, &[
        "for_each", "map", "filter", "find", "find_map", "some", "all", "reduce", "reduce_rev", "zip", "drain", "retain", "dedup",
        "sort_by", "order_by",
    ]),
    (Price::Pad, &["pad"]),
    (Price::Letters, &["crop"]),
    (Price::Parts, &["split", "split_rev", "to_chars"]),
];

/// The price of the function with a name.
pub(super) fn price_of(name: &str) -> Price {
    let listed = PRICES.iter().find(|(_, names)| names.contains(&name));
    listed.map_or(Price::Whole, |(price, _)| *price)
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::{PRICES, Price, price_of};

    /// Functions of lists, maps and strings that read the whole value.
    const WHOLE: &[&str] = &[
        "append",
        "reverse",
        "splice",
        "extract",
        "contains",
        "index_of",
        "to_string",
        "to_debug",
        "print",
        "debug",
        "keys",
        "values",
        "mixin",
        "fill_with",
        "to_json",
        "to_blob",
        "chars",
        "to_upper",
        "to_lower",
        "make_upper",
        "make_lower",
        "trim",
        "sub_string",
        "replace",
        "starts_with",
        "ends_with",
        "parse_int",
        "parse_float",
        "min",
        "max",
    ];

    #[test]
    fn every_function_that_a_script_can_call_has_a_price() {
        let language = Language::default();
        let mut seen = Vec::new();
        for signature in language.engine().gen_fn_signatures(true) {
            let (name, _) = signature.split_once('(').expect("a signature has parameters");
            let name = name.trim_start_matches("get$").trim_start_matches("set$");
            let is_operator = !name.starts_with(|letter: char| letter.is_alphabetic());
            let is_listed = PRICES.iter().any(|(_, names)| names.contains(&name));
            assert!(
                is_operator || is_listed || WHOLE.contains(&name) || matches!(name, "x" | "y"),
                "nobody has decided what `{signature}` costs"
            );
            seen.push(name.to_string());
        }
        // The tables list no function that does not exist.
        let own = ["Fn", "call", "type_of", "is_def_fn", "is_def_var", "is_shared"];
        let listed = PRICES.iter().flat_map(|(_, names)| names.iter()).chain(WHOLE);
        for name in listed.filter(|name| !own.contains(name)) {
            assert!(
                seen.iter().any(|seen| seen == name),
                "there is no function `{name}`"
            );
        }
        for name in WHOLE {
            assert_eq!(price_of(name), Price::Whole, "{name}");
        }
    }
}
