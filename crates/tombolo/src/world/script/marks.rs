//! Marks in a script's tree: where a value is copied and where one of the language's own functions is called, so
//! that `prices.rs` can see the value and charge for it. The language counts such a copy or call as one operation,
//! however large the value is.
//!
//! There are two kinds of marks. A variable that is read as a whole gets a name that begins with a
//! [`letter`](MARKED): the language finds variables by their position, and passes the name to the hook of
//! `prices.rs`. Everything else is wrapped in an expression of a kind that no source text can contain ([`KEY`]); its
//! handler sees the tree below it and its value.

use std::cell::RefCell;
use std::sync::Arc;

use rhai::{
    AST, ASTFlags, ASTNode, BinaryExpr, CustomExpr, Dynamic, Engine, Expr, FlowControl, FnCallExpr,
    ImmutableString, Module, ParseError, ParseErrorType, Position, ScriptFuncDef, Shared, Stmt, StmtBlock,
    SwitchCasesCollection,
};

use super::price_list::{Price, price_of};

/// The keyword of a wrapping expression. No token of the language looks like this.
pub(super) const KEY: &str = "(price)";
/// The placeholder for a function's marked body. The language does not allow changes of a function's tree, but a new
/// function may be composed; so its body is this word, and the expression is stored beside it ([`MarkedBody`]).
pub(super) const BODY: &str = "__body";

/// A function's body.
#[derive(Clone, Debug)]
pub(super) struct MarkedBody(pub(super) Arc<Expr>);

thread_local! {
    /// The body that the next placeholder stands for.
    static NEXT: RefCell<Option<MarkedBody>> = const { RefCell::new(None) };
}

/// The body that [`BODY`] stands for at the present position.
///
/// # Errors
///
/// If the word is in a script.
pub(super) fn next_body() -> Result<Dynamic, ParseError> {
    let body = NEXT.take().map(Dynamic::from);
    body.ok_or_else(|| ParseError(ParseErrorType::Reserved(BODY.into()).into(), Position::NONE))
}

/// The letters before the name of a variable that is read as a whole, with the use that each stands for.
pub(super) const MARKED: [(char, Use); 4] = [
    ('\u{1}', Use::Copied),
    ('\u{2}', Use::Worked),
    ('\u{3}', Use::Touched),
    ('\u{4}', Use::Indexed),
];

/// The use of a value, which decides the charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A use without cost.
    Left,
    /// The value is copied.
    Copied,
    /// An operator or a loop reads all of the value.
    Worked,
    /// The size of the value is read.
    Touched,
    /// An element of the value is written, which for a string rewrites all of it.
    Indexed,
    /// A function with this price is called on the value.
    Called(Price),
}

impl Use {
    fn letter(self) -> Option<char> {
        let marked = MARKED.iter().find(|(_, known)| *known == self);
        marked.map(|(letter, _)| *letter)
    }
}

/// The kind of expression inside a wrapping expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Any expression: its value is used.
    Value,
    /// A chain that reads a value.
    Read,
    /// A call on a variable or on an element of it.
    Call,
    /// An assigned value; the second expression is the target.
    Assignment,
    /// A call as `Call`, by which the script of a node graph picks its next node: `trace.rs` notes the value.
    Step,
}

const AROUND: [Around; 5] = [
    Around::Value,
    Around::Read,
    Around::Call,
    Around::Assignment,
    Around::Step,
];
const USES: [Use; 11] = [
    Use::Left,
    Use::Copied,
    Use::Worked,
    Use::Touched,
    Use::Called(Price::Short),
    Use::Called(Price::Element),
    Use::Called(Price::Whole),
    Use::Called(Price::Sort),
    Use::Called(Price::Each),
    Use::Called(Price::Pad),
    Use::Called(Price::Letters),
];

/// The two as one number, which the language passes to the handler.
fn code(around: Around, then: Use) -> i64 {
    let place = |found: Option<usize>| found.unwrap_or_default() as i64;
    let around = place(AROUND.iter().position(|known| *known == around));
    around * 16 + place(USES.iter().position(|known| *known == then))
}

