//! Quadtrees and octrees that move, grow and know their neighbours.
