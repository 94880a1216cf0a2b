//! Callbacks: a game's own code about pairs of shapes, for decisions that rules as data cannot express.

use super::PhysicsWorld;
use crate::callback::{CallbackKinds, CustomFilter, PairView, PreSolve, Response};
use crate::recording::Call;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Sets the callback that decides which pairs of shapes may touch, in place of an earlier one. It is called for a
    /// pair when the fat boxes of the two begin to overlap or are checked anew (after a change of a shape's filter or a
    /// body's kind), and by continuous collision for obstacles of a fast body; never for pairs that filters, joints,
    /// rules or [`PhysicsWorld::set_pair_ignored`] keep apart, nor for sensors and queries. A refused pair is not
    /// checked again until the boxes have parted. Existing contacts that it refuses end now; all bodies wake. Costs the
    /// whole world now, and the new pairs in a step. A world without a callback pays nothing.
    ///
    /// All workers call it at once and in any order, so its result must be a function of the view alone: then results
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
    /// If the callback panics. It must not panic in a step: that leaves the step half done, as described at
    /// [`PhysicsWorld::step_with`] for allocations that fail.
    pub fn set_custom_filter(&mut self, filter: impl Fn(&PairView) -> bool + Send + Sync + 'static) {
        let anew = !self.missing_callbacks().custom_filter;
        self.log.report(|| Call::SetCustomFilter { used: true, anew });
        self.callbacks.custom_filter = Some(Arc::new(filter));
        self.play_custom_filter(true, anew);
    }

    /// Uses a custom filter, in place of an earlier one, whether its code is given now or later
    /// ([`PhysicsWorld::supply_custom_filter`]); until then the world [misses it](PhysicsWorld::missing_callbacks). For
    /// hosts that store code by name; otherwise like [`PhysicsWorld::set_custom_filter`] in a world that had none.
    pub fn use_custom_filter(&mut self, code: Option<Arc<CustomFilter>>) {
        self.log.report(|| Call::SetCustomFilter {
            used: true,
            anew: true,
        });
        self.callbacks.custom_filter = code;
        self.play_custom_filter(true, true);
    }

    /// Sets or removes the code of the custom filter; whether a filter is used, and everything else, stays as it is. No
    /// body wakes and no pair is checked anew. O(1).
    pub fn supply_custom_filter(&mut self, code: Option<Arc<CustomFilter>>) {
        self.callbacks.custom_filter = code;
    }

    /// Removes the custom filter: pairs that it refused may touch from the next step on. All bodies wake. Costs the
    /// whole world.
    pub fn remove_custom_filter(&mut self) {
        self.log.report(|| Call::SetCustomFilter {
            used: false,
            anew: true,
        });
        self.callbacks.custom_filter = None;
        self.play_custom_filter(false, true);
    }

    /// Sets the callback that may change touching contacts in each step, in place of an earlier one: those of which at
    /// least one shape has one of these categories ([`Filter::category`](crate::Filter::category)), `u64::MAX` for all.
    /// It is called after the manifold was computed and after contact rules and one-way platforms were applied, so
    /// never for pairs that these let pass, and its result replaces theirs. It may disable the contact for this step,
    /// and set friction, restitution, rolling resistance and the surface speed; it cannot change the normal or the
    /// points. It is not called for contacts of sleeping bodies, nor by continuous collision: shapes that a fast body
    /// only meets within a step hold it for that step, and let it pass from the next one on if the callback says so.
    ///
    /// All bodies wake. A contact of these categories is computed anew in each step, which costs some hundred
    /// nanoseconds and the call; other contacts, and a world without a callback, pay nothing. The notes on workers and
    /// saves of [`PhysicsWorld::set_custom_filter`] apply here too.
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
    /// A callback that panics in a step ends the step before anything has moved; the world is valid, and its next step
    /// is what this one would have been, if the callback does not depend on impulses: those of a touch that this step
    /// began or ended are zero for it. A recording has the step that was ended like any other, and plays it whole.
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

    /// Uses a pre-solve callback for these categories, in place of an earlier one, whether its code is given now or
    /// later ([`PhysicsWorld::supply_pre_solve`]); see [`PhysicsWorld::use_custom_filter`].
    pub fn use_pre_solve(&mut self, categories: u64, code: Option<Arc<PreSolve>>) {
        self.log.report(|| Call::SetPreSolve {
            used: true,
            categories,
            anew: true,
        });
        self.callbacks.pre_solve = code;
        self.play_pre_solve(true, categories, true);
    }

    /// Sets or removes the code of the pre-solve callback, with the rules of [`PhysicsWorld::supply_custom_filter`].
    pub fn supply_pre_solve(&mut self, code: Option<Arc<PreSolve>>) {
        self.callbacks.pre_solve = code;
    }

    /// Removes the pre-solve callback. All bodies wake. Costs the whole world.
    pub fn remove_pre_solve(&mut self) {
        self.log.report(|| Call::SetPreSolve {
            used: false,
            categories: 0,
            anew: true,
        });
        self.callbacks.pre_solve = None;
        self.play_pre_solve(false, 0, true);
    }

    /// The kinds of callbacks that this world uses, whether it has their code or not.
    pub fn callbacks(&self) -> CallbackKinds {
        self.state.callbacks_in_use()
    }

    /// The categories of the contacts that the pre-solve callback is called for; `None` if the world uses none.
    pub fn pre_solve_categories(&self) -> Option<u64> {
        let plain = self.state.callbacks.first();
        plain
            .filter(|plain| plain.kinds().pre_solve)
            .map(|plain| plain.categories)
    }

    /// The kinds of callbacks that this world uses but has no code for. Callbacks are code and not part of a save,
    /// frame or recording: a world made by [`PhysicsWorld::from_save`] from a save of a world with callbacks misses
    /// them, and so does a world without callbacks that is [restored](PhysicsWorld::restore) from it; a world that has
    /// callbacks keeps its own. Until they are set, its steps run as if a custom filter allowed every pair and a
    /// pre-solve callback changed nothing. If the missing ones are set before the next step, a pre-solve callback with
    /// the same categories ([`PhysicsWorld::pre_solve_categories`]), the world continues exactly as the saved one. A
    /// custom filter that is set later leaves pairs that began to touch without it until the boxes part, unless it is
    /// removed and set anew. A recording that starts while a callback is missing cannot be played: set them first.
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

    /// Moves the code of the callbacks of `from` to this world: for a world that replaces another. Which kinds are used
    /// stays as it is.
    pub fn take_over_callbacks(&mut self, from: &mut Self) {
        self.callbacks = core::mem::take(&mut from.callbacks);
    }

    /// Stops using callbacks, except those `kept`, until a call or a save uses them again; the code that is there is
    /// kept. For players.
    #[doc(hidden)]
    pub fn put_callbacks_aside(&mut self, kept: CallbackKinds) {
        self.state.put_callbacks_aside(kept);
    }

    /// Returns an error message if this world, which plays a recording of another, misses a callback that the other
    /// had.
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

    /// The effects of setting or removing a custom filter on the state, without the code.
    pub(crate) fn play_custom_filter(&mut self, used: bool, anew: bool) {
        let _environment = FloatEnvironment::enter();
        if anew {
            self.state.use_custom_filter(used, &self.callbacks);
        }
    }

    /// The effects of setting or removing a pre-solve callback on the state, without the code.
    pub(crate) fn play_pre_solve(&mut self, used: bool, categories: u64, anew: bool) {
        let _environment = FloatEnvironment::enter();
        if anew {
            self.state.use_pre_solve(used, categories);
        }
    }
}
