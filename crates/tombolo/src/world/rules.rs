//! Contact rules for two materials or two categories: the world's calls, which pass them to physics.

use tombolo_physics::{ContactRule, PhysicsError};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::Command;
use crate::error::WorldError;

impl World {
    /// Sets the contact rule of two materials, like
    /// [`PhysicsWorld::set_contact_rule`](tombolo_physics::PhysicsWorld::set_contact_rule).
    ///
    /// # Errors
    ///
    /// If a number is out of range, or the two cannot have a rule.
    pub fn set_contact_rule(&mut self, first: u32, second: u32, rule: ContactRule) -> Result<(), WorldError> {
        self.report_command(|| Command::ContactRule {
            materials: [first, second],
            rule: Some(rule),
        });
        self.rule_contacts([first, second], Some(rule))
    }

    /// Removes the rule for two materials and returns it.
    pub fn remove_contact_rule(&mut self, first: u32, second: u32) -> Option<ContactRule> {
        self.report_command(|| Command::ContactRule {
            materials: [first, second],
            rule: None,
        });
        let _environment = FloatEnvironment::enter();
        self.physics.remove_contact_rule(first, second)
    }

    /// Sets the contact rule of two categories of shapes, like
    /// [`PhysicsWorld::set_category_rule`](tombolo_physics::PhysicsWorld::set_category_rule).
    ///
    /// # Errors
    ///
    /// If a number is out of range, a category is more than one bit, or the two cannot have a rule.
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

    /// Removes the rule for two categories and returns it.
    pub fn remove_category_rule(&mut self, first: u64, second: u64) -> Option<ContactRule> {
        self.report_command(|| Command::CategoryRule {
            categories: [first, second],
            rule: None,
        });
        let _environment = FloatEnvironment::enter();
        self.physics.remove_category_rule(first, second)
    }

    /// Sets or removes a rule for materials.
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

    /// Sets or removes a rule for categories.
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
