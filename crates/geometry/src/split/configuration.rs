//! The nine configurations of a vertex on the line, and the role of the vertex in the cut for each.
//!
//! A vertex on the line is named by the sides of the vertex before it, itself (O) and the vertex after it, as in LOR.
//! The inside of the polygon is the wedge that turns counter-clockwise from the leaving edge to the arriving edge; the
//! vertex may be bridged forwards along the line if that wedge holds the forward direction, and backwards if it holds
//! the backward direction. `docs/splitting.md` draws all nine. Pure logic: no coordinates here.

use super::line::Side;

/// The configuration of a vertex on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Configuration {
    LeftOnRight,
    RightOnLeft,
    LeftOnLeft,
    RightOnRight,
    OnOnRight,
    LeftOnOn,
    RightOnOn,
    OnOnLeft,
    OnOnOn,
}

/// The other facts about a vertex on the line beside its configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    /// Whether the vertex before is nearer to the line's start. Read where that vertex is on the line.
    pub(super) is_previous_behind: bool,
    /// Whether the vertex after is nearer to the line's start. Read where that vertex is on the line.
    pub(super) is_next_behind: bool,
    /// Whether the inside takes more than half a turn. Read where both neighbors are on one side.
    pub(super) is_reflex: bool,
}

/// The role of a point on the line, in the line's direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The line only touches the polygon here.
    Touches,
    /// A source: the line enters the inside.
    Opens,
    /// A destination: the line leaves the inside.
    Closes,
    /// A destination that becomes a source once it has served as destination. The piece on the named side has a
    /// straight angle here; the other side splits into two corners.
    ClosesAndOpens {
        /// Whether the straight side is the left one.
        is_left_straight: bool,
    },
}

impl Configuration {
    #[inline]
    pub(super) fn new(previous: Side, next: Side) -> Self {
        match (previous, next) {
            (Side::Left, Side::Right) => Self::LeftOnRight,
            (Side::Right, Side::Left) => Self::RightOnLeft,
            (Side::Left, Side::Left) => Self::LeftOnLeft,
            (Side::Right, Side::Right) => Self::RightOnRight,
            (Side::On, Side::Right) => Self::OnOnRight,
            (Side::Left, Side::On) => Self::LeftOnOn,
            (Side::Right, Side::On) => Self::RightOnOn,
            (Side::On, Side::Left) => Self::OnOnLeft,
            (Side::On, Side::On) => Self::OnOnOn,
        }
    }

    /// The role of the vertex.
    ///
    /// Source: G. Vanecek, "Spatial Partitioning of a Polygon by a Plane", Graphics Gems V, 1995, and D. Geier,
    /// "Splitting an arbitrary polygon by a line", who choose among OOR and LOO sources by distance. The same test on
    /// OOL and ROO destinations, and the turn at LOL and ROR, make each vertex's role independent of the others, so
    /// that a role which does not fit its neighbor's proves the polygon unsound.
    #[inline]
    pub(super) fn role(self, around: Surroundings) -> Role {
        let only = |condition: bool, role: Role| if condition { role } else { Role::Touches };
        match self {
            Self::LeftOnRight => Role::Opens,
            Self::RightOnLeft => Role::Closes,
            Self::OnOnRight => only(around.is_previous_behind, Role::Opens),
            Self::LeftOnOn => only(around.is_next_behind, Role::Opens),
            Self::RightOnOn => only(!around.is_next_behind, Role::Closes),
            Self::OnOnLeft => only(!around.is_previous_behind, Role::Closes),
            Self::LeftOnLeft => only(
                around.is_reflex,
                Role::ClosesAndOpens {
                    is_left_straight: false,
                },
            ),
            Self::RightOnRight => only(
                around.is_reflex,
                Role::ClosesAndOpens {
                    is_left_straight: true,
                },
            ),
            Self::OnOnOn => Role::Touches,
        }
    }
}

impl Role {
    /// Whether a bridge may start here, forwards.
    #[inline]
    pub(super) fn opens(self) -> bool {
        matches!(self, Self::Opens | Self::ClosesAndOpens { .. })
    }

    /// Whether a bridge may end here, from behind.
    #[inline]
    pub(super) fn closes(self) -> bool {
        matches!(self, Self::Closes | Self::ClosesAndOpens { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The role by geometry: the directions of the three edges as angles in eighths of a turn, forwards being zero.
    fn role_by_wedge(next: u32, previous: u32) -> (bool, bool) {
        let inside = |direction: u32| {
            let to = |angle: u32| (angle + 8 - next) % 8;
            0 < to(direction) && to(direction) < to(previous)
        };
        (inside(0), inside(4))
    }

    #[test]
    fn every_configuration_agrees_with_its_wedge() {
        let side = |angle: u32| match angle {
            0 | 4 => Side::On,
            1..=3 => Side::Left,
            _ => Side::Right,
        };
        for next in 0..8 {
            for previous in (0..8).filter(|&p| p != next) {
                let around = Surroundings {
                    is_previous_behind: previous == 4,
                    is_next_behind: next == 4,
                    is_reflex: (previous + 8 - next) % 8 > 4,
                };
                let role = Configuration::new(side(previous), side(next)).role(around);
                assert_eq!(
                    (role.opens(), role.closes()),
                    role_by_wedge(next, previous),
                    "{previous} to {next}"
                );
            }
        }
    }
}
