//! Charges for the language's own functions and copies. The language counts each as one operation, whether the value
//! is a number or a list of a thousand strings; here the cost beyond that is charged, by the size of the values.
//!
//! The size of a value is one for each value in it and one for each 32 bytes of its strings. The charges per size
//! were measured (`docs/scripts.md`): an operation is to take 0.1 µs.
//!
//! Why: `docs/decisions.md#operations-are-charged-by-marks-in-the-tree`.

use rhai::{ASTFlags, BinaryExpr, Dynamic, EvalAltResult, EvalContext, Expr, Expression, FnPtr, Scope};

use super::marks::{Around, MARKED, MarkedBody, Use, decoded};
use super::memory::{self, DEPTH_MAX, View, is_plain, too_deep};
use super::meter::charge;
use super::price_list::{Price, price_of};
use super::trace;

type Result<T> = core::result::Result<T, Box<EvalAltResult>>;

/// The bytes of a string that count as one value.
pub(super) const BYTES_PER_VALUE: usize = 32;
/// The values that are copied, or stored, for an operation.
const COPIED_PER_OPERATION: usize = 1;
/// The values that are counted for an operation.
const COUNTED_PER_OPERATION: usize = 20;
/// Operations for each value that a function of the language reads: it calls functions itself, by their names.
const WORK_PER_VALUE: usize = 8;
/// Operations for each element that a function is called with, beside those of the function.
const CALL_PER_ELEMENT: usize = 10;
/// Operations for the call of a script's function.
const ENTRY: usize = 2;
/// Operations for each 32 bytes of a string that is divided into letters and composed again.
const LETTERS: usize = 8;
/// Operations for each 32 bytes of a string of which a list is made, a string for each letter if it comes to the worst.
const PARTS: usize = 16;
/// The assumed size of a function's receiver where it cannot be read.
const SIZE_UNSEEN: usize = 256;
/// The size of values up to which they are free.
const SIZE_FREE: usize = 2;

/// The size of a value.
///
/// # Errors
/// It is deeper than [`DEPTH_MAX`].
pub(super) fn size_of_value(value: &Dynamic) -> Result<usize> {
    size_within(value, DEPTH_MAX).ok_or_else(too_deep)
}

/// The size of a value with at most so many levels below it.
fn size_within(value: &Dynamic, depth: usize) -> Option<usize> {
    // Most values of a list are not strings, and type tests that fail take longer than one that succeeds.
    if is_plain(value) {
        return Some(1);
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(1 + text.len() / BYTES_PER_VALUE);
    }
    let below = depth.checked_sub(1)?;
    let add = |sum: usize, value: &Dynamic| Some(sum + size_within(value, below)?);
    if let Ok(list) = value.as_array_ref() {
        return list.iter().try_fold(1, add);
    }
    if let Ok(map) = value.as_map_ref() {
        return map.iter().try_fold(1, |sum, (name, value)| {
            add(sum + 2 + name.len() / BYTES_PER_VALUE, value)
        });
    }
    let function = value.read_lock::<FnPtr>();
    function.map_or(Some(1), |function| function.curry().iter().try_fold(1, add))
}

/// Charges for the use of a value.
fn charge_use(value: &Dynamic, then: Use) -> Result<()> {
    if then == Use::Left || is_plain(value) {
        return Ok(());
    }
    if then == Use::Indexed {
        // The string is composed anew, letter by letter.
        if let Ok(text) = value.as_immutable_string_ref() {
            charge(text.len() / BYTES_PER_VALUE * LETTERS)?;
        }
        return Ok(());
    }
    let size = size_of_value(value)?;
    if size <= SIZE_FREE {
        return Ok(());
    }
    let looking = size / COUNTED_PER_OPERATION;
    charge(match then {
        Use::Left | Use::Indexed => 0,
        Use::Touched => 2 * looking,
        // A copy of a string is a reference to it.
        Use::Copied if value.is_string() => 0,
        Use::Copied => looking + size / COPIED_PER_OPERATION,
        Use::Worked if value.is_string() => size,
        Use::Worked => size * WORK_PER_VALUE,
        Use::Called(price) => looking + priced(price, value, size),
    })?;
    Ok(())
}

