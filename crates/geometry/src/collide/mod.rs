//! Contact manifolds: where and how two shapes touch.
