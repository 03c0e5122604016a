use crate::device::Device;

/// The best iterate of a solve that the clock may end anywhere: Chebyshev's residual swings, and the last iterate may be
/// at the wrong end of a swing. One is kept when its residual is half of that of the one kept before, so that there are
/// few copies, and what is kept is at most twice as bad as the best.
pub(super) struct Best<D: Device> {
    x: Option<D::Points>,
    /// Squared residual of `x`, of the least one seen and of the last one.
    kept: f64,
    least: f64,
    last: f64,
}

impl<D: Device> Default for Best<D> {
    fn default() -> Self {
        Self { x: None, kept: f64::INFINITY, least: f64::INFINITY, last: f64::INFINITY }
    }
}

impl<D: Device> Best<D> {
    pub fn begin(&mut self) {
        (self.kept, self.least, self.last) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    }

    /// Takes note of an iterate and its squared residual.
    pub fn observe(&mut self, device: &mut D, problem: &D::Problem, x: &D::Points, residual: f64) {
        self.last = residual;
        self.least = self.least.min(residual);
        if 4.0 * residual <= self.kept {
            device.copy(x, self.x.get_or_insert_with(|| device.points(problem)));
            self.kept = residual;
        }
    }

    /// Puts the kept iterate into x if the residual was growing beyond it when the time was up.
    pub fn restore(&self, device: &mut D, x: &mut D::Points) {
        if let Some(best) = self.x.as_ref().filter(|_| self.last > 4.0 * self.least && self.kept < self.last) {
            device.copy(best, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Cpu;
    use crate::model::{ModelBuilder, System};
    use std::sync::Arc;

    #[test]
    fn the_iterate_with_the_least_residual_comes_back_when_the_last_ones_were_worse() {
        let mut device = Cpu::<f64>::new();
        let mut builder = ModelBuilder::new("point");
        builder.add_points("point", &[[0.0; 3]], &[1.0]);
        let model = Arc::new(builder.finish().0);
        let problem = device.upload(&model, &Arc::new(System::new(&model, 0.1, 0.1))).unwrap();
        let ended_at = |residuals: &[f64]| {
            let (mut device, mut best) = (Cpu::<f64>::new(), Best::<Cpu<f64>>::default());
            best.begin();
            for (k, residual) in residuals.iter().enumerate() {
                best.observe(&mut device, &problem, &vec![[k as f64, 0.0, 0.0, 0.0]], *residual);
            }
            let mut x = vec![[residuals.len() as f64, 0.0, 0.0, 0.0]];
            best.restore(&mut device, &mut x);
            x[0][0]
        };
        assert_eq!(ended_at(&[100.0, 10.0, 1.0, 8.0, 60.0]), 2.0);
        // The one kept has at most twice the least residual (squared: four times).
        assert_eq!(ended_at(&[100.0, 10.0, 4.0, 3.0, 60.0]), 1.0);
        // Still falling, or hardly rising: the last one.
        assert_eq!(ended_at(&[100.0, 10.0, 1.0, 0.5]), 4.0);
        assert_eq!(ended_at(&[100.0, 10.0, 1.0, 2.0]), 4.0);
        assert_eq!(ended_at(&[]), 0.0);
    }
}
