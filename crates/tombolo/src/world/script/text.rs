//! Functions of texts in place of the language's own, which would make a text of the product of two sizes before they look at a
//! limit (`replace`), or never end (`pad` with an empty text). `engine.rs` registers them.

use rhai::{Engine, EvalAltResult, ImmutableString, NativeCallContext, Position};

use super::meter::charge;
use super::prices::BYTES_PER_VALUE;

type Result<T> = core::result::Result<T, Box<EvalAltResult>>;
type Context<'a> = NativeCallContext<'a>;

/// The letters that are padded for an operation.
const PADDED_PER_OPERATION: usize = 16;

/// Registers all of these functions, each for texts and for letters.
pub(super) fn register(engine: &mut Engine) {
    engine
        .register_fn(
            "replace",
            |context: Context<'_>, text: &mut ImmutableString, find: &str, by: &str| {
                replace(&context, text, find, by)
            },
        )
        .register_fn(
            "replace",
            |context: Context<'_>, text: &mut ImmutableString, find: &str, by: char| {
                replace(&context, text, find, by.encode_utf8(&mut [0; 4]))
            },
        )
        .register_fn(
            "replace",
            |context: Context<'_>, text: &mut ImmutableString, find: char, by: &str| {
                replace(&context, text, find.encode_utf8(&mut [0; 4]), by)
            },
        )
        .register_fn(
            "replace",
            |context: Context<'_>, text: &mut ImmutableString, find: char, by: char| {
                let (mut from, mut to) = ([0; 4], [0; 4]);
                replace(
                    &context,
                    text,
                    find.encode_utf8(&mut from),
                    by.encode_utf8(&mut to),
                )
            },
        )
        .register_fn(
            "pad",
            |context: Context<'_>, text: &mut ImmutableString, length: i64, by: &str| {
                pad(&context, text, length, by)
            },
        )
        .register_fn(
            "pad",
            |context: Context<'_>, text: &mut ImmutableString, length: i64, by: char| {
                pad(&context, text, length, by.encode_utf8(&mut [0; 4]))
            },
        );
}

/// Replaces all occurrences of a text; an empty one occurs around each letter. What the text costs by its own size has been
/// charged.
fn replace(context: &Context<'_>, text: &mut ImmutableString, find: &str, by: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    charge(find.len() / BYTES_PER_VALUE)?;
    let count = text.matches(find).count();
    let kept = text.len() - count * find.len();
    let bytes = kept.saturating_add(count.saturating_mul(by.len()));
    check(context, bytes)?;
    charge(bytes / BYTES_PER_VALUE)?;
    *text = text.replace(find, by).into();
    Ok(())
}

/// Appends letters of `by`, again and again from its first, until the text has so many. An empty one leaves it as it is.
fn pad(context: &Context<'_>, text: &mut ImmutableString, length: i64, by: &str) -> Result<()> {
    let letters = text.chars().count();
    let wanted = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    if wanted <= letters || by.is_empty() {
        return Ok(());
    }
    check(context, wanted)?;
    let missing = wanted - letters;
    charge(missing / PADDED_PER_OPERATION)?;
    text.make_mut().extend(by.chars().cycle().take(missing));
    check(context, text.len())
}

/// Whether a text may have so many bytes.
fn check(context: &Context<'_>, bytes: usize) -> Result<()> {
    if bytes > context.engine().max_string_size() {
        return Err(EvalAltResult::ErrorDataTooLarge("Length of string".into(), Position::NONE).into());
    }
    Ok(())
}
