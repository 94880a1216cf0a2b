//! A compiled script: its text, its tree, and the events that it handles; and errors of scripts, with their lines.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rhai::{AST, ASTNode, Dynamic, Engine, EvalAltResult, Expr, ParseError, Scope, Stmt};

use super::handler::Handler;
use super::invoke::Functions;
use super::language::Language;
use super::marks;
use crate::scene::graph::{generated_lines, place_of_line};
use crate::scene::{ScriptLimits, with_plain_line_ends};

/// The greatest length of a message in bytes; the rest is dropped.
const MESSAGE_BYTES_MAX: usize = 500;

/// The reason why a script cannot be read, or ended with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The line of the script, from 1, if it is known.
    pub line: Option<usize>,
    /// The error in words.
    pub message: Box<str>,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScriptError {}

impl ScriptError {
    pub(super) fn new(line: Option<usize>, message: impl Into<Box<str>>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_BYTES_MAX {
            // A script can put strings of any length into its errors.
            message = format!("{}…", &message[..message.floor_char_boundary(MESSAGE_BYTES_MAX)]).into();
        }
        Self { line, message }
    }

    /// The same error, at a node instead of a line if the script is that of a node graph.
    pub(super) fn in_script(self, text: &str) -> Self {
        match self.line.and_then(|line| place_of_line(text, line)) {
            Some(place) => Self::new(None, format!("{place}: {}", self.message)),
            None => self,
        }
    }

    fn of_parsing(error: &ParseError) -> Self {
        Self::new(error.position().line(), error.err_type().to_string())
    }

    /// The error that ended a call, in plain words, at the innermost line.
    pub(super) fn of_call(mut error: &mut EvalAltResult, limits: &ScriptLimits) -> Self {
        let mut line = error.position().line();
        while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
            line = inner.position().line().or(line);
            error = inner;
        }
        let message = match error {
            EvalAltResult::ErrorTerminated(..) => {
                format!(
                    "made more than {} operations in one call",
                    limits.operations_per_call
                )
            }
            EvalAltResult::ErrorStackOverflow(_) => {
                format!("made calls within calls, deeper than {}", limits.call_depth)
            }
            EvalAltResult::ErrorDataTooLarge(what, _) => format!("made too much: {}", what.to_lowercase()),
            EvalAltResult::ErrorRuntime(value, _) => match value.as_immutable_string_ref() {
                Ok(text) => text.to_string(),
                Err(_) => format!("threw {value}"),
            },
            other => {
                other.clear_position();
                other.to_string()
            }
        };
        Self::new(line, message)
    }
}

/// A parsed script.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) text: Box<str>,
    tree: AST,
    functions: Functions,
    /// Whether it is the script of a node graph.
    pub(super) is_graph: bool,
    /// Whether calls of it have asked for what has to wait for their turn, so that trying them ahead is a waste. Results do
    /// not depend on it.
    pub(super) waits: AtomicBool,
}

impl Program {
    /// Parses a script, and runs the code outside its functions once, without a world.
    pub(super) fn checked(text: &str, language: &Language) -> Result<Arc<Self>, ScriptError> {
        let program = Self::read(text, language)?;
        let (done, _) =
            language.limited(|engine| engine.run_ast_with_scope(&mut Scope::new(), &program.tree));
        done.map_err(|mut error| ScriptError::of_call(&mut error, language.limits()).in_script(text))?;
        Ok(program)
    }

    /// Parses a script; its lines end with `\n`, whatever ends them in the text.
    pub(super) fn read(text: &str, language: &Language) -> Result<Arc<Self>, ScriptError> {
        let text = &*with_plain_line_ends(text);
        Self::read_lines(text, language).map_err(|error| error.in_script(text))
    }

    fn read_lines(text: &str, language: &Language) -> Result<Arc<Self>, ScriptError> {
        let limits = language.limits();
        if text.len() > limits.text_bytes as usize {
            let message = format!("is {} bytes long; {} are allowed", text.len(), limits.text_bytes);
            return Err(ScriptError::new(None, message));
        }
        let tree = language
            .engine()
            .compile(text)
            .map_err(|error| ScriptError::of_parsing(&error))?;
        refuse_sharing(&tree)?;
        for function in tree
            .iter_functions()
            .filter(|function| function.name.starts_with("on_"))
        {
            check_signature(function.name, function.params.len())
                .map_err(|message| ScriptError::new(line_of(text, function.name), message))?;
        }
        let generated = generated_lines(text);
        let tree = marks::marked(&tree, language.engine(), generated)
            .map_err(|error| ScriptError::of_parsing(&error))?;
        Ok(Arc::new(Self {
            text: text.into(),
            functions: Functions::of(&tree),
            tree,
            is_graph: generated > 0,
            waits: AtomicBool::new(false),
        }))
    }

    /// Whether the script has a function for an event.
    pub(super) fn handles(&self, handler: Handler) -> bool {
        self.functions.handle(handler)
    }

    /// Calls the function for an event, with the script's state in `this`.
    ///
    /// # Errors
    ///
    /// The error that ended the call.
    pub(super) fn call(
        &self,
        engine: &Engine,
        handler: Handler,
        this: &mut Dynamic,
        given: Vec<Dynamic>,
    ) -> Result<(), Box<EvalAltResult>> {
        self.functions.call(engine, &self.tree, handler, this, given)
    }
}

/// Refuses anonymous functions that use the variables around them. The language would share those behind locks, and a
/// thread that meets a held lock sleeps: one script could block the world, and shared memory is not measured. The
/// tree has a call of `curry` where such a function is created.
fn refuse_sharing(tree: &AST) -> Result<(), ScriptError> {
    let mut refused = Ok(());
    tree.walk(&mut |path: &[ASTNode<'_>]| {
        let call = match path.last() {
            Some(
                ASTNode::Expr(Expr::FnCall(call, position)) | ASTNode::Stmt(Stmt::FnCall(call, position)),
            ) => Some((call, position)),
            _ => None,
        };
        if let Some((call, position)) = call
            && call.name == "curry"
        {
            let name = |argument: &Expr| match argument {
                Expr::Variable(variable, ..) => Some(format!("`{}`", variable.1)),
                _ => None,
            };
            let names: Vec<String> = call.args.iter().filter_map(name).collect();
            let message = format!(
                "a function without a name sees its own parameters only, not {}",
                names.join(", ")
            );
            refused = Err(ScriptError::new(position.line(), message));
        }
        refused.is_ok()
    });
    refused
}

/// Refuses a function that is named like a handler, but is none or has another number of parameters.
fn check_signature(name: &str, count: usize) -> Result<(), String> {
    let Some(handler) = Handler::ALL
        .into_iter()
        .find(|handler| handler.signature().0 == name)
    else {
        let known: Vec<&str> = Handler::ALL.iter().map(|handler| handler.signature().0).collect();
        return Err(format!("there is no event `{name}`; known: {}", known.join(", ")));
    };
    let (_, parameters) = handler.signature();
    if parameters.len() != count {
        return Err(format!("write `fn {name}({})`", parameters.join(", ")));
    }
    Ok(())
}

/// The line in which a function begins.
pub(super) fn line_of(text: &str, function: &str) -> Option<usize> {
    let begins = |line: &str| {
        let after = line.split_once("fn ").map(|(_, after)| after.trim_start());
        after
            .and_then(|after| after.strip_prefix(function))
            .is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    text.lines().position(begins).map(|place| place + 1)
}
