//! The error of reading a scene. `scene/` and `world/` create it; anyone may print it.

use alloc::boxed::Box;
use core::fmt;

/// The part of a scene file that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The file as a whole.
    Scene,
    /// The section `settings`.
    Settings,
    /// A material, by its name.
    Material(Box<str>),
    /// An outline, by its name.
    Outline(Box<str>),
    /// A script, by its name.
    Script(Box<str>),
    /// A node graph, by its name.
    Graph(Box<str>),
    /// An action, by its name.
    Action(Box<str>),
    /// An entity resource or a placed instance, by its name.
    Entity(Box<str>),
    /// A placement whose name has not been read yet, by its position in the list `place`, from 1.
    Placement(usize),
}

/// The reason why a scene cannot be used: one line that says where and what.
///
/// It prints as `file:line: entity "crate", component "hull", property "density": what is wrong`; the parts that do
/// not apply are left out. Nothing has been built when it is returned.
///
/// ```
/// use tombolo::Scene;
/// let error = Scene::parse("bad.ron", "(\n  settings: (substeps: 0),\n)").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"bad.ron:2: settings, property "substeps": 0 is out of range; give 1 to 64"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, by the name that the caller gave.
    pub file: Box<str>,
    /// The line, from 1; `None` if the file could not be read at all.
    pub line: Option<usize>,
    /// The part of the scene that the error is about.
    pub subject: Subject,
    /// The name of the component within the entity.
    pub component: Option<Box<str>>,
    /// The property; inner ones follow after a period, as in `shape.radius`.
    pub property: Option<Box<str>>,
    /// The error and the remedy.
    pub message: Box<str>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str("scene"),
            Self::Settings => f.write_str("settings"),
            Self::Material(name) => write!(f, "material {name:?}"),
            Self::Outline(name) => write!(f, "outline {name:?}"),
            Self::Script(name) => write!(f, "script {name:?}"),
            Self::Graph(name) => write!(f, "graph {name:?}"),
            Self::Action(name) => write!(f, "action {name:?}"),
            Self::Entity(name) => write!(f, "entity {name:?}"),
            Self::Placement(number) => write!(f, "placement {number}"),
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.subject)?;
        if let Some(component) = &self.component {
            write!(f, ", component {component:?}")?;
        }
        if let Some(property) = &self.property {
            write!(f, ", property {property:?}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl core::error::Error for SceneError {}
