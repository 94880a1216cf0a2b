//! The nodes of a graph, and how they are read from a file.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::input::Input;

/// The behavior of an entity, as nodes and the links between them.
///
/// A node either performs an action and names the node that follows (`then`), or has a value, which is computed again
/// for each node that uses it. Links to values are texts that begin with `@`: see [`Input`].
///
/// ```
/// use tombolo::scene::graph::NodeGraph;
/// let graph = NodeGraph::parse(
///     r#"(nodes: {
///         "entered": On(event: "enter", then: "is it a part"),
///         "part": Ask(function: "has", with: ["@entered.other", "part"]),
///         "is it a part": If(test: "@part", then: "count"),
///         "parts": Recall(name: "parts", or: 0),
///         "one more": Calculate(operator: "+", of: ["@parts", 1]),
///         "count": Remember(name: "parts", value: "@one more"),
///     })"#,
/// )?;
/// assert!(graph.script()?.contains("fn on_enter(other, trigger)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeGraph {
    /// The nodes by name; 256 at most.
    #[serde(deserialize_with = "each_once")]
    pub nodes: BTreeMap<String, Node>,
    /// Functions in the language of scripts, for `Call` and `Ask` beside those that all scripts have.
    #[serde(default)]
    pub functions: String,
}

/// A node. Those with `then` perform an action; an empty `then` ends the sequence.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Node {
    /// Begins a sequence at an event of scripts, named without its `on_`: `tick`, `begin_touch`, `timer`. Its values
    /// are the arguments of the script's function, by name: `"@touched.other"`.
    On {
        /// The event.
        event: String,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Begins a sequence at an interval, as long as the entity exists.
    Every {
        /// The interval in seconds, rounded to whole steps.
        seconds: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Continues with one of two nodes.
    If {
        /// The condition.
        test: Input,
        /// The node that follows if the condition is true.
        #[serde(default)]
        then: String,
        /// The node that follows if it is false.
        #[serde(default)]
        otherwise: String,
    },
    /// Runs several sequences one after the other, each to its end.
    Sequence {
        /// The first node of each sequence.
        then: Vec<String>,
    },
    /// Runs a sequence for each element of a list; the node's value is the element.
    ForEach {
        /// The list.
        of: Input,
        /// The first node of the sequence for each element.
        #[serde(default)]
        each: String,
        /// The node that follows the last element.
        #[serde(default)]
        then: String,
    },
    /// Continues later. Values of the event are gone by then: `Remember` keeps values. Waiting again before the time
    /// is over restarts the wait.
    Wait {
        /// The delay in seconds, rounded to whole steps, one at least.
        seconds: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Sets a property.
    Set {
        /// The entity; the graph's own if it is left out.
        #[serde(default)]
        of: Input,
        /// The path of the property: `"body.linear_velocity.x"`.
        property: String,
        /// The new value.
        value: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Spawns an entity, at the end of the stage like scripts do: the node has no value.
    Spawn {
        /// The name of the resource.
        entity: String,
        /// The position in meters; that of the resource if it is left out.
        #[serde(default, deserialize_with = "given")]
        position: Option<Input>,
        /// The angle in radians.
        #[serde(default, deserialize_with = "given")]
        angle: Option<Input>,
        /// The name of the entity in the world, if it gets one.
        #[serde(default, deserialize_with = "given")]
        name: Option<Input>,
        /// Overrides of the resource's properties, by path.
        #[serde(default)]
        set: BTreeMap<String, Input>,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Despawns an entity, with its children.
    Despawn {
        /// The entity; the graph's own if it is left out.
        #[serde(default)]
        of: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Stores a value under a name, for `Recall`; kept from event to event, and saved.
    Remember {
        /// The name.
        name: String,
        /// The value.
        value: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Prints a value.
    Print {
        /// The value.
        value: Input,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// Calls a function for its effect; its result is the node's value from then on.
    Call {
        /// A function of scripts, or one of the graph's own.
        function: String,
        /// The arguments.
        #[serde(default)]
        with: Vec<Input>,
        /// The node that follows.
        #[serde(default)]
        then: String,
    },
    /// The value of a property.
    Get {
        /// The entity; the graph's own if it is left out.
        #[serde(default)]
        of: Input,
        /// The path of the property.
        property: String,
    },
    /// The value that was stored under a name.
    Recall {
        /// The name.
        name: String,
        /// The value until one is stored.
        or: Input,
    },
    /// Calculates with two values or more, or with one: `+ - * / %`, `== != < <= > >=`, `and or not`, `-` of one.
    Calculate {
        /// The operator.
        operator: String,
        /// The operands.
        of: Vec<Input>,
    },
    /// The result of a function.
    Ask {
        /// A function of scripts, or one of the graph's own.
        function: String,
        /// The arguments.
        #[serde(default)]
        with: Vec<Input>,
    },
}

/// The reason why a graph makes no script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphError {
    /// The node, if the error is about one.
    pub node: Option<Box<str>>,
    /// The error, and the remedy.
    pub message: Box<str>,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = &self.node {
            write!(f, "node {node:?}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for GraphError {}

/// The greatest number of nodes of a graph.
const NODES_MAX: usize = 256;

impl NodeGraph {
    /// Reads a graph in the form of a scene's section `graphs`.
    ///
    /// # Errors
    ///
    /// With the line, if the text is no graph. [`NodeGraph::script`] checks the links.
    pub fn parse(text: &str) -> Result<Self, GraphError> {
        ron::from_str(text).map_err(|error| GraphError {
            node: None,
            message: error.to_string().into(),
        })
    }
}

impl Node {
    /// The word of the node's kind in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::On { .. } => "On",
            Self::Every { .. } => "Every",
            Self::If { .. } => "If",
            Self::Sequence { .. } => "Sequence",
            Self::ForEach { .. } => "ForEach",
            Self::Wait { .. } => "Wait",
            Self::Set { .. } => "Set",
            Self::Spawn { .. } => "Spawn",
            Self::Despawn { .. } => "Despawn",
            Self::Remember { .. } => "Remember",
            Self::Print { .. } => "Print",
            Self::Call { .. } => "Call",
            Self::Get { .. } => "Get",
            Self::Recall { .. } => "Recall",
            Self::Calculate { .. } => "Calculate",
            Self::Ask { .. } => "Ask",
        }
    }

    /// The event, property or function of the node.
    pub fn subject(&self) -> &str {
        match self {
            Self::On { event, .. } => event,
            Self::Set { property, .. } | Self::Get { property, .. } => property,
            Self::Spawn { entity, .. } => entity,
            Self::Remember { name, .. } | Self::Recall { name, .. } => name,
            Self::Call { function, .. } | Self::Ask { function, .. } => function,
            Self::Calculate { operator, .. } => operator,
            _ => "",
        }
    }

    /// Whether the node is a value and performs no action.
    pub fn is_value(&self) -> bool {
        matches!(
            self,
            Self::Get { .. } | Self::Recall { .. } | Self::Calculate { .. } | Self::Ask { .. }
        )
    }

    /// The nodes that may follow, in the order in which they are tried.
    pub fn next(&self) -> Vec<&str> {
        let all: Vec<&str> = match self {
            Self::If { then, otherwise, .. } => [then, otherwise].map(String::as_str).into(),
            Self::ForEach { each, then, .. } => [each, then].map(String::as_str).into(),
            Self::Sequence { then } => then.iter().map(String::as_str).collect(),
            Self::On { then, .. }
            | Self::Every { then, .. }
            | Self::Wait { then, .. }
            | Self::Set { then, .. }
            | Self::Spawn { then, .. }
            | Self::Despawn { then, .. }
            | Self::Remember { then, .. }
            | Self::Print { then, .. }
            | Self::Call { then, .. } => [then.as_str()].into(),
            Self::Get { .. } | Self::Recall { .. } | Self::Calculate { .. } | Self::Ask { .. } => Vec::new(),
        };
        all.into_iter().filter(|name| !name.is_empty()).collect()
    }

    /// The inputs of the node, in the order of its fields.
    pub fn inputs(&self) -> Vec<&Input> {
        match self {
            Self::On { .. } | Self::Sequence { .. } => Vec::new(),
            Self::Every { seconds: one, .. }
            | Self::If { test: one, .. }
            | Self::ForEach { of: one, .. }
            | Self::Wait { seconds: one, .. }
            | Self::Despawn { of: one, .. }
            | Self::Remember { value: one, .. }
            | Self::Print { value: one, .. }
            | Self::Get { of: one, .. }
            | Self::Recall { or: one, .. } => [one].into(),
            Self::Set { of, value, .. } => [of, value].into(),
            Self::Spawn {
                position,
                angle,
                name,
                set,
                ..
            } => position
                .iter()
                .chain(angle)
                .chain(name)
                .chain(set.values())
                .collect(),
            Self::Call { with, .. } | Self::Ask { with, .. } | Self::Calculate { of: with, .. } => {
                with.iter().collect()
            }
        }
    }
}

/// Reads nodes by name, and refuses duplicate names.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Node>, D::Error> {
    struct Nodes;

    impl<'de> Visitor<'de> for Nodes {
        type Value = BTreeMap<String, Node>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("nodes by name, in braces")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut nodes = BTreeMap::new();
            while let Some(name) = map.next_key::<String>()? {
                if nodes.len() == NODES_MAX {
                    let message = format!("a graph has {NODES_MAX} nodes at most");
                    return Err(A::Error::custom(message));
                }
                let node = map.next_value()?;
                if nodes.insert(name.clone(), node).is_some() {
                    let message = format!("there are two nodes {name:?}; keep one");
                    return Err(A::Error::custom(message));
                }
            }
            Ok(nodes)
        }
    }

    from.deserialize_map(Nodes)
}

/// Reads an optional input.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Input>, D::Error> {
    Input::deserialize(from).map(Some)
}

impl GraphError {
    pub(super) fn at(node: &str, message: impl ToString) -> Self {
        Self {
            node: Some(node.into()),
            message: message.to_string().into(),
        }
    }
}
