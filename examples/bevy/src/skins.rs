//! What is seen: a mesh for each body, made of the shapes that it has, and another one when it was cut. A piece that a cut makes
//! is a body without an entity; here it gets one to be seen by, which goes where the piece is.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use bevy_tombolo::BodyLink;
use bevy_tombolo::physics::{BodyId, BodyRef, Cut};
use bevy_tombolo::prelude::*;

/// The color of a body.
#[derive(Component, Clone, Copy)]
pub(crate) struct Paint(pub(crate) Color);

/// The cuts of this frame.
#[derive(Resource, Default)]
pub(crate) struct Cuts(pub(crate) Vec<Cut>);

/// An entity that has a mesh, of this body.
#[derive(Component)]
struct Skin(BodyId);

/// Of a body that belongs to no entity.
#[derive(Component)]
struct Piece;

/// How many chords of a disc are half a turn.
const CHORDS: u32 = 16;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Cuts>().add_systems(
        PostUpdate,
        (dress, dress_cut, follow_pieces)
            .chain()
            .before(TransformSystems::Propagate),
    );
}

/// Gives bodies that are new a mesh.
fn dress(
    mut commands: Commands,
    bodies: Query<(Entity, &Paint, &BodyLink), Without<Skin>>,
    physics: Res<Physics>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (entity, paint, link) in &bodies {
        if let Some(body) = link.id().and_then(|id| physics.world().body(id)) {
            let mesh = Mesh2d(meshes.add(mesh_of(&body)));
            let material = MeshMaterial2d(materials.add(ColorMaterial::from(paint.0)));
            commands.entity(entity).insert((Skin(body.id()), mesh, material));
        }
    }
}

/// Gives bodies that were cut another mesh, and the pieces theirs.
fn dress_cut(
    mut commands: Commands,
    mut cuts: ResMut<Cuts>,
    skins: Query<(Entity, &Skin, &MeshMaterial2d<ColorMaterial>)>,
    physics: Res<Physics>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    for cut in cuts.0.drain(..) {
        let Some((whole, _, material)) = skins.iter().find(|(_, skin, _)| skin.0 == cut.body) else {
            continue;
        };
        if let Some(body) = physics.world().body(cut.body) {
            commands.entity(whole).insert(Mesh2d(meshes.add(mesh_of(&body))));
        }
        for piece in cut.pieces {
            if let Some(body) = physics.world().body(piece) {
                let mesh = Mesh2d(meshes.add(mesh_of(&body)));
                commands.spawn((Piece, Skin(piece), mesh, material.clone(), place(&body)));
            }
        }
    }
}

/// Moves the meshes of pieces to their bodies, and removes those whose bodies are gone.
fn follow_pieces(
    mut commands: Commands,
    mut pieces: Query<(Entity, &Skin, &mut Transform), With<Piece>>,
    physics: Res<Physics>,
) {
    for (entity, skin, mut transform) in &mut pieces {
        match physics.world().body(skin.0) {
            Some(body) => *transform = place(&body),
            None => commands.entity(entity).despawn(),
        }
    }
}

fn place(body: &BodyRef<'_>) -> Transform {
    let pose = body.pose();
    Transform::from_translation(pose.position.extend(0.0))
        .with_rotation(Quat::from_rotation_z(pose.rotation.angle()))
}

/// The shapes of a body in its frame, as fans of triangles.
fn mesh_of(body: &BodyRef<'_>) -> Mesh {
    let mut corners: Vec<[f32; 3]> = Vec::new();
    for shape in body.shapes() {
        let border = shape.geometry().border(CHORDS);
        for edge in border.windows(2).skip(1) {
            corners.extend([border[0], edge[0], edge[1]].map(|corner| corner.extend(0.0).to_array()));
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
}
