//! geo 0.33: geometry in the plane. Two multipolygons, which need not be valid.

use geo::{
    Area, BooleanOps, Centroid, ConvexHull, Coord, HasDimensions, Intersects, LineString,
    MultiPolygon, Polygon, Relate, Simplify,
};

/// The corners of polygons, one after the other.
pub type Polygons = Vec<Vec<(i8, i8)>>;

/// Corners of a polygon.
const CORNERS_MAX: usize = 12;

/// The two together, what they share, and how they lie.
///
/// # Panics
///
/// Inside `geo`.
pub fn check(left: &[Vec<(i8, i8)>], right: &[Vec<(i8, i8)>]) {
    let (left, right) = (polygons(left), polygons(right));
    let _ = left.intersects(&right);
    let both = left.union(&right);
    let _ = (both.unsigned_area(), both.centroid(), both.simplify(1.0).is_empty());
    let _ = left.intersection(&right).convex_hull();
    let _ = left.difference(&right).unsigned_area();
    let _ = left.relate(&right).is_within();
}

fn polygons(corners: &[Vec<(i8, i8)>]) -> MultiPolygon<f64> {
    let ring = |corners: &Vec<(i8, i8)>| {
        let corners = corners.iter().take(CORNERS_MAX);
        let corners = corners.map(|&(x, y)| Coord { x: f64::from(x), y: f64::from(y) });
        Polygon::new(LineString::new(corners.collect()), Vec::new())
    };
    MultiPolygon::new(corners.iter().take(4).map(ring).collect())
}
