//! The shapes: circle, capsule, segment and convex polygon; hulls and mass properties.
