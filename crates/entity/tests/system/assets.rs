//! The cache of shared assets.

use tombolo_entity::{CacheError, Factory, ResourceCache};
use tombolo_handles::{Owned, OwnedBy, Pool};

/// A text of its own for each load.
struct Texts {
    loads: u32,
}

impl Factory for Texts {
    type Resource = String;

    fn load(&mut self, name: &str) -> Result<Owned<String>, Box<str>> {
        if name == "missing" {
            return Err("there is no such file".into());
        }
        self.loads += 1;
        Ok(Owned::new(format!("{name} {}", self.loads)))
    }
}

/// Numbers in a pool.
struct Lengths {
    pool: Pool<usize>,
}

impl Factory for Lengths {
    type Resource = usize;

    fn load(&mut self, name: &str) -> Result<Owned<usize>, Box<str>> {
        let number: OwnedBy<usize, _> = self.pool.place(name.len());
        Ok(number.erase())
    }
}

#[test]
fn an_asset_is_loaded_once_shared_and_dropped_after_its_last_use() {
    let mut cache = ResourceCache::new();
    let texts = cache.register(Texts { loads: 0 }).unwrap();
    let lengths = cache.register(Lengths { pool: Pool::new(8) }).unwrap();
    let first = cache.acquire(texts, "oak").unwrap();
    assert_eq!(cache.acquire(texts, "oak").unwrap(), first);
    let length = cache.acquire(lengths, "oak").unwrap();
    assert_eq!(
        (cache.get(first).unwrap().as_str(), cache.get(length)),
        ("oak 1", Ok(&3))
    );
    assert_eq!(cache.asset(first).unwrap().name(), "oak");
    assert_eq!(cache.release(first), Ok(false));
    assert_eq!(cache.release(first), Ok(true));
    assert_eq!(cache.get(first).unwrap_err(), CacheError::Stale);
    assert_eq!(cache.release(first), Err(CacheError::Stale));
    assert_eq!(cache.len(), 1);
    let again = cache.acquire(texts, "oak").unwrap();
    assert_eq!(cache.get(again).unwrap(), "oak 2");
}

#[test]
fn a_reload_shows_behind_the_same_handle() {
    let mut cache = ResourceCache::new();
    let texts = cache.register(Texts { loads: 0 }).unwrap();
    let oak = cache.acquire(texts, "oak").unwrap();
    assert_eq!(cache.reload(texts, "oak"), Ok(true));
    assert_eq!(cache.get(oak).unwrap(), "oak 2");
    assert_eq!(cache.reload(texts, "elm"), Ok(false));
}

#[test]
fn a_factory_that_fails_is_quoted_and_leaves_no_asset() {
    let mut cache = ResourceCache::new();
    let texts = cache.register(Texts { loads: 0 }).unwrap();
    let error = cache.acquire(texts, "missing").unwrap_err();
    assert_eq!(error.to_string(), "resource `missing`: there is no such file");
    assert!(cache.is_empty());
    let mut other = ResourceCache::new();
    let error = other.acquire(texts, "oak").unwrap_err();
    assert_eq!(error, CacheError::UnknownKind { name: "oak".into() });
}
