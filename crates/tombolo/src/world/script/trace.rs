//! Notes what a call of a node graph's script does: which nodes run, with the last value of each. `marks.rs` marks where
//! the script picks its next node, and the hooks in `prices.rs` tell what passes there. Nothing is noted unless a trace
//! was begun, and noting costs a script no operations.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rhai::{Dynamic, ImmutableString};
use tombolo_entity::Entity;
use tombolo_geometry::Vec2;

use super::handler::Handler;

/// The prefixes of the variables with the values of nodes in a graph's script; the node's number follows.
const VALUES: [&str; 2] = ["value_", "given_"];

/// The value of a node, as it was used. What is large is noted by its size.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(ImmutableString),
    Vector(Vec2),
    Entity(Entity),
    List(usize),
    Map(usize),
    Nothing,
    Other(&'static str),
}

/// What a node did in some calls.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeNotes {
    pub(super) runs: u32,
    pub(super) value: Option<Seen>,
    pub(super) failed: bool,
}

/// What a graph did in some calls.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphNotes {
    pub(super) events: BTreeMap<(&'static str, Box<str>), u32>,
    pub(super) nodes: BTreeMap<usize, NodeNotes>,
}

/// The running call of a graph's script.
struct TracedCall {
    notes: GraphNotes,
    /// The node that runs, and the depth of calls at which it does: the graph's own functions run below it.
    current: Option<(usize, usize)>,
}

thread_local! {
    static CALL: RefCell<Option<TracedCall>> = const { RefCell::new(None) };
}

impl Seen {
    fn of(value: &Dynamic) -> Self {
        if let Ok(flag) = value.as_bool() {
            Self::Flag(flag)
        } else if let Ok(number) = value.as_int() {
            Self::Whole(number)
        } else if let Ok(number) = value.as_float() {
            Self::Number(number)
        } else if let Ok(text) = value.as_immutable_string_ref() {
            Self::Text(text.clone())
        } else if let Some(vector) = value.read_lock::<Vec2>() {
            Self::Vector(*vector)
        } else if let Some(entity) = value.read_lock::<Entity>() {
            Self::Entity(*entity)
        } else if let Ok(list) = value.as_array_ref() {
            Self::List(list.len())
        } else if let Ok(map) = value.as_map_ref() {
            Self::Map(map.len())
        } else if value.is_unit() {
            Self::Nothing
        } else {
            Self::Other(value.type_name())
        }
    }
}

impl GraphNotes {
    pub(super) fn add(&mut self, other: Self) {
        for (event, count) in other.events {
            let known = self.events.entry(event).or_default();
            *known = known.saturating_add(count);
        }
        for (node, notes) in other.nodes {
            let known = self.nodes.entry(node).or_default();
            known.runs = known.runs.saturating_add(notes.runs);
            known.value = notes.value.or(known.value.take());
            known.failed |= notes.failed;
        }
    }
}

/// Begins the trace of a call.
pub(super) fn begin(handler: Handler, given: &[Dynamic]) {
    let (name, _) = handler.signature();
    let timer = given.first().filter(|_| handler == Handler::Timer);
    let timer = timer.and_then(|timer| {
        timer
            .as_immutable_string_ref()
            .ok()
            .map(|name| name.as_str().into())
    });
    let event = name.strip_prefix("on_").unwrap_or(name);
    let mut notes = GraphNotes::default();
    notes.events.insert((event, timer.unwrap_or_default()), 1);
    let current = None;
    CALL.set(Some(TracedCall { notes, current }));
}

/// Ends the trace of a call; `None` if none was begun.
pub(super) fn end(failed: bool) -> Option<GraphNotes> {
    let TracedCall { mut notes, current } = CALL.take()?;
    if let Some((node, _)) = current.filter(|_| failed) {
        notes.nodes.entry(node).or_default().failed = true;
    }
    Some(notes)
}

/// Notes the node that a graph's script runs next, by its number; a negative one goes on with the node of -1 less it.
pub(super) fn step(number: &Dynamic, depth: usize) {
    let Ok(number) = number.as_int() else { return };
    CALL.with_borrow_mut(|call| {
        let Some(call) = call else { return };
        let again = number < 0;
        let node = if again { -1 - number } else { number } as usize;
        call.current = Some((node, depth));
        if !again {
            let notes = call.notes.nodes.entry(node).or_default();
            notes.runs = notes.runs.saturating_add(1);
        }
    });
}

/// Notes the value of a node, if a variable that is read has it.
pub(super) fn read<'s>(variable: &str, depth: usize, value: impl Fn() -> Option<&'s Dynamic>) {
    CALL.with_borrow_mut(|call| {
        let Some(call) = call else { return };
        if call.current.is_none_or(|(_, level)| level != depth) {
            return;
        }
        // A letter that is no letter of a text marks variables: `MARKED` in `marks.rs`.
        let name = variable.trim_start_matches(char::is_control);
        for (place, prefix) in VALUES.iter().enumerate() {
            let Some(Ok(node)) = name.strip_prefix(prefix).map(str::parse) else {
                continue;
            };
            let notes = call.notes.nodes.entry(node).or_default();
            notes.value = value().map(Seen::of);
            // A node whose value is kept has run by itself.
            notes.runs = notes.runs.saturating_add(u32::from(place == 0));
        }
    });
}
