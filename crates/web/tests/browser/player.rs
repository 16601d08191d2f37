//! Runs a story in one way, a command after the other.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use thirtyfour::{Key, WebDriver, WebElement};

use super::{
    accessible, everyply,
    house::House,
    page::{Outcome, Page, json, said},
    story::{Command, Expectation, Input, Kind, Pattern, Remembered, Step, Story, Target, Way},
};

/// A story that is being run.
pub(crate) struct Player<'a> {
    pub(crate) page: Page,
    pub(crate) house: &'a mut House,
    pub(crate) downloads: tempfile::TempDir,
    pub(crate) notes: HashMap<String, Note>,
    way: Way,
    allowed: Vec<Pattern>,
    is_patient: bool,
}

/// What a story has kept.
pub(crate) enum Note {
    Text(String),
    Picture(Vec<u8>),
}

/// More presses of Tab than any page has elements.
const TABS: usize = 300;

impl<'a> Player<'a> {
    /// Runs the story. The error names its line and says what was found, and what the page looked
    /// like is in a file.
    pub(crate) async fn play(
        driver: &WebDriver,
        house: &'a mut House,
        story: &Story,
        way: Way,
    ) -> Outcome<()> {
        let downloads = tempfile::tempdir().map_err(|error| error.to_string())?;
        house.start();
        let page = Page::open(driver, &house.origin(), downloads.path()).await?;
        let (notes, allowed) = (HashMap::new(), Vec::new());
        let is_patient = true;
        let mut player = Player { page, house, downloads, notes, way, allowed, is_patient };
        player.page.resize(way.size).await?;
        player.page.theme(way.theme).await?;
        for step in &story.steps {
            if let Err(error) = player.step(step).await {
                return Err(player.failure(story, step, &error).await);
            }
        }
        Ok(())
    }

    async fn failure(&self, story: &Story, step: &Step, error: &str) -> String {
        let place = format!("crates/web/tests/stories/{}.txt:{}", story.name, step.line);
        let url = self.url().await.unwrap_or_else(|error| error);
        let way = self.way.to_string().replace(", ", "-");
        let file = pictures().join(format!("{}-{}-{way}.png", story.name, step.line));
        let picture = match self.page.picture(None).await {
            Ok(bytes) => match fs::write(&file, bytes) {
                Ok(()) => file.display().to_string(),
                Err(error) => error.to_string(),
            },
            Err(error) => error,
        };
        let text = &step.text;
        format!(
            "{place} ({})\n    {text}\n    {error}\n    at {url}\n    picture: {picture}",
            self.way
        )
    }

    async fn step(&mut self, step: &Step) -> Outcome<()> {
        self.run(&step.command).await?;
        let complaints = self.page.complaints().await?;
        let is_allowed = |complaint: &String| {
            self.allowed.iter().any(|pattern| pattern.matches(&complaint.replace('\n', " ")))
        };
        match complaints.iter().find(|complaint| !is_allowed(complaint)) {
            Some(complaint) => Err(format!("the browser complains: {complaint}")),
            None => Ok(()),
        }
    }

    async fn run(&mut self, command: &Command) -> Outcome<()> {
        match command {
            Command::Open(path) => self.open(&self.filled(path)?).await,
            Command::Resize(size) => self.page.resize(*size).await,
            Command::Theme(theme) => self.page.theme(*theme).await,
            Command::Click { target, holding } => self.click(target, holding.as_deref()).await,
            Command::DoubleClick(target) => {
                let at = self.page.point(&self.one(target).await?).await?;
                self.page.double_click(at).await
            }
            Command::RightClick(target) => {
                let at = self.page.point(&self.one(target).await?).await?;
                self.page.right_click(at).await
            }
            Command::Press { keys, times } => self.press(keys, *times).await,
            Command::Type { text, into } => self.write(&self.filled(text)?, into.as_ref()).await,
            Command::Fill { target, text } => self.fill(target, &self.filled(text)?).await,
            Command::Choose { option, of } => self.choose(option, of).await,
            Command::Drag { from, to } => self.drag(from, to).await,
            Command::Drop { file, on } => self.drop(file, on).await,
            Command::Upload { file, to } => {
                let element = self.one(to).await?;
                let path = fixture(file)?;
                element.send_keys(path.display().to_string()).await.map_err(said)
            }
            Command::Hover(target) => {
                let at = self.page.point(&self.one(target).await?).await?;
                self.page.hover(at).await
            }
            Command::TabTo(target) => self.go_to(target).await.map(drop),
            Command::Scroll { target, to } => {
                let element = self.one(target).await?;
                self.page.call("scroll", vec![json(&element)?, json!(to)]).await.map(drop)
            }
            // No page can announce that it is being left.
            Command::Expect(expectation @ Expectation::Url(_)) if self.is_patient => {
                self.wait(expectation).await
            }
            Command::Expect(expectation) => {
                self.settle().await?;
                self.check(expectation).await
            }
            Command::Await(expectation) => self.wait(expectation).await,
            Command::Remember { name, what } => self.remember(name, what).await,
            Command::Reload => self.page.driver.refresh().await.map_err(said),
            Command::Back => self.page.driver.back().await.map_err(said),
            Command::Forward => self.page.driver.forward().await.map_err(said),
            Command::NewTab => self.page.new_tab().await,
            Command::CloseTab => self.page.close_tab().await,
            Command::StopServer | Command::KillServer => {
                self.house.stop();
                Ok(())
            }
            Command::StartServer => {
                self.house.start();
                Ok(())
            }
            Command::Allow(pattern) => {
                self.allowed.push(Pattern(pattern.clone()));
                Ok(())
            }
            Command::Accessible => {
                self.settle().await?;
                accessible::check(&self.page).await
            }
            Command::Shot { name, of } => self.shot(name, of.as_ref()).await,
            Command::Meanwhile(command) => {
                self.is_patient = false;
                let done = Box::pin(self.run(command)).await;
                self.is_patient = true;
                done
            }
        }
    }

