//! Callbacks: a game's own code about pairs of shapes, where rules as data do not reach.

use super::PhysicsWorld;
use crate::callback::{CallbackKinds, CustomFilter, PairView, PreSolve, Response};
use crate::recording::Call;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Has a callback say which pairs of shapes touch, in place of the one before. It is asked about a pair when the boxes of
    /// the two begin to overlap, or are asked for anew (a shape's filter, a body's kind), and by continuous collision about
    /// what is in the way of a fast body; never about pairs that filters, joints, rules or
    /// [`PhysicsWorld::set_pair_ignored`] keep apart, nor for sensors and queries. What it refuses is not asked about
    /// again until the boxes have parted. Of the contacts that there are those that it refuses end now; all bodies wake.
    /// Costs the world now, and in a step the pairs that are new. A world without one pays nothing.
    ///
    /// It is called by all workers at once and in any order, so its answer must be a function of the view alone: then results
    /// are the same for any number of workers. It is not saved, and clones share it: see
    /// [`PhysicsWorld::missing_callbacks`].
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// // Shapes of the same team do not touch.
    /// world.set_custom_filter(|pair| {
    ///     let [a, b] = pair.sides.map(|side| side.shape_key);
    ///     a == 0 || a != b
    /// });
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the callback does. In a step it must not: the step is left half done, as
    /// [`PhysicsWorld::step_with`] says of allocations that fail.
    pub fn set_custom_filter(&mut self, filter: impl Fn(&PairView) -> bool + Send + Sync + 'static) {
        let anew = !self.missing_callbacks().custom_filter;
        self.log.report(|| Call::SetCustomFilter { used: true, anew });
        self.callbacks.custom_filter = Some(Arc::new(filter));
        self.play_custom_filter(true, anew);
    }

    /// Uses a custom filter, in place of the one before, whether its code is there or comes later
    /// ([`PhysicsWorld::supply_custom_filter`]); until then the world [misses it](PhysicsWorld::missing_callbacks). For those who
    /// keep code under names; else as [`PhysicsWorld::set_custom_filter`] where there was none.
    pub fn use_custom_filter(&mut self, code: Option<Arc<CustomFilter>>) {
        self.log.report(|| Call::SetCustomFilter {
            used: true,
            anew: true,
        });
        self.callbacks.custom_filter = code;
        self.play_custom_filter(true, true);
    }

    /// Gives the code of the custom filter, or takes it away: whether one is used, and all else, stays as it is. Nothing wakes and
    /// nothing is asked anew. O(1).
    pub fn supply_custom_filter(&mut self, code: Option<Arc<CustomFilter>>) {
        self.callbacks.custom_filter = code;
    }

    /// Takes the custom filter away: pairs that it refused touch from the next step on. All bodies wake. Costs the world.
    pub fn remove_custom_filter(&mut self) {
        self.log.report(|| Call::SetCustomFilter {
            used: false,
            anew: true,
        });
        self.callbacks.custom_filter = None;
        self.play_custom_filter(false, true);
    }

    /// Has a callback say in each step what contacts are like whose shapes touch, in place of the one before: those of
    /// which one shape at least has one of these categories ([`Filter::category`](crate::Filter::category)), `u64::MAX`
    /// for all. It is asked after the manifold was computed and after rules and one-way platforms have had their say, so
    /// never about what they let pass, and what it answers counts. It may have the two not touch in this step, and set
    /// friction, bounciness, resistance to rolling and the speed of the surfaces; it can move neither normal nor points.
    /// It is not asked about contacts that sleep, nor by continuous collision: a fast body is held for a step by what it
    /// then may pass.
    ///
    /// All bodies wake. A contact that is asked about is computed anew in each step, which costs some hundred
    /// nanoseconds and the call; other contacts, and a world without a callback, pay nothing. What is said of workers
    /// and saves of [`PhysicsWorld::set_custom_filter`] holds here too.
    ///
    /// ```
    /// use tombolo_physics::{PhysicsWorld, Response, WorldDef};
    /// const ICE: u64 = 1 << 5;
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// // Who is fast glides, who is slow does not.
    /// world.set_pre_solve(ICE, |pair| {
    ///     let usual = pair.touch.expect("a pre-solve callback is told of it").usual;
    ///     let [a, b] = pair.sides.map(|side| side.linear_velocity);
    ///     let friction = if (a - b).length() > 2.0 { 0.01 } else { usual.friction };
    ///     Response { friction, ..usual }
    /// });
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// A callback that panics in a step leaves the step half done, as [`PhysicsWorld::step_with`] says of allocations
    /// that fail.
    pub fn set_pre_solve(
        &mut self,
        categories: u64,
        callback: impl Fn(&PairView) -> Response + Send + Sync + 'static,
    ) {
        let known = self.state.callbacks.first().map(|plain| plain.categories);
        let anew = !self.missing_callbacks().pre_solve || known != Some(categories);
        self.log.report(|| Call::SetPreSolve {
            used: true,
            categories,
            anew,
        });
        self.callbacks.pre_solve = Some(Arc::new(callback));
        self.play_pre_solve(true, categories, anew);
    }

    /// Uses a pre-solve callback for these categories, in place of the one before, whether its code is there or comes later
    /// ([`PhysicsWorld::supply_pre_solve`]); see [`PhysicsWorld::use_custom_filter`].
    pub fn use_pre_solve(&mut self, categories: u64, code: Option<Arc<PreSolve>>) {
        self.log.report(|| Call::SetPreSolve {
            used: true,
            categories,
            anew: true,
        });
        self.callbacks.pre_solve = code;
        self.play_pre_solve(true, categories, true);
    }

    /// Gives the code of the pre-solve callback, or takes it away, as [`PhysicsWorld::supply_custom_filter`].
    pub fn supply_pre_solve(&mut self, code: Option<Arc<PreSolve>>) {
        self.callbacks.pre_solve = code;
    }

    /// Takes the pre-solve callback away. All bodies wake. Costs the world.
    pub fn remove_pre_solve(&mut self) {
        self.log.report(|| Call::SetPreSolve {
            used: false,
            categories: 0,
            anew: true,
        });
        self.callbacks.pre_solve = None;
        self.play_pre_solve(false, 0, true);
    }

    /// Which callbacks this world uses, whether it has them or not.
    pub fn callbacks(&self) -> CallbackKinds {
        self.state.callbacks_in_use()
    }

    /// The categories whose contacts the pre-solve callback is asked about; `None` if the world uses none.
    pub fn pre_solve_categories(&self) -> Option<u64> {
        let plain = self.state.callbacks.first();
        plain
            .filter(|plain| plain.kinds().pre_solve)
            .map(|plain| plain.categories)
    }

    /// Which callbacks this world had when it was saved, and has not. Callbacks are code and in no save, frame or recording: a
    /// world made by [`PhysicsWorld::from_save`] of such a save misses them, and so does one that is
    /// [restored](PhysicsWorld::restore) and has none; one that has them goes on with its own. Until they are set, its
    /// steps go as if a custom filter let everything touch and a pre-solve callback left everything as it is. Setting
    /// what is missing before the next step, a pre-solve callback with the categories that it had
    /// ([`PhysicsWorld::pre_solve_categories`]), changes nothing else: the
    /// world goes on to the bit. Set later, a custom filter leaves what came to touch without it until the boxes part, unless it
    /// is removed and set anew. A recording that is begun while a callback is missing cannot be played: set them first.
    ///
    /// ```
    /// # use tombolo_physics::{PhysicsWorld, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// world.set_custom_filter(|pair| pair.sides[0].shape_key != pair.sides[1].shape_key);
    /// let mut restored = PhysicsWorld::from_save(&world.save())?;
    /// assert!(restored.missing_callbacks().custom_filter);
    /// restored.set_custom_filter(|pair| pair.sides[0].shape_key != pair.sides[1].shape_key);
    /// assert!(!restored.missing_callbacks().any());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn missing_callbacks(&self) -> CallbackKinds {
        let used = self.state.callbacks_in_use();
        CallbackKinds {
            custom_filter: used.custom_filter && self.callbacks.custom_filter.is_none(),
            pre_solve: used.pre_solve && self.callbacks.pre_solve.is_none(),
        }
    }

    /// Has the code of the callbacks of `from`, which has none then: for one that takes the place of another. Which of
    /// it is used stays as it is.
    pub fn take_over_callbacks(&mut self, from: &mut Self) {
        self.callbacks = core::mem::take(&mut from.callbacks);
    }

    /// Uses no callbacks but those `kept` until a call or a save says so; the code of those that there are stays at hand. For
    /// players.
    #[doc(hidden)]
    pub fn put_callbacks_aside(&mut self, kept: CallbackKinds) {
        self.state.put_callbacks_aside(kept);
    }

    /// Says so if this world, which plays what another did, misses a callback that the other had.
    #[doc(hidden)]
    pub fn check_callbacks(&self) -> Result<(), String> {
        let missing = self.missing_callbacks();
        if missing.any() {
            return Err(format!(
                "the world that was recorded had {missing}, which recordings do not hold; it can be played in a world that has \
                 the same"
            ));
        }
        Ok(())
    }

    /// What setting or removing a custom filter changes, but for the code.
    pub(crate) fn play_custom_filter(&mut self, used: bool, anew: bool) {
        let _environment = FloatEnvironment::enter();
        if anew {
            self.state.use_custom_filter(used, &self.callbacks);
        }
    }

    /// What setting or removing a pre-solve callback changes, but for the code.
    pub(crate) fn play_pre_solve(&mut self, used: bool, categories: u64, anew: bool) {
        let _environment = FloatEnvironment::enter();
        if anew {
            self.state.use_pre_solve(used, categories);
        }
    }
}