/// The charge for a call on a value of a size.
fn priced(price: Price, value: &Dynamic, size: usize) -> usize {
    let work = if value.is_string() { 1 } else { WORK_PER_VALUE };
    match price {
        Price::Free => 0,
        Price::Short | Price::Element if value.is_string() => size,
        Price::Short | Price::Element => size / COUNTED_PER_OPERATION,
        Price::Whole => size * work,
        Price::Sort => size * (WORK_PER_VALUE + size.ilog2() as usize),
        Price::Each => size * CALL_PER_ELEMENT,
        Price::Pad if value.is_string() => 0,
        Price::Pad => size / COUNTED_PER_OPERATION,
        Price::Letters => size * work.max(LETTERS),
        Price::Parts if value.is_string() => size * PARTS,
        Price::Parts => size * work,
    }
}

/// The hook for variables: charges for one that is read as a whole, and measures the memory of all.
pub(super) fn variable(
    name: &str,
    index: usize,
    context: &EvalContext<'_, '_, '_, '_, '_, '_>,
    most: usize,
) -> Result<()> {
    let view = View::of(context);
    memory::look(view, most)?;
    trace::read(name, context.call_level(), || at(view.scope, index));
    let first = name.chars().next();
    let marked = MARKED.iter().find(|(letter, _)| Some(*letter) == first);
    match (marked, at(view.scope, index)) {
        (Some((_, then)), Some(value)) => charge_use(value, *then),
        _ => Ok(()),
    }
}

/// The handler of wrapping expressions.
pub(super) fn wrapped(
    context: &mut EvalContext<'_, '_, '_, '_, '_, '_>,
    inputs: &[Expression<'_>],
    state: &Dynamic,
    most: usize,
) -> Result<Dynamic> {
    memory::look(View::of(context), most)?;
    let (around, then) = decoded(state);
    let Some(input) = inputs.first() else {
        return Ok(Dynamic::UNIT);
    };
    match around {
        Around::Value => {}
        Around::Read => charge_read(View::of(context), input)?,
        Around::Call | Around::Step => charge_call(View::of(context), input)?,
        Around::Assignment => {
            if let Some(target) = inputs.get(1) {
                charge_assignment(View::of(context), target, then)?;
            }
            return context.eval_expression_tree(input);
        }
    }
    let value = context.eval_expression_tree(input)?;
    if around == Around::Step {
        trace::step(&value, context.call_level());
    }
    charge_use(&value, then)?;
    Ok(value)
}

/// The handler of functions' bodies: charges for the arguments, which have been copied.
pub(super) fn entered(
    context: &mut EvalContext<'_, '_, '_, '_, '_, '_>,
    state: &Dynamic,
    most: usize,
) -> Result<Dynamic> {
    charge(ENTRY)?;
    for (_, _, value) in context.scope().iter_raw() {
        charge_use(value, Use::Copied)?;
    }
    memory::look(View::of(context), most)?;
    match state.read_lock::<MarkedBody>() {
        Some(body) => context.eval_expression_tree(&Expression::from(&*body.0)),
        None => Ok(Dynamic::UNIT),
    }
}

/// Charges for reading an element: a letter of a string is found by counting.
fn charge_read(view: View<'_>, chain: &Expr) -> Result<()> {
    let mut done = Ok(());
    at_end(view, chain, &mut |value, _| {
        if let Ok(text) = value.as_immutable_string_ref() {
            done = charge(text.len() / BYTES_PER_VALUE).map_err(Into::into);
        }
    });
    done
}

fn charge_call(view: View<'_>, call: &Expr) -> Result<()> {
    let mut done = None;
    let name = match call {
        Expr::FnCall(call, _) => {
            if let Some(target) = call.args.first().and_then(|first| root(view, first)) {
                done = Some(charge_target(target, &call.name));
            }
            &call.name
        }
        chain => {
            let Some(Expr::MethodCall(call, _)) = last_step(chain) else {
                return Ok(());
            };
            at_end(view, chain, &mut |target, _| {
                done = Some(charge_target(target, &call.name))
            });
            &call.name
        }
    };
    done.unwrap_or_else(|| {
        charge(match price_of(name) {
            Price::Free | Price::Short | Price::Element => SIZE_UNSEEN / COUNTED_PER_OPERATION,
            _ => SIZE_UNSEEN * WORK_PER_VALUE,
        })?;
        Ok(())
    })
}

fn charge_target(target: &Dynamic, name: &str) -> Result<()> {
    if is_plain(target) {
        return Ok(());
    }
    // The map's entry of that name may be any function.
    let is_entry = target.as_map_ref().is_ok_and(|map| map.contains_key(name));
    charge_use(
        target,
        Use::Called(if is_entry { Price::Each } else { price_of(name) }),
    )
}

/// Charges for an assignment: an operator may read the size of all that it changes, and a letter that is written into
/// a string makes a new one.
fn charge_assignment(view: View<'_>, target: &Expr, then: Use) -> Result<()> {
    let mut done = Ok(());
    at_end(view, target, &mut |value, step| {
        done = charge_use(value, Use::Indexed);
        if done.is_ok() && then == Use::Touched {
            stepped(view, value, step, &mut |place| done = charge_use(place, then));
        }
    });
    done
}

/// A variable by its index, counted from the last, which is 1.
fn at<'s>(scope: &'s Scope<'_>, index: usize) -> Option<&'s Dynamic> {
    // The iterator begins with the last.
    let place = index.checked_sub(1)?;
    scope.iter_raw().nth(place).map(|(_, _, value)| value)
}

/// The value of a variable or of `this`.
fn root<'v>(view: View<'v>, expression: &Expr) -> Option<&'v Dynamic> {
    match expression {
        Expr::ThisPtr(_) => view.this,
        Expr::Variable(inner, short, _) if inner.2.is_empty() => {
            let index = short.map_or_else(
                || inner.0.map_or(0, |long| long.get()),
                |short| short.get().into(),
            );
            at(view.scope, index)
        }
        _ => None,
    }
}