    /// Waits until the page is settled, except for what is done meanwhile.
    async fn settle(&self) -> Outcome<()> {
        match self.is_patient {
            true => self.page.settle().await,
            false => Ok(()),
        }
    }

    /// Goes to a path of the server, with the key, as whoever opens the address that the command
    /// prints. `file:NAME` goes to a page that stands alone instead.
    async fn open(&mut self, path: &str) -> Outcome<()> {
        let driver = &self.page.driver;
        // From elsewhere, so that a change of the fragment alone loads the page, too.
        driver.goto("about:blank").await.map_err(said)?;
        let url = match path.strip_prefix("file:") {
            Some(name) => format!("file://{}/{name}", everyply::alone().display()),
            None => self.house.url_of(path),
        };
        driver.goto(url).await.map_err(said)
    }

    /// The one element of a target, once the page is settled.
    pub(crate) async fn one(&self, target: &Target) -> Outcome<WebElement> {
        self.settle().await?;
        self.page.one(&self.aimed(target)?).await
    }

    async fn click(&self, target: &Target, holding: Option<&str>) -> Outcome<()> {
        if self.way.input == Input::Keyboard {
            let element = self.go_to(target).await?;
            let key = self.page.call("key", vec![json(&element)?]).await?;
            let key = key.as_str().ok_or("no key activates the element")?;
            return self.page.press(key).await;
        }
        let holding = match holding {
            Some("Ctrl") => Some(Key::Control),
            Some("Shift") => Some(Key::Shift),
            Some("Alt") => Some(Key::Alt),
            Some(other) => return Err(format!("{other} cannot be held")),
            None => None,
        };
        let at = self.page.point(&self.one(target).await?).await?;
        self.page.click(at, holding).await
    }

    /// Goes to an element by Tab, and inside a board or a list by the arrows.
    async fn go_to(&self, target: &Target) -> Outcome<WebElement> {
        let element = self.one(target).await?;
        for _ in 0..TABS {
            let way = self.page.call("way", vec![json(&element)?]).await?;
            match way.as_str() {
                Some("there") => return Ok(element),
                Some(key) => self.page.press(key).await?,
                None => return Err("there is no way to it by keyboard".to_owned()),
            }
            self.settle().await?;
        }
        Err(format!("{TABS} presses of Tab and arrows do not lead to it"))
    }

    async fn press(&self, keys: &str, times: usize) -> Outcome<()> {
        for _ in 0..times {
            self.settle().await?;
            self.page.press(keys).await?;
        }
        Ok(())
    }

    async fn write(&self, text: &str, into: Option<&Target>) -> Outcome<()> {
        match into {
            Some(target) => self.touch(target).await?,
            None => self.settle().await?,
        }
        self.page.write(text).await
    }

    /// Gives an element the focus, by mouse or by keyboard.
    async fn touch(&self, target: &Target) -> Outcome<()> {
        if self.way.input == Input::Keyboard {
            return self.go_to(target).await.map(drop);
        }
        self.click(target, None).await?;
        self.settle().await
    }

    async fn fill(&self, target: &Target, text: &str) -> Outcome<()> {
        self.touch(target).await?;
        self.page.press("Ctrl+a").await?;
        match text {
            "" => self.page.press("Delete").await,
            _ => self.page.write(text).await,
        }
    }

    async fn choose(&self, option: &str, of: &Target) -> Outcome<()> {
        let list = self.one(of).await?;
        let name = Pattern(self.filled(option)?);
        let kind = Kind::Css("option".to_owned());
        let target = Target { kind, number: None, within: Some(Box::new(self.aimed(of)?)) };
        for element in self.page.find(&target).await? {
            if name.matches(element.text().await.map_err(said)?.trim()) {
                return element.click().await.map_err(said);
            }
        }
        let texts = list.text().await.map_err(said)?.replace('\n', ", ");
        Err(format!("there is no such option; there are: {texts}"))
    }

