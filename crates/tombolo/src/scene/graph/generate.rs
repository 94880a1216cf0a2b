//! Generates the script of a node graph: for each event a function with a stack of the nodes that are to run next.
//!
//! A function begins with the nodes that follow the event's node. Each computes its inputs, performs its action and
//! pushes the nodes that follow, so that sequences may branch, join and loop, however long they are. Values are
//! computed before each node that uses them and are dropped after it; values of `Call` and `ForEach` are kept until
//! the function ends.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::check::{check_name, check_subject};
use super::input::Input;
use super::node::{GraphError, Node, NodeGraph};
use crate::component::script::{HANDLERS, TIMERS_MAX};
use crate::scene::advice;

/// The first line of a graph's script.
pub(crate) const HEADER: &str = "// The script of a node graph.\n";
/// The comment before the code of a node; the node's name and a quotation mark follow.
const NODE_MARK: &str = "// node \"";
/// The comment before the graph's own functions.
const FUNCTIONS_MARK: &str = "// functions\n";
/// The prefix of the timers of `Wait` and `Every`.
const TIMER_MARK: &str = "node ";

/// The event or node that a line of a graph's script was generated from, or the line within the graph's own
/// functions.
#[cfg(feature = "script")]
pub(crate) fn place_of_line(text: &str, line: usize) -> Option<String> {
    text.strip_prefix(HEADER)?;
    let mut place = None;
    let mut functions = None;
    for (number, text) in text.lines().enumerate().take(line) {
        let text = text.trim_start();
        if text == FUNCTIONS_MARK.trim_end() {
            functions = Some(number + 1);
        } else if let Some(name) = text.strip_prefix(NODE_MARK) {
            place = Some(format!("node {:?}", name.strip_suffix('"').unwrap_or(name)));
        } else if let Some((event, _)) = text.strip_prefix("fn on_").and_then(|text| text.split_once('(')) {
            place = Some(format!("event {event:?}"));
        }
    }
    functions
        .map(|first| format!("functions, line {}", line - first))
        .or(place)
}

/// The number of lines of a graph's script before the graph's own functions; 0 for any other script.
#[cfg(feature = "script")]
pub(crate) fn generated_lines(text: &str) -> usize {
    if !text.starts_with(HEADER) {
        return 0;
    }
    let mut lines = text.lines();
    let own = lines.position(|line| line == FUNCTIONS_MARK.trim_end());
    own.unwrap_or_else(|| text.lines().count())
}

impl NodeGraph {
    /// The script of the graph, for [`World::define_script`](crate::World) or a component's `text`. The same graph
    /// gives the same script.
    ///
    /// # Errors
    ///
    /// The first node in the order of names with a link to nothing, or to a node that it cannot use.
    pub fn script(&self) -> Result<String, GraphError> {
        script(self)
    }

    /// The nodes at which an event goes on, by their places in the order of names: each `On` of the event, written as
    /// there; and of the event `timer` with a timer's name the `Every` or `Wait` that has set it.
    pub fn begun_by<'g>(&'g self, event: &'g str, timer: &'g str) -> impl Iterator<Item = usize> + 'g {
        let own = timer.strip_prefix(TIMER_MARK);
        let begins = move |name: &str, node: &Node| match node {
            Node::On { event: on, .. } => on == event && own.is_none(),
            Node::Every { .. } | Node::Wait { .. } => event == "timer" && own == Some(name),
            _ => false,
        };
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(move |(place, (name, node))| begins(name, node).then_some(place))
    }
}

fn script(graph: &NodeGraph) -> Result<String, GraphError> {
    let generator = Generator {
        graph,
        names: graph.nodes.keys().map(String::as_str).collect(),
    };
    generator.check()?;
    let mut script = HEADER.to_owned();
    for (event, parameters) in HANDLERS {
        generator.handler(event, parameters, &mut script)?;
    }
    if !graph.functions.is_empty() {
        let _ = write!(script, "{FUNCTIONS_MARK}{}", graph.functions);
    }
    Ok(script)
}

struct Generator<'a> {
    graph: &'a NodeGraph,
    /// The nodes' names in their order; a node's number is its index here.
    names: Vec<&'a str>,
}

/// The generator of the function of one event.
struct EventFunction<'a> {
    name: &'a str,
    parameters: &'a [&'a str],
    /// The numbers of the nodes that run in the function.
    nodes: BTreeSet<usize>,
}

impl<'a> Generator<'a> {
    fn number(&self, name: &str) -> Option<usize> {
        self.names.binary_search(&name).ok()
    }

