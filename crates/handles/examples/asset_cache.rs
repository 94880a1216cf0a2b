//! An asset cache that hands out handles: the asset of a handle may be gone, but a handle never leads to another asset.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use tombolo_handles::{Handle, HandleError, HandleMap};

/// Something large that was loaded.
struct Texture {
    name: String,
    bytes: usize,
    last_used: u32,
}

/// Textures by handle, within a budget of memory.
struct TextureCache {
    textures: HandleMap<Texture>,
    bytes: usize,
    bytes_max: usize,
}

impl TextureCache {
    fn load(&mut self, name: &str, bytes: usize, now: u32) -> Handle<Texture> {
        while self.bytes + bytes > self.bytes_max && self.evict_one() {}
        self.bytes += bytes;
        self.textures.insert(Texture {
            name: name.into(),
            bytes,
            last_used: now,
        })
    }

    /// Removes what was not used for longest. Its handles, wherever they are, are stale from now on.
    fn evict_one(&mut self) -> bool {
        let oldest = self.textures.iter().min_by_key(|(_, texture)| texture.last_used);
        let Some((handle, _)) = oldest else { return false };
        self.bytes -= self.textures.remove(handle).map_or(0, |texture| texture.bytes);
        true
    }

    fn draw(&mut self, handle: Handle<Texture>, now: u32) -> Result<&str, HandleError> {
        let texture = self.textures.try_get_mut(handle)?;
        texture.last_used = now;
        Ok(&texture.name)
    }
}

fn main() -> Result<(), HandleError> {
    let mut cache = TextureCache {
        textures: HandleMap::new(),
        bytes: 0,
        bytes_max: 1000,
    };
    let grass = cache.load("grass", 400, 1);
    let stone = cache.load("stone", 400, 2);
    println!("drawing {}", cache.draw(grass, 3)?);

    // No room: stone, not used for longest, makes way and water takes its slot.
    let water = cache.load("water", 300, 4);
    assert_eq!(water.index(), stone.index());
    let error = cache.draw(stone, 5).expect_err("stone is gone");
    println!("drawing stone: {error}");
    assert_eq!(error, HandleError::Stale { wanted: 1, found: 2 });
    assert_eq!(cache.draw(water, 6)?, "water");
    assert_eq!(cache.draw(grass, 7)?, "grass");
    Ok(())
}
