//! The access of a schema to one property: the declaration's two closures behind one trait, so that each kind of access
//! (a value of any kind, a plain one) is one call.

use core::marker::PhantomData;

use super::types::PropertyValue;
use crate::bytes::Writer;
use crate::value::Value;
use crate::value::plain::Plain;

/// One property of a `T`.
pub(super) trait Access<T>: Send + Sync {
    fn get(&self, component: &T) -> Value;

    /// Writes the value, as [`Writer::value`] does.
    fn save(&self, component: &T, out: &mut Writer);

    /// Sets the property; returns whether the value was of the right kind. Nothing is changed if not.
    fn set(&self, component: &mut T, value: &Value) -> bool;

    /// Sets a plain value, like `set`. A `false` may also mean that the property takes no plain values.
    fn set_plain(&self, component: &mut T, value: Plain) -> bool;

    fn is_read_only(&self) -> bool {
        false
    }
}

/// A property of type `V`.
pub(super) struct Typed<V, G, S> {
    pub(super) get: G,
    pub(super) set: S,
    pub(super) kind: PhantomData<fn() -> V>,
}

impl<T, V, G, S> Access<T> for Typed<V, G, S>
where
    V: PropertyValue,
    G: Fn(&T) -> V + Send + Sync,
    S: Fn(&mut T, V) + Send + Sync,
{
    fn get(&self, component: &T) -> Value {
        (self.get)(component).into_value()
    }

    fn save(&self, component: &T, out: &mut Writer) {
        (self.get)(component).write(out);
    }

    fn set(&self, component: &mut T, value: &Value) -> bool {
        V::from_value(value)
            .map(|value| (self.set)(component, value))
            .is_some()
    }

    fn set_plain(&self, component: &mut T, value: Plain) -> bool {
        let Some(value) = V::from_plain(value) else {
            return false;
        };
        (self.set)(component, value);
        true
    }
}

/// A property whose value is one of a few words.
pub(super) struct Choice<G, S> {
    pub(super) get: G,
    pub(super) set: S,
}

impl<T, G, S> Access<T> for Choice<G, S>
where
    G: Fn(&T) -> u32 + Send + Sync,
    S: Fn(&mut T, u32) + Send + Sync,
{
    fn get(&self, component: &T) -> Value {
        Value::Choice((self.get)(component))
    }

    fn save(&self, component: &T, out: &mut Writer) {
        out.u32((self.get)(component));
    }

    fn set(&self, component: &mut T, value: &Value) -> bool {
        match value {
            Value::Choice(place) => (self.set)(component, *place),
            _ => return false,
        }
        true
    }

    fn set_plain(&self, component: &mut T, value: Plain) -> bool {
        match value {
            Plain::Choice(place) => (self.set)(component, place),
            _ => return false,
        }
        true
    }
}

/// A read-only property.
pub(super) struct Derived<V, G> {
    pub(super) get: G,
    pub(super) kind: PhantomData<fn() -> V>,
}

impl<T, V: PropertyValue, G: Fn(&T) -> V + Send + Sync> Access<T> for Derived<V, G> {
    fn get(&self, component: &T) -> Value {
        (self.get)(component).into_value()
    }

    fn save(&self, component: &T, out: &mut Writer) {
        (self.get)(component).write(out);
    }

    fn set(&self, _: &mut T, _: &Value) -> bool {
        false
    }

    fn set_plain(&self, _: &mut T, _: Plain) -> bool {
        false
    }

    fn is_read_only(&self) -> bool {
        true
    }
}
