//! [`NamedCallbacks`]: the code of callbacks that a game has registered by name, and the names of those in use.
//! `callbacks.rs` has the world's calls.
//!
//! The names in use are a part of the state, and physics has them whether their code is registered or not; the code
//! is not part of the state.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::{fmt, mem};

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_physics::{CallbackKinds, CustomFilter, PhysicsWorld, PreSolve};

use crate::scene::{CallbackNames, check_callback_name};

/// The registered and used callbacks of a world.
#[derive(Clone, Default)]
pub(super) struct NamedCallbacks {
    used: UsedNames,
    filters: BTreeMap<Box<str>, Arc<CustomFilter>>,
    pre_solves: BTreeMap<Box<str>, Arc<PreSolve>>,
    /// Whether the used callbacks were checked for missing code since they last changed.
    is_looked_at: bool,
}

/// The names in use. If calls of `physics_mut` have removed a callback, its name is still here.
#[derive(Clone, Debug, Default, PartialEq)]
struct UsedNames {
    custom_filter: Option<Box<str>>,
    pre_solve: Option<Box<str>>,
}

impl fmt::Debug for NamedCallbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedCallbacks")
            .field("used", &self.used)
            .field("filters", &self.filters.keys())
            .field("pre_solves", &self.pre_solves.keys())
            .finish_non_exhaustive()
    }
}

impl NamedCallbacks {
    /// The names that a world with this physics uses.
    pub(super) fn in_use(&self, physics: &PhysicsWorld) -> CallbackNames {
        let of_filter = self.used.custom_filter.clone();
        let of_pre_solve = self.used.pre_solve.clone().zip(physics.pre_solve_categories());
        let (pre_solve, categories) = of_pre_solve.unzip();
        CallbackNames {
            custom_filter: of_filter.filter(|_| physics.callbacks().custom_filter),
            pre_solve,
            categories: categories.unwrap_or(u64::MAX),
        }
    }

    /// The names that such a world uses without registered code.
    pub(super) fn missing(&self, physics: &PhysicsWorld) -> CallbackNames {
        let used = self.in_use(physics);
        let custom_filter = used.custom_filter.filter(|name| !self.filters.contains_key(name));
        let pre_solve = used.pre_solve.filter(|name| !self.pre_solves.contains_key(name));
        let is_missing = pre_solve.is_some();
        CallbackNames {
            custom_filter,
            pre_solve,
            categories: if is_missing { used.categories } else { u64::MAX },
        }
    }

    /// Sets the names in use. Physics is not changed.
    pub(super) fn use_names(&mut self, names: CallbackNames) {
        self.used = UsedNames {
            custom_filter: names.custom_filter,
            pre_solve: names.pre_solve,
        };
        self.is_looked_at = false;
    }

    /// Stores the code of a custom filter. Physics is not changed.
    pub(super) fn put_custom_filter(&mut self, name: &str, code: Arc<CustomFilter>) {
        self.filters.insert(name.into(), code);
        self.is_looked_at = false;
    }

    /// Stores the code of a pre-solve callback. Physics is not changed.
    pub(super) fn put_pre_solve(&mut self, name: &str, code: Arc<PreSolve>) {
        self.pre_solves.insert(name.into(), code);
        self.is_looked_at = false;
    }

    /// Whether the names or the code have changed since the last call of this function, so that missing code has to
    /// be looked for.
    pub(super) fn is_to_be_looked_at(&mut self) -> bool {
        !mem::replace(&mut self.is_looked_at, true)
    }

    /// Removes the names of callbacks that physics no longer uses.
    pub(super) fn drop_unused(&mut self, physics: &PhysicsWorld) {
        let CallbackNames {
            custom_filter,
            pre_solve,
            ..
        } = self.in_use(physics);
        self.used = UsedNames {
            custom_filter,
            pre_solve,
        };
    }

    /// The code of the custom filter in use, if it is registered.
    pub(super) fn custom_filter(&self) -> Option<Arc<CustomFilter>> {
        self.filters.get(self.used.custom_filter.as_deref()?).cloned()
    }

    /// The code of the pre-solve callback in use, if it is registered.
    pub(super) fn pre_solve(&self) -> Option<Arc<PreSolve>> {
        self.pre_solves.get(self.used.pre_solve.as_deref()?).cloned()
    }

    /// Writes the names for hashes; writes nothing without names.
    pub(super) fn hash(&self, all: &mut Writer) {
        if self.used != UsedNames::default() {
            self.used.save(all);
        }
    }

    pub(super) fn save(&self, physics: &PhysicsWorld) -> Vec<u8> {
        let mut in_use = Self {
            used: self.used.clone(),
            ..Self::default()
        };
        in_use.drop_unused(physics);
        let mut out = Writer::new();
        in_use.used.save(&mut out);
        out.finish()
    }

    /// These callbacks with the saved names, which are those that the physics uses.
    pub(super) fn restored(&self, bytes: &[u8], physics: &PhysicsWorld) -> Result<Self, DataError> {
        let mut from = Reader::new(bytes);
        let used = UsedNames {
            custom_filter: restore_name(&mut from)?,
            pre_solve: restore_name(&mut from)?,
        };
        from.end()?;
        let kinds = physics.callbacks();
        if used.custom_filter.is_some() && !kinds.custom_filter
            || used.pre_solve.is_some() && !kinds.pre_solve
        {
            return Err(DataError::broken("the name of a callback that is not used"));
        }
        Ok(Self {
            used,
            is_looked_at: false,
            ..self.clone()
        })
    }

    /// Takes the code of another world and keeps the names.
    pub(super) fn take_code_of(&mut self, other: &Self) {
        self.filters.clone_from(&other.filters);
        self.pre_solves.clone_from(&other.pre_solves);
    }

    /// Replaces the code in physics, which is that of a world with the names of `before`, by the code of these
    /// callbacks.
    pub(super) fn supply(&self, physics: &mut PhysicsWorld, before: &Self) {
        if self.used.custom_filter.is_some() || before.used.custom_filter.is_some() {
            physics.supply_custom_filter(self.custom_filter());
        }
        if self.used.pre_solve.is_some() || before.used.pre_solve.is_some() {
            physics.supply_pre_solve(self.pre_solve());
        }
    }

    /// The kinds of callbacks that are used by name.
    pub(super) fn kinds(&self) -> CallbackKinds {
        CallbackKinds {
            custom_filter: self.used.custom_filter.is_some(),
            pre_solve: self.used.pre_solve.is_some(),
        }
    }
}

impl UsedNames {
    fn save(&self, out: &mut Writer) {
        for name in [&self.custom_filter, &self.pre_solve] {
            out.flag(name.is_some());
            if let Some(name) = name {
                out.text(name);
            }
        }
    }
}

fn restore_name(from: &mut Reader<'_>) -> Result<Option<Box<str>>, DataError> {
    const WHAT: &str = "the name of a callback";
    if !from.flag(WHAT)? {
        return Ok(None);
    }
    let name = from.text(WHAT)?;
    check_callback_name(&name).map_err(DataError::broken)?;
    Ok(Some(name))
}
