//! [`CallbackNames`]: the names of a world's callbacks about pairs of shapes; and the reader of the section
//! `callbacks`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::MapAccess;

use super::reader::{CheckFailure, FieldReader, properties};

/// The greatest length of a callback's name, in bytes.
pub const CALLBACK_NAME_BYTES_MAX: usize = 64;

/// The callbacks about pairs of shapes that a world uses or misses, by the names under which a game registers their
/// code: [`World::register_custom_filter`](crate::World::register_custom_filter),
/// [`World::register_pre_solve`](crate::World::register_pre_solve). In a scene they are the section `callbacks`.
///
/// It prints as `the custom filter "teams" and the pre-solve callback "ice"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackNames {
    /// The custom filter, if there is one.
    pub custom_filter: Option<Box<str>>,
    /// The pre-solve callback, if there is one.
    pub pre_solve: Option<Box<str>>,
    /// The pre-solve callback is called for contacts of which one shape has one of these categories; all categories
    /// if they are not given, and if there is no callback.
    pub categories: u64,
}

impl Default for CallbackNames {
    fn default() -> Self {
        Self {
            custom_filter: None,
            pre_solve: None,
            categories: u64::MAX,
        }
    }
}

impl fmt::Display for CallbackNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.custom_filter, &self.pre_solve) {
            (Some(filter), Some(callback)) => {
                write!(
                    f,
                    "the custom filter {filter:?} and the pre-solve callback {callback:?}"
                )
            }
            (Some(filter), None) => write!(f, "the custom filter {filter:?}"),
            (None, Some(callback)) => write!(f, "the pre-solve callback {callback:?}"),
            (None, None) => f.write_str("no callbacks"),
        }
    }
}

impl CallbackNames {
    /// Whether any callback is named.
    pub fn any(&self) -> bool {
        self.custom_filter.is_some() || self.pre_solve.is_some()
    }

    /// Checks the names; the error has the property and the reason.
    pub(crate) fn check(&self) -> Result<(), CheckFailure> {
        let named = [
            ("custom_filter", &self.custom_filter),
            ("pre_solve", &self.pre_solve),
        ];
        for (property, name) in named {
            if let Some(name) = name {
                check_name(name).map_err(|why| (Some(property), why))?;
            }
        }
        if self.pre_solve.is_none() && self.categories != u64::MAX {
            let why = "categories are those of a pre-solve callback; name one in `pre_solve`";
            return Err((Some("categories"), why.into()));
        }
        Ok(())
    }

    /// These names, completed from `before` where one is missing.
    pub(crate) fn over(self, before: Self) -> Self {
        let (pre_solve, categories) = match self.pre_solve {
            Some(name) => (Some(name), self.categories),
            None => (before.pre_solve, before.categories),
        };
        Self {
            custom_filter: self.custom_filter.or(before.custom_filter),
            pre_solve,
            categories,
        }
    }
}

/// Refuses a text that is no valid name of a callback.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if (1..=CALLBACK_NAME_BYTES_MAX).contains(&name.len()) {
        return Ok(());
    }
    Err(format!(
        "the name of a callback has 1 to {CALLBACK_NAME_BYTES_MAX} bytes"
    ))
}

properties!(CallbackNames {
    "custom_filter" => custom_filter = Some(callback_name()),
    "pre_solve" => pre_solve = Some(callback_name()),
    "categories" => categories = bits(),
} check Self::check);

impl<'de, A: MapAccess<'de>> FieldReader<'_, '_, A> {
    fn callback_name(&mut self) -> Result<Box<str>, A::Error> {
        self.plain()
    }
}
