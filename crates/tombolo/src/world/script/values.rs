//! Conversions between a script's values and the world's: properties by their kind, and a script's state before and
//! after a call.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Quat;
use rhai::{Array, Dynamic, EvalAltResult, Map};
use tombolo_entity::{Color, Entity, Kind, Value};
use tombolo_geometry::Vec2;

use super::memory::is_plain;
use crate::component::{DATA_COUNT_MAX, DATA_DEPTH_MAX, Data};

/// The most entries of a state whose map and names are used again.
const ENTRIES_USED_AGAIN_MAX: usize = 32;

thread_local! {
    /// The map that a call on this thread had as `this`, for the next one: neighbors often remember values of the same names.
    /// Its values are plain, and no call sees them.
    static LAST_MAP: Cell<Option<Map>> = const { Cell::new(None) };
}

/// A script's state after a call.
pub(super) enum NewState {
    /// Any state.
    Whole(Arc<Data>),
    /// The state before the call, a map, and other values for its names, in their order.
    Values(Arc<Data>, Vec<Data>),
}

impl NewState {
    /// The state as a value.
    pub(super) fn whole(&mut self) -> &Arc<Data> {
        if let Self::Values(before, values) = self {
            let mut whole = before.clone();
            put_values(&mut whole, std::mem::take(values));
            *self = Self::Whole(whole);
        }
        let (Self::Whole(whole) | Self::Values(whole, _)) = self;
        whole
    }

    /// Whether it equals a state.
    pub(super) fn is(&self, other: &Arc<Data>) -> bool {
        match self {
            Self::Whole(whole) => Arc::ptr_eq(whole, other) || whole == other,
            Self::Values(before, values) => match (&**before, &**other) {
                (Data::Map(before_map), Data::Map(map)) => {
                    (Arc::ptr_eq(before, other) || before_map.keys().eq(map.keys()))
                        && map.values().eq(values)
                }
                _ => false,
            },
        }
    }

    /// Replaces a state; in place, if nobody else has it and the names stay.
    pub(super) fn store(self, state: &mut Arc<Data>) {
        match self {
            Self::Whole(whole) => *state = whole,
            Self::Values(before, values) => {
                if !Arc::ptr_eq(&before, state) {
                    *state = before;
                } else {
                    drop(before);
                }
                put_values(state, values);
            }
        }
    }
}

/// Gives the names of a map other values.
fn put_values(state: &mut Arc<Data>, values: Vec<Data>) {
    if let Data::Map(map) = Arc::make_mut(state) {
        for (old, new) in map.values_mut().zip(values) {
            *old = new;
        }
    }
}

/// A property's value for a script. Vectors of more than two parts, rotations and colors become lists of numbers, a
/// choice its word.
pub(super) fn to_script(value: Value, kind: Kind) -> Dynamic {
    let numbers = |numbers: &[f32]| -> Dynamic {
        let numbers = numbers
            .iter()
            .map(|number| Dynamic::from_float(f64::from(*number)));
        Dynamic::from_array(numbers.collect())
    };
    match value {
        Value::Bool(flag) => flag.into(),
        Value::I32(number) => i64::from(number).into(),
        Value::U32(number) => i64::from(number).into(),
        Value::I64(number) => number.into(),
        Value::F32(number) => f64::from(number).into(),
        Value::F64(number) => number.into(),
        Value::Vec2(vector) => Dynamic::from(vector),
        Value::Vec3(vector) => numbers(&vector.to_array()),
        Value::Quat(rotation) => numbers(&rotation.to_array()),
        Value::Color(Color { r, g, b, a }) => numbers(&[r, g, b, a]),
        Value::String(text) => String::from(text).into(),
        Value::Entity(entity) => entity.map_or(Dynamic::UNIT, Dynamic::from),
        Value::Choice(place) => {
            let words = if let Kind::Choice(words) = kind {
                words
            } else {
                &[]
            };
            (*words.get(place as usize).unwrap_or(&"")).into()
        }
        Value::Blob(bytes) => Dynamic::from_blob(bytes.into()),
        Value::List(values) => {
            let of = if let Kind::List(of) = kind {
                *of
            } else {
                Kind::Blob
            };
            Dynamic::from_array(values.into_iter().map(|value| to_script(value, of)).collect())
        }
        _ => Dynamic::UNIT,
    }
}

/// A length in meters from the argument `what` of a function.
pub(super) fn length(function: &str, what: &str, value: &Dynamic) -> Result<f32, Box<EvalAltResult>> {
    let length = number(value).map(|length| length as f32);
    length.ok_or_else(|| format!("{function}: the {what} is a number, not {}", word(value)).into())
}

