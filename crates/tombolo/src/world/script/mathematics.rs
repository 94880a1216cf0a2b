//! Mathematics for scripts, over `libm`, and vectors in the plane. `engine.rs` registers it.

use rhai::{Engine, EvalAltResult, Position};
use tombolo_geometry::Vec2;

type Result<T> = core::result::Result<T, Box<EvalAltResult>>;

/// Registers all of these functions.
pub(super) fn register(engine: &mut Engine) {
    register_functions(engine);
    register_conversions(engine);
    register_vectors(engine);
}

/// Registers functions of one number for integers too.
macro_rules! of_one_number {
    ($engine:ident, $($name:literal => $function:expr),+ $(,)?) => {$(
        $engine.register_fn($name, |x: f64| -> f64 { $function(x) });
        $engine.register_fn($name, |x: i64| -> f64 { $function(x as f64) });
    )+};
}

/// Registers functions of two numbers for all combinations with integers.
macro_rules! of_two_numbers {
    ($engine:ident, $($name:literal => $function:expr),+ $(,)?) => {$(
        $engine.register_fn($name, |x: f64, y: f64| -> f64 { $function(x, y) });
        $engine.register_fn($name, |x: f64, y: i64| -> f64 { $function(x, y as f64) });
        $engine.register_fn($name, |x: i64, y: f64| -> f64 { $function(x as f64, y) });
        $engine.register_fn($name, |x: i64, y: i64| -> f64 { $function(x as f64, y as f64) });
    )+};
}

/// A number as functions of floating-point numbers take it.
trait Number {
    fn float(self) -> f64;
}

impl Number for f64 {
    fn float(self) -> f64 {
        self
    }
}

impl Number for i64 {
    fn float(self) -> f64 {
        self as f64
    }
}

/// Registers a function of three numbers for these combinations with integers.
macro_rules! of_three_numbers {
    ($engine:ident, $name:literal => $function:expr, $(($x:ty, $y:ty, $z:ty)),+ $(,)?) => {$(
        $engine.register_fn($name, |x: $x, y: $y, z: $z| -> f64 {
            $function(x.float(), y.float(), z.float())
        });
    )+};
}

fn register_functions(engine: &mut Engine) {
    of_one_number!(engine,
        "sin" => libm::sin, "cos" => libm::cos, "tan" => libm::tan,
        "asin" => libm::asin, "acos" => libm::acos, "atan" => libm::atan,
        "sinh" => libm::sinh, "cosh" => libm::cosh, "tanh" => libm::tanh,
        "sqrt" => libm::sqrt, "exp" => libm::exp, "ln" => libm::log, "log" => libm::log10,
        "floor" => libm::floor, "ceiling" => libm::ceil, "round" => libm::round, "int" => libm::trunc,
        "fraction" => |x: f64| x - libm::trunc(x),
        "to_radians" => |x: f64| x * (core::f64::consts::PI / 180.0),
        "to_degrees" => |x: f64| x * (180.0 / core::f64::consts::PI),
    );
    of_two_numbers!(engine,
        "atan" => libm::atan2, "hypot" => libm::hypot, "pow" => libm::pow,
        "log" => |x, base| libm::log(x) / libm::log(base),
        // `**` cannot be written, but a function pointer to it could be obtained.
        "**" => libm::pow,
    );
    engine.register_fn("PI", || core::f64::consts::PI);
    engine.register_fn("E", || core::f64::consts::E);
    engine.register_fn("is_nan", |x: f64| x.is_nan());
    engine.register_fn("is_nan", |_: i64| false);
    engine.register_fn("is_finite", |x: f64| x.is_finite());
    engine.register_fn("is_finite", |_: i64| true);
    engine.register_fn("is_infinite", |x: f64| x.is_infinite());
    engine.register_fn("is_infinite", |_: i64| false);
    register_functions_of_three(engine);
}

fn register_functions_of_three(engine: &mut Engine) {
    of_three_numbers!(engine, "lerp" => lerp,
        (f64, f64, f64), (f64, f64, i64), (f64, i64, f64), (f64, i64, i64),
        (i64, f64, f64), (i64, f64, i64), (i64, i64, f64), (i64, i64, i64),
    );
    of_three_numbers!(engine, "clamp" => clamp,
        (f64, f64, f64), (f64, f64, i64), (f64, i64, f64), (f64, i64, i64),
        (i64, f64, f64), (i64, f64, i64), (i64, i64, f64),
    );
    engine.register_fn("clamp", |x: i64, least: i64, most: i64| {
        Ord::min(Ord::max(x, least), most)
    });
}

