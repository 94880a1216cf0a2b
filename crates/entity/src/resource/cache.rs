//! `ResourceCache`: shared assets (pictures, sounds, tables), each loaded once, each kind by a factory of its own.
//!
//! A factory returns an [`Owned`], so an asset may be on the heap, in a pool, or in any other memory, and may be a
//! trait object. The cache keeps one [`HandleMap`] for each kind, in the order of their tags, so the tag of a handle
//! identifies its kind: the pattern of the source of the handle map. An asset is never changed, only replaced, and it
//! is shared: the clone of a cache has the same assets behind the same handles, and a load or reload in one does not
//! affect the other. `World::assets` of the engine is made of one.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

use tombolo_handles::{AnyHandle, Handle, HandleMap, Owned, SharedOwned, TypeTag};

/// Makes assets of one kind from their names. It is cloned with its cache.
pub trait Factory: Clone + Send + Sync + 'static {
    /// The type of its assets: a type or a `dyn Trait`.
    type Resource: ?Sized + Send + Sync + 'static;

    /// Makes the asset of this name.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be made, for people; the cache adds the name.
    fn load(&mut self, name: &str) -> Result<Owned<Self::Resource>, Box<str>>;
}

/// The factory of assets that are made elsewhere and [put](ResourceCache::put) into the cache: it loads none.
pub struct Given<R: ?Sized>(PhantomData<fn() -> R>);

impl<R: ?Sized> Given<R> {
    /// The factory.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: ?Sized> Default for Given<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: ?Sized> Clone for Given<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized> Copy for Given<R> {}

impl<R: ?Sized + Send + Sync + 'static> Factory for Given<R> {
    type Resource = R;

    fn load(&mut self, _: &str) -> Result<Owned<R>, Box<str>> {
        Err("it was not put into the cache, and nothing loads it".into())
    }
}

/// An asset in the cache.
pub struct Asset<R: ?Sized> {
    name: Box<str>,
    resource: SharedOwned<R>,
    use_count: u32,
}

impl<R: ?Sized> Clone for Asset<R> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            resource: self.resource.clone(),
            use_count: self.use_count,
        }
    }
}

impl<R: ?Sized> Asset<R> {
    /// The name by which it was loaded.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The asset itself.
    pub fn resource(&self) -> &R {
        &self.resource
    }

    /// An owner of the asset, for callers that keep it beyond its last use or its next reload.
    pub fn share(&self) -> SharedOwned<R> {
        self.resource.clone()
    }
}

/// A shared asset. Valid until the asset has been released as often as it was acquired.
pub type ResourceHandle<R> = Handle<Asset<R>>;

/// The number of a kind of assets, with the type of its factory.
pub struct ResourceKind<F> {
    tag: TypeTag,
    factory: PhantomData<fn() -> F>,
}

impl<F> Clone for ResourceKind<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for ResourceKind<F> {}

/// The reason why there is no asset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The factory cannot make it.
    #[error("resource `{name}`: {reason}")]
    Factory {
        /// The asset's name.
        name: Box<str>,
        /// The factory's reason.
        reason: Box<str>,
    },
    /// The kind belongs to another cache, which registered its factory under another number. A kind, and a handle, of a
    /// cache that registered the same factories in the same order, as a clone has, is taken for this one's own.
    #[error("the kind of resource `{name}` is not one of this cache")]
    UnknownKind {
        /// The asset's name.
        name: Box<str>,
    },
    /// The handle does not name an asset of this cache, or names one that was released.
    #[error("the handle names no resource of this cache")]
    Stale,
    /// The number of kinds has reached the number of tags.
    #[error("the cache has no number left for another kind of resource")]
    TooManyKinds,
}

/// Assets of any kind, each loaded once.
///
/// ```
/// use tombolo_entity::{Factory, ResourceCache};
/// use tombolo_handles::Owned;
///
/// #[derive(Clone)]
/// struct Echo;
/// impl Factory for Echo {
///     type Resource = String;
///     fn load(&mut self, name: &str) -> Result<Owned<String>, Box<str>> {
///         Ok(Owned::new(name.repeat(2)))
///     }
/// }
///
/// let mut cache = ResourceCache::new();
/// let echoes = cache.register(Echo)?;
/// let ha = cache.acquire(echoes, "ha")?;
/// assert_eq!(cache.acquire(echoes, "ha")?, ha); // loaded once, used twice
/// assert_eq!(cache.get(ha)?, "haha");
/// # Ok::<(), tombolo_entity::CacheError>(())
/// ```
#[derive(Default)]
pub struct ResourceCache {
    // Indexed by tag.
    kinds: Vec<Box<dyn AnyKind>>,
    by_name: BTreeMap<(u16, Box<str>), AnyHandle>,
}

