//! What assistive programs get of a page: names in Chromium's own tree, and the verdict of IBM's
//! accessibility checker.

use std::{fs, path::PathBuf, sync::OnceLock};

use serde_json::{Value, json};

use super::page::{Outcome, Page, said};

/// Finds the first elements that assistive programs could not name, and what the checker calls a
/// violation.
pub(crate) async fn check(page: &Page) -> Outcome<()> {
    let mut faults = unnamed(page).await?;
    faults.extend(violations(page).await?);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{} faults:\n      {}", faults.len(), faults.join("\n      "))),
    }
}

/// The roles whose elements are nothing without a name.
const NAMED: &[&str] = &[
    "button",
    "checkbox",
    "combobox",
    "dialog",
    "grid",
    "gridcell",
    "image",
    "link",
    "listbox",
    "menuitem",
    "option",
    "progressbar",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

async fn unnamed(page: &Page) -> Outcome<Vec<String>> {
    let tree = page.ask("Accessibility.getFullAXTree", json!({})).await?;
    let nodes = tree["nodes"].as_array().ok_or("Chromium has no tree of names")?;
    let text = |node: &Value, part: &str| node[part]["value"].as_str().unwrap_or("").to_owned();
    let is_unnamed = |node: &&Value| {
        node["ignored"] != json!(true)
            && NAMED.contains(&text(node, "role").as_str())
            && text(node, "name").trim().is_empty()
    };
    let mut faults = Vec::new();
    for node in nodes.iter().filter(is_unnamed) {
        let described = described(page, &node["backendDOMNodeId"]).await?;
        faults.push(format!("no name: {} {described}", text(node, "role")));
    }
    Ok(faults)
}

async fn described(page: &Page, node: &Value) -> Outcome<String> {
    let answer = page.ask("DOM.describeNode", json!({"backendNodeId": node})).await?;
    let node = &answer["node"];
    let empty = Vec::new();
    let attributes = node["attributes"].as_array().unwrap_or(&empty);
    let attributes: Vec<String> =
        attributes.chunks(2).map(|pair| format!(" {}={}", text(&pair[0]), pair[1])).collect();
    Ok(format!("<{}{}>", text(&node["localName"]), attributes.concat()))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Where `cargo xtask test setup` puts the checker.
fn place() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../accessibility/ace.js")
}

/// The checker, or nothing where it could not be had.
fn checker() -> Option<&'static str> {
    static CHECKER: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = fs::read_to_string(place()).ok();
        if text.is_none() {
            eprintln!("not run: the accessibility checker, which `cargo xtask test setup` fetches");
        }
        text
    };
    CHECKER.get_or_init(read).as_deref()
}

/// Asks the checker for what it is sure of, as sentences with the place in the document.
const ASK: &str = "
    return new ace.Checker().check(document, ['IBM_Accessibility']).then((report) =>
      report.results
        .filter((result) => result.value[0] === 'VIOLATION' && result.value[1] === 'FAIL')
        .map((result) => `${result.ruleId}: ${result.message} at ${result.path.dom}`));
";

async fn violations(page: &Page) -> Outcome<Vec<String>> {
    let Some(checker) = checker() else { return Ok(Vec::new()) };
    let script = format!("{checker};\nif (!window.ace) window.ace = ace;\n{ASK}");
    let answer = page.driver.execute(script, Vec::new()).await.map_err(said)?;
    let results = answer.json().as_array().ok_or("the checker has no answer")?;
    Ok(results.iter().map(|result| text(result).to_owned()).collect())
}
