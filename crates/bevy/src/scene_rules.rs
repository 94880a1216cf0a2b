//! [`SceneRules`]: the contact rules that the roots of scenes have set in the table, so that the table has those of the
//! other roots, and the game's own, when one of them goes. Feature `scenes`.

use std::collections::BTreeMap;

use bevy_ecs::prelude::{Entity, Resource};
use tombolo_physics::{ContactRule, PhysicsWorld};

use crate::rules::{ContactRules, Table, in_order};

/// The rules of all roots.
#[derive(Resource, Debug, Default)]
pub(crate) struct SceneRules {
    materials: Layers<u32>,
    categories: Layers<u64>,
}

impl SceneRules {
    /// Sets the rules of a scene's world in the table, as those of a root.
    pub(crate) fn set(&mut self, root: Entity, world: &PhysicsWorld, rules: &mut ContactRules) {
        let materials = world.contact_rules();
        self.materials.set(root, materials, &mut rules.materials);
        let categories = world.category_rules();
        self.categories.set(root, categories, &mut rules.categories);
    }

    /// Takes the rules of a root from the table.
    pub(crate) fn withdraw(&mut self, root: Entity, rules: &mut ContactRules) {
        self.materials.withdraw(root, &mut rules.materials);
        self.categories.withdraw(root, &mut rules.categories);
    }
}

/// The rules of roots, and of the game below them.
#[derive(Debug)]
struct Layers<N> {
    /// The roots that have rules, the one that has set them last at the end.
    roots: Vec<(Entity, Table<N>)>,
    /// What the table had for pairs before the first of the roots.
    beneath: Table<N>,
}

impl<N> Default for Layers<N> {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            beneath: BTreeMap::new(),
        }
    }
}

impl<N: Copy + Ord> Layers<N> {
    fn set(
        &mut self,
        root: Entity,
        rules: impl Iterator<Item = ([N; 2], ContactRule)>,
        table: &mut Table<N>,
    ) {
        let of_root: Table<N> = rules
            .map(|(named, rule)| (in_order(named), (named, rule)))
            .collect();
        for (&pair, &rule) in &of_root {
            let before = table.insert(pair, rule);
            if let Some(before) = before.filter(|_| !self.has(pair)) {
                self.beneath.insert(pair, before);
            }
        }
        if !of_root.is_empty() {
            self.roots.push((root, of_root));
        }
    }

    /// Takes a root's rules away. A pair that the game has given another rule since keeps it.
    fn withdraw(&mut self, root: Entity, table: &mut Table<N>) {
        let Some(at) = self.roots.iter().position(|(of, _)| *of == root) else {
            return;
        };
        let (_, of_root) = self.roots.remove(at);
        for (pair, rule) in of_root {
            let mut others = self.roots.iter().rev();
            let next = others.find_map(|(_, rules)| rules.get(&pair)).copied();
            let next = next.or_else(|| self.beneath.remove(&pair));
            if table.get(&pair) != Some(&rule) {
                continue;
            }
            match next {
                Some(next) => table.insert(pair, next),
                None => table.remove(&pair),
            };
        }
    }

    fn has(&self, pair: [N; 2]) -> bool {
        self.roots.iter().any(|(_, rules)| rules.contains_key(&pair))
    }
}