    async fn drag(&self, from: &Target, to: &Target) -> Outcome<()> {
        if self.way.input == Input::Keyboard {
            self.click(from, None).await?;
            return self.click(to, None).await;
        }
        let (from, to) = (self.one(from).await?, self.one(to).await?);
        // The second look comes last: it may have scrolled the first one away.
        self.page.point(&to).await?;
        let from = self.page.point(&from).await?;
        let to = self.page.point(&to).await?;
        self.page.drag(from, to).await
    }

    async fn drop(&self, file: &str, on: &Target) -> Outcome<()> {
        let element = self.one(on).await?;
        let path = fixture(file)?;
        let bytes = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("the file has no name")?;
        let arguments = vec![json(&element)?, json!(name), json!(bytes)];
        self.page.call("drop", arguments).await.map(drop)
    }

    async fn remember(&mut self, name: &str, what: &Remembered) -> Outcome<()> {
        self.settle().await?;
        let note = match what {
            Remembered::Url => Note::Text(self.url().await?),
            Remembered::Of(target, property) => {
                let element = self.one(target).await?;
                let text = self.page.read(&element, property).await?;
                Note::Text(text.ok_or("there is no such attribute")?)
            }
            Remembered::Picture(target) => {
                let element = self.one(target).await?;
                Note::Picture(self.page.picture(Some(&element)).await?)
            }
        };
        self.notes.insert(name.to_owned(), note);
        Ok(())
    }

    /// Where the page is, from the path on.
    pub(crate) async fn url(&self) -> Outcome<String> {
        let url = self.page.driver.current_url().await.map_err(said)?;
        let after = |sign: char, part: Option<&str>| {
            part.map(|part| format!("{sign}{part}")).unwrap_or_default()
        };
        Ok(format!("{}{}{}", url.path(), after('?', url.query()), after('#', url.fragment())))
    }

    /// Writes a picture for the guide where that is asked for.
    async fn shot(&self, name: &str, of: Option<&Target>) -> Outcome<()> {
        self.settle().await?;
        if std::env::var_os("EVERYPLY_PICTURES").is_none() {
            return Ok(());
        }
        let element = match of {
            Some(target) => Some(self.one(target).await?),
            None => None,
        };
        let directory = root().join("docs").join("pictures");
        let bytes = self.page.picture(element.as_ref()).await?;
        fs::create_dir_all(&directory)
            .and_then(|()| fs::write(directory.join(format!("{name}.png")), bytes))
            .map_err(|error| error.to_string())
    }

    /// A text in which `{name}` is replaced by what was remembered.
    pub(crate) fn filled(&self, text: &str) -> Outcome<String> {
        self.replaced(text, str::to_owned)
    }

    /// The same for a pattern, in which remembered stars stand for themselves.
    pub(crate) fn shaped(&self, pattern: &Pattern) -> Outcome<Pattern> {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('*', "\\*");
        self.replaced(&pattern.0, escape).map(Pattern)
    }

    fn replaced(&self, text: &str, escape: impl Fn(&str) -> String) -> Outcome<String> {
        let mut text = text.to_owned();
        for (name, note) in &self.notes {
            if let Note::Text(value) = note {
                text = text.replace(&format!("{{{name}}}"), &escape(value));
            }
        }
        Ok(text)
    }

    /// A target with what was remembered filled in.
    pub(crate) fn aimed(&self, target: &Target) -> Outcome<Target> {
        let shaped = |pattern: &Pattern| self.shaped(pattern);
        let kind = match &target.kind {
            Kind::Id(id) => Kind::Id(self.filled(id)?),
            Kind::Css(selector) => Kind::Css(self.filled(selector)?),
            Kind::Text(pattern) => Kind::Text(shaped(pattern)?),
            Kind::Role(role, name) => {
                Kind::Role(role.clone(), name.as_ref().map(shaped).transpose()?)
            }
        };
        let within = target.within.as_deref().map(|target| self.aimed(target).map(Box::new));
        Ok(Target { kind, number: target.number, within: within.transpose()? })
    }

    async fn wait(&self, expectation: &Expectation) -> Outcome<()> {
        super::check::wait(self, expectation).await
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a crate of ours").to_owned()
}

/// A file that a story names, from the root of the workspace.
fn fixture(name: &str) -> Outcome<PathBuf> {
    let path = root().join(name);
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("there is no file {name}")),
    }
}

/// Where pictures of failures are kept.
pub(crate) fn pictures() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stories");
    fs::create_dir_all(&directory).expect("the directory for pictures can be made");
    directory
}
