//! x
#[test]
fn x() { let n = fourchess_learned::Network::trained(); let _ = n.memory(); }
