//! Checks a world after each step, from outside, and reports implausible motion.

use super::build::Ground;
use super::overlap::{Placed, separation};
use tombolo_physics::{BodyId, BodyKind, BodyRef, ContactRef, PhysicsWorld, Vec2, WorldDef};

/// The overlap in meters that is allowed a second after the last impact, beyond the compression of contacts as springs
/// ([`Watch::sag`]).
const OVERLAP_MAX_M: f64 = 0.01;

/// The mass ratio above which a body may be pressed into a floor and held there: a body a hundred times heavier crushes
/// what it lies on, in every engine of this kind.
const CRUSHING_MASS_RATIO: f64 = 100.0;

/// The depth in meters, and as a share of a body's extent, of the center of a shape inside of a floor that is allowed
/// in the moment of an impact: a thin plate that hits with its edge goes in by some centimeters before it is pushed
/// out. One second later it is [`OVERLAP_MAX_M`].
const CENTER_DEPTH_MAX: (f64, f64) = (0.05, 0.0);

/// The number of successive steps in which continuous collision may set back a body that touches nothing.
const HELD_STEPS_MAX: u32 = 2;

/// The number of steps in which a body that touches something may have a velocity and not move.
const STUCK_STEPS_MAX: u32 = 20;

/// The change of velocity in meters per second, beside gravity's, that counts as an impact.
const IMPACT_SPEED: f64 = 0.3;

/// The state of a dynamic body after the step before.
#[derive(Debug, Clone, Copy)]
struct Seen {
    body: BodyId,
    center: [f64; 2],
    velocity: [f64; 2],
    turn: f64,
    /// The distance from the center to the farthest corner, in meters.
    extent: f64,
    held_steps: u32,
    stuck_steps: u32,
    /// The displacement in meters that the velocities of these steps would give.
    stuck_way: [f64; 2],
    /// Whether the center was above the floor, with the floor below.
    was_above: bool,
}

/// The state of the checks while a world runs.
#[derive(Debug)]
pub(super) struct Watch {
    ground: Ground,
    dt: f64,
    substeps: f64,
    gravity: f64,
    bodies: Vec<Seen>,
    /// The greatest energy in joules, if only gravity adds any; grows by what continuous collision adds when it sets a
    /// body back.
    energy_max: Option<f64>,
    /// Whether masses are near enough to each other for the limit of overlap to be promised.
    checks_overlap: bool,
    quiet_s: f64,
    has_movers: bool,
    /// Whether a body may be crushed: by a kinematic body, or by a much heavier one.
    may_crush: bool,
}

fn point(v: Vec2) -> [f64; 2] {
    [v.x.into(), v.y.into()]
}

fn length(v: [f64; 2]) -> f64 {
    libm::hypot(v[0], v[1])
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// The greatest speed of any part of the body, in meters per second.
fn pace(body: &Seen) -> f64 {
    length(body.velocity) + body.turn.abs() * body.extent
}

fn center(body: &BodyRef<'_>) -> [f64; 2] {
    let center = body.center_of_mass();
    [center.x.into(), center.y.into()]
}

fn energy(world: &PhysicsWorld) -> f64 {
    let gravity = f64::from(world.gravity().y);
    let of = |body: BodyRef<'_>| {
        let (mass, inertia) = (f64::from(body.mass()), f64::from(body.inertia()));
        let (speed, turn) = (
            length(point(body.linear_velocity())),
            f64::from(body.angular_velocity()),
        );
        0.5 * (mass * speed * speed + inertia * turn * turn) - mass * gravity * center(&body)[1]
    };
    dynamic(world).map(of).sum()
}

fn dynamic(world: &PhysicsWorld) -> impl Iterator<Item = BodyRef<'_>> {
    world.bodies().filter(|body| body.kind() == BodyKind::Dynamic)
}

