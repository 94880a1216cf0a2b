//! Rules for contacts: the table from pairs of materials, and pairs of shapes that do not touch.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::recording::Call;
use crate::rule::{ContactRule, PlainRule, in_order};
use crate::shape::ShapeId;
use alloc::vec::Vec;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Says what contacts of two materials ([`ShapeDef::material`](crate::ShapeDef::material)) are like, in place of what was
    /// said before. [`ANY_MATERIAL`](crate::ANY_MATERIAL) in place of one of the two means all that have no rule of their own
    /// with the other; of two such rules that of the lower number counts. A one-way rule is about leaving the first
    /// material. Shapes of the two wake with what touches them; touches go on, unless they are ignored. Costs the shapes
    /// of the world and the contacts of those concerned.
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
    /// If a number is out of range, both materials stand for all, or a one-way rule is about one material alone.
    pub fn set_contact_rule(
        &mut self,
        first: u32,
        second: u32,
        rule: ContactRule,
    ) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetContactRule { first, second, rule });
        let _environment = FloatEnvironment::enter();
        rule.validate_for(first, second)?;
        let mut rules: Vec<PlainRule> = self.state.rules.to_vec();
        let plain = PlainRule::new(first, second, &rule);
        match rules.binary_search_by_key(&plain.materials, |rule| rule.materials) {
            Ok(at) => rules[at] = plain,
            Err(at) => rules.insert(at, plain),
        }
        self.state.rules = rules.into();
        self.state.follow_rules(plain.materials);
        Ok(())
    }

    /// Takes the rule for two materials away, whichever is named first, and gives it back. Wakes and costs as
    /// [`PhysicsWorld::set_contact_rule`].
    pub fn remove_contact_rule(&mut self, first: u32, second: u32) -> Option<ContactRule> {
        self.log.report(|| Call::RemoveContactRule { first, second });
        let _environment = FloatEnvironment::enter();
        let materials = in_order(first, second);
        let mut rules: Vec<PlainRule> = self.state.rules.to_vec();
        let at = rules
            .binary_search_by_key(&materials, |rule| rule.materials)
            .ok()?;
        let rule = rules.remove(at);
        self.state.rules = rules.into();
        self.state.follow_rules(materials);
        Some(rule.rule().1)
    }

    /// All rules with their two materials, in the order of the lower and then the higher number.
    pub fn contact_rules(&self) -> impl ExactSizeIterator<Item = ([u32; 2], ContactRule)> {
        self.state.rules.iter().map(PlainRule::rule)
    }

    /// The rule that counts for two shapes, if there is one and both live.
    pub fn rule_between(&self, a: ShapeId, b: ShapeId) -> Option<ContactRule> {
        let state = &self.state;
        (state.shapes.contains(a) && state.shapes.contains(b)).then_some(())?;
        Some(state.rule_of([a.index(), b.index()])?.rule().1)
    }

    /// Has two shapes touch each other no more, or again; both bodies wake, and what touches the first shape. A touch that
    /// there is ends. Sensors are not asked, and a shape and itself never touch. For all shapes of two bodies there is [`FilterDef`](crate::FilterDef).
    /// Costs the pairs that are ignored and the contacts of the first body.
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

    /// Whether two shapes were told not to touch each other.
    pub fn is_pair_ignored(&self, a: ShapeId, b: ShapeId) -> bool {
        let state = &self.state;
        let pair = in_order(a.index(), b.index());
        state.shapes.contains(a)
            && state.shapes.contains(b)
            && state.ignored_pairs.binary_search(&pair).is_ok()
    }
}
