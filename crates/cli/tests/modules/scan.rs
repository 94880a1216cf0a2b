//! What a source file declares, imports and names, read from its tokens: no parser, but comments, texts, tests and
//! visibilities are not taken for uses.

use std::collections::{BTreeMap, BTreeSet};

/// A path as a module's segments from the crate's root.
pub(crate) type Path = Vec<String>;

/// A path as it is written, and the module in which it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) scope: Path,
    pub(crate) segments: Vec<String>,
}

/// What is known of a source file.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Items that it declares, macros included.
    pub(crate) declares: BTreeSet<String>,
    /// Macros that it exports to the crate's root.
    pub(crate) exports: BTreeSet<String>,
    /// Names that `use` brings in, each with what it stands for.
    pub(crate) imports: BTreeMap<String, Written>,
    /// What `use …::*` brings in.
    pub(crate) globs: Vec<Written>,
    /// All paths that it names.
    pub(crate) named: Vec<Written>,
    /// Modules in files of their own that are compiled for tests only.
    pub(crate) test_modules: BTreeSet<String>,
}

/// The words and signs of a source text; texts, numbers and lifetimes are left out, and `::` is one sign.
fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or(' ');
    let (mut found, mut index) = (Vec::new(), 0);
    while index < letters.len() {
        let letter = letters[index];
        if letter == '/' && at(index + 1) == '/' {
            while index < letters.len() && letters[index] != '\n' {
                index += 1;
            }
        } else if letter == '/' && at(index + 1) == '*' {
            index += 2;
            while index < letters.len() && !(letters[index] == '*' && at(index + 1) == '/') {
                index += 1;
            }
            index += 2;
        } else if letter == '"' {
            index += 1;
            while index < letters.len() && letters[index] != '"' {
                index += if letters[index] == '\\' { 2 } else { 1 };
            }
            index += 1;
        } else if letter == 'r'
            && (at(index + 1) == '"' || (at(index + 1) == '#' && matches!(at(index + 2), '"' | '#')))
        {
            index = end_of_raw_text(&letters, index + 1);
        } else if letter == '\'' {
            // A letter in quotes, or a lifetime.
            index += match (at(index + 1), at(index + 2)) {
                ('\\', _) => {
                    2 + letters[index + 2..]
                        .iter()
                        .skip(1)
                        .take_while(|&&c| c != '\'')
                        .count()
                        + 2
                }
                (_, '\'') => 3,
                _ => {
                    1 + letters[index + 1..]
                        .iter()
                        .take_while(|c| c.is_alphanumeric() || **c == '_')
                        .count()
                }
            };
        } else if letter.is_alphanumeric() || letter == '_' {
            let length = letters[index..]
                .iter()
                .take_while(|c| c.is_alphanumeric() || **c == '_')
                .count();
            found.push(letters[index..index + length].iter().collect());
            index += length;
        } else if letter == ':' && at(index + 1) == ':' {
            found.push("::".to_string());
            index += 2;
        } else {
            if !letter.is_whitespace() {
                found.push(letter.to_string());
            }
            index += 1;
        }
    }
    found
}

/// Behind `r"…"` or `r##"…"##`, from the first sign after the `r`.
fn end_of_raw_text(letters: &[char], from: usize) -> usize {
    let hashes = letters[from..].iter().take_while(|c| **c == '#').count();
    let mut index = from + hashes + 1;
    while index < letters.len() {
        let closes = letters[index] == '"'
            && letters[index + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes;
        if closes {
            return index + 1 + hashes;
        }
        index += 1;
    }
    index
}

/// Reads a file's text. `module` is what the file is; a module's child is known by its file.
pub(crate) fn scan(text: &str, module: &Path, is_module: &dyn Fn(&[String]) -> bool) -> Facts {
    let tokens = tokens(text);
    let mut scanner = Scanner {
        tokens: &tokens,
        index: 0,
        depth: 0,
        inline: Vec::new(),
        module,
        is_module,
        facts: Facts::default(),
    };
    while scanner.index < tokens.len() {
        scanner.item();
    }
    scanner.facts
}

struct Scanner<'a> {
    tokens: &'a [String],
    index: usize,
    depth: usize,
    /// Modules inside the file, with the depth of their braces.
    inline: Vec<(String, usize)>,
    module: &'a Path,
    is_module: &'a dyn Fn(&[String]) -> bool,
    facts: Facts,
}

const DECLARES: [&str; 9] = [
    "struct", "enum", "union", "trait", "fn", "const", "static", "type", "mod",
];

