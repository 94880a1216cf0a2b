//! `ResourceCache`: assets that many share (pictures, sounds, tables), each loaded once, each kind by a factory of its own.
//!
//! A factory answers with an [`Owned`], so an asset may lie on the heap, in a pool, or wherever the factory likes, and may
//! be a trait object. The cache keeps one [`HandleMap`](tombolo_handles::HandleMap) for each kind, side by side in a
//! [`MapTable`], so the tag of a handle says its kind: the pattern of the source of the handle map. A world that is saved
//! keeps the handles' numbers or the assets' names; the cache itself is not part of a world.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

use tombolo_handles::{AnyHandle, Handle, HandleMap, MapTable, Owned, TypeTag};

/// Makes assets of one kind from their names.
pub trait Factory: 'static {
    /// What it makes: a type or a `dyn Trait`.
    type Resource: ?Sized + 'static;

    /// Makes the asset of this name.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people; the cache adds the name.
    fn load(&mut self, name: &str) -> Result<Owned<Self::Resource>, Box<str>>;
}

/// An asset in the cache.
pub struct Asset<R: ?Sized> {
    name: Box<str>,
    resource: Owned<R>,
    use_count: u32,
}

impl<R: ?Sized> Asset<R> {
    /// The name that it was loaded by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The asset itself.
    pub fn resource(&self) -> &R {
        &self.resource
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

/// Why there is no asset.
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
    /// The kind is one of another cache.
    #[error("the kind of resource `{name}` is not one of this cache")]
    UnknownKind {
        /// The asset's name.
        name: Box<str>,
    },
    /// The handle names no asset here, or not any more.
    #[error("the handle names no resource of this cache")]
    Stale,
    /// As many kinds as there are tags.
    #[error("the cache has no number left for another kind of resource")]
    TooManyKinds,
}

/// Assets of any kind, each loaded once.
///
/// ```
/// use tombolo_entity::{Factory, ResourceCache};
/// use tombolo_handles::Owned;
///
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
    // By tag, as the factories are.
    assets: MapTable,
    factories: Vec<Box<dyn Any>>,
    by_name: BTreeMap<(u16, Box<str>), AnyHandle>,
}

impl ResourceCache {
    /// No kinds, no assets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind of assets.
    ///
    /// # Errors
    ///
    /// [`CacheError::TooManyKinds`] after 32,768.
    pub fn register<F: Factory>(&mut self, factory: F) -> Result<ResourceKind<F>, CacheError> {
        let tag = self
            .assets
            .add::<Asset<F::Resource>>()
            .map_err(|_| CacheError::TooManyKinds)?;
        self.factories.push(Box::new(factory));
        let factory = PhantomData;
        Ok(ResourceKind { tag, factory })
    }

    /// The asset of a name, loaded if it is not there yet, and one more use of it.
    ///
    /// # Errors
    ///
    /// If the factory cannot make it, or the kind is of another cache.
    pub fn acquire<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<ResourceHandle<F::Resource>, CacheError> {
        let key = (kind.tag.get(), name.into());
        if let Some(known) = self.by_name.get(&key) {
            let handle = known.typed();
            self.asset_mut(handle)?.use_count += 1;
            return Ok(handle);
        }
        let resource = self.make(kind, name)?;
        let map = self.map_mut::<F>(kind, name)?;
        let handle = map.insert(Asset {
            name: name.into(),
            resource,
            use_count: 1,
        });
        self.by_name.insert(key, handle.into());
        Ok(handle)
    }

    /// Loads an asset anew; its handles show the new one. An asset that is not there is left alone.
    ///
    /// # Errors
    ///
    /// As [`ResourceCache::acquire`]; the old asset stays then.
    pub fn reload<F: Factory>(&mut self, kind: ResourceKind<F>, name: &str) -> Result<bool, CacheError> {
        let Some(handle) = self.by_name.get(&(kind.tag.get(), name.into())).copied() else {
            return Ok(false);
        };
        let resource = self.make(kind, name)?;
        self.asset_mut::<F::Resource>(handle.typed())?.resource = resource;
        Ok(true)
    }

    /// An asset. Three reads of an array.
    ///
    /// # Errors
    ///
    /// [`CacheError::Stale`] if the handle names none.
    pub fn get<R: ?Sized + 'static>(&self, handle: ResourceHandle<R>) -> Result<&R, CacheError> {
        self.asset(handle).map(Asset::resource)
    }

    /// An asset with its name.
    ///
    /// # Errors
    ///
    /// As [`ResourceCache::get`].
    pub fn asset<R: ?Sized + 'static>(&self, handle: ResourceHandle<R>) -> Result<&Asset<R>, CacheError> {
        self.assets.get(handle.into()).map_err(|_| CacheError::Stale)
    }

    /// Ends one use of an asset and drops it after the last; whether that was the last.
    ///
    /// # Errors
    ///
    /// As [`ResourceCache::get`].
    pub fn release<R: ?Sized + 'static>(&mut self, handle: ResourceHandle<R>) -> Result<bool, CacheError> {
        let asset = self.asset_mut(handle)?;
        asset.use_count -= 1;
        if asset.use_count > 0 {
            return Ok(false);
        }
        let name = asset.name.clone();
        self.by_name.remove(&(handle.tag().get(), name));
        self.assets.remove(handle.into());
        Ok(true)
    }

    /// How many assets there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    fn make<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<Owned<F::Resource>, CacheError> {
        let factory = self.factories.get_mut(usize::from(kind.tag.get()));
        let factory = factory.and_then(|factory| factory.downcast_mut::<F>());
        let Some(factory) = factory else {
            return Err(CacheError::UnknownKind { name: name.into() });
        };
        factory.load(name).map_err(|reason| CacheError::Factory {
            name: name.into(),
            reason,
        })
    }

    fn map_mut<F: Factory>(
        &mut self,
        kind: ResourceKind<F>,
        name: &str,
    ) -> Result<&mut HandleMap<Asset<F::Resource>>, CacheError> {
        let unknown = |_| CacheError::UnknownKind { name: name.into() };
        self.assets.map_mut(kind.tag).map_err(unknown)
    }

    fn asset_mut<R: ?Sized + 'static>(
        &mut self,
        handle: ResourceHandle<R>,
    ) -> Result<&mut Asset<R>, CacheError> {
        self.assets.get_mut(handle.into()).map_err(|_| CacheError::Stale)
    }
}

impl fmt::Debug for ResourceCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}