/// A script's value as one of a kind; `None` if it does not fit. Integers are accepted for other numbers, two numbers
/// in a list for a vector, and `()` for no entity.
pub(super) fn to_property(value: &Dynamic, kind: Kind) -> Option<Value> {
    Some(match kind {
        Kind::Bool => Value::Bool(value.as_bool().ok()?),
        Kind::I32 => Value::I32(value.as_int().ok()?.try_into().ok()?),
        Kind::U32 => Value::U32(value.as_int().ok()?.try_into().ok()?),
        Kind::I64 => Value::I64(value.as_int().ok()?),
        Kind::F32 => Value::F32(number(value)? as f32 + 0.0),
        Kind::F64 => Value::F64(number(value)? + 0.0),
        Kind::Vec2 => Value::Vec2(vector(value)?),
        Kind::Vec3 => Value::Vec3(numbers(value)?.into()),
        Kind::Quat => Value::Quat(Quat::from_array(numbers(value)?)),
        Kind::Color => {
            let [r, g, b, a] = numbers(value)?;
            Value::Color(Color { r, g, b, a })
        }
        Kind::String => Value::String(value.as_immutable_string_ref().ok()?.as_str().into()),
        Kind::Entity if value.is_unit() => Value::Entity(None),
        Kind::Entity => Value::Entity(Some(entity(value)?)),
        Kind::Choice(words) => {
            let word = value.as_immutable_string_ref().ok()?;
            let place = words.iter().position(|known| *known == word.as_str())?;
            Value::Choice(place as u32)
        }
        Kind::Blob => Value::Blob(value.as_blob_ref().ok()?.as_slice().into()),
        Kind::List(of) => {
            let values = value.as_array_ref().ok()?;
            let values = values.iter().map(|value| to_property(value, *of));
            Value::List(values.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A number, integer or not.
pub(super) fn number(value: &Dynamic) -> Option<f64> {
    value
        .as_float()
        .or_else(|_| value.as_int().map(|whole| whole as f64))
        .ok()
}

/// A vector, or a list of two numbers. Never with a negative zero.
pub(super) fn vector(value: &Dynamic) -> Option<Vec2> {
    let vector = match value.read_lock::<Vec2>() {
        Some(vector) => *vector,
        None => Vec2::from(numbers::<2>(value)?),
    };
    Some(vector + Vec2::ZERO)
}

/// An entity.
pub(super) fn entity(value: &Dynamic) -> Option<Entity> {
    value.read_lock::<Entity>().map(|entity| *entity)
}

fn numbers<const N: usize>(value: &Dynamic) -> Option<[f32; N]> {
    let list = value.as_array_ref().ok()?;
    let mut numbers = [0.0; N];
    if list.len() != N {
        return None;
    }
    for (place, value) in numbers.iter_mut().zip(list.iter()) {
        *place = number(value)? as f32 + 0.0;
    }
    Some(numbers)
}

/// The name of a value's type in messages.
pub(super) fn word(value: &Dynamic) -> &'static str {
    if value.is_int() {
        "a whole number"
    } else if value.is_float() {
        "a number"
    } else if value.is_bool() {
        "true or false"
    } else if value.is_string() {
        "a text"
    } else if value.is_char() {
        "a letter"
    } else if value.is_array() {
        "a list"
    } else if value.is_map() {
        "a map"
    } else if value.is_unit() {
        "nothing"
    } else if value.is_fnptr() {
        "a function"
    } else if value.is::<Vec2>() {
        "a vector"
    } else if value.is::<Entity>() {
        "an entity"
    } else {
        "something else"
    }
}

/// A script's state, for the script.
pub(super) fn recalled(data: &Data) -> Dynamic {
    if let Data::Map(values) = data
        && let Some(mut map) = LAST_MAP.take()
        && map.len() == values.len()
        && map
            .keys()
            .zip(values.keys())
            .all(|(known, name)| known.as_str() == &**name)
    {
        for (value, data) in map.values_mut().zip(values.values()) {
            *value = recalled_value(data);
        }
        return Dynamic::from_map(map);
    }
    recalled_value(data)
}

/// Keeps the map of a script's state for the next call, if its values take little memory.
pub(super) fn keep_map(mut this: Dynamic) {
    if let Ok(mut map) = this.as_map_mut()
        && map.len() <= ENTRIES_USED_AGAIN_MAX
        && map.values().all(is_plain)
    {
        LAST_MAP.set(Some(std::mem::take(&mut *map)));
    }
}

fn recalled_value(data: &Data) -> Dynamic {
    match data {
        Data::Nothing => Dynamic::UNIT,
        Data::Flag(flag) => (*flag).into(),
        Data::Integer(number) => (*number).into(),
        Data::Number(number) => (*number).into(),
        Data::Letter(letter) => (*letter).into(),
        Data::Text(text) => text.to_string().into(),
        Data::Vector(vector) => Dynamic::from(*vector),
        Data::Entity(entity) => Dynamic::from(*entity),
        Data::List(values) => Dynamic::from_array(values.iter().map(recalled_value).collect::<Array>()),
        Data::Map(values) => {
            let entries = values
                .iter()
                .map(|(name, value)| ((&**name).into(), recalled_value(value)));
            Dynamic::from_map(entries.collect::<Map>())
        }
    }
}

/// A value that cannot be remembered.
struct Unkept {
    /// The way from `this` to it, the last step first.
    steps: Vec<String>,
    /// The rest of the sentence that begins with the value.
    why: String,
}

impl Unkept {
    fn new(why: String) -> Self {
        let steps = Vec::new();
        Self { steps, why }
    }

    /// The same value, as seen from the list or map around it.
    fn within(mut self, step: impl FnOnce() -> String) -> Self {
        self.steps.push(step());
        self
    }
}

/// The script's state from the value of `this` after a call, and what it was before.
///
/// # Errors
///
/// If it is no map, or has a value that cannot be stored; the message says which.
pub(super) fn remembered(this: &Dynamic, before: Arc<Data>) -> Result<NewState, String> {
    match values_of_same_names(this, &before) {
        Some(values) => Ok(NewState::Values(before, values)),
        None => Ok(NewState::Whole(Arc::new(remembered_anew(this)?))),
    }
}

/// The values of a map with the names of a state, if they are few and each is without others in it and can be stored.
fn values_of_same_names(this: &Dynamic, before: &Data) -> Option<Vec<Data>> {
    let Data::Map(before) = before else { return None };
    let map = this.as_map_ref().ok()?;
    if map.len() != before.len() || map.len() > ENTRIES_USED_AGAIN_MAX {
        return None;
    }
    let mut values = Vec::with_capacity(map.len());
    for ((name, value), known) in map.iter().zip(before.keys()) {
        if name.as_str() != &**known {
            return None;
        }
        values.push(plain(value).filter(is_finite)?);
    }
    Some(values)
}

fn remembered_anew(this: &Dynamic) -> Result<Data, String> {
    // The way to a value may be longer than all values together: it is put into words for the message only.
    let data = remember(this, 0).map_err(|Unkept { steps, why }| {
        let steps: String = steps.into_iter().rev().collect();
        format!("`this{steps}` {why}")
    })?;
    let Data::Map(_) = data else {
        return Err("`this` must stay a map".into());
    };
    let (count, _) = data.size();
    if count > DATA_COUNT_MAX {
        return Err(format!(
            "`this` holds {count} values; {DATA_COUNT_MAX} can be remembered"
        ));
    }
    Ok(data)
}

fn remember(value: &Dynamic, depth: usize) -> Result<Data, Unkept> {
    if depth > DATA_DEPTH_MAX {
        return Err(Unkept::new(format!(
            "is deeper than {DATA_DEPTH_MAX} lists and maps; it cannot be remembered"
        )));
    }
    if let Ok(list) = value.as_array_ref() {
        let values = list.iter().enumerate().map(|(place, value)| {
            remember(value, depth + 1).map_err(|unkept| unkept.within(|| format!("[{place}]")))
        });
        return Ok(Data::List(values.collect::<Result<_, _>>()?));
    }
    if let Ok(map) = value.as_map_ref() {
        let mut values = BTreeMap::new();
        for (name, value) in map.iter() {
            let kept = remember(value, depth + 1);
            let kept = kept.map_err(|unkept| unkept.within(|| format!(".{name}")))?;
            values.insert(name.as_str().into(), kept);
        }
        return Ok(Data::Map(values));
    }
    let plain =
        plain(value).ok_or_else(|| Unkept::new(format!("is {}; it cannot be remembered", word(value))))?;
    match plain {
        plain if is_finite(&plain) => Ok(plain),
        Data::Number(number) => Err(Unkept::new(format!("is {number}; it cannot be remembered"))),
        _ => Err(Unkept::new("is not finite; it cannot be remembered".into())),
    }
}

/// Whether the numbers of a value without others in it are finite.
fn is_finite(plain: &Data) -> bool {
    match plain {
        Data::Number(number) => number.is_finite(),
        Data::Vector(vector) => vector.is_finite(),
        _ => true,
    }
}

/// A value without others in it.
fn plain(value: &Dynamic) -> Option<Data> {
    if value.is_unit() {
        return Some(Data::Nothing);
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(Data::Text(text.as_str().into()));
    }
    let flag = value.as_bool().ok().map(Data::Flag);
    flag.or_else(|| value.as_int().ok().map(Data::Integer))
        .or_else(|| value.as_float().ok().map(|number| Data::Number(number + 0.0)))
        .or_else(|| value.as_char().ok().map(Data::Letter))
        .or_else(|| value.is::<Vec2>().then(|| vector(value).map(Data::Vector))?)
        .or_else(|| entity(value).map(Data::Entity))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A value that scripts can remember; most without others in it.
    fn value() -> impl Strategy<Value = Data> {
        let plain = prop_oneof![
            Just(Data::Nothing),
            any::<bool>().prop_map(Data::Flag),
            (-3..3_i64).prop_map(Data::Integer),
            (-3..3_i32).prop_map(|number| Data::Number(f64::from(number) / 2.0 + 0.0)),
            Just(Data::Letter('ä')),
            "[ab]{0,3}".prop_map(|text| Data::Text(text.into())),
            (-2..2_i8).prop_map(|x| Data::Vector(Vec2::new(f32::from(x), 0.5))),
        ];
        let list = prop::collection::vec((-3..3_i64).prop_map(Data::Integer), 0..3).prop_map(Data::List);
        prop_oneof![12 => plain, 1 => list]
    }

    /// A state: most of few names, so that neighbors have the same ones; some of more than are used again.
    fn state() -> impl Strategy<Value = Data> {
        let name = prop_oneof![
            Just("count"),
            Just("name"),
            Just("sum"),
            Just("a name that is not short at all")
        ];
        let few = prop::collection::btree_map(name.prop_map(Box::from), value(), 0..4);
        let many = prop::collection::btree_map("[a-z]{2}".prop_map(Box::from), value(), 30..36);
        prop_oneof![9 => few, 1 => many].prop_map(Data::Map)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// One after the other on a thread, so that each has the map of the one before.
        #[test]
        fn a_state_is_recalled_and_remembered_as_if_nothing_was_used_again(
            calls in prop::collection::vec((state(), state(), any::<bool>()), 1..12),
        ) {
            for (before, after, is_shared) in calls {
                let mut stored = Arc::new(before.clone());
                let this = recalled(&stored);
                prop_assert_eq!(remembered_anew(&this), Ok(before.clone()));
                let this_after = recalled_value(&after);
                let other = is_shared.then(|| stored.clone());
                let new_state = || remembered(&this_after, Arc::new(before.clone()));
                let mut written = new_state().unwrap();
                prop_assert_eq!(&**written.whole(), &after);
                prop_assert_eq!(new_state().unwrap().is(&stored), after == before);
                new_state().unwrap().store(&mut stored);
                prop_assert_eq!(&*stored, &after);
                stored = Arc::new(before.clone());
                let in_place = remembered(&this_after, stored.clone()).unwrap();
                prop_assert_eq!(in_place.is(&stored), after == before);
                in_place.store(&mut stored);
                prop_assert_eq!(&*stored, &after);
                prop_assert!(other.is_none_or(|other| *other == before), "a copy stays as it was");
                keep_map(this);
            }
        }
    }

    #[test]
    fn what_is_not_finite_or_no_map_is_refused_whatever_the_state_was_before() {
        let before = || Arc::new(Data::Map([("x".into(), Data::Number(1.0))].into()));
        let this = |x: Dynamic| Dynamic::from_map([("x".into(), x)].into());
        let message = |this: &Dynamic| remembered(this, before()).err().unwrap_or_default();
        assert_eq!(
            message(&this(f64::NAN.into())),
            "`this.x` is NaN; it cannot be remembered"
        );
        let endless = Dynamic::from(Vec2::new(f32::INFINITY, 0.0));
        assert_eq!(
            message(&this(endless)),
            "`this.x` is not finite; it cannot be remembered"
        );
        assert_eq!(message(&Dynamic::UNIT), "`this` must stay a map");
        let mut zero = remembered(&this((-0.0).into()), before()).unwrap();
        let Data::Map(zero) = &**zero.whole() else {
            panic!("it is a map")
        };
        assert!(matches!(zero["x"], Data::Number(zero) if zero.is_sign_positive()));
    }
}
