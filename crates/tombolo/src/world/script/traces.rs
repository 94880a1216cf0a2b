//! The traces of a world's node graphs: what their nodes did, for those who watch. `trace.rs` notes it while scripts run. Not
//! part of the state.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use tombolo_entity::Kept;

use super::program::Program;
use super::scripts::Scripts;
use super::trace::{GraphNotes, NodeNotes, Seen};
use crate::world::World;

/// The greatest length of a value in bytes; the rest is dropped.
const VALUE_BYTES_MAX: usize = 60;

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

impl Seen {
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
    /// state.
    pub fn trace_graphs(&mut self, on: bool) {
        Kept::cache_mut(&mut self.scripts).traces = on.then(BTreeMap::new);
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
        let Some(traces) = &mut Kept::cache_mut(&mut self.scripts).traces else {
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
