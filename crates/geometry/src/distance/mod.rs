//! Distance between convex shapes, shape casts and time of impact.
