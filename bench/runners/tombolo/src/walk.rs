//! Casts rays in a batch on one worker, moves characters one after the other, and makes grids of tiles.

use tombolo::physics::{
    BodyDef, Character, CharacterDef, CharacterInput, CharacterScratch, Position, QueryFilter, RayQuery,
    Shape, Tile, TileGridDef, Vec2,
};
use tombolo_bench_protocol::ground::{Ground, Ray, WALK_AND_JUMP, WALKER, Walker};
use tombolo_bench_protocol::tiles::Tiles;
use tombolo_scenes::STEP_S;

use crate::Tombolo;

impl Ground for Tombolo {
    fn cast_rays(&mut self, rays: &[Ray], shares: &mut Vec<f32>) {
        let queries: Vec<RayQuery<'_>> = rays
            .iter()
            .map(|ray| {
                let origin = Position::new(ray.origin.x, ray.origin.y);
                RayQuery::new(origin, ray.translation, QueryFilter::default())
            })
            .collect();
        self.world
            .cast_rays(&*self.executor, &queries, &mut self.hits)
            .expect("the rays are finite");
        shares.clear();
        shares.extend(self.hits.iter().map(|hit| hit.map_or(1.0, |hit| hit.fraction)));
    }

    fn walk(&mut self, walkers: &mut [Walker]) {
        let [height, radius] = WALKER;
        let [speed, jump] = WALK_AND_JUMP;
        let half = Vec2::new(0.0, 0.5 * height - radius);
        let shape = Shape::capsule(-half, half, radius).expect("a capsule");
        let def = CharacterDef::new(shape);
        let places = walkers
            .iter()
            .map(|walker| Position::new(walker.place.x, walker.place.y));
        if self.characters.len() != walkers.len() {
            self.characters = places.map(Character::new).collect();
        }
        let mut scratch = CharacterScratch::default();
        for (walker, character) in walkers.iter_mut().zip(&mut self.characters) {
            let input = CharacterInput {
                walk: speed * walker.direction,
                jump: if walker.jumps { jump } else { 0.0 },
                ..CharacterInput::default()
            };
            self.world
                .move_character(&def, character, &input, STEP_S, &mut scratch)
                .expect("all numbers are in range");
            walker.place = character.position.to_vec2();
            walker.velocity = character.world_velocity();
            walker.is_grounded = character.is_grounded();
        }
    }

    fn create_tiles(&mut self, tiles: &Tiles) -> bool {
        let [width, height] = tiles.size;
        let def = TileGridDef {
            width,
            height,
            tiles: vec![Tile::default()],
            cells: tiles.cells.iter().map(|&is_full| u8::from(is_full)).collect(),
            ..TileGridDef::default()
        };
        let body = self.world.create_body(&BodyDef::fixed(0.0, 0.0));
        let body = body.expect("a body at the origin");
        self.tiles = Some(self.world.create_tile_grid(body, &def).expect("a grid in range"));
        true
    }

    fn set_tile(&mut self, [x, y]: [u32; 2], is_full: bool) {
        let tiles = self.tiles.expect("the grid was made");
        let edited = self.world.set_tile(tiles, x, y, u8::from(is_full));
        edited.expect("the cell is in the grid");
    }

    fn tile_bytes(&self) -> usize {
        let arrays = self.world.memory().into_iter();
        arrays.map(|array| array.element_size * array.count).sum()
    }
}
