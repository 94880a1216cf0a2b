//! The options of the command line, and where progress is kept by default.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::levels::COUNT;

/// What `kerf --help` prints.
pub const HELP: &str = "kerf [OPTIONS]
  --progress FILE    where to keep what was won (default: kerf.txt in the user's data folder)
  --mute             without sound; key M turns it on and off while the game runs
  --level N          begins with this level, 1 to 8
  --bot              the bot plays the level, once; needs --level
  --debug            shows the physics: shapes, joints, contacts and forces; key F3 turns it on and off
  --screen NAME      select or paused: what a picture shows in place of title or level; needs --screenshot
  --at SECONDS       seconds of the game before the picture, 0 to 3600 (default 2); won and lost show by themselves
  --screenshot FILE  saves a picture (PNG) and ends";

/// How much of the game may pass before a picture, in seconds.
const AT: RangeInclusive<f32> = 0.0..=3600.0;

/// The options of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The file of what was won; by default [`usual_file`].
    pub progress: Option<PathBuf>,
    /// Whether it begins without sound.
    pub muted: bool,
    /// The level with which it begins, from 0; none by default: it begins with the title.
    pub level: Option<usize>,
    /// Whether the bot plays the level of `level`.
    pub bot: bool,
    /// Whether it begins with the physics drawn over the game.
    pub debug: bool,
    /// The screen that a picture shows in place of the title or the level.
    pub screen: Option<String>,
    /// The seconds of the game that pass before the picture, 0 to 3,600; 2 by default.
    pub at: f32,
    /// The file of the picture, after which the program ends.
    pub screenshot: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            progress: None,
            muted: false,
            level: None,
            bot: false,
            debug: false,
            screen: None,
            at: 2.0,
            screenshot: None,
        }
    }
}

impl Options {
    /// The options that the words of a command line after the program's name give.
    ///
    /// # Errors
    ///
    /// One line that says which word is unknown, which value is wrong or which option is missing; for an unknown word [`HELP`]
    /// follows.
    pub fn parse(words: impl IntoIterator<Item: Into<OsString>>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.into_iter().map(Into::into);
        while let Some(word) = words.next() {
            let word = text(word);
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| format!("{word} needs a value; see --help"))
            };
            match word.as_str() {
                "--progress" => options.progress = Some(value()?.into()),
                "--mute" => options.muted = true,
                "--bot" => options.bot = true,
                "--debug" => options.debug = true,
                "--screen" => options.screen = Some(screen(text(value()?))?),
                "--screenshot" => options.screenshot = Some(value()?.into()),
                "--at" => options.at = seconds(&text(value()?))?,
                "--level" => options.level = Some(level(&text(value()?))?),
                _ => return Err(format!("{word} is unknown\n{HELP}")),
            }
        }
        if options.bot && options.level.is_none() {
            return Err("--bot plays one level: give it with --level".to_owned());
        }
        if options.screen.is_some() && options.screenshot.is_none() {
            return Err("--screen is for a picture: give its file with --screenshot".to_owned());
        }
        Ok(options)
    }
}

/// A word that is no path: what is not UTF-8 in it is no option's name or value either.
fn text(word: OsString) -> String {
    word.to_string_lossy().into_owned()
}

fn screen(name: String) -> Result<String, String> {
    match name.as_str() {
        "select" | "paused" => Ok(name),
        _ => Err("--screen takes select or paused".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse().ok().filter(|seconds| AT.contains(seconds));
    seconds.ok_or_else(|| {
        format!(
            "--at takes a number of seconds from {} to {}",
            AT.start(),
            AT.end()
        )
    })
}

/// The index of a level from its number.
fn level(text: &str) -> Result<usize, String> {
    let level = text.parse().ok().filter(|level| (1..=COUNT).contains(level));
    let level = level.ok_or_else(|| format!("--level takes a number from 1 to {COUNT}"))?;
    Ok(level - 1)
}

/// The default path of the progress file: `kerf.txt` in the user's data folder, which environment variables name. One that is
/// empty or no absolute path counts as unset, as the XDG Base Directory Specification has it. `None` if all are.
pub fn usual_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let data = folder("XDG_DATA_HOME").or_else(|| folder("APPDATA"));
    let data = data.or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join("kerf.txt"))
}
