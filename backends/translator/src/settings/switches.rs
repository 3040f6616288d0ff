//! Settings of one engine: the engine declares them, the translator reads them, and other engines refuse them
//! as unknown settings.

use dyno_api::{Error, SettingsReader};

/// A setting of one engine.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Name of the setting.
    pub name: &'static str,
    /// Default position. Only a position of the same kind may be set.
    pub position: Position,
}

/// Position of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Count(usize),
}

/// The switches of an engine with their positions.
#[derive(Clone, Debug)]
pub struct Switches(Vec<Switch>);

impl Switches {
    /// The switches in their default positions.
    pub fn defaults(declared: &[Switch]) -> Self {
        Self(declared.to_vec())
    }

    /// Takes the settings of the declared switches.
    pub(crate) fn read(reader: &mut SettingsReader<'_>, declared: &[Switch]) -> Result<Self, Error> {
        let read = |switch: &Switch| {
            let given = match switch.position {
                Position::Flag(_) => reader.take(switch.name, "true or false")?.map(Position::Flag),
                Position::Count(_) => reader.take(switch.name, "a whole number")?.map(Position::Count),
            };
            Ok(Switch { position: given.unwrap_or(switch.position), ..*switch })
        };
        declared.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the flag `name` is on; an undeclared flag is off.
    pub fn on(&self, name: &str) -> bool {
        self.position(name) == Some(Position::Flag(true))
    }

    /// The number that `name` is set to; 0 for an undeclared switch.
    pub fn count(&self, name: &str) -> usize {
        match self.position(name) {
            Some(Position::Count(count)) => count,
            _ => 0,
        }
    }

    fn position(&self, name: &str) -> Option<Position> {
        self.0.iter().find(|switch| switch.name == name).map(|switch| switch.position)
    }
}

#[cfg(test)]
mod tests {
    use dyno_api::Settings;
    use serde_json::json;

    use super::*;

    const DECLARED: [Switch; 2] = [
        Switch { name: "merged", position: Position::Flag(true) },
        Switch { name: "words", position: Position::Count(8) },
    ];

    fn read(settings: serde_json::Value) -> Result<Switches, String> {
        let settings: Settings = settings.as_object().unwrap().clone();
        let mut reader = SettingsReader::new("engine", &settings);
        let switches = Switches::read(&mut reader, &DECLARED).map_err(|error| error.to_string())?;
        reader.finish().map_err(|error| error.to_string()).map(|()| switches)
    }

    #[test]
    fn switches_stand_as_declared_or_as_set() {
        let switches = read(json!({})).unwrap();
        assert_eq!((switches.on("merged"), switches.count("words")), (true, 8));
        let switches = read(json!({ "merged": false, "words": 0 })).unwrap();
        assert_eq!((switches.on("merged"), switches.count("words")), (false, 0));
    }

    #[test]
    fn other_kinds_and_other_names_are_refused() {
        assert!(read(json!({ "words": true })).unwrap_err().contains("it must be a whole number"));
        assert!(read(json!({ "merge": true })).unwrap_err().contains("did you mean `merged`?"));
    }
}
