//! Contact rules: the tables of rules for pairs of materials and of categories, and pairs of shapes that are ignored.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::persistent::PlainArray;
use crate::recording::Call;
use crate::rule::{ContactRule, PlainRule, category_number, category_of, in_order};
use crate::shape::ShapeId;
use alloc::vec::Vec;
use tombolo_threads::FloatEnvironment;

/// Inserts a rule into a sorted list, in place of that for the same pair.
fn put(list: &mut PlainArray<PlainRule>, plain: PlainRule) {
    let mut rules: Vec<PlainRule> = list.to_vec();
    match rules.binary_search_by_key(&plain.materials, |rule| rule.materials) {
        Ok(at) => rules[at] = plain,
        Err(at) => rules.insert(at, plain),
    }
    *list = rules.into();
}

/// Removes a rule from a sorted list.
fn take(list: &mut PlainArray<PlainRule>, of: [u32; 2]) -> Option<PlainRule> {
    let mut rules: Vec<PlainRule> = list.to_vec();
    let at = rules.binary_search_by_key(&of, |rule| rule.materials).ok()?;
    let rule = rules.remove(at);
    *list = rules.into();
    Some(rule)
}

impl PhysicsWorld {
    /// Sets the contact rule for two materials ([`ShapeDef::material`](crate::ShapeDef::material)), in place of an
    /// earlier one. [`ANY_MATERIAL`](crate::ANY_MATERIAL) in place of one of the two stands for all materials that have
    /// no rule of their own with the other; of two such rules that of the lower number applies. A one-way rule lets
    /// shapes leave the first material. Shapes of the two materials wake with the bodies that touch them; touches
    /// continue, unless they are ignored. Costs the shapes of the world and the contacts of those concerned.
    ///
    /// ```
    /// use tombolo_physics::{ANY_MATERIAL, BodyDef, ContactRule, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// const PLANK: u32 = 1;
    /// let up = ContactRule { one_way: Some(Vec2::Y), ..Default::default() };
    /// world.set_contact_rule(PLANK, ANY_MATERIAL, up)?;
    /// let platform = world.create_body(&BodyDef::fixed(0.0, 2.0))?;
    /// let plank = ShapeDef { material: PLANK, ..Default::default() };
    /// world.create_shape(platform, &plank, &Shape::new_box(4.0, 0.2)?)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a number is out of range, both materials are [`ANY_MATERIAL`](crate::ANY_MATERIAL), or a one-way rule has the
    /// same material twice.
    pub fn set_contact_rule(
        &mut self,
        first: u32,
        second: u32,
        rule: ContactRule,
    ) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetContactRule { first, second, rule });
        let _environment = FloatEnvironment::enter();
        rule.validate_for(first, second)?;
        let plain = PlainRule::new(first, second, &rule);
        put(&mut self.state.rules, plain);
        self.state.follow_rules(plain.materials);
        Ok(())
    }

    /// Removes the rule for two materials, in either order, and returns it. Wakes and costs like
    /// [`PhysicsWorld::set_contact_rule`].
    pub fn remove_contact_rule(&mut self, first: u32, second: u32) -> Option<ContactRule> {
        self.log.report(|| Call::RemoveContactRule { first, second });
        let _environment = FloatEnvironment::enter();
        let materials = in_order(first, second);
        let rule = take(&mut self.state.rules, materials)?;
        self.state.follow_rules(materials);
        Some(rule.rule().1)
    }

    /// All rules for materials with their two materials, in the order of the lower and then the higher number.
    pub fn contact_rules(&self) -> impl ExactSizeIterator<Item = ([u32; 2], ContactRule)> {
        self.state.rules.iter().map(PlainRule::rule)
    }

    /// Sets the contact rule for shapes of two categories, each a bit of [`Filter::category`](crate::Filter::category),
    /// in place of an earlier one. [`ANY_CATEGORY`](crate::ANY_CATEGORY) in place of one of the two stands for all
    /// shapes.
    ///
    /// One rule applies to a pair of shapes, the first of these that exists: that of their two materials, that of one
    /// material and all others, that of two of their categories, that of one category and all others. Of several rules
    /// for categories that match, the one with the lowest bit applies, then the one whose other bit is lowest. A
    /// one-way rule lets shapes leave those of the first category; of two shapes that both have both categories, the
    /// one with the lower index is left. Wakes and costs like [`PhysicsWorld::set_contact_rule`]; a contact searches
    /// all rules for categories when its manifold is computed. Characters, and queries that name a material, match by
    /// their `category`, unless that has all bits.
    ///
    /// ```
    /// use tombolo_physics::{ContactRule, PhysicsWorld, WorldDef};
    /// const GHOST: u64 = 1 << 3;
    /// const WALL: u64 = 1 << 4;
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// world.set_category_rule(GHOST, WALL, ContactRule { sensor: true, ..Default::default() })?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a number is out of range, a category is more than one bit, both are [`ANY_CATEGORY`](crate::ANY_CATEGORY), or
    /// a one-way rule has the same category twice.
    pub fn set_category_rule(
        &mut self,
        first: u64,
        second: u64,
        rule: ContactRule,
    ) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetCategoryRule { first, second, rule });
        let _environment = FloatEnvironment::enter();
        rule.validate_for_categories(first, second)?;
        let [first, second] = [category_number(first)?, category_number(second)?];
        let plain = PlainRule::new(first, second, &rule);
        put(&mut self.state.category_rules, plain);
        self.state.follow_category_rules(plain.materials);
        Ok(())
    }

    /// Removes the rule for two categories, in either order, and returns it. Wakes and costs like
    /// [`PhysicsWorld::set_contact_rule`].
    pub fn remove_category_rule(&mut self, first: u64, second: u64) -> Option<ContactRule> {
        self.log.report(|| Call::RemoveCategoryRule { first, second });
        let _environment = FloatEnvironment::enter();
        let numbers = in_order(category_number(first).ok()?, category_number(second).ok()?);
        let rule = take(&mut self.state.category_rules, numbers)?;
        self.state.follow_category_rules(numbers);
        Some(rule.rule().1)
    }

    /// All rules for categories with their two categories, in the order of the lower and then the higher bit.
    pub fn category_rules(&self) -> impl ExactSizeIterator<Item = ([u64; 2], ContactRule)> {
        self.state.category_rules.iter().map(|plain| {
            let (numbers, rule) = plain.rule();
            (numbers.map(category_of), rule)
        })
    }

    /// The rule that applies to two shapes, if there is one and both shapes exist.
    pub fn rule_between(&self, a: ShapeId, b: ShapeId) -> Option<ContactRule> {
        let state = &self.state;
        (state.shapes.contains(a) && state.shapes.contains(b)).then_some(())?;
        Some(state.rule_of([a.index(), b.index()])?.rule().1)
    }

    /// Sets whether two shapes are ignored as a pair, so that they cannot touch each other; both bodies wake, and those
    /// that touch the first shape. A present touch of the two ends. Sensors are not affected, and a shape never touches
    /// itself. For all shapes of two bodies there is [`FilterDef`](crate::FilterDef). Costs the ignored pairs and the
    /// contacts of the first body.
    ///
    /// # Errors
    ///
    /// If one of the shapes is gone.
    pub fn set_pair_ignored(&mut self, a: ShapeId, b: ShapeId, ignored: bool) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetPairIgnored { a, b, ignored });
        let _environment = FloatEnvironment::enter();
        let [a, b] = [self.state.check_shape(a)?, self.state.check_shape(b)?];
        self.state.set_pair_ignored(a, b, ignored);
        Ok(())
    }

    /// Whether two shapes are ignored as a pair.
    pub fn is_pair_ignored(&self, a: ShapeId, b: ShapeId) -> bool {
        let state = &self.state;
        let pair = in_order(a.index(), b.index());
        state.shapes.contains(a)
            && state.shapes.contains(b)
            && state.ignored_pairs.binary_search(&pair).is_ok()
    }
}
