/// Why a mesh cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A length is zero, negative, not a number, or far from anything a person could hold.
    #[error("{shape}: {what} is {found} m, expected a length from 1e-9 m to 1e9 m; correct {what} or its unit")]
    Length {
        /// Which generator.
        shape: &'static str,
        /// Which parameter.
        what: &'static str,
        /// Its value, m.
        found: f64,
    },
    /// A count is too small.
    #[error("{shape}: {what} is {found}, expected at least {least}; raise {what}")]
    TooFew {
        /// Which generator.
        shape: &'static str,
        /// Which parameter.
        what: &'static str,
        /// Its value.
        found: usize,
        /// The smallest that works.
        least: usize,
    },
    /// The mesh would have more vertices or elements than 32-bit indices can address.
    #[error(
        "{shape}: the mesh would have about {vertices:.3e} vertices and {elements:.3e} elements, expected at most \
         2^31 and 2^30; {remedy}"
    )]
    TooLarge {
        /// Which generator.
        shape: &'static str,
        /// Vertices it would have.
        vertices: f64,
        /// Triangles or tets it would have.
        elements: f64,
        /// What to change.
        remedy: &'static str,
    },
    /// The tube of a torus would swallow its hole.
    #[error(
        "torus: minor_radius is {minor} m and major_radius is {major} m, expected major_radius > minor_radius; \
         shrink minor_radius"
    )]
    NoHole {
        /// m
        major: f64,
        /// m
        minor: f64,
    },
    /// A direction has no length or is not finite.
    #[error("{shape}: {what} is {found:?}, expected a finite direction that is not zero; correct {what}")]
    Direction {
        /// Which generator.
        shape: &'static str,
        /// Which parameter.
        what: &'static str,
        /// Its value.
        found: [f64; 3],
    },
    /// The Delaunay triangulation refused the points, which are so small in one direction that they coincide.
    #[error("grid: no Delaunay triangulation of size {size:?} m ({reason}); use `uniform`, or a less narrow rectangle")]
    Delaunay {
        /// Extent along x and z, m.
        size: [f64; 2],
        /// What the triangulation said.
        reason: String,
    },
}

/// Where complaints come from, and what a user changes to make a mesh smaller.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub shape: &'static str,
    pub remedy: &'static str,
}

impl Limits {
    /// Something between a nanometre and a million kilometres, so that areas and volumes stay finite and above zero.
    pub fn length(&self, what: &'static str, found: f64) -> Result<(), GenerateError> {
        let fine = (1e-9..=1e9).contains(&found);
        if fine { Ok(()) } else { Err(GenerateError::Length { shape: self.shape, what, found }) }
    }

    /// At least `least`.
    pub fn count(&self, what: &'static str, found: usize, least: usize) -> Result<(), GenerateError> {
        if found >= least { Ok(()) } else { Err(GenerateError::TooFew { shape: self.shape, what, found, least }) }
    }

    /// Numbers of vertices and elements, as reals because the product of silly counts overflows integers. Elements
    /// stop at 2^30 so that element·4 + corner fits 32 bits.
    pub fn size(&self, vertices: f64, elements: f64) -> Result<(), GenerateError> {
        if vertices <= (1u64 << 31) as f64 && elements <= (1u64 << 30) as f64 {
            return Ok(());
        }
        Err(GenerateError::TooLarge { shape: self.shape, vertices, elements, remedy: self.remedy })
    }
}
