//! A tab of the browser: what is on it, and hands to touch it.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use thirtyfour::{
    Key, WebDriver, WebElement, WindowHandle, action_chain::ActionChain, common::command::Command,
    error::WebDriverError,
};

use super::story::{Kind, Pattern, Property, Size, State, Target, Theme};

/// A result whose error is a sentence for those who read the failure of a story.
pub(crate) type Outcome<T> = Result<T, String>;

/// The functions that run in the page.
const FUNCTIONS: &str = include_str!("page.js");

/// A tab with nothing left of earlier ones.
pub(crate) struct Page {
    pub(crate) driver: WebDriver,
    size: Size,
}

/// Where to point, in pixels from the upper left corner of the window.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    x: f64,
    y: f64,
}

impl Page {
    /// Opens a tab that knows nothing of what was done in the others.
    pub(crate) async fn open(driver: &WebDriver, origin: &str, downloads: &Path) -> Outcome<Self> {
        let page = Page { driver: driver.clone(), size: Size::Desk };
        let everything = json!({"origin": origin, "storageTypes": "all"});
        page.ask("Storage.clearDataForOrigin", everything).await?;
        page.new_tab().await?;
        let earlier = driver.window().await.map_err(said)?;
        for window in driver.windows().await.map_err(said)? {
            if window != earlier {
                page.close(window).await?;
            }
        }
        driver.switch_to_window(earlier).await.map_err(said)?;
        page.ready().await?;
        let permissions = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
        page.ask("Browser.grantPermissions", permissions).await?;
        let behavior = json!({"behavior": "allow", "downloadPath": downloads});
        page.ask("Browser.setDownloadBehavior", behavior).await?;
        // What earlier tabs said is no concern of this one.
        page.complaints().await?;
        Ok(page)
    }

    /// Makes a tab behave like one that is looked at.
    async fn ready(&self) -> Outcome<()> {
        self.ask("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
        Ok(())
    }

    async fn close(&self, window: WindowHandle) -> Outcome<()> {
        self.driver.switch_to_window(window).await.map_err(said)?;
        self.driver.close_window().await.map_err(said)
    }

    /// Opens a further tab and turns to it.
    pub(crate) async fn new_tab(&self) -> Outcome<()> {
        let tab = self.driver.new_tab().await.map_err(said)?;
        self.driver.switch_to_window(tab).await.map_err(said)?;
        self.ready().await
    }

    /// Closes the tab and turns to another one.
    pub(crate) async fn close_tab(&self) -> Outcome<()> {
        self.driver.close_window().await.map_err(said)?;
        let left = self.driver.windows().await.map_err(said)?;
        let last = left.last().ok_or("the last tab cannot be closed: open a new tab before")?;
        self.driver.switch_to_window(last.clone()).await.map_err(said)
    }

    /// Sends a command of the protocol of Chromium's own tools.
    pub(crate) async fn ask(&self, method: &str, parameters: Value) -> Outcome<Value> {
        let answer = self.driver.cdp().send_raw(method, parameters).await;
        answer.map_err(|error| format!("{method}: {}", said(error)))
    }

    pub(crate) async fn resize(&mut self, size: Size) -> Outcome<()> {
        self.size = size;
        let (width, height) = size.pixels();
        let is_phone = size == Size::Phone;
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone,
        });
        self.ask("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.ask("Emulation.setTouchEmulationEnabled", json!({"enabled": is_phone})).await?;
        Ok(())
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) async fn theme(&self, theme: Theme) -> Outcome<()> {
        let scheme = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask("Emulation.setEmulatedMedia", json!({"features": features})).await?;
        Ok(())
    }

    /// Calls a function of `page.js`.
    pub(crate) async fn call(&self, function: &str, arguments: Vec<Value>) -> Outcome<Value> {
        let script = format!("return ({FUNCTIONS}).{function}(...arguments)");
        let answer = self.driver.execute(script, arguments).await.map_err(said)?;
        Ok(answer.json().clone())
    }

    /// Waits until the page says that it is settled.
    pub(crate) async fn settle(&self) -> Outcome<()> {
        // A page that is left takes the question with it; the next one is asked again.
        for _ in 0..20 {
            let error = match self.call("settled", Vec::new()).await {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            if error.contains("script timeout") {
                return Err(format!("the page is not settled: {}", self.busy().await));
            }
            if !["navigation", "unloaded", "detached", "context"].iter().any(|w| error.contains(w))
            {
                return Err(error);
            }
        }
        Err("the page goes from one address to the next without end".to_owned())
    }

    async fn busy(&self) -> String {
        let script = "return `data-busy is ${document.documentElement.dataset.busy}, \
                      the document is ${document.readyState}`";
        match self.driver.execute(script, Vec::new()).await {
            Ok(answer) => answer.json().as_str().unwrap_or_default().to_owned(),
            Err(error) => said(error),
        }
    }

    /// All elements that a target names.
    pub(crate) async fn find(&self, target: &Target) -> Outcome<Vec<WebElement>> {
        let script = format!("return ({FUNCTIONS}).find(...arguments)");
        let found = self.driver.execute(script, vec![described(target)]).await.map_err(said)?;
        found.elements().map_err(said)
    }

    /// The one element that a target names.
    pub(crate) async fn one(&self, target: &Target) -> Outcome<WebElement> {
        let mut found = self.find(target).await?;
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err("there is no such element".to_owned()),
            count => Err(format!("there are {count} such elements: say which by #1 or `in`")),
        }
    }

