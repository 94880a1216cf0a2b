//! Calls that change shapes in place, and calls about contact rules.

use super::Call;
use super::player::{Player, picked, text};

impl Player {
    /// Makes one of these calls and returns its result; `None` for any other call.
    pub(super) fn play_on_rules(&mut self, call: &Call) -> Option<String> {
        Some(match call {
            Call::Geometry(shape, form) => {
                let Ok(geometry) = form.make() else {
                    return Some(String::new());
                };
                self.on_shape(*shape, |world, shape| {
                    text(
                        &world
                            .shape_mut(shape)
                            .and_then(|mut shape| shape.set_geometry(&geometry)),
                    )
                })
            }
            Call::Density(shape, density) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .and_then(|mut shape| shape.set_density(*density)),
                )
            }),
            Call::Sensor(shape, sensor) => self.on_shape(*shape, |world, shape| {
                text(&world.shape_mut(shape).map(|mut shape| shape.set_sensor(*sensor)))
            }),
            Call::Events(shape, contact, hit) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .map(|mut shape| shape.set_events(*contact, *hit)),
                )
            }),
            Call::CombineRules(shape, [friction, restitution]) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .map(|mut shape| shape.set_combine_rules(*friction, *restitution)),
                )
            }),
            Call::MaterialNumber(shape, material) => self.on_shape(*shape, |world, shape| {
                text(
                    &world
                        .shape_mut(shape)
                        .and_then(|mut shape| shape.set_material_number(*material)),
                )
            }),
            Call::Rule([first, second], rule) => text(&self.world.set_contact_rule(*first, *second, **rule)),
            Call::RemoveRule([first, second]) => text(&self.world.remove_contact_rule(*first, *second)),
            Call::IgnorePair([a, b], ignored) => {
                let (Some(a), Some(b)) = (picked(&self.shapes, *a), picked(&self.shapes, *b)) else {
                    return Some(String::new());
                };
                text(&self.world.set_pair_ignored(a, b, *ignored))
            }
            _ => return None,
        })
    }
}