/// A kind of assets: its factory, and the assets loaded so far.
struct KindOf<F: Factory> {
    factory: F,
    assets: HandleMap<Asset<F::Resource>>,
}

/// The calls of a kind that the cache makes without its type.
trait AnyKind: Any + Send + Sync {
    fn copy(&self) -> Box<dyn AnyKind>;
    /// The map of assets, independent of the factory's type.
    fn assets(&self) -> &dyn Any;
    fn assets_mut(&mut self) -> &mut dyn Any;
}

impl<F: Factory> AnyKind for KindOf<F> {
    fn copy(&self) -> Box<dyn AnyKind> {
        Box::new(Self {
            factory: self.factory.clone(),
            assets: self.assets.clone(),
        })
    }

    fn assets(&self) -> &dyn Any {
        &self.assets
    }

    fn assets_mut(&mut self) -> &mut dyn Any {
        &mut self.assets
    }
}

impl Clone for ResourceCache {
    fn clone(&self) -> Self {
        Self {
            kinds: self.kinds.iter().map(|kind| kind.copy()).collect(),
            by_name: self.by_name.clone(),
        }
    }
}

impl ResourceCache {
    /// A cache without kinds and assets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind of assets.
    ///
    /// # Errors
    ///
    /// [`CacheError::TooManyKinds`] after 32,768.
    pub fn register<F: Factory>(&mut self, factory: F) -> Result<ResourceKind<F>, CacheError> {
        let tag = u16::try_from(self.kinds.len()).ok().and_then(TypeTag::new);
        let tag = tag.ok_or(CacheError::TooManyKinds)?;
        let assets = HandleMap::with_tag(tag);
        self.kinds.push(Box::new(KindOf { factory, assets }));
        let factory = PhantomData;
        Ok(ResourceKind { tag, factory })
    }