/// The two from such a number.
pub(super) fn decoded(state: &Dynamic) -> (Around, Use) {
    let code = state.as_int().unwrap_or_default() as usize;
    let around = AROUND.get(code / 16).copied().unwrap_or(Around::Value);
    (around, USES.get(code % 16).copied().unwrap_or(Use::Copied))
}

/// A tree with marks. The first `generated` lines of the text were generated from a node graph.
///
/// # Errors
///
/// Only those of the language's parser, which has accepted the script already.
pub(super) fn marked(tree: &AST, engine: &Engine, generated: usize) -> Result<AST, ParseError> {
    let marker = Marker {
        generated,
        functions: tree.iter_fn_def().map(|function| function.name.clone()).collect(),
    };
    let mut statements = tree.statements().to_vec();
    statements
        .iter_mut()
        .for_each(|statement| marker.statement(statement));
    let mut functions = Module::new();
    for function in tree.iter_fn_def() {
        functions.set_script_fn(marker.function(function, engine)?);
    }
    Ok(AST::new(statements, functions))
}

struct Marker {
    /// The number of lines that were generated from a node graph.
    generated: usize,
    /// The names of the script's functions.
    functions: Vec<ImmutableString>,
}

/// A link of a chain of dots and brackets.
struct ChainLink {
    is_dot: bool,
    flags: ASTFlags,
    position: Position,
    /// A property, a call, or an index in brackets.
    step: Expr,
}

impl ChainLink {
    fn is_call(&self) -> bool {
        matches!(self.step, Expr::MethodCall(..))
    }
}

impl Marker {
    fn function(
        &self,
        function: &Shared<ScriptFuncDef>,
        engine: &Engine,
    ) -> Result<ScriptFuncDef, ParseError> {
        let mut statements = statements_of(function);
        statements
            .iter_mut()
            .for_each(|statement| self.statement(statement));
        let (start, end) = (function.body.start_position(), function.body.end_position());
        let block = StmtBlock::new(statements, start, end);
        NEXT.set(Some(MarkedBody(Arc::new(Expr::Stmt(block.into())))));
        let stand_in = engine.compile(format!("fn f() {{ {BODY} }}"));
        NEXT.take();
        let mut function = ScriptFuncDef::clone(function);
        if let Some(stand_in) = stand_in?.iter_fn_def().next() {
            function.body = stand_in.body.clone();
        }
        Ok(function)
    }

    fn block(&self, block: &mut StmtBlock) {
        block
            .statements_mut()
            .iter_mut()
            .for_each(|statement| self.statement(statement));
    }

    fn flow(&self, flow: &mut FlowControl, then: Use) {
        self.expression(&mut flow.expr, then);
        self.block(&mut flow.body);
        self.block(&mut flow.branch);
    }

    fn statement(&self, statement: &mut Stmt) {
        match statement {
            Stmt::If(flow, _) | Stmt::While(flow, _) | Stmt::Do(flow, ..) => self.flow(flow, Use::Left),
            Stmt::For(inner, _) => self.flow(&mut inner.2, Use::Worked),
            // The expression there is the name of the caught error.
            Stmt::TryCatch(flow, _) => {
                self.block(&mut flow.body);
                self.block(&mut flow.branch);
            }
            Stmt::Switch(inner, _) => {
                let (value, SwitchCasesCollection { expressions, .. }) = &mut **inner;
                self.expression(value, Use::Worked);
                self.mark_step(value);
                for BinaryExpr { lhs, rhs } in expressions {
                    self.expression(lhs, Use::Left);
                    self.expression(rhs, Use::Copied);
                }
            }
            Stmt::Var(inner, ..) => self.expression(&mut inner.1, Use::Copied),
            Stmt::Assignment(inner) => {
                let (operator, BinaryExpr { lhs, rhs }) = &mut **inner;
                let is_operator = operator.is_op_assignment();
                self.expression(rhs, if is_operator { Use::Worked } else { Use::Copied });
                self.target(lhs, rhs, is_operator);
            }
            Stmt::FnCall(call, position) => {
                let call = Expr::FnCall(call.clone(), *position);
                *statement = Stmt::Expr(call.into());
                self.statement(statement);
            }
            Stmt::Block(block) => self.block(block),
            Stmt::Expr(expression) => self.expression(expression, Use::Copied),
            Stmt::BreakLoop(value, ..) | Stmt::Return(value, ..) => {
                if let Some(value) = value {
                    self.expression(value, Use::Copied);
                }
            }
            _ => {}
        }
    }

