//! Kernels that were made: a model at another step size, or the next scene, uses them again.

use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, GROUP, Kernel, Module};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Modules by their text, kernels by module and entry point.
#[derive(Debug)]
pub(crate) struct Library {
    context: Arc<Context>,
    modules: HashMap<u64, Module>,
    kernels: HashMap<(u64, String), Arc<Kernel>>,
}

impl Library {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: context.clone(), modules: HashMap::new(), kernels: HashMap::new() }
    }

    /// The entry point of a text, made if it is not there.
    pub(crate) fn kernel<P>(
        &mut self,
        label: &str,
        text: &str,
        entry: &str,
        access: &[Access],
    ) -> Result<Arc<Kernel>, GpuError> {
        self.kernel_of::<P>(GROUP, label, text, entry, access)
    }

    /// The same in workgroups of another size.
    pub(crate) fn kernel_of<P>(
        &mut self,
        group: u32,
        label: &str,
        text: &str,
        entry: &str,
        access: &[Access],
    ) -> Result<Arc<Kernel>, GpuError> {
        let mut hasher = DefaultHasher::new();
        (text, group).hash(&mut hasher);
        let key = (hasher.finish(), entry.to_string());
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(kernel.clone());
        }
        if !self.modules.contains_key(&key.0) {
            self.modules.insert(key.0, Module::with_group(&self.context, label, text, group)?);
        }
        let kernel = Arc::new(self.modules[&key.0].kernel::<P>(entry, access)?);
        self.kernels.insert(key, kernel.clone());
        Ok(kernel)
    }
}
