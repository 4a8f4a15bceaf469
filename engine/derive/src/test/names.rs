//! `let name = tc.draw(..);` keeps its name for the report of a failure.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprMatch, ExprWhile, Item, Lit, LitStr, Local,
    Pat, Stmt,
};

use crate::walk::{Node, through_expression, through_pattern};

/// Passes the variable name to each `let name = tc.draw(..)` in `block`, where `tc` is `test_case`
/// and not hidden by another variable.
///
/// Values, types and evaluation order stay the same, because `draw_named` is `draw` with one more
/// argument.
pub(super) fn keep(block: &mut Block, test_case: &Ident) {
    Naming { test_case }.visit_block_mut(block);
}

/// The text of a pattern as in a `let`, without `mut`.
pub(super) fn of_pattern(pattern: &Pat) -> String {
    let mut pattern =
        if let Pat::Type(typed) = pattern { (*typed.pat).clone() } else { pattern.clone() };
    through_pattern(&mut pattern, &mut |node| {
        if let Node::Variable(variable) = node {
            variable.mutability = None;
        }
        true
    });
    // Removes the spaces that token printing adds.
    let text = pattern.to_token_stream().to_string();
    text.replace(" ,", ",")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace("[ ", "[")
        .replace(" ]", "]")
        .replace(" (", "(")
        .replace(" :: ", "::")
}

struct Naming<'a> {
    test_case: &'a Ident,
}

impl Naming<'_> {
    /// Whether a pattern hides the test case behind another variable with its name.
    fn is_hidden_by(&self, pattern: &Pat) -> bool {
        let mut found = false;
        through_pattern(&mut pattern.clone(), &mut |node| {
            found |= matches!(node, Node::Variable(variable) if variable.ident == *self.test_case);
            true
        });
        found
    }

    /// Whether a pattern in a condition hides the test case.
    fn is_hidden_in(&self, condition: &Expr) -> bool {
        let mut found = false;
        through_expression(condition, &mut |node| {
            found |= matches!(node, Node::Let(condition) if self.is_hidden_by(&condition.pat));
            true
        });
        found
    }

    fn name(&self, local: &mut Local) {
        let name = of_pattern(&local.pat);
        let Some(init) = &mut local.init else { return };
        let Expr::MethodCall(call) = &mut *init.expr else { return };
        let is_ours =
            matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident(self.test_case));
        if is_ours && call.method == "draw" && call.args.len() == 1 {
            call.method = Ident::new("draw_named", call.method.span());
            call.args.insert(
                0,
                Expr::Lit(syn::ExprLit {
                    attrs: Vec::new(),
                    lit: Lit::Str(LitStr::new(&name, Span::mixed_site())),
                }),
            );
        }
    }
}

impl VisitMut for Naming<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in &mut block.stmts {
            visit_mut::visit_stmt_mut(self, statement);
            if let Stmt::Local(local) = statement {
                self.name(local);
                if self.is_hidden_by(&local.pat) {
                    return;
                }
            }
        }
    }

    fn visit_item_mut(&mut self, _item: &mut Item) {}

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        if !closure.inputs.iter().any(|input| self.is_hidden_by(input)) {
            visit_mut::visit_expr_closure_mut(self, closure);
        }
    }

    fn visit_expr_for_loop_mut(&mut self, looped: &mut ExprForLoop) {
        self.visit_expr_mut(&mut looped.expr);
        if !self.is_hidden_by(&looped.pat) {
            self.visit_block_mut(&mut looped.body);
        }
    }

    fn visit_expr_while_mut(&mut self, looped: &mut ExprWhile) {
        if !self.is_hidden_in(&looped.cond) {
            visit_mut::visit_expr_while_mut(self, looped);
        }
    }

    fn visit_expr_if_mut(&mut self, chosen: &mut ExprIf) {
        if !self.is_hidden_in(&chosen.cond) {
            self.visit_expr_mut(&mut chosen.cond);
            self.visit_block_mut(&mut chosen.then_branch);
        }
        if let Some((_, otherwise)) = &mut chosen.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_match_mut(&mut self, chosen: &mut ExprMatch) {
        self.visit_expr_mut(&mut chosen.expr);
        for arm in &mut chosen.arms {
            if !self.is_hidden_by(&arm.pat) {
                self.visit_arm_mut(arm);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn kept(mut block: Block) -> String {
        keep(&mut block, &parse_quote!(tc));
        block.to_token_stream().to_string()
    }

    fn text(block: &Block) -> String {
        block.to_token_stream().to_string()
    }

    #[test]
    fn draws_into_a_variable_keep_its_name_wherever_they_stand() {
        let block = parse_quote!({
            let mut x = tc.draw(a);
            for _ in 0..3 {
                if let Some(y) = z {
                    let y: u8 = tc.draw(b) else { return };
                }
            }
            let f = || {
                let (a, mut b) = tc.draw(c);
            };
        });
        let named: Block = parse_quote!({
            let mut x = tc.draw_named("x", a);
            for _ in 0..3 {
                if let Some(y) = z {
                    let y: u8 = tc.draw_named("y", b) else { return };
                }
            }
            let f = || {
                let (a, mut b) = tc.draw_named("(a, b)", c);
            };
        });
        assert_eq!(kept(block), text(&named));
    }

    #[test]
    fn what_is_no_draw_of_the_test_case_into_a_variable_stays() {
        let block: Block = parse_quote!({
            tc.draw(a);
            let x = tc.draw(b).len();
            let y = other.draw(c);
            let z = f(tc.draw(d));
            let w = tc.draw_silent(e);
        });
        assert_eq!(kept(block.clone()), text(&block));
    }

    #[test]
    fn where_something_hides_the_test_case_nothing_changes() {
        let block: Block = parse_quote!({
            let a = g::from_fn(|tc| {
                let x = tc.draw(a);
                x
            });
            for tc in cases {
                let x = tc.draw(a);
            }
            match one {
                Some(tc) => {
                    let x = tc.draw(a);
                }
            }
            if let Some(tc) = one {
                let x = tc.draw(a);
            }
            while let Some(tc) = one {
                let x = tc.draw(a);
            }
            fn inner(tc: &mut Other) {
                let x = tc.draw(a);
            }
            let tc = Other;
            let x = tc.draw(a);
        });
        assert_eq!(kept(block.clone()), text(&block));
    }

    #[test]
    fn the_draw_that_hides_the_test_case_is_still_one() {
        let block: Block = parse_quote!({
            let tc = tc.draw(a);
        });
        assert_eq!(
            kept(block),
            text(&parse_quote!({
                let tc = tc.draw_named("tc", a);
            }))
        );
    }

    #[test]
    fn patterns_are_named_as_they_are_written_without_mut() {
        let name = |local: Stmt| {
            if let Stmt::Local(local) = local {
                of_pattern(&local.pat)
            } else {
                unreachable!("it is a let")
            }
        };
        assert_eq!(name(parse_quote!(let mut x: u8 = 1;)), "x");
        assert_eq!(name(parse_quote!(let Point(mut x, [y, ..]) = p;)), "Point(x, [y, ..])");
    }
}
