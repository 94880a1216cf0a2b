//! Functions of lists in place of the language's own: `pad`, which would count the values of its result without looking for an
//! overflow, and those that sort, which would panic where what compares is no order (as `<` of NaN is none), and ignore its
//! errors. `engine.rs` registers them.

use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, NativeCallContext, Position};

use super::memory::is_plain;
use super::meter::charge;
use super::prices::size_of_value;

type Result<T> = core::result::Result<T, Box<EvalAltResult>>;
type Context<'a> = NativeCallContext<'a>;

/// The plain values that are padded for an operation.
const PADDED_PER_OPERATION: usize = 5;

/// Registers all of these functions. `memory` is the limit of a script's memory in bytes.
pub(super) fn register(engine: &mut Engine, memory: usize) {
    engine.register_fn(
        "pad",
        move |context: Context<'_>, list: &mut Array, length: i64, item: Dynamic| {
            pad(&context, list, length, item, memory)
        },
    );
    engine.register_fn(
        "sort",
        |context: Context<'_>, list: &mut Array, name: &str| -> Result<()> {
            let precedes = FnPtr::new(name)?;
            *list = sorted(list.clone(), &mut |a, b| asked(&context, &precedes, a, b))?;
            Ok(())
        },
    );
    for name in ["sort", "sort_by"] {
        engine.register_fn(
            name,
            |context: Context<'_>, list: &mut Array, precedes: FnPtr| -> Result<()> {
                *list = sorted(list.clone(), &mut |a, b| asked(&context, &precedes, a, b))?;
                Ok(())
            },
        );
    }
    for name in ["order", "order_by"] {
        engine.register_fn(
            name,
            |context: Context<'_>, list: &mut Array, precedes: FnPtr| -> Result<Array> {
                sorted(list.clone(), &mut |a, b| asked(&context, &precedes, a, b))
            },
        );
    }
    let directions = [("sort", "order", false), ("sort_desc", "order_desc", true)];
    for (sort, order, descends) in directions {
        engine
            .register_fn(sort, move |list: &mut Array| -> Result<()> {
                *list = sorted(list.clone(), &mut |a, b| precedes(a, b, descends))?;
                Ok(())
            })
            .register_fn(order, move |list: &mut Array| -> Result<Array> {
                sorted(list.clone(), &mut |a, b| precedes(a, b, descends))
            });
    }
}

/// Appends a value until the list has so many. The language counts what has been made, as after every call; here is refused, before it
/// is made, what is beyond its limits by far or by the bounds of its numbers.
fn pad(context: &Context<'_>, list: &mut Array, length: i64, item: Dynamic, memory: usize) -> Result<()> {
    let engine = context.engine();
    let wanted = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    let missing = wanted.saturating_sub(list.len());
    if missing == 0 {
        return Ok(());
    }
    if wanted > engine.max_array_size() {
        return Err(too_large("Size of array/BLOB"));
    }
    if let Ok(text) = item.as_immutable_string_ref() {
        if missing.saturating_mul(text.len()) > engine.max_string_size() {
            return Err(too_large("Length of string"));
        }
        charge(missing / PADDED_PER_OPERATION)?;
    } else if is_plain(&item) {
        charge(missing / PADDED_PER_OPERATION)?;
    } else {
        let size = missing.saturating_mul(size_of_value(&item)?);
        if size.saturating_mul(size_of::<Dynamic>()) > memory {
            return Err(too_large("Size of array/BLOB"));
        }
        charge(size)?;
    }
    list.resize(wanted, item);
    Ok(())
}

fn too_large(what: &str) -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge(what.into(), Position::NONE).into()
}

/// The values in order, by merging halves: equal ones stay as they are to each other, and any answers of `precedes` give some
/// order.
fn sorted(mut list: Array, precedes: &mut dyn FnMut(&Dynamic, &Dynamic) -> Result<bool>) -> Result<Array> {
    if list.len() <= 1 {
        return Ok(list);
    }
    let right = list.split_off(list.len() / 2);
    let mut merged = Array::with_capacity(list.len() + right.len());
    let mut left = sorted(list, precedes)?.into_iter().peekable();
    let mut right = sorted(right, precedes)?.into_iter().peekable();
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        let next = if precedes(second, first)? {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Whether a function says that `a` comes before `b`: by a number below 0, or by `true`.
fn asked(context: &Context<'_>, precedes: &FnPtr, a: &Dynamic, b: &Dynamic) -> Result<bool> {
    let answer = precedes.call_raw(context, None, [a.clone(), b.clone()])?;
    let number = answer.as_int().map(|number| number < 0);
    number.or_else(|_| answer.as_bool()).map_err(|kind| {
        refusal(&format!(
            "what compares must give a whole number or true or false, not {kind}"
        ))
    })
}

/// Whether `a` comes before `b` in the order of values of their kind. NaN comes last.
fn precedes(a: &Dynamic, b: &Dynamic, descends: bool) -> Result<bool> {
    let (low, high) = if descends { (b, a) } else { (a, b) };
    if let (Ok(low), Ok(high)) = (low.as_int(), high.as_int()) {
        return Ok(low < high);
    }
    if let (Ok(low), Ok(high)) = (low.as_float(), high.as_float()) {
        let (a, b) = if descends { (high, low) } else { (low, high) };
        return Ok(low < high || b.is_nan() && !a.is_nan());
    }
    if let (Ok(low), Ok(high)) = (low.as_immutable_string_ref(), high.as_immutable_string_ref()) {
        return Ok(*low < *high);
    }
    if let (Ok(low), Ok(high)) = (low.as_char(), high.as_char()) {
        return Ok(low < high);
    }
    if let (Ok(low), Ok(high)) = (low.as_bool(), high.as_bool()) {
        return Ok(!low & high);
    }
    if low.is_unit() && high.is_unit() {
        return Ok(false);
    }
    Err(refusal(&if a.type_id() == b.type_id() {
        format!("elements of {} cannot be sorted", a.type_name())
    } else {
        "elements of different types cannot be sorted".to_string()
    }))
}

fn refusal(what: &str) -> Box<EvalAltResult> {
    EvalAltResult::ErrorRuntime(what.into(), Position::NONE).into()
}