    /// Marks the marked value of a switch as the pick of a node graph's next node, if that it is: generated lines have
    /// no other.
    fn mark_step(&self, value: &mut Expr) {
        let is_generated = value.position().line().is_some_and(|line| line <= self.generated);
        if let (true, Expr::Custom(custom, _)) = (is_generated, value) {
            custom.state = code(Around::Step, Use::Worked).into();
        }
    }

    /// Marks the target of an assignment; marks that need the tree are around the assigned value.
    fn target(&self, target: &mut Expr, assigned: &mut Expr, is_operator: bool) {
        if !matches!(target, Expr::Dot(..) | Expr::Index(..)) {
            if is_operator {
                name(target, Use::Touched);
            }
            return;
        }
        let (mut root, mut links) = links_of(target);
        links.iter_mut().for_each(|link| self.step(link));
        let ends_in_brackets = links.last().is_some_and(|link| !link.is_dot);
        let is_variable = name_of(&root).is_some();
        if !is_operator && is_variable {
            name(&mut root, Use::Indexed);
        }
        *target = chain(root, links);
        if is_operator || (ends_in_brackets && !is_variable) {
            let then = if is_operator { Use::Touched } else { Use::Left };
            let position = assigned.position();
            let inner = vec![std::mem::take(assigned), target.clone()];
            *assigned = wrapped(inner, Around::Assignment, then, position);
        }
    }

    fn step(&self, link: &mut ChainLink) {
        match &mut link.step {
            Expr::Property(..) => {}
            Expr::MethodCall(call, _) => {
                let then = used_by(&call.name);
                call.args
                    .iter_mut()
                    .for_each(|argument| self.expression(argument, then));
            }
            index => self.expression(index, Use::Copied),
        }
    }