fn link(chain: &Expr) -> Option<(&BinaryExpr, bool)> {
    match chain {
        Expr::Dot(inner, flags, _) | Expr::Index(inner, flags, _) => {
            let goes_on =
                !flags.contains(ASTFlags::BREAK) && matches!(inner.rhs, Expr::Dot(..) | Expr::Index(..));
            Some((inner, goes_on))
        }
        _ => None,
    }
}

fn last_step(mut chain: &Expr) -> Option<&Expr> {
    while let Some((inner, true)) = link(chain) {
        chain = &inner.rhs;
    }
    link(chain).map(|(inner, _)| &inner.rhs)
}

/// Passes on the receiver of a chain's last step, as far as it can be determined without calling functions; and that
/// step.
fn at_end(view: View<'_>, chain: &Expr, then: &mut dyn FnMut(&Dynamic, &Expr)) {
    if let Some((inner, goes_on)) = link(chain)
        && let Some(value) = root(view, &inner.lhs)
    {
        descend(view, value, &inner.rhs, goes_on, then);
    }
}

fn descend(
    view: View<'_>,
    value: &Dynamic,
    rest: &Expr,
    goes_on: bool,
    then: &mut dyn FnMut(&Dynamic, &Expr),
) {
    match link(rest).filter(|_| goes_on) {
        Some((inner, goes_on)) => stepped(view, value, &inner.lhs, &mut |value| {
            descend(view, value, &inner.rhs, goes_on, then);
        }),
        None => then(value, rest),
    }
}

/// Passes on the value that a step of a chain leads to.
fn stepped(view: View<'_>, value: &Dynamic, step: &Expr, then: &mut dyn FnMut(&Dynamic)) {
    match step {
        Expr::Property(inner, _) => entry(value, &inner.2, then),
        Expr::StringConstant(text, _) => entry(value, text, then),
        Expr::IntegerConstant(index, _) => element(value, *index, then),
        Expr::Variable(..) => {
            let Some(index) = root(view, step) else { return };
            if let Ok(index) = index.as_int() {
                element(value, index, then);
            } else if let Ok(text) = index.as_immutable_string_ref() {
                entry(value, &text, then);
            }
        }
        _ => {}
    }
}

fn entry(value: &Dynamic, name: &str, then: &mut dyn FnMut(&Dynamic)) {
    if let Ok(map) = value.as_map_ref()
        && let Some(value) = map.get(name)
    {
        then(value);
    }
}

fn element(value: &Dynamic, index: i64, then: &mut dyn FnMut(&Dynamic)) {
    let Ok(list) = value.as_array_ref() else { return };
    let place = usize::try_from(index.unsigned_abs()).ok();
    let place = place.and_then(|place| {
        if index < 0 {
            list.len().checked_sub(place)
        } else {
            Some(place)
        }
    });
    if let Some(value) = place.and_then(|place| list.get(place)) {
        then(value);
    }
}
