//! One walk through syntax trees, for all that look for something in them. The compiler translates
//! the walk of syn anew for each visitor, so each visitor makes the crate slower to build.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, ExprLet, ExprMethodCall, Pat, PatIdent, Path, Type, TypePath};

/// A part of a syntax tree.
pub(crate) enum Node<'a> {
    Call(&'a ExprCall),
    MethodCall(&'a ExprMethodCall),
    Let(&'a ExprLet),
    Variable(&'a mut PatIdent),
    Path(&'a Path),
    Type(&'a TypePath),
}

/// Receives the parts of a tree, outer ones first, and says whether to look inside.
type Look<'a> = dyn FnMut(Node<'_>) -> bool + 'a;

/// Walks through a type.
pub(crate) fn through_type(ty: &Type, look: &mut Look<'_>) {
    Walk(look).visit_type_mut(&mut ty.clone());
}

/// Walks through an expression.
pub(crate) fn through_expression(expression: &Expr, look: &mut Look<'_>) {
    Walk(look).visit_expr_mut(&mut expression.clone());
}

/// Walks through a block.
pub(crate) fn through_block(block: &Block, look: &mut Look<'_>) {
    Walk(look).visit_block_mut(&mut block.clone());
}

/// Walks through a pattern, and may change its variables.
pub(crate) fn through_pattern(pattern: &mut Pat, look: &mut Look<'_>) {
    Walk(look).visit_pat_mut(pattern);
}

struct Walk<'a, 'look>(&'a mut Look<'look>);

impl VisitMut for Walk<'_, '_> {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        if (self.0)(Node::Call(call)) {
            visit_mut::visit_expr_call_mut(self, call);
        }
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        if (self.0)(Node::MethodCall(call)) {
            visit_mut::visit_expr_method_call_mut(self, call);
        }
    }

    fn visit_expr_let_mut(&mut self, condition: &mut ExprLet) {
        if (self.0)(Node::Let(condition)) {
            visit_mut::visit_expr_let_mut(self, condition);
        }
    }

    fn visit_pat_ident_mut(&mut self, variable: &mut PatIdent) {
        if (self.0)(Node::Variable(variable)) {
            visit_mut::visit_pat_ident_mut(self, variable);
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        if (self.0)(Node::Path(path)) {
            visit_mut::visit_path_mut(self, path);
        }
    }

    fn visit_type_path_mut(&mut self, ty: &mut TypePath) {
        if (self.0)(Node::Type(ty)) {
            visit_mut::visit_type_path_mut(self, ty);
        }
    }
}
