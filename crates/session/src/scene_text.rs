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

/// What a text becomes: texts in place of spans, which are in order and apart.
pub(crate) type Parts = Vec<(Range<usize>, String)>;

/// A value: its span in the text, and its entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The bytes from its first letter to behind its last.
    pub(crate) span: Range<usize>,
    /// The word before its bracket: `One` of `One(name: "a")`.
    word: Range<usize>,
    /// The byte behind its opening bracket; the end of a value without brackets.
    inside: usize,
    /// The entries between its brackets; `None` for a value without brackets.
    pub entries: Option<Vec<Entry>>,
}

/// A value in a bracket, perhaps with a name or a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name in a struct, or its key in a map.
    pub key: Option<String>,
    /// The bytes from the key on, without the comma.
    span: Range<usize>,
    /// The value itself.
    pub value: Node,
}

/// A text and its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneText {
    text: String,
    /// The byte behind the attributes of the format.
    begin: usize,
    root: Node,
}

/// A change of a text that was read: the text after it, and the entries that are others in it.
pub(crate) struct Splice {
    text: String,
    /// How many bytes longer the text is.
    grown: isize,
    /// The way to the innermost bracket with all of the change in it: the place of an entry in each bracket, from that of
    /// the whole text on.
    pub(crate) path: Vec<usize>,
    /// The entries of that bracket which are read anew.
    pub(crate) old: Range<usize>,
    /// What they are now.
    pub(crate) new: Vec<Entry>,
}

impl SceneText {
    /// Reads a text.
    ///
    /// # Errors
    /// Its brackets or quotes do not close, or something follows the value.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        #[cfg(test)]
        count_read(text.len());
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
            let entries = node.entries.as_ref()?;
            let behind = entries.partition_point(|entry| entry.value.span.start <= place);
            node = &entries.get(behind.checked_sub(1)?)?.value;
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

    /// The change that adds an entry behind the last one of a bracket. If that one has a line of its own, the new one
    /// gets one too.
    pub(crate) fn added(&self, node: &Node, entry: &str) -> Option<Parts> {
        self.added_behind(node, node.entries.as_ref()?.last(), entry)
    }

