//! The trace of node graphs: which nodes ran, with the last value of each. `marks.rs` marks where a graph's script picks
//! its next node, and the hooks in `prices.rs` tell what passes there. Nothing is noted unless the world traces its
//! graphs, and a trace neither costs operations of scripts nor is part of the state.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use rhai::{Dynamic, ImmutableString};
use tombolo_entity::Entity;
use tombolo_geometry::Vec2;

use super::program::{Handler, Program};
use super::scripts::Scripts;
use crate::world::World;

/// The greatest length of a value in bytes; the rest is dropped.
const VALUE_BYTES_MAX: usize = 60;

/// The prefixes of the variables with the values of nodes in a graph's script; the node's number follows.
const VALUES: [&str; 2] = ["value_", "given_"];

/// What a node graph did: [`World::take_graph_traces`].
#[derive(Clone, Debug, PartialEq)]
pub struct GraphTrace {
    /// The name of the graph in its scene.
    pub graph: Box<str>,
    /// The events that entities with the graph have handled: the name as in the node `On`, with the name of the timer
    /// for the event `timer`, else an empty one; and the number of times.
    pub events: BTreeMap<(&'static str, Box<str>), u32>,
    /// The nodes that ran or had a value, by their places in the order of names.
    pub nodes: BTreeMap<usize, NodeTrace>,
}

/// What a node of a graph did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTrace {
    /// The number of times that it ran; of a node that only has a value, the number of times that it was used.
    pub runs: u32,
    /// Its last value, in words of at most 60 bytes.
    pub value: Option<Box<str>>,
    /// Whether its script was disabled by an error of this node.
    pub failed: bool,
}

/// The value of a node, as it was used. What is large is noted by its size.
#[derive(Clone, Debug)]
enum Seen {
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
struct NodeNotes {
    runs: u32,
    value: Option<Seen>,
    failed: bool,
}

/// What a graph did in some calls.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphNotes {
    events: BTreeMap<(&'static str, Box<str>), u32>,
    nodes: BTreeMap<usize, NodeNotes>,
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

    fn show(&self, world: &World) -> Box<str> {
        let mut text = match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => short(*number),
            Self::Text(text) => format!("{:?}", &text[..text.floor_char_boundary(VALUE_BYTES_MAX)]),
            Self::Vector(at) => format!("{}, {}", short(at.x.into()), short(at.y.into())),
            Self::Entity(entity) => world.show(*entity).into(),
            Self::List(count) => format!("a list of {count}"),
            Self::Map(count) => format!("a map of {count}"),
            Self::Nothing => "nothing".to_string(),
            Self::Other(kind) => (*kind).to_string(),
        };
        text.truncate(text.floor_char_boundary(VALUE_BYTES_MAX));
        text.into()
    }
}

/// A number with as many digits as are worth reading.
fn short(number: f64) -> String {
    let rounded = (1e3 * number).round() / 1e3;
    if rounded == 0.0 && number != 0.0 {
        format!("{number:.1e}")
    } else {
        rounded.to_string()
    }
}

impl GraphNotes {
    fn add(&mut self, other: Self) {
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
pub(super) fn read(variable: &str, depth: usize, value: impl Fn() -> Option<Dynamic>) {
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
            notes.value = value().as_ref().map(Seen::of);
            // A node whose value is kept has run by itself.
            notes.runs = notes.runs.saturating_add(u32::from(place == 0));
        }
    });
}

impl Scripts {
    /// Adds what a call of a graph's script did, if the graph has a name.
    pub(super) fn add_trace(&mut self, program: &Program, notes: GraphNotes) {
        let mut named = self.named.iter();
        let graph = named.find(|(_, known)| std::ptr::eq(Arc::as_ptr(known), program));
        if let (Some((graph, _)), Some(traces)) = (graph, &mut self.traces) {
            traces.entry(graph.clone()).or_default().add(notes);
        }
    }
}

impl World {
    /// Notes from now on which nodes of node graphs run, for [`World::take_graph_traces`]; or no longer. Not part of the
    /// state. Each node that runs costs about a tenth more while it is on.
    pub fn trace_graphs(&mut self, on: bool) {
        self.scripts.traces = on.then(BTreeMap::new);
    }

    /// Takes what node graphs did since the last call, in the order of their names: of all entities with a graph
    /// together. Empty unless [`World::trace_graphs`] is on. Restoring a frame keeps what was noted; a restored save has
    /// tracing off.
    ///
    /// ```
    /// use tombolo::{Scene, World};
    /// let text = r#"(
    ///     graphs: {"count": (nodes: {
    ///         "each step": On(event: "tick", then: "say"),
    ///         "say": Print(value: "@sum"),
    ///         "sum": Calculate(operator: "+", of: [1, 2]),
    ///     })},
    ///     entities: {"a": {"script": Script(name: "count")}},
    ///     place: [One(name: "a", entity: "a")],
    /// )"#;
    /// let mut world = World::from_scene(&Scene::parse("count.ron", text)?)?;
    /// world.trace_graphs(true);
    /// world.step();
    /// let traces = world.take_graph_traces();
    /// assert_eq!(traces[0].events[&("tick", "".into())], 1);
    /// // In the order of names: "each step", "say", "sum".
    /// assert_eq!(traces[0].nodes[&1].runs, 1);
    /// assert_eq!(traces[0].nodes[&2].value.as_deref(), Some("3"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_graph_traces(&mut self) -> Vec<GraphTrace> {
        let Some(traces) = &mut self.scripts.traces else {
            return Vec::new();
        };
        let traces = mem::take(traces).into_iter();
        let trace = |(graph, notes): (Box<str>, GraphNotes)| GraphTrace {
            graph,
            events: notes.events,
            nodes: (notes.nodes.into_iter())
                .map(|(place, notes)| {
                    let value = notes.value.map(|value| value.show(self));
                    let NodeNotes { runs, failed, .. } = notes;
                    (place, NodeTrace { runs, value, failed })
                })
                .collect(),
        };
        traces.map(trace).collect()
    }
}
