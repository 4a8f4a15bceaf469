//! What the targets in `ours` and `stock` do: uses of large crates. Each module holds one, and the
//! type of its values.
//!
//! The targets in `ours` draw the values with dwindle, their twins in `stock` with `arbitrary`.

pub mod date_arithmetic;
pub mod font_face;
pub mod graph_algorithms;
pub mod markdown_html;
pub mod polygon_overlay;
pub mod rectangle_tree;
pub mod rope_edits;
pub mod script_run;
pub mod sql_parse;
pub mod template_render;
pub mod toml_document;
pub mod wasm_validate;
pub mod xml_document;