    fn expressions<'e>(&self, of: impl IntoIterator<Item = &'e mut Expr>, then: Use) {
        of.into_iter()
            .for_each(|expression| self.expression(expression, then));
    }

    fn expression(&self, expression: &mut Expr, then: Use) {
        match expression {
            // A large literal is one operation too, where it is an argument.
            Expr::Array(inner, _) => {
                self.expressions(inner.iter_mut(), Use::Copied);
                if inner.len() > 8 {
                    wrap(expression, Around::Value, worth(then));
                }
            }
            Expr::Map(inner, _) => {
                self.expressions(inner.0.iter_mut().map(|(_, value)| value), Use::Copied);
                if inner.0.len() > 2 {
                    wrap(expression, Around::Value, worth(then));
                }
            }
            Expr::StringConstant(text, _) if text.len() > 64 => wrap(expression, Around::Value, worth(then)),
            Expr::InterpolatedString(inner, _) => {
                self.expressions(inner.iter_mut(), Use::Worked);
                if let Use::Called(_) = then {
                    wrap(expression, Around::Value, then);
                }
            }
            Expr::Variable(..) if name_of(expression).is_some() && then.letter().is_some() => {
                name(expression, then);
            }
            Expr::Variable(..) | Expr::ThisPtr(_) | Expr::DynamicConstant(..) => {
                wrap(expression, Around::Value, worth(then));
            }
            Expr::And(inner, _) | Expr::Or(inner, _) => self.expressions(inner.iter_mut(), Use::Left),
            Expr::Coalesce(inner, _) => {
                self.expressions(inner.iter_mut(), worth(then));
            }
            Expr::Stmt(block) => {
                self.block(block);
                if matches!(then, Use::Called(_) | Use::Worked) {
                    wrap(expression, Around::Value, then);
                }
            }
            Expr::FnCall(..) => self.call(expression, then),
            Expr::Dot(..) | Expr::Index(..) => self.chain(expression, then),
            _ => {}
        }
    }

    fn call(&self, expression: &mut Expr, then: Use) {
        let Expr::FnCall(call, _) = expression else { return };
        let FnCallExpr {
            name, args, op_token, ..
        } = &mut **call;
        if op_token.is_some() {
            self.expressions(args.iter_mut(), Use::Worked);
            if let Use::Called(_) = then {
                wrap(expression, Around::Value, then);
            }
            return;
        }
        let price = price_of(name);
        let others = used_by(name);
        let is_script = self.functions.contains(name);
        let mut around = Around::Value;
        let mut arguments = args.iter_mut();
        if let Some(first) = arguments.next() {
            let is_lent = name_of(first).is_some() || matches!(first, Expr::ThisPtr(_));
            if is_script || others == Use::Worked {
                self.expression(first, others);
            } else if price == Price::Free {
                if !is_lent {
                    self.expression(first, Use::Left);
                }
            } else if is_lent {
                around = Around::Call;
            } else {
                self.expression(first, Use::Called(price));
            }
        }
        self.expressions(arguments, others);
        let after = result_of(price, then);
        if around == Around::Call || (after != Use::Left && price != Price::Free) {
            wrap(expression, around, after);
        }
    }

    fn chain(&self, expression: &mut Expr, then: Use) {
        let (mut root, mut links) = links_of(expression);
        links.iter_mut().for_each(|link| self.step(link));
        let first_price = links.iter().find_map(called);
        let mut is_lent = name_of(&root).is_some() || matches!(root, Expr::ThisPtr(_));
        if !is_lent {
            self.expression(&mut root, first_price.map_or(Use::Copied, Use::Called));
        }
        // A chain that ends early at a `()` cannot be divided.
        let may_part = !links.iter().any(|link| link.flags.contains(ASTFlags::NEGATED));
        let mut part = Vec::new();
        let mut rest = links.into_iter().peekable();
        while let Some(link) = rest.next() {
            let ends = link.is_call() && may_part && rest.peek().is_some();
            part.push(link);
            if ends {
                let next = Vec::from_iter(rest);
                let after = next.iter().find_map(called).map_or(Use::Left, Use::Called);
                root = self.finished(root, std::mem::take(&mut part), is_lent, after);
                is_lent = false;
                rest = next.into_iter().peekable();
            }
        }
        *expression = self.finished(root, part, is_lent, then);
    }

    /// A chain with at most one call, at its end, and its mark.
    fn finished(&self, root: Expr, links: Vec<ChainLink>, is_lent: bool, then: Use) -> Expr {
        let price = links.last().and_then(called);
        let mut done = chain(root, links);
        let around = match price {
            Some(_) if is_lent => Around::Call,
            Some(_) => Around::Value,
            None => Around::Read,
        };
        let after = price.map_or(worth(then), |price| result_of(price, then));
        if around != Around::Value || after != Use::Left {
            wrap(&mut done, around, after);
        }
        done
    }
}

/// The statements of a function's body, which the language shows to walks only.
pub(super) fn statements_of(function: &Shared<ScriptFuncDef>) -> Vec<Stmt> {
    let mut alone = Module::new();
    alone.set_script_fn(function.clone());
    let mut statements = Vec::new();
    AST::new([], alone).walk(&mut |path: &[ASTNode<'_>]| {
        if let [ASTNode::Stmt(statement)] = path {
            statements.push((*statement).clone());
        }
        true
    });
    statements
}

/// The use that a call makes of its arguments after the first.
fn used_by(name: &str) -> Use {
    // A function behind a pointer may be any function.
    if name == "call" { Use::Worked } else { Use::Copied }
}

/// The use of a call's result that is left to charge.
fn result_of(price: Price, then: Use) -> Use {
    match then {
        Use::Worked | Use::Called(_) => then,
        Use::Copied | Use::Left if price == Price::Element => Use::Copied,
        _ => Use::Left,
    }
}