    pub(crate) async fn read(
        &self,
        element: &WebElement,
        property: &Property,
    ) -> Outcome<Option<String>> {
        let (property, name) = match property {
            Property::Text => ("text", ""),
            Property::Value => ("value", ""),
            Property::Name => ("name", ""),
            Property::Attribute(name) => ("attribute", name.as_str()),
            Property::Style(name) => ("style", name.as_str()),
        };
        let answer = self.call("read", vec![json(element)?, json!(property), json!(name)]).await?;
        Ok(answer.as_str().map(str::to_owned))
    }

    pub(crate) async fn is(&self, element: &WebElement, state: State) -> Outcome<bool> {
        let (name, expected) = match state {
            State::Focused => ("focused", true),
            State::Enabled => ("disabled", false),
            State::Disabled => ("disabled", true),
            State::Checked => ("checked", true),
            State::Unchecked => ("checked", false),
            State::Visible => ("visible", true),
            State::Inside => ("inside", true),
        };
        let answer = self.call("is", vec![json(element)?, json!(name)]).await?;
        Ok(answer.as_bool() == Some(expected))
    }

    /// Where an element can be pointed at.
    pub(crate) async fn point(&self, element: &WebElement) -> Outcome<Point> {
        let answer = self.call("point", vec![json(element)?]).await?;
        if let Some(cover) = answer["covered"].as_str() {
            return Err(format!("at its place there is {cover}"));
        }
        let number = |name: &str| answer[name].as_f64().ok_or("the element has no place");
        Ok(Point { x: number("x")?, y: number("y")? })
    }

    fn hands(&self) -> ActionChain {
        self.driver.action_chain_with_delay(Some(Duration::ZERO), Some(Duration::ZERO))
    }

    /// Clicks with the mouse, or taps where there is none.
    pub(crate) async fn click(&self, at: Point, holding: Option<Key>) -> Outcome<()> {
        if self.size == Size::Phone {
            return self.touch(&[at]).await;
        }
        let hands = match &holding {
            Some(key) => self.hands().key_down(key.clone()),
            None => self.hands(),
        };
        let (x, y) = at.pixels();
        let hands = hands.move_to(x, y).click();
        let hands = match holding {
            Some(key) => hands.key_up(key),
            None => hands,
        };
        hands.perform().await.map_err(said)
    }

    pub(crate) async fn double_click(&self, at: Point) -> Outcome<()> {
        let (x, y) = at.pixels();
        self.hands().move_to(x, y).double_click().perform().await.map_err(said)
    }

    pub(crate) async fn right_click(&self, at: Point) -> Outcome<()> {
        let (x, y) = at.pixels();
        self.hands().move_to(x, y).context_click().perform().await.map_err(said)
    }

    pub(crate) async fn hover(&self, at: Point) -> Outcome<()> {
        let (x, y) = at.pixels();
        self.hands().move_to(x, y).perform().await.map_err(said)
    }

    /// Drags with the mouse, or with a finger.
    pub(crate) async fn drag(&self, from: Point, to: Point) -> Outcome<()> {
        let middle = Point { x: (from.x + to.x) / 2.0, y: (from.y + to.y) / 2.0 };
        if self.size == Size::Phone {
            return self.touch(&[from, middle, to]).await;
        }
        let [(x, y), (middle_x, middle_y), (to_x, to_y)] =
            [from.pixels(), middle.pixels(), to.pixels()];
        let hands = self.hands().move_to(x, y).click_and_hold().move_to(middle_x, middle_y);
        hands.move_to(to_x, to_y).release().perform().await.map_err(said)
    }

