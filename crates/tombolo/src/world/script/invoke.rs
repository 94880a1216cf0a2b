//! [`Functions`]: the functions of a script that handle events, ready to be called.
//!
//! The language's own call of a function by name resolves each function that the body uses anew in each call, among all
//! that there are. Here what a call has resolved is kept for the next call of the same script.

use rhai::{
    AST, Caches, Dynamic, Engine, EvalAltResult, EvalContext, Expr, Expression, ImmutableString, Position,
    Scope, StmtBlock,
};
use tombolo_locks::{Adaptive, Mutex};

use super::handler::Handler;
use super::marks::statements_of;
use super::meter::charge;

type Result<T> = core::result::Result<T, Box<EvalAltResult>>;

/// The number of resolved functions above which all are forgotten: a script that makes up names would add more forever.
const RESOLVED_MAX: usize = 256;

/// The functions of a script that handle events.
#[derive(Debug)]
pub(super) struct Functions {
    /// The code outside functions, which runs before each call; `None` if there is none.
    outside: Option<Expr>,
    /// The functions in the order of [`Handler::ALL`].
    functions: [Option<Function>; Handler::ALL.len()],
    /// One for each thread that has called the script at the same time as others, without those that calls use now. Behind a
    /// lock whose waits poll: the main thread of a page steps worlds too, and must not sleep.
    #[expect(
        clippy::vec_box,
        reason = "it is moved in and out with each call, and is large"
    )]
    kept: Mutex<Adaptive, Vec<Box<Kept>>>,
}

#[derive(Debug)]
struct Function {
    parameters: Box<[ImmutableString]>,
    body: Expr,
}

/// What a call leaves to the next one of the same script. Results do not depend on it.
#[derive(Debug, Default)]
struct Kept {
    /// The functions that calls have resolved.
    caches: Caches,
    /// Empty between calls, with its memory.
    scope: Scope<'static>,
}

impl Functions {
    /// The functions of a marked tree.
    pub(super) fn of(tree: &AST) -> Self {
        let block =
            |statements| Expr::Stmt(StmtBlock::new(statements, Position::NONE, Position::NONE).into());
        let outside = tree.statements().to_vec();
        let functions = Handler::ALL.map(|handler| {
            let mut all = tree.iter_fn_def();
            let function = all.find(|function| function.name == handler.signature().0)?;
            Some(Function {
                parameters: function.params.iter().cloned().collect(),
                body: block(statements_of(function)),
            })
        });
        Self {
            outside: (!outside.is_empty()).then(|| block(outside)),
            functions,
            kept: Mutex::new(Adaptive::new(), Vec::new()),
        }
    }

    /// Whether the script has a function for an event.
    pub(super) fn handle(&self, handler: Handler) -> bool {
        self.functions[handler as usize].is_some()
    }

    /// Calls the function for an event, if the script has one.
    ///
    /// # Errors
    ///
    /// The error that ended the call.
    pub(super) fn call(
        &self,
        engine: &Engine,
        tree: &AST,
        handler: Handler,
        this: &mut Dynamic,
        given: Vec<Dynamic>,
    ) -> Result<()> {
        let Some(function) = &self.functions[handler as usize] else {
            return Ok(());
        };
        // Taken out, so that a call on another thread takes another one instead of waiting.
        let kept = self.kept.lock().pop();
        let mut kept = kept.unwrap_or_default();
        let done = self.run(engine, tree, function, this, given, &mut kept);
        kept.scope.clear();
        if kept.caches.fn_resolution_cache_mut().dict.len() > RESOLVED_MAX {
            kept.caches = Caches::new();
        }
        self.kept.lock().push(kept);
        done
    }

    fn run(
        &self,
        engine: &Engine,
        tree: &AST,
        function: &Function,
        this: &mut Dynamic,
        given: Vec<Dynamic>,
        Kept { caches, scope }: &mut Kept,
    ) -> Result<()> {
        let global = &mut engine.new_global_runtime_state();
        global.lib.push(tree.shared_lib().clone());
        if let Some(outside) = &self.outside {
            let mut context = EvalContext::new(engine, global, caches, scope, None);
            #[expect(
                deprecated,
                reason = "it is not; the name stands for an interface that may change"
            )]
            ended(context.eval_expression_tree_raw(&Expression::from(outside), false))?;
            scope.clear();
        }
        // What the language itself does when it calls a function.
        global.level += 1;
        charge(1)?;
        scope.extend(function.parameters.iter().cloned().zip(given));
        let mut context = EvalContext::new(engine, global, caches, scope, Some(this));
        ended(context.eval_expression_tree(&Expression::from(&function.body))).map_err(|mut error| {
            if error.is_system_exception() {
                error.set_position(Position::NONE);
            }
            error
        })
    }
}

/// The end of a function: `return` ends one like its last statement.
fn ended(result: Result<Dynamic>) -> Result<()> {
    match result {
        Err(error) if !matches!(*error, EvalAltResult::Return(..) | EvalAltResult::Exit(..)) => Err(error),
        _ => Ok(()),
    }
}
