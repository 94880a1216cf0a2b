//! The nodes of a graph, and how a file is read into them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::input::Input;

/// What happens when, as nodes and the links between them.
///
/// A node either does something and names the one that follows (`then`), or has a value, which it finds out anew for each
/// node that uses it. Links to values are written as texts that begin with `@`: see [`Input`].
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
    /// The nodes by their names; 256 at most.
    #[serde(deserialize_with = "each_once")]
    pub nodes: BTreeMap<String, Node>,
    /// Functions in the language of scripts, which `Call` and `Ask` can name beside those that all scripts have.
    #[serde(default)]
    pub functions: String,
}

/// A node. Those with `then` do something; an empty `then` ends the sequence.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Node {
    /// Begins a sequence at an event of scripts, without its `on_`: `tick`, `begin_touch`, `timer`. Its values are what the
    /// script's function is given, by name: `"@touched.other"`.
    On {
        /// The event.
        event: String,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Begins a sequence again and again, as long as the entity lives.
    Every {
        /// How many seconds lie between, rounded to whole steps.
        seconds: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Goes one way or the other.
    If {
        /// Which.
        test: Input,
        /// If it is true.
        #[serde(default)]
        then: String,
        /// If it is false.
        #[serde(default)]
        otherwise: String,
    },
    /// Does one sequence to its end, then the next.
    Sequence {
        /// Where each begins.
        then: Vec<String>,
    },
    /// Does a sequence for each element of a list, which is its value meanwhile.
    ForEach {
        /// The list.
        of: Input,
        /// What is done for each.
        #[serde(default)]
        each: String,
        /// What follows in the end.
        #[serde(default)]
        then: String,
    },
    /// Goes on later. What an event gave is gone by then: `Remember` what is needed. To wait again before the time is over
    /// begins the wait anew.
    Wait {
        /// How many seconds later, rounded to whole steps, one at least.
        seconds: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Sets a property.
    Set {
        /// Whose; the graph's own entity if it is left out.
        #[serde(default)]
        of: Input,
        /// Its path: `"body.linear_velocity.x"`.
        property: String,
        /// To what.
        value: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Spawns an entity, at the end of the stage as scripts do: it has no value yet.
    Spawn {
        /// The name of the resource.
        entity: String,
        /// Where; the resource's own place if it is left out.
        #[serde(default, deserialize_with = "given")]
        position: Option<Input>,
        /// In radians.
        #[serde(default, deserialize_with = "given")]
        angle: Option<Input>,
        /// Its name in the world, if it gets one.
        #[serde(default, deserialize_with = "given")]
        name: Option<Input>,
        /// Properties that are other than the resource's, by path.
        #[serde(default)]
        set: BTreeMap<String, Input>,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Ends an entity, with its children.
    Despawn {
        /// Which; the graph's own entity if it is left out.
        #[serde(default)]
        of: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Stores a value under a name, for `Recall`; kept from event to event, and saved.
    Remember {
        /// The name.
        name: String,
        /// The value.
        value: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Prints a value.
    Print {
        /// The value.
        value: Input,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// Calls a function for what it does; what it returns is the node's value from then on.
    Call {
        /// A function of scripts, or one of the graph's own.
        function: String,
        /// What it is given.
        #[serde(default)]
        with: Vec<Input>,
        /// What follows.
        #[serde(default)]
        then: String,
    },
    /// The value of a property.
    Get {
        /// Whose; the graph's own entity if it is left out.
        #[serde(default)]
        of: Input,
        /// Its path.
        property: String,
    },
    /// What was stored under a name.
    Recall {
        /// The name.
        name: String,
        /// The value as long as nothing was stored.
        or: Input,
    },
    /// Calculates with two values or more, or with one: `+ - * / %`, `== != < <= > >=`, `and or not`, `-` of one.
    Calculate {
        /// The operator.
        operator: String,
        /// The values.
        of: Vec<Input>,
    },
    /// What a function returns.
    Ask {
        /// A function of scripts, or one of the graph's own.
        function: String,
        /// What it is given.
        #[serde(default)]
        with: Vec<Input>,
    },
}

/// Why a graph makes no script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphError {
    /// The node, if it is one.
    pub node: Option<Box<str>>,
    /// What is wrong, and what to do.
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

/// The most nodes of a graph.
const NODES_MAX: usize = 256;

impl NodeGraph {
    /// Reads a graph as it stands in a scene's section `graphs`.
    ///
    /// # Errors
    ///
    /// With the line, if the text is no graph. Whether its links lead anywhere is [`NodeGraph::script`]'s to say.
    pub fn parse(text: &str) -> Result<Self, GraphError> {
        ron::from_str(text).map_err(|error| GraphError {
            node: None,
            message: error.to_string().into(),
        })
    }
}

impl Node {
    /// What kind of node it is, as files write it.
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

    /// What it is about, beside its inputs: an event, a property, a function.
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

    /// Whether it has a value and does nothing.
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

    /// What goes into it, in the order of its fields.
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

/// Reads nodes by name, and refuses a name that is given twice.
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

/// Reads an input that may be left out.
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
