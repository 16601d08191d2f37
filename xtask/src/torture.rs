//! `cargo xtask torture`: writers, stores and clusters, disturbed at random.

use anyhow::{Context, Result, bail};

use crate::{
    setup, shell, stores,
    test::{EVERYTHING, with_everything},
};

/// How often, unless told otherwise.
const KILLS: u64 = 1000;

/// Runs the test that disturbs, as often as it is told, with servers and a cluster.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let order = parse(words)?;
    setup::ensure(setup::TESTS)?;
    stores::servers()?;
    let mut command = shell::cargo();
    command.arg("test").args(EVERYTHING).args(["--test", "torture", "--", "--nocapture"]);
    command.env("EVERYPLY_KILLS", order.kills.to_string());
    if let Some(seed) = order.seed {
        command.env("EVERYPLY_SEED", seed.to_string());
    }
    shell::run(with_everything(&mut command))
}

#[derive(Debug, PartialEq)]
struct Order {
    kills: u64,
    seed: Option<u64>,
}

fn parse(words: &[&str]) -> Result<Order> {
    let mut order = Order { kills: KILLS, seed: None };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64> {
            let value = words.next().with_context(|| format!("{word} needs a number"))?;
            value.parse().with_context(|| format!("{word} {value}: not a number"))
        };
        match *word {
            "--kills" => order.kills = number()?,
            "--seed" => order.seed = Some(number()?),
            unknown => bail!("unknown option: {unknown}"),
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_and_the_seed_are_read() {
        assert_eq!(parse(&[]).unwrap(), Order { kills: KILLS, seed: None });
        let order = parse(&["--kills", "20", "--seed", "7"]).unwrap();
        assert_eq!(order, Order { kills: 20, seed: Some(7) });
        let error = |words: &[&str]| parse(words).unwrap_err().to_string();
        assert_eq!(error(&["--kills"]), "--kills needs a number");
        assert_eq!(error(&["--kills", "many"]), "--kills many: not a number");
        assert_eq!(error(&["hard"]), "unknown option: hard");
    }
}
