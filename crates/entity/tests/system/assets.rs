//! The cache of shared assets: loading, sharing, reloading, releasing, and its errors.

use std::sync::{Arc, Mutex};

use tombolo_entity::{CacheError, Factory, Given, ResourceCache};
use tombolo_handles::{Owned, OwnedBy, Pool};

/// A text of its own for each load.
#[derive(Clone)]
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
#[derive(Clone)]
struct Lengths {
    pool: Arc<Mutex<Pool<usize>>>,
}

impl Factory for Lengths {
    type Resource = usize;

    fn load(&mut self, name: &str) -> Result<Owned<usize>, Box<str>> {
        let number: OwnedBy<usize, _> = self.pool.lock().unwrap().place(name.len());
        Ok(number.erase())
    }
}

#[test]
fn an_asset_is_loaded_once_shared_and_dropped_after_its_last_use() {
    let mut cache = ResourceCache::new();
    let texts = cache.register(Texts { loads: 0 }).unwrap();
    let pool = Arc::new(Mutex::new(Pool::new(8)));
    let lengths = cache.register(Lengths { pool }).unwrap();
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

#[test]
fn a_cloned_cache_shares_its_assets_and_goes_its_own_way() {
    let mut cache = ResourceCache::new();
    let texts = cache.register(Texts { loads: 0 }).unwrap();
    let oak = cache.acquire(texts, "oak").unwrap();
    let elm = cache.acquire(texts, "elm").unwrap();
    let mut fork = cache.clone();
    let address = |cache: &ResourceCache, handle| std::ptr::from_ref(cache.get(handle).unwrap());
    assert_eq!(address(&cache, oak), address(&fork, oak), "one text behind both");
    assert_eq!(fork.reload(texts, "oak"), Ok(true));
    assert_eq!(fork.release(elm), Ok(true));
    assert_eq!(
        (cache.get(oak).unwrap().as_str(), cache.get(elm).unwrap().as_str()),
        ("oak 1", "elm 2")
    );
    assert_eq!(fork.get(oak).unwrap(), "oak 3");
    assert_eq!(fork.get(elm), Err(CacheError::Stale));
    let kept = cache.asset(elm).unwrap().share();
    assert_eq!(cache.release(elm), Ok(true));
    assert_eq!(*kept, "elm 2");
}

/// The name was looked for under the number alone, and the handle found was one of nothing.
#[test]
fn a_kind_of_another_cache_finds_and_acquires_nothing() {
    let (mut cache, mut other) = (ResourceCache::new(), ResourceCache::new());
    let foreign = other.register(Given::<u32>::new()).unwrap();
    let words = cache.register(Given::<String>::new()).unwrap();
    cache.put(words, "tree", Owned::new(String::from("oak"))).unwrap();
    let unknown = CacheError::UnknownKind { name: "tree".into() };
    assert_eq!(cache.find(foreign, "tree"), None);
    assert_eq!(cache.names(foreign).count(), 0);
    assert_eq!(cache.acquire(foreign, "tree"), Err(unknown.clone()));
    assert_eq!(cache.reload(foreign, "tree"), Err(unknown.clone()));
    assert_eq!(
        cache.reload(foreign, "bush"),
        Err(CacheError::UnknownKind { name: "bush".into() })
    );
    assert_eq!(cache.put(foreign, "tree", Owned::new(1)), Err(unknown));
    assert!(cache.names(words).eq(["tree"]));
    // A kind that the cache has no number for.
    let late = other.register(Given::<String>::new()).unwrap();
    assert_eq!((cache.find(late, "tree"), cache.names(late).count()), (None, 0));
}

#[test]
fn an_asset_that_is_put_is_found_by_name_replaced_and_never_loaded() {
    let mut cache = ResourceCache::new();
    let before = cache.register(Given::<u32>::new()).unwrap();
    let words = cache.register(Given::<&str>::new()).unwrap();
    let after = cache.register(Given::<u32>::new()).unwrap();
    for kind in [before, after] {
        cache.put(kind, "five", Owned::new(5)).unwrap();
    }
    let tree = cache.put(words, "tree", Owned::new("oak")).unwrap();
    cache.put(words, "bush", Owned::new("box")).unwrap();
    assert_eq!(cache.put(words, "tree", Owned::new("elm")), Ok(tree));
    assert_eq!(cache.get(tree), Ok(&"elm"));
    assert_eq!(cache.names(words).collect::<Vec<_>>(), ["bush", "tree"]);
    assert_eq!(cache.find(words, "tree"), Some(tree));
    assert_eq!(cache.find(words, "five"), None);
    let error = cache.acquire(words, "moss").unwrap_err().to_string();
    assert!(error.starts_with("resource `moss`: "), "{error}");
    let error = cache.reload(words, "tree").unwrap_err();
    assert!(matches!(error, CacheError::Factory { .. }), "{error}");
    assert_eq!(cache.get(tree), Ok(&"elm"), "a reload that fails leaves it");
    assert_eq!(
        cache.release(tree),
        Ok(true),
        "one use, however often it was replaced"
    );
}
