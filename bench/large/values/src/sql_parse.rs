//! sqlparser 0.64: a parser of SQL. Text.

use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// Reads a text, prints what was read and reads it again.
///
/// # Panics
///
/// Inside `sqlparser`.
pub fn check(text: &str) {
    let Ok(statements) = Parser::parse_sql(&GenericDialect {}, text) else { return };
    for statement in statements {
        let _ = Parser::parse_sql(&GenericDialect {}, &statement.to_string());
    }
}