    /// The same behind another entry of the bracket, or before all of them.
    pub(crate) fn added_behind(&self, node: &Node, behind: Option<&Entry>, entry: &str) -> Option<Parts> {
        let (entries, newline) = (node.entries.as_ref()?, self.newline());
        let Some(behind) = behind else {
            let Some(first) = entries.first() else {
                let inside = node.span.end - 1;
                return Some(vec![(inside..inside, entry.to_string())]);
            };
            return Some(match self.indent_of(first.span.start) {
                Some(indent) => {
                    let line_end = self.line_end(node.inside);
                    vec![(line_end..line_end, format!("{newline}{indent}{entry},"))]
                }
                None => vec![(node.inside..node.inside, format!("{entry}, "))],
            });
        };
        let end = behind.span.end;
        let Some(indent) = self.indent_of(behind.span.start) else {
            return Some(vec![(end..end, format!(", {entry}"))]);
        };
        let comma = self.comma_after(end);
        let line_end = self.line_end(comma.unwrap_or(end)).min(node.span.end - 1);
        let line = format!("{newline}{indent}{entry},");
        let needed = if comma.is_some() { "" } else { "," };
        Some(vec![(end..end, needed.to_string()), (line_end..line_end, line)])
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

    /// The change that takes an entry away, its comma, and its line if nothing else is on it.
    pub(crate) fn removed(&self, entry: &Entry) -> Parts {
        let Range { start, end } = entry.span.clone();
        let end = self.comma_after(end).unwrap_or(end);
        let line_end = self.line_end(end);
        let gone = match self.indent_of(start) {
            Some(indent)
                if self.text[line_end..].is_empty() || self.text[line_end..].starts_with(['\r', '\n']) =>
            {
                let rest = &self.text[line_end..];
                let newline = ["\r\n", "\n"].iter().find(|newline| rest.starts_with(**newline));
                let line_end = line_end + newline.map_or(0, |newline| newline.len());
                start - indent.len()..line_end
            }
            _ => {
                let blanks = self.text[end..].len() - self.text[end..].trim_start_matches(' ').len();
                start..end + blanks
            }
        };
        vec![(gone, String::new())]
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

    /// The text after a change.
    pub(crate) fn spliced(&self, parts: &Parts) -> String {
        let mut text = String::with_capacity(self.text.len() + 64);
        let mut at = 0;
        for (place, by) in parts {
            text.push_str(&self.text[at..place.start]);
            text.push_str(by);
            at = place.end;
        }
        text + &self.text[at..]
    }

    /// Reads a change: of the text after it no more than the entries that it touches. `None` if the whole has to be read:
    /// the change is not within a bracket, or brackets or quotes that it opens do not close in it.
    ///
    /// A value never depends on what follows the next one, and not on what is before it but for the brackets that it is
    /// in. So the reading begins at the last entry that starts before the change, and ends as soon as it comes to the start
    /// of an entry behind it.
    pub(crate) fn splice(&self, parts: &Parts) -> Option<Splice> {
        let (start, end) = (parts.first()?.0.start, parts.last()?.0.end);
        let text = self.spliced(parts);
        let grown = text.len().checked_signed_diff(self.text.len())?;
        let (path, node) = self.innermost(start, end)?;
        let entries = node.entries.as_deref()?;
        let before = entries.partition_point(|entry| entry.span.start <= start);
        let (first, begin) = match before.checked_sub(1) {
            Some(last) => (last, entries[last].span.start),
            None => (0, node.inside),
        };
        let mut next = first.max(entries.partition_point(|entry| entry.span.start < end));
        let close = char::from(self.text.as_bytes()[node.span.end - 1]);
        let mut new = Vec::new();
        let mut parser = Parser {
            text: &text,
            at: begin,
            depth: path.len() + 1,
        };
        let start_of = |place: usize| entries.get(place)?.span.start.checked_add_signed(grown);
        loop {
            parser.skip();
            while start_of(next).is_some_and(|start| start < parser.at) {
                next += 1;
            }
            if start_of(next) == Some(parser.at) {
                break;
            }
            if parser.rest().starts_with(close) {
                let expected = (node.span.end - 1).checked_add_signed(grown);
                next = (expected == Some(parser.at)).then_some(entries.len())?;
                break;
            }
            new.push(parser.entry(close).ok()?);
        }
        #[cfg(test)]
        count_read(parser.at - begin);
        let old = first..next;
        Some(Splice {
            text,
            grown,
            path,
            old,
            new,
        })
    }

    /// The innermost bracket with some bytes in it, and the way to it.
    fn innermost(&self, start: usize, end: usize) -> Option<(Vec<usize>, &Node)> {
        let has_inside = |node: &Node| node.entries.is_some() && node.inside <= start && end < node.span.end;
        let (mut path, mut node) = (Vec::new(), &self.root);
        if !has_inside(node) {
            return None;
        }
        loop {
            let entries = node.entries.as_deref()?;
            let before = entries.partition_point(|entry| entry.span.start <= start);
            match before.checked_sub(1) {
                Some(last) if has_inside(&entries[last].value) => {
                    path.push(last);
                    node = &entries[last].value;
                }
                _ => return Some((path, node)),
            }
        }
    }

    /// The bracket at the end of a way from the root.
    pub(crate) fn at_path(&self, path: &[usize]) -> Option<&Node> {
        let mut node = &self.root;
        for place in path {
            node = &node.entries.as_ref()?.get(*place)?.value;
        }
        Some(node)
    }

    /// Makes a change that was read of this text. O(bytes and values of the text), without reading them.
    pub(crate) fn commit(&mut self, splice: Splice) {
        let moved = |place: &mut usize| *place = place.saturating_add_signed(splice.grown);
        self.text = splice.text;
        let mut node = &mut self.root;
        moved(&mut node.span.end);
        for place in splice.path {
            let Some([entry, behind @ ..]) = node.entries.as_mut().and_then(|all| all.get_mut(place..))
            else {
                return;
            };
            behind.iter_mut().for_each(|entry| entry.shift(splice.grown));
            moved(&mut entry.span.end);
            node = &mut entry.value;
            moved(&mut node.span.end);
        }
        if let Some(entries) = &mut node.entries {
            (entries[splice.old.end..].iter_mut()).for_each(|entry| entry.shift(splice.grown));
            entries.splice(splice.old, splice.new);
        }
    }
}

impl Entry {
    /// Moves all of it in the text.
    fn shift(&mut self, by: isize) {
        shift(&mut self.span, by);
        self.value.shift(by);
    }
}

/// Moves a span.
fn shift(span: &mut Range<usize>, by: isize) {
    *span = span.start.saturating_add_signed(by)..span.end.saturating_add_signed(by);
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

    /// The change that puts a text in its place.
    pub(crate) fn replaced(&self, by: &str) -> Parts {
        vec![(self.span.clone(), by.to_string())]
    }

    fn shift(&mut self, by: isize) {
        shift(&mut self.span, by);
        shift(&mut self.word, by);
        self.inside = self.inside.saturating_add_signed(by);
        let entries = self.entries.iter_mut().flatten();
        entries.for_each(|entry| entry.shift(by));
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
        let inside = self.at + usize::from(close.is_some());
        let entries = close.map(|close| self.entries(close)).transpose()?;
        if self.at == start {
            return Err(self.wrong());
        }
        Ok(Node {
            span: start..self.at,
            word,
            inside,
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
            entries.push(self.entry(close)?);
        }
    }

    /// The entry that begins here, with the comma behind it.
    fn entry(&mut self, close: char) -> Result<Entry, Failure> {
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
        let span = start..self.at;
        self.skip();
        if self.rest().starts_with(',') {
            self.at += 1;
        } else if !self.rest().starts_with(close) {
            return Err(self.wrong());
        }
        Ok(Entry { key, span, value })
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

/// The number of bytes of texts that this thread has read.
#[cfg(test)]
pub(crate) fn bytes_read() -> usize {
    BYTES_READ.get()
}

#[cfg(test)]
fn count_read(bytes: usize) {
    BYTES_READ.set(BYTES_READ.get() + bytes);
}

#[cfg(test)]
std::thread_local! {
    static BYTES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests;