    fn node(&self, number: usize) -> &'a Node {
        &self.graph.nodes[self.names[number]]
    }

    /// Checks that do not depend on the event.
    fn check(&self) -> Result<(), GraphError> {
        let mut timers = 0;
        for (name, node) in &self.graph.nodes {
            let refuse = |message: String| Err(GraphError::at(name, message));
            check_name(name).or_else(refuse)?;
            check_subject(node).or_else(refuse)?;
            timers += usize::from(matches!(node, Node::Every { .. } | Node::Wait { .. }));
            if timers > TIMERS_MAX {
                return refuse(format!("a graph has {TIMERS_MAX} nodes Every and Wait at most"));
            }
            for next in node.next() {
                self.check_next(next).or_else(refuse)?;
            }
        }
        Ok(())
    }

    /// Refuses a link to a node that cannot follow another.
    fn check_next(&self, next: &str) -> Result<(), String> {
        match self.graph.nodes.get(next) {
            None => Err(self.unknown(next)),
            Some(Node::On { .. } | Node::Every { .. }) => {
                Err(format!("{next:?} cannot follow: it begins a sequence of its own"))
            }
            Some(node) if node.is_value() => Err(format!(
                "{next:?} cannot follow: it has a value and does nothing; link to it as \"@{next}\""
            )),
            Some(_) => Ok(()),
        }
    }

    fn unknown(&self, name: &str) -> String {
        format!(
            "there is no node {name:?}; {}",
            advice(name, self.names.iter().copied())
        )
    }

    /// The nodes that run in an event's function if `starts` run first. Nodes after a wait run in the function of
    /// timers.
    fn reached(&self, starts: &[usize]) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<usize> = starts.to_vec();
        while let Some(number) = open.pop() {
            if reached.insert(number) && !matches!(self.node(number), Node::Wait { .. }) {
                open.extend(
                    self.node(number)
                        .next()
                        .into_iter()
                        .filter_map(|next| self.number(next)),
                );
            }
        }
        reached
    }

    /// Adds the function of an event, if a node begins at it.
    fn handler(&self, name: &str, parameters: &[&str], script: &mut String) -> Result<(), GraphError> {
        let starts = self.starts(name);
        let every: Vec<usize> = (0..self.names.len())
            .filter(|&number| name == "on_spawn" && matches!(self.node(number), Node::Every { .. }))
            .collect();
        if starts.is_empty() && every.is_empty() {
            return Ok(());
        }
        let nodes = self.reached(&starts.iter().map(|(first, _)| *first).collect::<Vec<_>>());
        let event = EventFunction {
            name,
            parameters,
            nodes,
        };
        let _ = writeln!(script, "fn {name}({}) {{", parameters.join(", "));
        for number in every {
            let Node::Every { seconds, .. } = self.node(number) else {
                continue;
            };
            let _ = writeln!(script, "    {NODE_MARK}{}\"", self.names[number]);
            let _ = writeln!(script, "    {{");
            let seconds = self.values(number, &[seconds], &event, script)?.remove(0);
            let timer = literal(&timer(self.names[number]));
            let _ = writeln!(script, "        repeat_timer({timer}, {seconds});\n    }}");
        }
        self.sequences(&starts, &event, script)?;
        script.push_str("}\n");
        Ok(())
    }

    /// The nodes that an event begins with, each with the condition for it.
    fn starts(&self, event: &str) -> Vec<(usize, String)> {
        let mut starts = Vec::new();
        for (name, node) in &self.graph.nodes {
            let is_timer = event == "on_timer";
            let condition = match node {
                Node::On { event: on, .. } if event.strip_prefix("on_") == Some(on) && is_timer => {
                    format!("!name.starts_with({})", literal(TIMER_MARK))
                }
                Node::On { event: on, .. } if event.strip_prefix("on_") == Some(on) => String::new(),
                Node::Every { .. } | Node::Wait { .. } if is_timer => {
                    format!("name == {}", literal(&timer(name)))
                }
                _ => continue,
            };
            let first = node.next().into_iter().filter_map(|next| self.number(next));
            starts.extend(first.map(|first| (first, condition.clone())));
        }
        starts
    }

    /// The loop over the nodes that are to run next.
    fn sequences(
        &self,
        starts: &[(usize, String)],
        event: &EventFunction<'_>,
        script: &mut String,
    ) -> Result<(), GraphError> {
        if starts.is_empty() {
            return Ok(());
        }
        for &number in &event.nodes {
            match self.node(number) {
                Node::Call { .. } => {
                    let _ = writeln!(script, "    let given_{number} = ();");
                }
                Node::ForEach { .. } => {
                    let _ = writeln!(
                        script,
                        "    let given_{number} = ();\n    let left_{number} = [];"
                    );
                }
                _ => {}
            }
        }
        script.push_str("    let next = [];\n");
        // The last node that is pushed runs first.
        for (first, condition) in starts.iter().rev() {
            let _ = if condition.is_empty() {
                writeln!(script, "    next.push({first});")
            } else {
                writeln!(script, "    if {condition} {{ next.push({first}); }}")
            };
        }
        script.push_str("    while next.len() > 0 {\n        switch next.pop() {\n");
        for &number in &event.nodes {
            let _ = writeln!(script, "            {number} => {{");
            let _ = writeln!(script, "                {NODE_MARK}{}\"", self.names[number]);
            self.action(number, event, script)?;
            script.push_str("            }\n");
            if let Node::ForEach { each, then, .. } = self.node(number) {
                self.next_element(number, each, then, script);
            }
        }
        script.push_str("            _ => {}\n        }\n    }\n");
        Ok(())
    }

    /// The code of a node's action and of the nodes that follow.
    fn action(
        &self,
        number: usize,
        event: &EventFunction<'_>,
        script: &mut String,
    ) -> Result<(), GraphError> {
        let node = self.node(number);
        let mut inputs = self.values(number, &node.inputs(), event, script)?.into_iter();
        let mut input = || inputs.next().unwrap_or_default();
        let line = match node {
            Node::If { then, otherwise, .. } => {
                let branch = |to: &str| self.push(to).unwrap_or_default();
                format!(
                    "if {} {{ {} }} else {{ {} }}",
                    input(),
                    branch(then),
                    branch(otherwise)
                )
            }
            Node::ForEach { .. } => format!("left_{number} = {}; next.push({});", input(), again(number)),
            Node::Wait { .. } => {
                let timer = literal(&timer(self.names[number]));
                format!("set_timer({timer}, {});", input())
            }
            Node::Set { property, .. } => {
                let of = input();
                format!("set({of}, {}, {});", literal(property), input())
            }
            Node::Spawn {
                entity,
                position,
                angle,
                name,
                set,
                ..
            } => {
                let mut options = Vec::new();
                for (option, is_given) in [
                    ("position", position.is_some()),
                    ("angle", angle.is_some()),
                    ("name", name.is_some()),
                ] {
                    options.extend(is_given.then(|| format!("{option}: {}", input())));
                }
                let set: Vec<String> = set
                    .keys()
                    .map(|path| format!("{}: {}", literal(path), input()))
                    .collect();
                options.push(format!("set: #{{{}}}", set.join(", ")));
                format!("spawn_entity({}, #{{{}}});", literal(entity), options.join(", "))
            }
            Node::Despawn { .. } => format!("despawn({});", input()),
            Node::Remember { name, .. } => format!("this[{}] = {};", literal(name), input()),
            Node::Print { .. } => format!("print({});", input()),
            Node::Call { function, with, .. } => {
                let with: Vec<String> = with.iter().map(|_| input()).collect();
                format!("given_{number} = {};", self.call(function, &with))
            }
            _ => String::new(),
        };
        if !line.is_empty() {
            let _ = writeln!(script, "                {line}");
        }
        if !matches!(node, Node::If { .. } | Node::ForEach { .. } | Node::Wait { .. }) {
            for next in node.next().into_iter().rev().filter_map(|next| self.push(next)) {
                let _ = writeln!(script, "                {next}");
            }
        }
        Ok(())
    }

    /// The part of `ForEach` that runs again after each element.
    fn next_element(&self, number: usize, each: &str, then: &str, script: &mut String) {
        let (then, each) = (self.push(then), self.push(each));
        let (then, each) = (then.unwrap_or_default(), each.unwrap_or_default());
        let again = again(number);
        let _ = writeln!(
            script,
            "            {again} => {{\n                if left_{number}.len() == 0 {{ {then} }} else {{\n                    \
             given_{number} = left_{number}.remove(0); next.push({again}); {each}\n                }}\n            }}"
        );
    }

    fn push(&self, next: &str) -> Option<String> {
        self.number(next).map(|number| format!("next.push({number});"))
    }

    fn call(&self, function: &str, with: &[String]) -> String {
        // A function of the graph has access to the script's state only if it is called as a method of it.
        let own = if defines(&self.graph.functions, function) {
            "this."
        } else {
            ""
        };
        format!("{own}{function}({})", with.join(", "))
    }

    /// Computes the inputs of a node; returns the expressions for them.
    fn values(
        &self,
        number: usize,
        inputs: &[&Input],
        event: &EventFunction<'_>,
        script: &mut String,
    ) -> Result<Vec<String>, GraphError> {
        let mut values = Values {
            generator: self,
            event,
            known: BTreeSet::new(),
            open: Vec::new(),
            script,
        };
        let expressions: Result<Vec<String>, String> =
            inputs.iter().map(|input| values.expression(input)).collect();
        expressions.map_err(|message| GraphError::at(self.names[number], message))
    }
}