fn lerp(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// The number or the bound that it is beyond; the second one if both are crossed. A bound that is no number bounds
/// nothing, and what is no number becomes a bound. By comparisons: which of 0 and -0 `f64::max` answers differs between
/// platforms.
fn clamp(x: f64, least: f64, most: f64) -> f64 {
    let x = if least > x || x.is_nan() { least } else { x };
    let x = if most < x || x.is_nan() { most } else { x };
    // Without the sign of a zero.
    x + 0.0
}

fn arithmetic<T>(message: String) -> Result<T> {
    Err(EvalAltResult::ErrorArithmetic(message, Position::NONE).into())
}

fn register_conversions(engine: &mut Engine) {
    engine.register_fn("to_int", |x: i64| x);
    engine.register_fn("to_float", |x: f64| x);
    engine.register_fn("to_float", |x: i64| x as f64);
    engine.register_fn("to_int", |x: f64| -> Result<i64> {
        // Every number of this size fits; from 2^63 on none does.
        if x.abs() < 9.2e18 {
            Ok(x as i64)
        } else {
            arithmetic(format!("{x:?} is no whole number of 64 bits"))
        }
    });
    engine.register_fn("parse_int", |text: &str| -> Result<i64> {
        let number = text.trim().parse();
        number.or_else(|_| arithmetic(format!("{text:?} is no whole number")))
    });
    engine.register_fn("parse_float", |text: &str| -> Result<f64> {
        let number = text.trim().parse();
        number.or_else(|_| arithmetic(format!("{text:?} is no number")))
    });
}

fn register_vectors(engine: &mut Engine) {
    engine.register_type_with_name::<Vec2>("Vec2");
    engine.register_fn("vec2", |x: f64, y: f64| Vec2::new(x as f32, y as f32));
    engine.register_fn("vec2", |x: i64, y: i64| Vec2::new(x as f32, y as f32));
    engine.register_fn("vec2", |x: f64, y: i64| Vec2::new(x as f32, y as f32));
    engine.register_fn("vec2", |x: i64, y: f64| Vec2::new(x as f32, y as f32));
    engine.register_get_set(
        "x",
        |v: &mut Vec2| f64::from(v.x),
        |v: &mut Vec2, x: f64| v.x = x as f32,
    );
    engine.register_get_set(
        "y",
        |v: &mut Vec2| f64::from(v.y),
        |v: &mut Vec2, y: f64| v.y = y as f32,
    );
    engine.register_set("x", |v: &mut Vec2, x: i64| v.x = x as f32);
    engine.register_set("y", |v: &mut Vec2, y: i64| v.y = y as f32);
    engine.register_fn("+", |a: Vec2, b: Vec2| a + b);
    engine.register_fn("-", |a: Vec2, b: Vec2| a - b);
    engine.register_fn("-", |a: Vec2| -a);
    engine.register_fn("*", |a: Vec2, b: f64| a * b as f32);
    engine.register_fn("*", |a: Vec2, b: i64| a * b as f32);
    engine.register_fn("*", |a: f64, b: Vec2| b * a as f32);
    engine.register_fn("*", |a: i64, b: Vec2| b * a as f32);
    engine.register_fn("/", |a: Vec2, b: f64| a / b as f32);
    engine.register_fn("/", |a: Vec2, b: i64| a / b as f32);
    engine.register_fn("==", |a: Vec2, b: Vec2| a == b);
    engine.register_fn("!=", |a: Vec2, b: Vec2| a != b);
    engine.register_fn("dot", |a: Vec2, b: Vec2| f64::from(a.x * b.x + a.y * b.y));
    engine.register_fn("cross", |a: Vec2, b: Vec2| f64::from(a.x * b.y - a.y * b.x));
    engine.register_fn("length", |v: Vec2| f64::from(length(v)));
    engine.register_fn("distance", |a: Vec2, b: Vec2| f64::from(length(b - a)));
    engine.register_fn("normalize", |v: Vec2| match length(v) {
        length if length > 0.0 => v / length,
        _ => Vec2::ZERO,
    });
    engine.register_fn("angle", |v: Vec2| libm::atan2(f64::from(v.y), f64::from(v.x)));
    engine.register_fn("rotate", rotated);
    engine.register_fn("rotate", |v: Vec2, angle: i64| rotated(v, angle as f64));
    for name in ["to_string", "to_debug", "print", "debug"] {
        engine.register_fn(name, |v: Vec2| format!("vec2({:?}, {:?})", v.x, v.y));
    }
}

fn rotated(v: Vec2, angle: f64) -> Vec2 {
    let (sin, cos) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
    Vec2::new(v.x * cos - v.y * sin, v.x * sin + v.y * cos)
}

fn length(v: Vec2) -> f32 {
    libm::sqrtf(v.x * v.x + v.y * v.y)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::language::Language;
    use super::super::price_list::{Price, price_of};

    /// The types of a signature's parameters.
    fn parameters(signature: &str) -> Vec<String> {
        let (_, rest) = signature.split_once('(').unwrap();
        let (inside, _) = rest.rsplit_once(')').unwrap();
        let each = inside.split(", ").filter(|each| !each.is_empty());
        each.map(|each| each.rsplit(": ").next().unwrap().to_string())
            .collect()
    }

    /// The language converts no whole number by itself: `random(1, 6)` needs a function of its own.
    #[test]
    fn a_number_may_be_a_whole_one_everywhere() {
        let language = Language::default();
        let signatures = language.engine().gen_fn_signatures(true);
        let named = signatures
            .iter()
            .map(|signature| (signature.split('(').next().unwrap(), parameters(signature)));
        let known: BTreeSet<(&str, Vec<String>)> = named.collect();
        let mut places = 0;
        // Those of numbers, vectors and the world; what reads whole values, such as `print`, takes any. Ranges are the
        // language's own: a list of numbers in floating point is stepped by such a number.
        let ours = |name: &str| price_of(name) == Price::Free && name != "range";
        for (name, types) in known.iter().filter(|(name, _)| ours(name)) {
            for place in (0..types.len()).filter(|&place| types[place] == "f64") {
                let mut whole = types.clone();
                whole[place] = "i64".to_string();
                assert!(
                    known.contains(&(name, whole)),
                    "{name}({types:?}) takes no whole number in place {place}"
                );
                places += 1;
            }
        }
        assert!(places > 60, "{places}");
    }
}
