//! The options that a statement may set: those that change how an answer is computed or shown,
//! and none that lifts a limit, names a directory or loads anything.

use std::ops::RangeInclusive;

/// An option that may be set, and to what.
struct Setting {
    name: &'static str,
    values: Values,
}

enum Values {
    Any,
    Number(RangeInclusive<usize>),
    /// A number from 1 to the number of threads.
    Threads,
}

const fn any(name: &'static str) -> Setting {
    Setting { name, values: Values::Any }
}

const SETTINGS: &[Setting] = &[
    Setting { name: "datafusion.execution.batch_size", values: Values::Number(1..=65_536) },
    Setting { name: "datafusion.execution.target_partitions", values: Values::Threads },
    any("datafusion.execution.time_zone"),
    any("datafusion.execution.collect_statistics"),
    any("datafusion.explain.format"),
    any("datafusion.explain.logical_plan_only"),
    any("datafusion.explain.physical_plan_only"),
    any("datafusion.explain.show_schema"),
    any("datafusion.explain.show_sizes"),
    any("datafusion.explain.show_statistics"),
    any("datafusion.optimizer.prefer_hash_join"),
    any("datafusion.sql_parser.enable_ident_normalization"),
    any("datafusion.sql_parser.parse_float_as_decimal"),
];

/// Why an option may not be set to a value; without a value, why it may not be reset.
pub(super) fn refusal(name: &str, value: Option<&str>, threads: usize) -> Option<String> {
    let name = match name.to_ascii_lowercase().as_str() {
        "timezone" | "time.zone" => "datafusion.execution.time_zone".to_owned(),
        other => other.to_owned(),
    };
    let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
        let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        let verb = if value.is_some() { "SET" } else { "RESET" };
        return Some(format!("{verb} {name} is refused; the options are {}", names.join(", ")));
    };
    let range = match &setting.values {
        Values::Any => return None,
        Values::Number(range) => range.clone(),
        Values::Threads => 1..=threads,
    };
    let value = value?;
    let number = value.trim().trim_matches('\'').parse::<usize>().ok();
    if number.is_some_and(|number| range.contains(&number)) {
        return None;
    }
    let (first, last) = (range.start(), range.end());
    Some(format!("SET {name} = {value} is refused, expected {first} to {last}"))
}
