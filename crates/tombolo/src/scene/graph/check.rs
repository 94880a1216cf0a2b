//! Checks of a single node of a graph: its name, event, operator and function. Links are checked by `generate.rs`.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::node::Node;
use crate::component::script::HANDLERS;
use crate::scene::advice;

/// The greatest length of a node's name, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// Checks a node's name: links refer to it, and faults name it.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return Err(format!("a node's name has 1 to {NAME_BYTES_MAX} bytes"));
    }
    if name == "me" || name.contains(|letter: char| letter.is_control() || matches!(letter, '.' | '@' | '"'))
    {
        return Err("a node's name is not \"me\" and has no dot, @, quotation mark or line break".to_owned());
    }
    Ok(())
}

/// Checks the event, operator or function of a node.
pub(super) fn check_subject(node: &Node) -> Result<(), String> {
    match node {
        Node::On { event, .. } => {
            let known = HANDLERS.map(|(name, _)| name.trim_start_matches("on_"));
            if known.contains(&event.as_str()) {
                Ok(())
            } else {
                Err(format!(
                    "there is no event {event:?}; {}",
                    advice(event, known.into_iter())
                ))
            }
        }
        Node::Calculate { operator, of } => check_operator(operator, of.len()),
        Node::Call { function, .. } | Node::Ask { function, .. } => {
            let mut letters = function.chars();
            let starts = letters.next().is_some_and(|first| first.is_ascii_lowercase());
            if starts && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
                Ok(())
            } else {
                Err(format!("{function:?} is not the name of a function"))
            }
        }
        _ => Ok(()),
    }
}

fn check_operator(operator: &str, count: usize) -> Result<(), String> {
    const CHAINED: [&str; 6] = ["+", "*", "and", "or", "-", "/"];
    const OF_TWO: [&str; 7] = ["%", "==", "!=", "<", "<=", ">", ">="];
    let fits = match operator {
        "not" => count == 1,
        "-" => (1..=8).contains(&count),
        _ if CHAINED.contains(&operator) => (2..=8).contains(&count),
        _ if OF_TWO.contains(&operator) => count == 2,
        _ => {
            let known = CHAINED.into_iter().chain(OF_TWO).chain(["not"]);
            return Err(format!(
                "there is no operator {operator:?}; {}",
                advice(operator, known)
            ));
        }
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{operator:?} is not for {count} values"))
    }
}