/// The values that one node needs, each computed once.
struct Values<'g, 'a> {
    generator: &'g Generator<'a>,
    event: &'g EventFunction<'g>,
    known: BTreeSet<usize>,
    /// The nodes whose values are being computed, to detect cycles.
    open: Vec<usize>,
    script: &'g mut String,
}

impl Values<'_, '_> {
    fn expression(&mut self, input: &Input) -> Result<String, String> {
        Ok(match input {
            Input::Me => "me()".to_owned(),
            Input::Flag(flag) => format!("{flag}"),
            Input::Whole(number) if *number < 0 => format!("({number})"),
            Input::Whole(number) => format!("{number}"),
            Input::Number(number) => float(*number),
            Input::Text(text) => literal(text),
            Input::Vector(x, y) => format!("vec2({}, {})", float(*x), float(*y)),
            Input::Link { node, pin } => return self.link(node, pin),
        })
    }

    fn link(&mut self, name: &str, pin: &str) -> Result<String, String> {
        let number = self
            .generator
            .number(name)
            .ok_or_else(|| self.generator.unknown(name))?;
        let node = self.generator.node(number);
        if let Node::On { event, .. } = node {
            return self.of_event(name, event, pin);
        }
        if !pin.is_empty() {
            return Err(format!(
                "{name:?} has one value; write \"@{name}\" without \".{pin}\""
            ));
        }
        if matches!(node, Node::Call { .. } | Node::ForEach { .. }) {
            if !self.event.nodes.contains(&number) {
                return Err(format!(
                    "needs \"@{name}\", which does not run in {}; Remember it there and Recall it here",
                    self.event.name
                ));
            }
            return Ok(format!("given_{number}"));
        }
        if !node.is_value() {
            return Err(format!("{name:?} has no value: it is of kind {}", node.kind()));
        }
        self.find_out(number)?;
        Ok(format!("value_{number}"))
    }

