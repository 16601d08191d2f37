//! What a story expects, compared with what is there.

use std::{
    fs,
    num::NonZero,
    thread::available_parallelism,
    time::{Duration, Instant},
};

use super::{
    page::{Outcome, said},
    player::{Note, Player, pictures},
    story::{Expectation, Pattern, Target},
};

/// How long `await` looks again.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a processor may go on with work that was stopped.
const STOPS: Duration = Duration::from_millis(500);

/// Checks again and again until it is as expected or patience ends. Stories need it only for what
/// no page can announce: that a server is back, that the processor is idle.
pub(crate) async fn wait(player: &Player<'_>, expectation: &Expectation) -> Outcome<()> {
    let start = Instant::now();
    let before = player.house.spent();
    loop {
        match player.check(expectation).await {
            Ok(()) if matches!(expectation, Expectation::Idle) => {
                let spent = player.house.spent()?.saturating_sub(before?);
                eprintln!("idle after {:.2?}, with {spent:.2?} of processor time", start.elapsed());
                // Other work on the machine delays the end, but makes nobody spend more.
                let processors = available_parallelism().map_or(1, NonZero::get) as u32;
                return match spent <= STOPS * processors {
                    true => Ok(()),
                    false => Err(format!("it went on for {spent:.2?} of processor time")),
                };
            }
            Ok(()) => return Ok(()),
            Err(error) if start.elapsed() > PATIENCE => {
                return Err(format!("{error}, still after {} s", PATIENCE.as_secs()));
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

impl Player<'_> {
    /// The error says what is there instead.
    pub(crate) async fn check(&self, expectation: &Expectation) -> Outcome<()> {
        match expectation {
            Expectation::Count { at_least, at_most, target } => {
                self.count(target, *at_least, *at_most).await
            }
            Expectation::Property { target, property, pattern } => {
                let element = self.page.one(&self.aimed(target)?).await?;
                let found = self.page.read(&element, property).await?;
                self.compare(found.as_deref(), pattern)
            }
            Expectation::State { target, state } => {
                let element = self.page.one(&self.aimed(target)?).await?;
                match self.page.is(&element, *state).await? {
                    true => Ok(()),
                    false => Err(format!("it is not {state:?}").to_lowercase()),
                }
            }
            Expectation::Url(pattern) => self.compare(Some(&self.url().await?), pattern),
            Expectation::Title(pattern) => {
                let title = self.page.driver.title().await.map_err(said)?;
                self.compare(Some(&title), pattern)
            }
            Expectation::Clipboard(pattern) => {
                let text = self.page.call("clipboard", Vec::new()).await?;
                self.compare(text.as_str(), pattern)
            }
            Expectation::Download { name, text } => self.download(name, text.as_ref()).await,
            Expectation::Picture { target, of, is_same } => {
                self.same_picture(target, of, *is_same).await
            }
            Expectation::Fits => self.fits().await,
            Expectation::Idle => self.house.idle().await,
        }
    }

    async fn count(&self, target: &Target, at_least: usize, at_most: usize) -> Outcome<()> {
        let found = self.page.find(&self.aimed(target)?).await?.len();
        match (at_least..=at_most).contains(&found) {
            true => Ok(()),
            false => Err(format!("there are {found}")),
        }
    }

    fn compare(&self, found: Option<&str>, pattern: &Pattern) -> Outcome<()> {
        let pattern = self.shaped(pattern)?;
        match found {
            Some(text) if pattern.matches(text) => Ok(()),
            Some(text) => Err(format!("found {text:?}, expected {:?}", pattern.0)),
            None => Err("there is none".to_owned()),
        }
    }

    /// Downloads end when Chromium says so, which takes it a moment.
    async fn download(&self, name: &Pattern, text: Option<&Pattern>) -> Outcome<()> {
        let start = Instant::now();
        loop {
            let files = fs::read_dir(self.downloads.path()).map_err(|error| error.to_string())?;
            let files: Vec<_> = files.flatten().collect();
            let is_named = |file: &&fs::DirEntry| {
                file.file_name().to_str().is_some_and(|found| name.matches(found))
            };
            if let Some(file) = files.iter().find(is_named) {
                let Some(pattern) = text else { return Ok(()) };
                let bytes = fs::read(file.path()).map_err(|error| error.to_string())?;
                return self.compare(Some(&String::from_utf8_lossy(&bytes)), pattern);
            }
            if start.elapsed() > PATIENCE {
                let names: Vec<_> = files.iter().map(fs::DirEntry::file_name).collect();
                return Err(format!("it is not there; there are {names:?}"));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn same_picture(&self, target: &Target, of: &str, is_same: bool) -> Outcome<()> {
        let Some(Note::Picture(before)) = self.notes.get(of) else {
            return Err(format!("no picture {of} was remembered"));
        };
        let element = self.page.one(&self.aimed(target)?).await?;
        let now = self.page.picture(Some(&element)).await?;
        match (*before == now, is_same) {
            (true, true) | (false, false) => Ok(()),
            (true, false) => Err(format!("it looks as in the picture {of}")),
            (false, true) => {
                let files = [("before", before), ("now", &now)].map(|(when, bytes)| {
                    let file = pictures().join(format!("{of}-{when}.png"));
                    fs::write(&file, bytes).expect("pictures can be kept");
                    file.display().to_string()
                });
                Err(format!("it does not look as in the picture {of}: {}", files.join(", ")))
            }
        }
    }

    async fn fits(&self) -> Outcome<()> {
        let answer = self.page.call("width", Vec::new()).await?;
        let width = answer[0].as_f64().ok_or("the page has no width")?;
        let window = f64::from(self.page.size().pixels().0);
        match width <= window {
            true => Ok(()),
            false => Err(format!(
                "the page is {width} pixels wide in a window of {window}: {} sticks out",
                answer[1].as_str().unwrap_or_default()
            )),
        }
    }
}
