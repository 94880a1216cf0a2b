//! The text of a scene file as a tree of spans, so that parts of it can be replaced and all else stays the same, byte
//! for byte. Whether the text is a valid scene is for [`tombolo::Scene`] to say: it reads the changed text again. Other
//! files in RON whose mistakes are reported by line, such as the command's sweeps, are read with it too.

use std::ops::Range;

use tombolo::scene::unquoted;

use crate::failure::Failure;

/// The greatest depth of nested brackets.
const DEPTH_MAX: usize = 100;

/// Some text editors write it before the text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A value: its span in the text, and its entries.
#[derive(Clone, Debug)]
pub struct Node {
    /// The bytes from its first letter to behind its last.
    pub(crate) span: Range<usize>,
    /// The word before its bracket: `One` of `One(name: "a")`.
    word: Range<usize>,
    /// The entries between its brackets; `None` for a value without brackets.
    pub entries: Option<Vec<Entry>>,
}

/// A value in a bracket, perhaps with a name or a key.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in a struct, or its key in a map.
    pub key: Option<String>,
    /// The bytes from the key on, without the comma.
    span: Range<usize>,
    /// The value itself.
    pub value: Node,
}

/// A text and its tree.
#[derive(Clone, Debug)]
pub struct SceneText {
    text: String,
    /// The byte behind the attributes of the format.
    begin: usize,
    root: Node,
}