impl Scanner<'_> {
    fn at(&self, offset: usize) -> &str {
        self.tokens.get(self.index + offset).map_or("", String::as_str)
    }

    fn scope(&self) -> Path {
        let inline = self.inline.iter().map(|(name, _)| name.clone());
        self.module.iter().cloned().chain(inline).collect()
    }

    fn item(&mut self) {
        match self.at(0) {
            "#" => self.attribute(),
            "pub" if self.at(1) == "(" => self.index = self.matching(self.index + 1) + 1,
            "use" if self.at(1) != "<" => self.use_statement(),
            "mod" if self.at(2) == "{" => {
                self.inline.push((self.at(1).to_string(), self.depth));
                self.depth += 1;
                self.index += 3;
            }
            "macro_rules" => {
                let name = self.at(2).to_string();
                self.facts.declares.insert(name);
                self.index += 3;
            }
            "{" => {
                self.depth += 1;
                self.index += 1;
            }
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.inline.last().is_some_and(|(_, depth)| *depth == self.depth) {
                    self.inline.pop();
                }
                self.index += 1;
            }
            word if DECLARES.contains(&word) => {
                if self.depth == self.inline.len() {
                    let name = self.at(1).to_string();
                    self.facts.declares.insert(name);
                }
                self.index += 1;
            }
            _ => self.path_or_sign(),
        }
    }

    /// The place of the bracket that closes the one at a place.
    fn matching(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (place, token) in self.tokens.iter().enumerate().skip(open) {
            match token.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return place;
            }
        }
        self.tokens.len()
    }

    /// Skips what is compiled for tests only, with the item behind it; remembers macros that are exported.
    fn attribute(&mut self) {
        let open = self.index + if self.at(1) == "!" { 2 } else { 1 };
        let close = self.matching(open);
        let words = &self.tokens[open..close.min(self.tokens.len())];
        let has = |word: &str| words.iter().any(|token| token == word);
        let is_test = has("cfg") && has("test") && !has("not");
        let exports = has("macro_export");
        self.index = close + 1;
        if exports && self.at(0) == "macro_rules" {
            let name = self.at(2).to_string();
            self.facts.exports.insert(name);
        }
        if is_test {
            while self.at(0) == "#" {
                self.index = self.matching(self.index + 1) + 1;
            }
            if self.at(0) == "mod" && self.at(2) == ";" {
                let name = self.at(1).to_string();
                self.facts.test_modules.insert(name);
            }
            while !matches!(self.at(0), ";" | "{" | "") {
                self.index += 1;
            }
            let is_block = self.at(0) == "{";
            self.index = if is_block {
                self.matching(self.index)
            } else {
                self.index
            } + 1;
        }
    }

    fn use_statement(&mut self) {
        self.index += 1;
        let scope = self.scope();
        self.use_tree(&scope, &[]);
        // The semicolon.
        self.index += 1;
    }

    fn use_tree(&mut self, scope: &Path, before: &[String]) {
        let mut segments = before.to_vec();
        loop {
            match self.at(0) {
                "{" => {
                    self.index += 1;
                    while self.at(0) != "}" {
                        self.use_tree(scope, &segments);
                        if self.at(0) == "," {
                            self.index += 1;
                        }
                    }
                    self.index += 1;
                    return;
                }
                "*" => {
                    self.index += 1;
                    let written = self.written(scope, segments);
                    self.facts.globs.push(written.clone());
                    self.facts.named.push(written);
                    return;
                }
                "::" => self.index += 1,
                "," | ";" | "}" | "" => break,
                "as" => {
                    let name = self.at(1).to_string();
                    self.index += 2;
                    self.import(scope, name, segments);
                    return;
                }
                word => {
                    segments.push(word.to_string());
                    self.index += 1;
                }
            }
        }
        let Some(name) = segments.iter().rfind(|word| *word != "self").cloned() else {
            return;
        };
        self.import(scope, name, segments);
    }

    fn import(&mut self, scope: &Path, name: String, mut segments: Vec<String>) {
        if segments.len() > 1 && segments.last().is_some_and(|word| word == "self") {
            segments.pop();
        }
        let written = self.written(scope, segments);
        self.facts.named.push(written.clone());
        self.facts.imports.insert(name, written);
    }

    fn written(&self, scope: &Path, segments: Vec<String>) -> Written {
        Written {
            scope: scope.clone(),
            segments,
        }
    }

    /// A path in code: from the crate's root, from a parent, or through a child module.
    fn path_or_sign(&mut self) {
        let scope = self.scope();
        let first = self.at(0);
        let child: Path = scope.iter().cloned().chain([first.to_string()]).collect();
        let continues = self.index > 0 && self.tokens[self.index - 1] == "::";
        let begins = matches!(first, "crate" | "super" | "self") || (self.is_module)(&child);
        if continues || !begins || self.at(1) != "::" {
            self.index += 1;
            return;
        }
        let mut segments = vec![first.to_string()];
        self.index += 1;
        while self.at(0) == "::" && self.at(1).starts_with(|c: char| c.is_alphabetic() || c == '_') {
            segments.push(self.at(1).to_string());
            self.index += 2;
        }
        let written = self.written(&scope, segments);
        self.facts.named.push(written);
    }
}
