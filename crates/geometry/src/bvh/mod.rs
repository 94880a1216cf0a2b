//! Dynamic bounding volume hierarchy: finds what overlaps a box, a ray or a moving shape.