impl Watch {
    pub(super) fn new(world: &PhysicsWorld, ground: Ground, dt: f32) -> Self {
        let bodies: Vec<Seen> = dynamic(world)
            .map(|body| {
                let (at, area) = (center(&body), body.aabb().expect("bodies have shapes"));
                let corners = [point(area.min), point(area.max)];
                Seen {
                    body: body.id(),
                    center: at,
                    velocity: point(body.linear_velocity()),
                    turn: body.angular_velocity().into(),
                    extent: corners
                        .iter()
                        .map(|&corner| length(minus(corner, at)))
                        .fold(0.0, f64::max),
                    held_steps: 0,
                    stuck_steps: 0,
                    stuck_way: [0.0; 2],
                    was_above: false,
                }
            })
            .collect();
        let masses: Vec<f64> = dynamic(world).map(|body| body.mass().into()).collect();
        let heaviest = masses.iter().copied().fold(0.0, f64::max);
        let lightest = masses.iter().copied().fold(f64::INFINITY, f64::min);
        // Several points that each bounce with all of their speed can gain energy together, in every engine that applies
        // Newton's law of restitution point by point.
        let bounces = |body: BodyRef<'_>| body.shapes().any(|shape| shape.restitution() > 0.5);
        let is_elastic = dynamic(world).any(bounces);
        let has_movers = world.bodies().any(|body| body.kind() == BodyKind::Kinematic);
        let gravity = f64::from(world.gravity().y);
        // The energy that the solver may add: the push out of a centimeter, and five percent of all kinetic energy.
        let kinetic: f64 = energy(world)
            + dynamic(world)
                .map(|body| f64::from(body.mass()) * gravity * center(&body)[1])
                .sum::<f64>();
        let lift: f64 = masses.iter().map(|mass| mass * gravity.abs() * 0.05).sum();
        Self {
            ground,
            dt: dt.into(),
            substeps: world.substeps().into(),
            gravity,
            energy_max: (!has_movers && !is_elastic).then(|| energy(world) + 0.02 * kinetic + lift),
            checks_overlap: !has_movers && heaviest <= 10.0 * lightest,
            bodies,
            quiet_s: 0.0,
            has_movers,
            may_crush: has_movers || heaviest > CRUSHING_MASS_RATIO * lightest,
        }
    }

    /// Compares the world after a step with the state before.
    ///
    /// # Errors
    /// The implausible motion.
    pub(super) fn look(&mut self, world: &PhysicsWorld) -> Result<(), String> {
        if !world.events().frozen().is_empty() {
            return Err("a body was frozen".to_owned());
        }
        let mut impact = 0.0_f64;
        let mut set_back = 0.0;
        let (gravity, dt, substeps) = (self.gravity, self.dt, self.substeps);
        let fall = gravity * dt * dt * (substeps + 1.0) / (2.0 * substeps);
        for seen in &mut self.bodies {
            let body = world.body(seen.body).ok_or("a body is gone")?;
            let touches = body.contacts().any(|contact| contact.is_touching());
            let name = || {
                format!(
                    "body {:?} at {:?} with {:?}",
                    seen.body, seen.center, seen.velocity
                )
            };
            if !touches && !body.is_awake() {
                return Err(format!("{} sleeps and touches nothing", name()));
            }
            let now = Seen {
                center: center(&body),
                velocity: point(body.linear_velocity()),
                turn: body.angular_velocity().into(),
                ..*seen
            };
            let expected = [seen.velocity[0], seen.velocity[1] + gravity * dt];
            let change = length(minus(now.velocity, expected));
            let fastest = length(seen.velocity).max(length(expected));
            if !touches && fastest < 390.0 && change > 1.0e-4 * (1.0 + fastest) {
                return Err(format!(
                    "{} touches nothing and has {:?} now",
                    name(),
                    now.velocity
                ));
            }
            let moved = minus(now.center, seen.center);
            let free = [seen.velocity[0] * dt, seen.velocity[1] * dt + fall];
            let rounding = 1.0e-6 * (length(now.center) + 1.0);
            let is_held = length(minus(moved, free)) > 1.0e-3 * length(free) + rounding;
            let held_steps = if !touches && fastest < 390.0 && is_held {
                seen.held_steps + 1
            } else {
                0
            };
            // A bullet beside a kinematic body that moves is set back to the time of impact with it, step after step.
            if held_steps > HELD_STEPS_MAX && !(self.has_movers && body.is_bullet()) {
                return Err(format!("{} touches nothing and is held, step after step", name()));
            }
            // A body that is set back to its impact keeps the speed of the whole step, but not the height.
            let speed = length(now.velocity);
            let path = length(free).max(speed * dt);
            set_back += f64::from(body.mass()) * gravity.abs() * (path - length(moved)).max(0.0);
            let is_stuck = speed > 0.5 && length(moved) < 0.01 * speed * dt;
            let (stuck_steps, before) = if is_stuck {
                (seen.stuck_steps + 1, seen.stuck_way)
            } else {
                (0, [0.0; 2])
            };
            let stuck_way = [0, 1].map(|axis| before[axis] + now.velocity[axis] * dt);
            // A body that bounces to and fro in a gap narrower than a step's motion goes nowhere, and is not stuck.
            let goes_on = length(stuck_way) > 0.25 * speed * dt * f64::from(stuck_steps);
            if stuck_steps > STUCK_STEPS_MAX && goes_on && !self.may_crush {
                return Err(format!("{} does not move, step after step", name()));
            }
            let spin = (now.turn - seen.turn).abs() * seen.extent;
            impact = impact.max(change).max(spin);
            if pace(&now) > 2.0 {
                impact = impact.max(IMPACT_SPEED);
            }
            *seen = Seen {
                held_steps,
                stuck_steps,
                stuck_way,
                ..now
            };
        }
        if let Some(most) = &mut self.energy_max {
            *most += set_back;
        }
        self.quiet_s = if impact < IMPACT_SPEED {
            self.quiet_s + dt
        } else {
            0.0
        };
        self.look_at_energy(world)?;
        self.look_at_floor(world)?;
        self.look_at_overlaps(world)
    }

