use thiserror::Error;

/// Why an element cannot be made. The caller adds the body and the index of the element.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MaterialError {
    /// The rest shape has no extent, or is inside out.
    #[error(
        "{element}: rest {measure} is {found:e} {unit}, expected more than {least:e} {unit} (longest edge {longest_edge:e} m); \
         repair the mesh: merge duplicate vertices, remove slivers, orient tetrahedra so that their volume is positive"
    )]
    DegenerateRest {
        /// Name of the element.
        element: &'static str,
        /// "length", "area" or "volume".
        measure: &'static str,
        /// What was found, in `unit`.
        found: f64,
        /// The least that is accepted, in `unit`.
        least: f64,
        /// "m", "m^2" or "m^3".
        unit: &'static str,
        /// For scale, m.
        longest_edge: f64,
    },
    /// A rest position is infinite or NaN.
    #[error("{element}: rest position of corner {corner} is {found:?} m, expected finite numbers; repair the mesh")]
    NonFiniteRest {
        /// Name of the element.
        element: &'static str,
        /// Which corner of the stencil.
        corner: usize,
        /// What was found, m.
        found: [f64; 3],
    },
    /// An element refers to a vertex that is not there.
    #[error("{element}: vertex {found} does not exist, the model has {vertices}; add it first")]
    NoSuchVertex {
        /// Name of the element.
        element: &'static str,
        /// What was found.
        found: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A material parameter is out of range.
    #[error("{element}: {parameter} is {found}, expected {expected}; change it in the material")]
    BadParameter {
        /// Name of the element or the material.
        element: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// What was found.
        found: f64,
        /// What is accepted, with unit.
        expected: &'static str,
    },
}

/// Accepts a finite parameter that is not negative.
pub(super) fn not_negative(
    element: &'static str,
    parameter: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<f64, MaterialError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(MaterialError::BadParameter { element, parameter, found: value, expected })
    }
}

/// Accepts a range 0 < low ≤ high < ∞.
pub(super) fn positive_range(
    element: &'static str,
    parameter: &'static str,
    range: [f64; 2],
) -> Result<[f64; 2], MaterialError> {
    let expected = "0 < low <= high, both finite";
    let [low, high] = range;
    if !(low.is_finite() && low > 0.0) {
        return Err(MaterialError::BadParameter { element, parameter, found: low, expected });
    }
    if !(high.is_finite() && high >= low) {
        return Err(MaterialError::BadParameter { element, parameter, found: high, expected });
    }
    Ok(range)
}
