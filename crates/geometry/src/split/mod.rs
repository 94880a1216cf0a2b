//! Cutting simple polygons by a line or a segment.