    /// An argument of an event's function.
    fn of_event(&self, name: &str, event: &str, pin: &str) -> Result<String, String> {
        if self.event.name.strip_prefix("on_") != Some(event) {
            return Err(format!(
                "needs \"@{name}\", but also runs in {}, which does not have it; Remember it first and Recall it here",
                self.event.name
            ));
        }
        if self.event.parameters.contains(&pin) {
            return Ok(pin.to_owned());
        }
        let known = self.event.parameters;
        Err(if known.is_empty() {
            format!("the event of {name:?} has no values")
        } else {
            let known: Vec<String> = known.iter().map(|pin| format!("\"@{name}.{pin}\"")).collect();
            format!("no value {pin:?} of {name:?}; write {}", known.join(" or "))
        })
    }

    /// Writes the statement for a node's value, after those for the values that it needs.
    fn find_out(&mut self, number: usize) -> Result<(), String> {
        if self.known.contains(&number) {
            return Ok(());
        }
        let name = self.generator.names[number];
        if self.open.contains(&number) {
            return Err(format!("the value of {name:?} depends on itself"));
        }
        self.open.push(number);
        let node = self.generator.node(number);
        let inputs: Result<Vec<String>, String> = node
            .inputs()
            .into_iter()
            .map(|input| self.expression(input))
            .collect();
        let inputs = inputs.map_err(|message| format!("for {name:?}: {message}"))?;
        self.open.pop();
        let value = match node {
            Node::Get { property, .. } => format!("get({}, {})", inputs[0], literal(property)),
            Node::Recall { name, .. } => {
                let name = literal(name);
                format!("if {name} in this {{ this[{name}] }} else {{ {} }}", inputs[0])
            }
            Node::Calculate { operator, .. } => calculation(operator, &inputs),
            Node::Ask { function, .. } => self.generator.call(function, &inputs),
            _ => String::new(),
        };
        let _ = writeln!(self.script, "                let value_{number} = {value};");
        self.known.insert(number);
        Ok(())
    }
}

/// The number of the repeated part of a `ForEach` in the loop.
fn again(number: usize) -> i64 {
    -1 - number as i64
}

fn timer(node: &str) -> String {
    format!("{TIMER_MARK}{node}")
}

fn calculation(operator: &str, inputs: &[String]) -> String {
    match (operator, inputs) {
        ("not", [one]) => format!("!{one}"),
        ("-", [one]) => format!("-{one}"),
        _ => {
            let operator = match operator {
                "and" => "&&",
                "or" => "||",
                other => other,
            };
            inputs.join(&format!(" {operator} "))
        }
    }
}

/// A floating-point literal of the language: with a point, so that it stays one.
fn float(number: f64) -> String {
    if number < 0.0 {
        format!("({number:?})")
    } else {
        format!("{number:?}")
    }
}

/// A string literal of the language.
fn literal(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a text of functions defines one with this name.
fn defines(functions: &str, name: &str) -> bool {
    functions.split("fn ").skip(1).any(|after| {
        after
            .trim_start()
            .strip_prefix(name)
            .is_some_and(|rest| rest.trim_start().starts_with('('))
    })
}