    /// Puts a finger down at the first place, moves it to the others and lifts it. All this is one
    /// command: on a busy machine a finger that waits for the next command would rest so long that
    /// it is no tap.
    async fn touch(&self, way: &[Point]) -> Outcome<()> {
        let moves = way.iter().map(|at| {
            let (x, y) = at.pixels();
            json!({"type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": "viewport"})
        });
        let mut actions: Vec<Value> = moves.collect();
        actions.insert(1, json!({"type": "pointerDown", "button": 0}));
        // A finger rests for a moment before it is lifted. After a drag it rests until the browser
        // takes it to stand still: otherwise it flings, and the next tap only stops the fling.
        let rest = if way.len() > 1 { 150 } else { 20 };
        actions.push(json!({"type": "pause", "duration": rest}));
        actions.push(json!({"type": "pointerUp", "button": 0}));
        let finger = json!([{
            "type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"},
            "actions": actions,
        }]);
        let command = Command::PerformActions(finger.into());
        self.driver.handle().cmd(command).await.map(drop).map_err(said)
    }

    /// Presses keys together, such as `Ctrl+Enter`.
    pub(crate) async fn press(&self, keys: &str) -> Outcome<()> {
        let names = match keys {
            "+" => vec!["+"],
            _ => keys.split('+').collect(),
        };
        let keys = names.iter().map(|name| key(name)).collect::<Outcome<Vec<char>>>()?;
        let held = keys.iter().fold(self.hands(), |hands, key| hands.key_down(*key));
        let released = keys.iter().rev().fold(held, |hands, key| hands.key_up(*key));
        released.perform().await.map_err(said)
    }

    pub(crate) async fn write(&self, text: &str) -> Outcome<()> {
        // A line break is a key, too.
        let keys: String =
            text.chars().map(|c| if c == '\n' { Key::Enter.value() } else { c }).collect();
        self.hands().send_keys(keys).perform().await.map_err(said)
    }

    /// Errors of scripts, of the console, of loading and of the content security policy since the
    /// last question.
    pub(crate) async fn complaints(&self) -> Outcome<Vec<String>> {
        let log = self.driver.browser_log().await.map_err(said)?;
        let severe = log.into_iter().filter(|entry| entry.level == "SEVERE");
        Ok(severe.map(|entry| entry.message).collect())
    }

    /// A picture of an element or of the whole window, as PNG.
    pub(crate) async fn picture(&self, of: Option<&WebElement>) -> Outcome<Vec<u8>> {
        // Bars come and go with time on a phone.
        self.ask("Emulation.setScrollbarsHidden", json!({"hidden": true})).await?;
        match of {
            Some(element) => element.screenshot_as_png().await.map_err(said),
            None => self.driver.screenshot_as_png().await.map_err(said),
        }
    }
}

impl Point {
    #[expect(clippy::cast_possible_truncation, reason = "windows are small")]
    fn pixels(self) -> (i64, i64) {
        (self.x.floor() as i64, self.y.floor() as i64)
    }
}

/// An element as an argument of a function in the page.
pub(crate) fn json(element: &WebElement) -> Outcome<Value> {
    element.to_json().map_err(said)
}

/// The sentence of an error: the rest is where chromedriver was when it happened.
#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
pub(crate) fn said(error: WebDriverError) -> String {
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().to_owned();
    let more = lines.skip_while(|line| !line.starts_with("Additional info")).nth(1);
    [Some(first.as_str()), more].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The key of this name: names are those of the events of browsers.
pub(crate) fn key(name: &str) -> Outcome<char> {
    let key = match name {
        "Alt" => Key::Alt,
        "ArrowDown" => Key::Down,
        "ArrowLeft" => Key::Left,
        "ArrowRight" => Key::Right,
        "ArrowUp" => Key::Up,
        "Backspace" => Key::Backspace,
        "Ctrl" => Key::Control,
        "Delete" => Key::Delete,
        "End" => Key::End,
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "F1" => Key::F1,
        "Home" => Key::Home,
        "PageDown" => Key::PageDown,
        "PageUp" => Key::PageUp,
        "Shift" => Key::Shift,
        "Space" => return Ok(' '),
        "Tab" => Key::Tab,
        _ => {
            if let Some(digit) = name.strip_prefix("Numpad").and_then(|name| name.chars().next()) {
                let number = digit.to_digit(10).ok_or("Numpad is followed by a digit")?;
                return Ok(char::from_u32(u32::from(Key::NumPad0.value()) + number)
                    .expect("ten keys follow each other"));
            }
            let mut characters = name.chars();
            return match (characters.next(), characters.next()) {
                (Some(character), None) => Ok(character),
                _ => Err(format!("unknown key {name}")),
            };
        }
    };
    Ok(key.value())
}

/// A target as `page.js` reads it.
fn described(target: &Target) -> Value {
    let (kind, value, name) = match &target.kind {
        Kind::Id(id) => ("id", id.as_str(), None),
        Kind::Css(selector) => ("css", selector.as_str(), None),
        Kind::Role(role, name) => ("role", role.as_str(), name.as_ref()),
        Kind::Text(pattern) => ("text", "", Some(pattern)),
    };
    json!({
        "kind": kind,
        "value": value,
        "name": name.map(Pattern::expression),
        "number": target.number,
        "within": target.within.as_deref().map(described),
    })
}