impl SceneText {
    /// Reads a text.
    ///
    /// # Errors
    /// Its brackets or quotes do not close, or something follows the value.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
        };
        if text.starts_with(BYTE_ORDER_MARK) {
            parser.at = BYTE_ORDER_MARK.len_utf8();
        }
        let mut begin = parser.at;
        parser.skip();
        // An attribute of the format.
        while parser.rest().starts_with("#!") {
            let end = parser.rest().find(']').ok_or_else(|| parser.wrong())?;
            parser.at += end + 1;
            begin = parser.at;
            parser.skip();
        }
        let root = parser.value()?;
        parser.skip();
        if !parser.rest().is_empty() {
            return Err(parser.wrong());
        }
        Ok(Self {
            text: text.to_string(),
            begin,
            root,
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The value of the whole text.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The bracketed value that begins at a byte.
    pub(crate) fn starting_at(&self, place: usize) -> Option<&Node> {
        let mut node = &self.root;
        while node.span.start != place {
            let mut entries = node.entries.as_ref()?.iter();
            node = &entries.find(|entry| entry.value.span.contains(&place))?.value;
        }
        Some(node)
    }

    /// The text of a value.
    pub fn written(&self, node: &Node) -> &str {
        &self.text[node.span.clone()]
    }

    /// The value of the whole text with the comments around it, as it can stand in another text.
    pub(crate) fn embedded(&self) -> String {
        let end = self.root.span.end;
        let before = self.text[self.begin..end].trim_start();
        match self.text[end..].trim_end() {
            "" => before.to_string(),
            // What follows must not become a part of the comment.
            behind => format!("{before}{behind}\n"),
        }
    }

    /// The line in which a value begins, from 1.
    pub fn line(&self, node: &Node) -> usize {
        self.text[..node.span.start].matches('\n').count() + 1
    }

    /// The word before a value's bracket.
    pub fn word(&self, node: &Node) -> &str {
        &self.text[node.word.clone()]
    }

    /// The text with a value replaced.
    pub(crate) fn replaced(&self, node: &Node, by: &str) -> String {
        self.spliced(&[(node.span.clone(), by)])
    }

    /// The text with an entry added behind the last one of a bracket. If that one has a line of its own, the new one
    /// gets one too.
    pub(crate) fn added(&self, node: &Node, entry: &str) -> Option<String> {
        self.added_behind(node, node.entries.as_ref()?.last(), entry)
    }

    /// The same behind another entry of the bracket, or before all of them.
    pub(crate) fn added_behind(&self, node: &Node, behind: Option<&Entry>, entry: &str) -> Option<String> {
        let (entries, newline) = (node.entries.as_ref()?, self.newline());
        let Some(behind) = behind else {
            let inside = node.word.end + 1;
            let Some(first) = entries.first() else {
                let inside = node.span.end - 1;
                return Some(self.spliced(&[(inside..inside, entry)]));
            };
            return Some(match self.indent_of(first.span.start) {
                Some(indent) => {
                    let line_end = self.line_end(inside);
                    self.spliced(&[(line_end..line_end, &format!("{newline}{indent}{entry},"))])
                }
                None => self.spliced(&[(inside..inside, &format!("{entry}, "))]),
            });
        };
        let end = behind.span.end;
        let Some(indent) = self.indent_of(behind.span.start) else {
            return Some(self.spliced(&[(end..end, &format!(", {entry}"))]));
        };
        let comma = self.comma_after(end);
        let line_end = self.line_end(comma.unwrap_or(end)).min(node.span.end - 1);
        let line = format!("{newline}{indent}{entry},");
        let needed = if comma.is_some() { "" } else { "," };
        Some(self.spliced(&[(end..end, needed), (line_end..line_end, &line)]))
    }

    /// The end of the text's first line: that of all, in most files.
    fn newline(&self) -> &'static str {
        let first = self.text.find('\n').unwrap_or(0);
        if self.text[..first].ends_with('\r') {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// The text without an entry, its comma, and its line if nothing else is on it.
    pub(crate) fn removed(&self, entry: &Entry) -> String {
        let Range { start, end } = entry.span.clone();
        let end = self.comma_after(end).unwrap_or(end);
        let line_end = self.line_end(end);
        match self.indent_of(start) {
            Some(indent)
                if self.text[line_end..].is_empty() || self.text[line_end..].starts_with(['\r', '\n']) =>
            {
                let rest = &self.text[line_end..];
                let newline = ["\r\n", "\n"].iter().find(|newline| rest.starts_with(**newline));
                let line_end = line_end + newline.map_or(0, |newline| newline.len());
                self.spliced(&[(start - indent.len()..line_end, "")])
            }
            _ => {
                let blanks = self.text[end..].len() - self.text[end..].trim_start_matches(' ').len();
                self.spliced(&[(start..end + blanks, "")])
            }
        }
    }

    /// The blanks before a byte, if nothing else comes before it in its line.
    fn indent_of(&self, place: usize) -> Option<&str> {
        let line = self.text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &self.text[line..place];
        before
            .chars()
            .all(|letter| matches!(letter, ' ' | '\t'))
            .then_some(before)
    }

    /// The position behind a comma that follows, if there is one.
    fn comma_after(&self, place: usize) -> Option<usize> {
        let mut parser = Parser {
            text: &self.text,
            at: place,
            depth: 0,
        };
        parser.skip();
        parser.rest().starts_with(',').then_some(parser.at + 1)
    }

    /// The end of the line, if nothing but comments follow in it; else the given position. Where a block comment goes on in
    /// further lines it is the end of the last one.
    fn line_end(&self, place: usize) -> usize {
        let mut at = place;
        loop {
            let rest = &self.text[at..];
            let letters =
                rest.trim_start_matches(|letter| is_blank(letter) && !matches!(letter, '\r' | '\n'));
            at += rest.len() - letters.len();
            if letters.is_empty() || letters.starts_with(['\r', '\n']) {
                return at;
            }
            if letters.starts_with("//") {
                return at + letters.lines().next().map_or(0, str::len);
            }
            match block_comment(letters) {
                Some(length) => at += length,
                None => return place,
            }
        }
    }

    /// The text with some spans replaced, which must be in order.
    fn spliced(&self, parts: &[(Range<usize>, &str)]) -> String {
        let mut text = String::with_capacity(self.text.len() + 64);
        let mut at = 0;
        for (place, by) in parts {
            text.push_str(&self.text[at..place.start]);
            text.push_str(by);
            at = place.end;
        }
        text + &self.text[at..]
    }
}

impl Node {
    /// The value under a name or key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a name or key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let mut entries = self.entries.as_ref()?.iter();
        entries.find(|entry| entry.key.as_deref() == Some(key))
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong(&self) -> Failure {
        let line = self.text[..self.at].matches('\n').count() + 1;
        Failure(format!("line {line}: this cannot be read"))
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = &rest[blanks..];
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                block_comment(rest).unwrap_or(rest.len())
            } else {
                0
            };
            self.at += blanks + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn value(&mut self) -> Result<Node, Failure> {
        let start = self.at;
        let length = quoted_length(self.rest()).or_else(|| word_length(self.rest()));
        let word = start..start + length.unwrap_or(0);
        self.at = word.end;
        let is_word = !self.text[word.clone()].ends_with(['"', '\'', '#']);
        if is_word && !word.is_empty() {
            // Blanks and comments may stand between a word and its bracket.
            self.skip();
            if !self.rest().starts_with('(') {
                self.at = word.end;
            }
        }
        let close = match self.rest().chars().next() {
            Some('(') if is_word => Some(')'),
            Some('[') if word.is_empty() => Some(']'),
            Some('{') if word.is_empty() => Some('}'),
            _ => None,
        };
        let entries = close.map(|close| self.entries(close)).transpose()?;
        if self.at == start {
            return Err(self.wrong());
        }
        Ok(Node {
            span: start..self.at,
            word,
            entries,
        })
    }

    fn entries(&mut self, close: char) -> Result<Vec<Entry>, Failure> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.wrong());
        }
        let mut entries = Vec::new();
        loop {
            self.skip();
            if self.rest().starts_with(close) {
                self.at += 1;
                self.depth -= 1;
                return Ok(entries);
            }
            let start = self.at;
            let mut value = self.value()?;
            let behind = self.at;
            self.skip();
            let mut key = None;
            if self.rest().starts_with(':') {
                let written = &self.text[value.span.clone()];
                key = Some(unquoted(written).unwrap_or_else(|| written.to_string()));
                self.at += 1;
                self.skip();
                value = self.value()?;
            } else {
                self.at = behind;
            }
            entries.push(Entry {
                key,
                span: start..self.at,
                value,
            });
            self.skip();
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().starts_with(close) {
                return Err(self.wrong());
            }
        }
    }
}

/// Whether a letter is a blank of the format: besides those of Unicode the marks of a text's direction.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{200E}' | '\u{200F}')
}

/// The length of a block comment, which may contain others; `None` if none begins here, or it does not end.
fn block_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if depth == 0 {
            return None;
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}

/// The length of a string or a letter in quotes, if one begins here.
fn quoted_length(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[marks..].strip_prefix('"')?;
        let end = format!("\"{}", &raw[..marks]);
        return Some(2 + marks + inner.find(&end)? + end.len());
    }
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return Some(at + 1);
        }
    }
    None
}

/// The length of a name or a number.
fn word_length(text: &str) -> Option<usize> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || "_.+-#".contains(letter);
    let length = text.find(|letter| !is_of_word(letter)).unwrap_or(text.len());
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests;