    /// Puts an asset that was made elsewhere under a name. It replaces one of that name: handles then lead to the new
    /// one. A name that was not there starts with one use.
    ///
    /// ```
    /// use tombolo_entity::{Given, ResourceCache};
    /// use tombolo_handles::Owned;
    ///
    /// let mut cache = ResourceCache::new();
    /// let words = cache.register(Given::new())?;
    /// let tree = cache.put(words, "tree", Owned::new("oak"))?;
    /// cache.put(words, "tree", Owned::new("elm"))?;
    /// assert_eq!(cache.get(tree)?, &"elm");
    /// assert!(cache.acquire(words, "bush").is_err());
    /// # Ok::<(), tombolo_entity::CacheError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the kind belongs to another cache.
    pub fn put<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
        resource: Owned<F::Resource>,
    ) -> Result<ResourceHandle<F::Resource>, CacheError> {
        let key = (kind.tag.get(), Box::from(name));
        let known = self.by_name.get(&key).map(|known| known.typed());
        let of_kind = self.kind_mut(kind, name)?;
        let resource = SharedOwned::from(resource);
        if let Some(handle) = known {
            if let Some(asset) = of_kind.assets.get_mut(handle) {
                asset.resource = resource;
            }
            return Ok(handle);
        }
        let handle = of_kind.assets.insert(Asset {
            name: name.into(),
            resource,
            use_count: 1,
        });
        self.by_name.insert(key, handle.into());
        Ok(handle)
    }

    /// The asset of a name, if it is loaded; no use of it is counted. `None` for a kind of another cache.
    pub fn find<F: Factory>(&self, kind: ResourceKind<F>, name: &str) -> Option<ResourceHandle<F::Resource>> {
        if !self.has_kind(kind) {
            return None;
        }
        let found = self.by_name.get(&(kind.tag.get(), Box::from(name)));
        found.map(|found| found.typed())
    }

    /// The names of all assets of a kind, in alphabetical order; none for a kind of another cache.
    pub fn names<F: Factory>(&self, kind: ResourceKind<F>) -> impl Iterator<Item = &str> {
        let first = (kind.tag.get(), Box::<str>::default());
        let is_known = self.has_kind(kind);
        let of_kind = self.by_name.range(first..);
        let of_kind = of_kind.take_while(move |((tag, _), _)| is_known && *tag == kind.tag.get());
        of_kind.map(|((_, name), _)| &**name)
    }

    /// The asset of a name, loaded if it is not there yet, and counts one more use of it.
    ///
    /// # Errors
    ///
    /// If the factory cannot make it, or the kind belongs to another cache.
    pub fn acquire<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<ResourceHandle<F::Resource>, CacheError> {
        if let Some(handle) = self.find(kind, name) {
            self.asset_mut(handle)?.use_count += 1;
            return Ok(handle);
        }
        let resource = self.make(kind, name)?;
        self.put(kind, name, resource)
    }

    /// Loads an asset anew; its handles lead to the new one. Does nothing for an asset that is not loaded.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ResourceCache::acquire`]; the old asset stays then.
    pub fn reload<F: Factory>(&mut self, kind: ResourceKind<F>, name: &str) -> Result<bool, CacheError> {
        self.kind_mut(kind, name)?;
        if self.find(kind, name).is_none() {
            return Ok(false);
        }
        let resource = self.make(kind, name)?;
        self.put(kind, name, resource).map(|_| true)
    }

    /// The asset of a handle. Three reads of an array.
    ///
    /// # Errors
    ///
    /// [`CacheError::Stale`] if the handle names none.
    pub fn get<R: ?Sized + 'static>(&self, handle: ResourceHandle<R>) -> Result<&R, CacheError> {
        self.asset(handle).map(Asset::resource)
    }

    /// The asset of a handle, with its name.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ResourceCache::get`].
    pub fn asset<R: ?Sized + 'static>(&self, handle: ResourceHandle<R>) -> Result<&Asset<R>, CacheError> {
        let kind = self.kinds.get(usize::from(handle.tag().get()));
        let assets = kind.and_then(|kind| kind.assets().downcast_ref::<HandleMap<Asset<R>>>());
        assets
            .and_then(|assets| assets.get(handle))
            .ok_or(CacheError::Stale)
    }

    /// Ends one use of an asset and drops it after the last; returns whether that was the last.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ResourceCache::get`].
    pub fn release<R: ?Sized + 'static>(&mut self, handle: ResourceHandle<R>) -> Result<bool, CacheError> {
        let asset = self.asset_mut(handle)?;
        asset.use_count -= 1;
        if asset.use_count > 0 {
            return Ok(false);
        }
        let name = asset.name.clone();
        self.by_name.remove(&(handle.tag().get(), name));
        if let Some(assets) = self.map_mut(handle) {
            assets.remove(handle);
        }
        Ok(true)
    }

    /// The number of assets.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are no assets.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    fn make<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<Owned<F::Resource>, CacheError> {
        let made = self.kind_mut(kind, name)?.factory.load(name);
        made.map_err(|reason| CacheError::Factory {
            name: name.into(),
            reason,
        })
    }

    /// Whether a kind is one of this cache: the cache has its number, for a factory of its type.
    fn has_kind<F: Factory>(&self, kind: ResourceKind<F>) -> bool {
        let found = self.kinds.get(usize::from(kind.tag.get()));
        found.is_some_and(|found| {
            let found: &dyn Any = &**found;
            found.is::<KindOf<F>>()
        })
    }

    /// A kind, checked to belong to this cache.
    fn kind_mut<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<&mut KindOf<F>, CacheError> {
        let found = self.kinds.get_mut(usize::from(kind.tag.get()));
        let found = found.and_then(|found| {
            let found: &mut dyn Any = &mut **found;
            found.downcast_mut()
        });
        found.ok_or_else(|| CacheError::UnknownKind { name: name.into() })
    }

    /// The map that a handle belongs to.
    fn map_mut<R: ?Sized + 'static>(
        &mut self,
        handle: ResourceHandle<R>,
    ) -> Option<&mut HandleMap<Asset<R>>> {
        let kind = self.kinds.get_mut(usize::from(handle.tag().get()))?;
        kind.assets_mut().downcast_mut()
    }

    fn asset_mut<R: ?Sized + 'static>(
        &mut self,
        handle: ResourceHandle<R>,
    ) -> Result<&mut Asset<R>, CacheError> {
        let assets = self.map_mut(handle);
        assets
            .and_then(|assets| assets.get_mut(handle))
            .ok_or(CacheError::Stale)
    }
}

impl fmt::Debug for ResourceCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}
