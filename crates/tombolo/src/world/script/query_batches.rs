//! The functions that ask physics a list of questions at once. The answers are at the places of the questions, each what
//! the single query gives.
//!
//! The questions are asked one after the other, each paid for before the next one: so a batch ends where the operations of
//! the call do, and a call that may make few of them cannot hold up the world.

use rhai::{Array, Dynamic, Engine, Map};

use super::ask::{Asker, LOOK_COST, SHAPE_LOOK_COST, box_of, circle};
use super::both_forms::register_both;
use super::in_call::Result;
use super::meter::charge;
use super::prices::size_of_value;
use super::query_answers::{of_cast, of_ray, one, owners};
use super::values::{number, vector, word};

/// Operations for each question of a batch.
const QUESTION_COST: usize = 20;

pub(super) fn register(engine: &mut Engine) {
    register_both!(
        engine,
        cast_rays(rays: Array; Map),
        cast_circles(casts: Array; Map),
        cast_boxes(casts: Array; Map),
        query_points(points: Array; Map),
        query_circles(circles: Array; Map),
        query_boxes(boxes: Array; Map),
    );
}

fn cast_rays(rays: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&rays)?;
    let asker = Asker::new("cast_rays", options, &[], LOOK_COST)?;
    let read = parts(|[from, to]: &[Dynamic; 2]| Some((vector(from)?, vector(to)?)));
    each(&asker, &rays, "a list [from, to]", read, |(from, to)| {
        one(asker.first_on_ray(from, to)?.as_ref(), of_ray)
    })
}

fn cast_circles(casts: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&casts)?;
    let asker = Asker::new("cast_circles", options, &[], SHAPE_LOOK_COST)?;
    let read =
        parts(|[from, to, radius]: &[Dynamic; 3]| Some((vector(from)?, vector(to)?, number(radius)? as f32)));
    each(
        &asker,
        &casts,
        "a list [from, to, radius]",
        read,
        |(from, to, radius)| one(asker.first_on_path(circle(radius), from, to)?.as_ref(), of_cast),
    )
}

fn cast_boxes(casts: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&casts)?;
    let asker = Asker::of_boxes("cast_boxes", options)?;
    let read = parts(|[from, to, size]: &[Dynamic; 3]| Some((vector(from)?, vector(to)?, vector(size)?)));
    each(
        &asker,
        &casts,
        "a list [from, to, size]",
        read,
        |(from, to, size)| one(asker.first_on_path(box_of(size), from, to)?.as_ref(), of_cast),
    )
}

fn query_points(points: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&points)?;
    let asker = Asker::new("query_points", options, &[], LOOK_COST)?;
    each(&asker, &points, "a point", vector, |point| {
        Ok(owners(asker.at_point(point)?)?.into())
    })
}

fn query_circles(circles: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&circles)?;
    let asker = Asker::new("query_circles", options, &[], SHAPE_LOOK_COST)?;
    let read = parts(|[center, radius]: &[Dynamic; 2]| Some((vector(center)?, number(radius)? as f32)));
    each(
        &asker,
        &circles,
        "a list [center, radius]",
        read,
        |(center, radius)| Ok(owners(asker.in_circle(center, radius)?)?.into()),
    )
}

fn query_boxes(boxes: Array, options: Option<Map>) -> Result<Array> {
    charge_copy(&boxes)?;
    let asker = Asker::new("query_boxes", options, &[], LOOK_COST)?;
    let read = parts(|[least, most]: &[Dynamic; 2]| Some((vector(least)?, vector(most)?)));
    each(&asker, &boxes, "a list [least, most]", read, |(least, most)| {
        Ok(owners(asker.in_box(least, most)?)?.into())
    })
}

/// Charges for a list: it was copied for the call, also if none of its questions will be asked.
fn charge_copy(questions: &Array) -> Result<()> {
    let add = |sum: usize, question: &Dynamic| Result::Ok(sum + size_of_value(question)?);
    charge(questions.iter().try_fold(1, add)?)?;
    Ok(())
}

/// Asks each question of a list; `form` says what a question is.
fn each<Q>(
    asker: &Asker,
    questions: &Array,
    form: &str,
    read: impl Fn(&Dynamic) -> Option<Q>,
    ask: impl Fn(Q) -> Result<Dynamic>,
) -> Result<Array> {
    let answer = |(place, question)| {
        charge(QUESTION_COST)?;
        let Some(asked) = read(question) else {
            let (call, got) = (asker.call(), word(question));
            return Err(format!("{call}: [{place}] is {got}, not {form}").into());
        };
        ask(asked)
    };
    questions.iter().enumerate().map(answer).collect()
}

/// Reads a list of `N` parts.
fn parts<const N: usize, Q>(read: impl Fn(&[Dynamic; N]) -> Option<Q>) -> impl Fn(&Dynamic) -> Option<Q> {
    move |value| {
        let list = value.as_array_ref().ok()?;
        read(list.as_slice().try_into().ok()?)
    }
}
