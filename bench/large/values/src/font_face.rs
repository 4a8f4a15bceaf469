//! ttf-parser 0.25: a parser of fonts. Bytes.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Takes an outline and forgets it.
struct Nowhere;

impl OutlineBuilder for Nowhere {
    fn move_to(&mut self, _: f32, _: f32) {}
    fn line_to(&mut self, _: f32, _: f32) {}
    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
    fn close(&mut self) {}
}

/// Reads a font, and looks at its first glyphs.
///
/// # Panics
///
/// Inside `ttf-parser`.
pub fn check(bytes: &[u8]) {
    let Ok(face) = Face::parse(bytes, 0) else { return };
    let _ = (face.ascender(), face.is_variable(), face.names().into_iter().count());
    for glyph in 0..face.number_of_glyphs().min(4) {
        let glyph = GlyphId(glyph);
        let _ = (face.outline_glyph(glyph, &mut Nowhere), face.glyph_hor_advance(glyph));
        let _ = (face.glyph_name(glyph), face.glyph_bounding_box(glyph));
    }
    let _ = face.glyph_index('a');
}
