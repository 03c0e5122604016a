//! What the driver has changed of a scene.

use pliant::scene::Scene;
use serde::{Deserialize, Deserializer, Serialize};

/// Changes to a scene; `None` leaves what it says.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Settings {
    pub method: Option<String>,
    pub iterations: Option<usize>,
    pub rho: Option<f64>,
    pub budget_ms: Option<f64>,
    /// A factor on the stiffness of all materials.
    pub stiffness: Option<f64>,
    /// m/s²
    pub gravity: Option<[f64; 3]>,
    /// Velocity of the air, m/s.
    pub wind: Option<[f64; 3]>,
    /// The method of a second view.
    pub compare: Option<String>,
}

/// A change of settings: what is not named stays, null goes back to the scene.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Change {
    #[serde(deserialize_with = "named")]
    method: Option<Option<String>>,
    #[serde(deserialize_with = "named")]
    iterations: Option<Option<usize>>,
    #[serde(deserialize_with = "named")]
    rho: Option<Option<f64>>,
    #[serde(deserialize_with = "named")]
    budget_ms: Option<Option<f64>>,
    #[serde(deserialize_with = "named")]
    stiffness: Option<Option<f64>>,
    #[serde(deserialize_with = "named")]
    gravity: Option<Option<[f64; 3]>>,
    #[serde(deserialize_with = "named")]
    wind: Option<Option<[f64; 3]>>,
    #[serde(deserialize_with = "named")]
    compare: Option<Option<String>>,
}

/// Null is a value, unlike nothing.
fn named<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Settings {
    /// With a change; what makes no sense is refused.
    pub fn changed(&self, change: &Change) -> Result<Settings, String> {
        let mut settings = self.clone();
        fn take<T: Clone>(setting: &mut Option<T>, change: &Option<Option<T>>) {
            if let Some(value) = change {
                setting.clone_from(value);
            }
        }
        take(&mut settings.method, &change.method);
        take(&mut settings.iterations, &change.iterations);
        take(&mut settings.rho, &change.rho);
        take(&mut settings.budget_ms, &change.budget_ms);
        take(&mut settings.stiffness, &change.stiffness);
        take(&mut settings.gravity, &change.gravity);
        take(&mut settings.wind, &change.wind);
        take(&mut settings.compare, &change.compare);
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        let within = |value: Option<f64>, low: f64, high: f64| value.is_none_or(|value| (low..=high).contains(&value));
        let vector = |value: Option<[f64; 3]>, most: f64| value.iter().flatten().all(|c| c.abs() <= most);
        let iterations = self.iterations.map(|count| count as f64);
        for (good, what) in [
            (within(iterations, 1.0, 1e5), "iterations are 1 to 100,000"),
            (within(self.rho, 0.0, 0.999_999), "ρ is at least 0 and below 1"),
            (within(self.budget_ms, 0.01, 1e4), "a budget is 0.01 to 10,000 ms"),
            (within(self.stiffness, 1e-4, 1e4), "the factor on stiffness is 0.0001 to 10,000"),
            (vector(self.gravity, 1e3), "gravity is at most 1000 m/s² along each axis"),
            (vector(self.wind, 100.0), "wind is at most 100 m/s along each axis"),
        ] {
            if !good {
                return Err(what.to_string());
            }
        }
        Ok(())
    }

    /// The scene with these changes.
    pub fn applied_to(&self, scene: &Scene) -> Scene {
        let mut scene = scene.clone();
        let solver = &mut scene.solver;
        if let Some(method) = &self.method {
            solver.method.clone_from(method);
        }
        if self.budget_ms.is_some() && self.iterations.is_none() {
            // The clock decides, not the scene's number.
            solver.iterations = None;
        }
        solver.iterations = self.iterations.or(solver.iterations);
        solver.rho = self.rho.or(solver.rho);
        solver.budget_ms = self.budget_ms.or(solver.budget_ms);
        scene.gravity = self.gravity.unwrap_or(scene.gravity);
        if let Some(stiffness) = self.stiffness {
            scene.stiffen(stiffness);
        }
        if let Some(wind) = self.wind {
            scene.set_wind(wind);
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str) -> Change {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_change_changes_what_it_names_and_null_goes_back_to_the_scene() {
        let settings = Settings { rho: Some(0.9), iterations: Some(7), ..Settings::default() };
        let changed = settings.changed(&change(r#"{"rho":null,"method":"xpbd"}"#)).unwrap();
        assert_eq!((changed.rho, changed.iterations, changed.method.as_deref()), (None, Some(7), Some("xpbd")));
        let scene = Scene::parse("pliant = 1\n[[cloth]]\n[solver]\nrho = 0.5", "t", ".".as_ref(), &[]).unwrap();
        assert_eq!(settings.applied_to(&scene).solver.rho, Some(0.9));
        let applied = changed.applied_to(&scene).solver;
        assert_eq!((applied.rho, applied.iterations, applied.method.as_str()), (Some(0.5), Some(7), "xpbd"));
    }

    #[test]
    fn a_budget_lifts_the_number_of_iterations_of_the_scene_only() {
        let text = "pliant = 1\n[[cloth]]\n[solver]\niterations = 9";
        let scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        let budget = Settings { budget_ms: Some(5.0), ..Settings::default() };
        assert_eq!(budget.applied_to(&scene).solver.iterations, None);
        let both = Settings { iterations: Some(3), ..budget };
        assert_eq!(both.applied_to(&scene).solver.iterations, Some(3));
    }

    #[test]
    fn settings_without_sense_are_refused_in_words() {
        for text in [
            r#"{"iterations":0}"#,
            r#"{"rho":1}"#,
            r#"{"rho":-0.1}"#,
            r#"{"budget_ms":0}"#,
            r#"{"stiffness":0}"#,
            r#"{"gravity":[0,-1e9,0]}"#,
            r#"{"wind":[0,0,101]}"#,
        ] {
            assert!(Settings::default().changed(&change(text)).is_err(), "{text}");
        }
    }
}
