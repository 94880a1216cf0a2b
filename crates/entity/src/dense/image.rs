//! [`DenseImage`]: what frames keep of a [`Dense`], sharing the chunks that do not change.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, type_name};
use core::fmt;

use super::table::{Dense, Ended, Key};
use crate::bytes::Writer;
use crate::manager::{ComponentManager, ManagerImage, PreparedManager};
use crate::property::{Component, Schema};
use crate::rows::{RowsDifference, RowsImage};

/// A [`Dense`] at one moment.
pub(super) struct DenseImage<T: Component> {
    heads: RowsImage<u32>,
    keys: RowsImage<Key>,
    values: RowsImage<T>,
    cursor: u32,
    ended: Option<Vec<Ended<T>>>,
    schema: Schema<T>,
}

/// What a [`Dense`] lacks to equal an image, copied.
struct DenseDifference<T: Component> {
    heads: RowsDifference<u32>,
    keys: RowsDifference<Key>,
    values: RowsDifference<T>,
    cursor: u32,
    ended: Option<Vec<Ended<T>>>,
}

impl<T: Component> DenseImage<T> {
    pub(super) fn of(dense: &mut Dense<T>) -> Self {
        Self {
            heads: dense.heads.image(),
            keys: dense.keys.image(),
            values: dense.values.image(),
            cursor: dense.cursor,
            ended: dense.ended.clone(),
            schema: dense.schema.clone(),
        }
    }

    fn difference(&self, dense: &Dense<T>) -> DenseDifference<T> {
        DenseDifference {
            heads: dense.heads.prepare(&self.heads),
            keys: dense.keys.prepare(&self.keys),
            values: dense.values.prepare(&self.values),
            cursor: self.cursor,
            ended: self.ended.clone(),
        }
    }
}

impl<T: Component> DenseDifference<T> {
    fn apply(self, dense: &mut Dense<T>) {
        self.heads.apply(&mut dense.heads);
        self.keys.apply(&mut dense.keys);
        self.values.apply(&mut dense.values);
        (dense.cursor, dense.ended) = (self.cursor, self.ended);
    }
}

impl<T: Component> ManagerImage for DenseImage<T> {
    fn save(&self, out: &mut Writer) {
        let heads: Vec<u32> = self.heads.iter().copied().collect();
        let rows = self.keys.iter().zip(self.values.iter());
        save_instances(self.cursor, &heads, self.keys.len(), rows, &self.schema, out);
    }

    fn bytes(&self, before: Option<&dyn ManagerImage>) -> usize {
        let before = before.and_then(|before| {
            let any: &dyn Any = before;
            any.downcast_ref::<Self>()
        });
        self.heads.bytes(before.map(|before| &before.heads))
            + self.keys.bytes(before.map(|before| &before.keys))
            + self.values.bytes(before.map(|before| &before.values))
    }

    fn prepare(&self, now: Option<&dyn ComponentManager>) -> PreparedManager {
        let now = now.and_then(|now| {
            let any: &dyn Any = now;
            any.downcast_ref::<Dense<T>>()
        });
        if let Some(dense) = now {
            let difference = self.difference(dense);
            return PreparedManager::Change(Box::new(move |now| {
                let any: &mut dyn Any = now;
                if let Some(dense) = any.downcast_mut::<Dense<T>>() {
                    difference.apply(dense);
                }
            }));
        }
        let mut dense = Dense::new();
        self.difference(&dense).apply(&mut dense);
        PreparedManager::New(Box::new(dense))
    }
}

impl<T: Component> fmt::Debug for DenseImage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DenseImage")
            .field("type", &type_name::<T>())
            .field("len", &self.keys.len())
            .finish_non_exhaustive()
    }
}

/// Writes all instances, in the form that [`Dense`] reads: for its saves and those of its images.
pub(super) fn save_instances<'a, T: Component>(
    cursor: u32,
    heads: &[u32],
    count: usize,
    rows: impl Iterator<Item = (&'a Key, &'a T)>,
    schema: &Schema<T>,
    out: &mut Writer,
) {
    out.u32(cursor);
    out.numbers(heads);
    out.length(count);
    for (key, value) in rows {
        out.entity(Some(key.entity));
        out.u32(key.instance.0);
        out.u32(key.next);
        value.save(schema, out);
    }
}
