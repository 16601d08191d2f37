//! Where the bytes of files are: on this machine, or in buckets that are opened when they are
//! first named.

use std::{path::Path, sync::Arc};

use datafusion::{
    error::{DataFusionError, Result},
    execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry},
};
use object_store::ObjectStore;
use url::Url;

use crate::{
    checked::Checked,
    local::{Local, Unwritten},
};

#[derive(Debug)]
pub(crate) struct Buckets {
    opened: DefaultObjectStoreRegistry,
}

impl Buckets {
    /// Only files of this machine so far; what cannot be written there is told to `unwritten`.
    /// Links below `root` may not lead out of it.
    pub(crate) fn new(unwritten: Arc<Unwritten>, root: Option<&Path>) -> Buckets {
        let opened = DefaultObjectStoreRegistry::new();
        let files = Url::parse("file://").expect("a scheme");
        let local = Checked::new(Arc::new(Local::new(unwritten, root)));
        opened.register_store(&files, Arc::new(local));
        Buckets { opened }
    }
}

impl ObjectStoreRegistry for Buckets {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.opened.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(store) = self.opened.get_store(url) {
            return Ok(store);
        }
        let bucket = url.host_str().unwrap_or_default();
        let opened = match url.scheme() {
            "s3" => crate::s3::open(bucket),
            other => Err(format!("'{other}:' is not supported for tables, expected a path or s3:")),
        };
        let store = opened.map_err(|cause| DataFusionError::Plan(format!("{url}: {cause}")))?;
        let store: Arc<dyn ObjectStore> = Arc::new(Checked::new(store));
        self.opened.register_store(url, store.clone());
        Ok(store)
    }
}