    fn look_at_energy(&mut self, world: &PhysicsWorld) -> Result<(), String> {
        // A body that hangs over an open end has that end inside, and is lifted as far once it comes to rest on the
        // chain.
        let is_over_an_end = |seen: &Seen| self.ground.is_over_an_end(seen.center, seen.extent);
        if self.bodies.iter().any(is_over_an_end) {
            self.energy_max = None;
        }
        let Some(most) = self.energy_max else {
            return Ok(());
        };
        let now = energy(world);
        if now > most + 1.0e-6 * most.abs() {
            return Err(format!("{now} J, {most} J at most expected"));
        }
        Ok(())
    }

    /// Checks that nothing passes the floor, nor comes to rest with its center inside of it.
    fn look_at_floor(&mut self, world: &PhysicsWorld) -> Result<(), String> {
        if self.may_crush {
            return Ok(());
        }
        for seen in &mut self.bodies {
            let body = world.body(seen.body).ok_or("a body is gone")?;
            for shape in body.shapes() {
                let middle = Placed::new(shape.geometry(), body.pose()).middle();
                if let Some(depth) = self.ground.depth(middle)
                    && depth > CENTER_DEPTH_MAX.0.max(CENTER_DEPTH_MAX.1 * seen.extent)
                {
                    return Err(format!(
                        "body {:?}: a middle is {depth} m inside of the floor",
                        seen.body
                    ));
                }
            }
            match self.ground.is_above(seen.center, seen.extent) {
                Some(true) => seen.was_above = true,
                Some(false) if seen.was_above && body.shapes().count() == 1 => {
                    return Err(format!(
                        "body {:?} got through the floor, to {:?}",
                        seen.body, seen.center
                    ));
                }
                Some(false) => {}
                None => seen.was_above = false,
            }
        }
        Ok(())
    }

    /// Checks that a second after the last impact nothing overlaps by much.
    fn look_at_overlaps(&mut self, world: &PhysicsWorld) -> Result<(), String> {
        if !self.checks_overlap || self.quiet_s < 1.0 {
            return Ok(());
        }
        // Once in a while is enough: overlaps of sinking bodies remain.
        self.quiet_s -= 0.2;
        let placed: Vec<(BodyId, Placed)> = world
            .bodies()
            .flat_map(|body| body.shapes().map(move |shape| (body, shape)))
            .filter(|(_, shape)| !shape.geometry().is_chain_segment())
            .map(|(body, shape)| (body.id(), Placed::new(shape.geometry(), body.pose())))
            .collect();
        for (i, (body, shape)) in placed.iter().enumerate() {
            if world
                .body(*body)
                .is_none_or(|body| body.kind() == BodyKind::Static)
            {
                continue;
            }
            for (j, (other, other_shape)) in placed.iter().enumerate() {
                let is_static = world
                    .body(*other)
                    .is_some_and(|other| other.kind() == BodyKind::Static);
                if body == other || (j < i && !is_static) {
                    continue;
                }
                let overlap = -separation(shape, other_shape);
                // Most do not even overlap by the margin, and then springs need no calculation.
                if overlap <= OVERLAP_MAX_M {
                    continue;
                }
                let sag = self.sag(world, [*body, *other]);
                if overlap > OVERLAP_MAX_M + sag {
                    return Err(format!(
                        "{body:?} and {other:?} overlap by {overlap} m at rest, of which {sag} m are their springs'"
                    ));
                }
            }
        }
        Ok(())
    }

