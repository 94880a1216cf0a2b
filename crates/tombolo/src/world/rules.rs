//! Rules for contacts of two materials or two categories, as physics keeps them.

use tombolo_physics::{ContactRule, PhysicsError};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::Command;
use crate::error::WorldError;

impl World {
    /// Says what contacts of two materials are like, as
    /// [`PhysicsWorld::set_contact_rule`](tombolo_physics::PhysicsWorld::set_contact_rule).
    ///
    /// # Errors
    ///
    /// If a number is out of range, or no rule can be about the two.
    pub fn set_contact_rule(&mut self, first: u32, second: u32, rule: ContactRule) -> Result<(), WorldError> {
        self.report_command(|| Command::ContactRule {
            materials: [first, second],
            rule: Some(rule),
        });
        self.rule_contacts([first, second], Some(rule))
    }

    /// Takes the rule for two materials away and gives it back.
    pub fn remove_contact_rule(&mut self, first: u32, second: u32) -> Option<ContactRule> {
        self.report_command(|| Command::ContactRule {
            materials: [first, second],
            rule: None,
        });
        let _environment = FloatEnvironment::enter();
        self.physics.remove_contact_rule(first, second)
    }

    /// Says what contacts of shapes of two categories are like, as
    /// [`PhysicsWorld::set_category_rule`](tombolo_physics::PhysicsWorld::set_category_rule).
    ///
    /// # Errors
    ///
    /// If a number is out of range, a category is more than one bit, or no rule can be about the two.
    pub fn set_category_rule(
        &mut self,
        first: u64,
        second: u64,
        rule: ContactRule,
    ) -> Result<(), WorldError> {
        self.report_command(|| Command::CategoryRule {
            categories: [first, second],
            rule: Some(rule),
        });
        self.rule_categories([first, second], Some(rule))
    }

    /// Takes the rule for two categories away and gives it back.
    pub fn remove_category_rule(&mut self, first: u64, second: u64) -> Option<ContactRule> {
        self.report_command(|| Command::CategoryRule {
            categories: [first, second],
            rule: None,
        });
        let _environment = FloatEnvironment::enter();
        self.physics.remove_category_rule(first, second)
    }

    /// Sets a rule for materials, or takes it away.
    pub(super) fn rule_contacts(
        &mut self,
        [first, second]: [u32; 2],
        rule: Option<ContactRule>,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let Some(rule) = rule else {
            self.physics.remove_contact_rule(first, second);
            return Ok(());
        };
        self.physics
            .set_contact_rule(first, second, rule)
            .map_err(of_a_rule)
    }

    /// Sets a rule for categories, or takes it away.
    pub(super) fn rule_categories(
        &mut self,
        [first, second]: [u64; 2],
        rule: Option<ContactRule>,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let Some(rule) = rule else {
            self.physics.remove_category_rule(first, second);
            return Ok(());
        };
        self.physics
            .set_category_rule(first, second, rule)
            .map_err(of_a_rule)
    }
}

fn of_a_rule(error: PhysicsError) -> WorldError {
    WorldError::Physics {
        entity: "the world".into(),
        component: "rule".into(),
        error,
    }
}