/// The use to charge for a value that is created by copying.
fn worth(then: Use) -> Use {
    if then == Use::Left { Use::Copied } else { then }
}

fn called(link: &ChainLink) -> Option<Price> {
    match &link.step {
        Expr::MethodCall(call, _) => Some(match price_of(&call.name) {
            // An entry of the map may have the name, and hold a function.
            Price::Free => Price::Short,
            price => price,
        }),
        _ => None,
    }
}

/// The name of a variable that is found by its index.
fn name_of(expression: &Expr) -> Option<&ImmutableString> {
    match expression {
        Expr::Variable(inner, short, _) if inner.2.is_empty() && (short.is_some() || inner.0.is_some()) => {
            Some(&inner.1)
        }
        _ => None,
    }
}

fn name(expression: &mut Expr, then: Use) {
    if let (Some(letter), Some(name)) = (then.letter(), name_of(expression)) {
        let name = format!("{letter}{name}").into();
        if let Expr::Variable(inner, ..) = expression {
            inner.1 = name;
        }
    }
}

fn wrap(expression: &mut Expr, around: Around, then: Use) {
    let position = expression.position();
    *expression = wrapped(vec![std::mem::take(expression)], around, then, position);
}

fn wrapped(inputs: Vec<Expr>, around: Around, then: Use, position: Position) -> Expr {
    let custom = CustomExpr {
        inputs: inputs.into_iter().collect(),
        tokens: std::iter::once(KEY.into()).collect(),
        state: code(around, then).into(),
        scope_may_be_changed: false,
        self_terminated: false,
    };
    Expr::Custom(custom.into(), position)
}

/// The parts of a chain, which the language nests to the right.
fn links_of(expression: &mut Expr) -> (Expr, Vec<ChainLink>) {
    let mut links = Vec::new();
    let (root, mut next) = match std::mem::take(expression) {
        whole @ (Expr::Dot(..) | Expr::Index(..)) => (None, whole),
        other => return (other, links),
    };
    let mut root: Option<Expr> = root;
    loop {
        let (inner, flags, position, is_dot) = match next {
            Expr::Dot(inner, flags, position) => (inner, flags, position, true),
            Expr::Index(inner, flags, position) => (inner, flags, position, false),
            last => {
                // Unreachable: the loop continues for chains only.
                return (root.unwrap_or(last), links);
            }
        };
        let BinaryExpr { lhs, rhs } = *inner;
        match &mut root {
            None => root = Some(lhs),
            Some(_) => {
                if let Some(ChainLink { step, .. }) = links.last_mut() {
                    *step = lhs;
                }
            }
        }
        let goes_on = !flags.contains(ASTFlags::BREAK) && matches!(rhs, Expr::Dot(..) | Expr::Index(..));
        links.push(ChainLink {
            is_dot,
            flags,
            position,
            step: Expr::default(),
        });
        if goes_on {
            next = rhs;
            continue;
        }
        if let Some(ChainLink { step, .. }) = links.last_mut() {
            *step = rhs;
        }
        return (root.unwrap_or_default(), links);
    }
}

/// The chain with these parts.
fn chain(root: Expr, links: Vec<ChainLink>) -> Expr {
    let mut links = links.into_iter().rev();
    let Some(last) = links.next() else { return root };
    let mut tail = last.step;
    let (mut is_dot, mut flags, mut position) = (last.is_dot, last.flags | ASTFlags::BREAK, last.position);
    let node = |is_dot: bool, flags: ASTFlags, position: Position, lhs: Expr, rhs: Expr| {
        let inner = Box::new(BinaryExpr { lhs, rhs });
        if is_dot {
            Expr::Dot(inner, flags, position)
        } else {
            Expr::Index(inner, flags, position)
        }
    };
    for link in links {
        tail = node(is_dot, flags, position, link.step, tail);
        (is_dot, flags, position) = (link.is_dot, link.flags - ASTFlags::BREAK, link.position);
    }
    node(is_dot, flags, position, root, tail)
}