    /// The compression in meters of the contacts of two bodies at rest, at the point with the most of it: the force
    /// over the effective mass for an impulse at the point and the square of the spring's angular frequency, by
    /// [`WorldDef::contact_hertz`]. The force is at most the weight of all bodies, whatever the engine reports.
    fn sag(&self, world: &PhysicsWorld, pair: [BodyId; 2]) -> f64 {
        let weight = self.gravity.abs() * dynamic(world).map(|body| f64::from(body.mass())).sum::<f64>();
        let sides = pair.map(|id| world.body(id).expect("both are in the list"));
        let is_soft = sides.iter().all(|body| body.kind() == BodyKind::Dynamic);
        let frequency = f64::from(WorldDef::default().contact_hertz).min(0.125 * self.substeps / self.dt);
        let angular_frequency = core::f64::consts::TAU * frequency * if is_soft { 1.0 } else { 2.0 };
        let is_of_pair = |contact: &ContactRef<'_>| {
            let bodies = contact.shapes().map(|shape| shape.body().id());
            bodies == pair || bodies == [pair[1], pair[0]]
        };
        let mut sag = 0.0_f64;
        for contact in sides[0].contacts().filter(is_of_pair) {
            let normal = point(contact.normal());
            for (place, _, impulse) in contact.points() {
                let place = point(place.to_vec2());
                let inverse_mass: f64 = sides.iter().map(|body| inverse_mass(body, place, normal)).sum();
                let force = (f64::from(impulse) / self.dt).min(weight);
                sag = sag.max(force * inverse_mass / (angular_frequency * angular_frequency));
            }
        }
        sag
    }
}

/// The inverse effective mass of a body for an impulse along a normal at a point of the world; 0 for one that nothing
/// moves.
fn inverse_mass(body: &BodyRef<'_>, at: [f64; 2], normal: [f64; 2]) -> f64 {
    if body.kind() != BodyKind::Dynamic {
        return 0.0;
    }
    let arm = minus(at, center(body));
    let lever = arm[0] * normal[1] - arm[1] * normal[0];
    1.0 / f64::from(body.mass()) + lever * lever / f64::from(body.inertia())
}

impl Ground {
    /// The depth in meters of a point inside of the floor, if it is.
    fn depth(&self, at: [f64; 2]) -> Option<f64> {
        let Self::Slab { half, pose } = self else {
            return None;
        };
        let (sin, cos) = (f64::from(pose.rotation.sin), f64::from(pose.rotation.cos));
        let local = [cos * at[0] + sin * at[1], cos * at[1] - sin * at[0]];
        let depth = (half[0] - local[0].abs()).min(half[1] - local[1].abs());
        (depth > 0.0).then_some(depth)
    }

    /// Whether a body may reach over an end of an open chain.
    fn is_over_an_end(&self, at: [f64; 2], extent: f64) -> bool {
        let Self::Chain(points) = self else { return false };
        let (right, left) = (points[0], points[points.len() - 1]);
        at[0] + extent > right[0] || at[0] - extent < left[0]
    }

    /// Whether a body whose center is at a point and whose farthest corner is `extent` meters away is above or below
    /// the floor; `None` beside it or inside of it. An open chain has no corner at its ends: a body that hangs over one
    /// slides off.
    fn is_above(&self, at: [f64; 2], extent: f64) -> Option<bool> {
        match self {
            Self::None => None,
            Self::Slab { half, pose } => {
                let (sin, cos) = (f64::from(pose.rotation.sin), f64::from(pose.rotation.cos));
                let local = [cos * at[0] + sin * at[1], cos * at[1] - sin * at[0]];
                (local[0].abs() < half[0] && local[1].abs() > half[1]).then(|| local[1] > 0.0)
            }
            Self::Chain(_) if self.is_over_an_end(at, extent) => None,
            Self::Chain(points) => points.windows(2).find_map(|ends| {
                let [right, left] = [ends[0], ends[1]];
                if !(left[0]..right[0]).contains(&at[0]) {
                    return None;
                }
                let part = (at[0] - left[0]) / (right[0] - left[0]);
                let height = left[1] + part * (right[1] - left[1]);
                // A body that dips into a chain for a moment has not passed it.
                Some(at[1] > height)
            }),
        }
    }
}
