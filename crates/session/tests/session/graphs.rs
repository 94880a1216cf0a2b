//! Node graphs that a page sends reach the scene's text.

use tombolo::Scene;

use super::write_back::{act, solo, written};

/// Texts of node graphs as a page may send them: they are part of the scene as they are, comments and all.
#[test]
fn a_node_graph_may_begin_and_end_with_comments() {
    const SCENE: &str = r#"(
    graphs: {"g": (nodes: {}), "h": (nodes: {})},
    entities: {"lamp": {"mind": Script(name: "g")}},
    place: [One(name: "lamp", entity: "lamp")],
)"#;
    for graph in [
        "(nodes: {\"a\": On(event: \"tick\", then: \"\")}) // better",
        "(nodes: {\"a\": On(event: \"tick\", then: \"\")}) /* better */",
        "// better\n(nodes: {\"a\": On(event: \"tick\", then: \"\")})\n// than before\n",
        "#![enable(implicit_some)]\n(nodes: {\"a\": On(event: \"tick\", then: \"\")}) // better",
        "  (nodes: {\"a\": On(event: \"tick\", then: \"\"), // better\n})  ",
    ] {
        for newline in ["\n", "\r\n"] {
            for name in ["g", "h"] {
                let mut solo = solo(&SCENE.replace('\n', newline));
                let sent = serde_json::to_string(graph).unwrap();
                act(
                    &mut solo,
                    &format!(r#"{{"act":"graph","name":"{name}","text":{sent}}}"#),
                );
                let (_, text) = written(&solo);
                let scene = Scene::parse("a.ron", &text).unwrap();
                let (_, read) = scene.graphs().find(|(known, _)| *known == name).unwrap();
                assert_eq!(
                    read,
                    &tombolo::scene::graph::NodeGraph::parse(graph).unwrap(),
                    "{text}"
                );
                assert!(!graph.contains("better") || text.contains("better"), "{text}");
            }
        }
    }
}
