//! Files that a page offers to keep.

use crate::client::Hall;
use crate::orders::Order;
use crate::page::PAGE;
use crate::recording::{RecordingError, Saved, Take};
use crate::scratch::Scratch;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use pliant::mesh::{self, Mesh};
use serde::Deserialize;
use serde_json::json;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Bytes of a file that are in memory at once.
const PIECE: usize = 64 << 10;

/// Which view is meant.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Which {
    view: usize,
}

/// The surfaces of all bodies as an OBJ file.
pub(crate) async fn obj(hall: State<Arc<Hall>>, which: Query<Which>) -> Response {
    frame(hall, which, "obj", "text/plain").await
}

/// The same as a PLY file.
pub(crate) async fn ply(hall: State<Arc<Hall>>, which: Query<Which>) -> Response {
    frame(hall, which, "ply", "application/octet-stream").await
}

async fn frame(
    State(hall): State<Arc<Hall>>,
    which: Query<Which>,
    ending: &'static str,
    kind: &'static str,
) -> Response {
    let Ok(permit) = hall.downloads.clone().try_acquire_owned() else { return others_download() };
    let Some(snapshot) = hall.board.snapshot(which.view) else {
        return (StatusCode::NOT_FOUND, "there is no such view\n").into_response();
    };
    let name = format!("{}.{ending}", snapshot.name);
    let written = tokio::task::spawn_blocking(move || {
        let folder = Scratch::new()?;
        let path = folder.path().join(format!("frame.{ending}"));
        let mesh =
            Mesh { points: snapshot.state.x.clone(), triangles: snapshot.model.surface().collect(), ..Mesh::default() };
        mesh::write(&path, &mesh).map_err(std::io::Error::other)?;
        Ok((File::open(&path)?, folder))
    });
    match written.await.map_err(std::io::Error::other).and_then(|opened: std::io::Result<_>| opened) {
        Ok((file, folder)) => download(Body::from_stream(pieces(file, (folder, permit))), &name, kind),
        Err(error) => failed(&error),
    }
}

fn others_download() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "others download; try again\n").into_response()
}

/// The recording as an animation.
pub(crate) async fn glb(State(hall): State<Arc<Hall>>) -> Response {
    recording(&hall, "glb", "model/gltf-binary", Take::glb).await
}

/// The recording as a page that replays it.
pub(crate) async fn html(State(hall): State<Arc<Hall>>) -> Response {
    recording(&hall, "html", "text/html; charset=utf-8", |take| take.page(PAGE)).await
}

async fn recording(
    hall: &Hall,
    ending: &str,
    kind: &'static str,
    write: impl FnOnce(&Take) -> Result<Saved, RecordingError> + Send + 'static,
) -> Response {
    let Ok(permit) = hall.downloads.clone().try_acquire_owned() else { return others_download() };
    let (reply, take) = oneshot::channel();
    if hall.orders.send(Order::Take(reply)).is_err() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the simulation is busy; try again\n").into_response();
    }
    let Ok(Some(take)) = take.await else {
        return (StatusCode::NOT_FOUND, "nothing was recorded; press record first\n").into_response();
    };
    let name = format!("{}.{ending}", take.name);
    let written = tokio::task::spawn_blocking(move || {
        let saved = write(&take).map_err(std::io::Error::other)?;
        Ok((File::open(&saved.path)?, saved))
    });
    match written.await.map_err(std::io::Error::other).and_then(|opened: std::io::Result<_>| opened) {
        Ok((file, saved)) => {
            // Who fetched it is not known here.
            if let Some(thinned) = saved.thinned {
                hall.board.tell(None, &left_out(&name, thinned));
            }
            download(Body::from_stream(pieces(file, (saved.path, permit))), &name, kind)
        }
        Err(error) => failed(&error),
    }
}

/// Tells that not all frames are in a file.
fn left_out(name: &str, [written, stored]: [usize; 2]) -> serde_json::Value {
    let message = format!("{name} holds {written} of {stored} frames, or it would be too large; it lasts as long.");
    json!({ "is": "notice", "message": message })
}

/// A file piece by piece, so that who reads slowly costs no memory. What is kept goes when all is read or nobody wants more.
fn pieces(file: File, kept: impl Send + 'static) -> impl Stream<Item = std::io::Result<Bytes>> {
    futures_util::stream::unfold((file, kept), |(mut file, kept)| async {
        let mut piece = vec![0; PIECE];
        match file.read(&mut piece) {
            Ok(0) => None,
            Ok(length) => {
                piece.truncate(length);
                Some((Ok(piece.into()), (file, kept)))
            }
            Err(error) => Some((Err(error), (file, kept))),
        }
    })
}

fn download(body: Body, name: &str, kind: &'static str) -> Response {
    let disposition = disposition(name);
    ([(header::CONTENT_TYPE, kind.to_string()), (header::CONTENT_DISPOSITION, disposition)], body).into_response()
}

/// Under which name a file is saved: as it is for those who read UTF-8, in letters and digits for the others.
fn disposition(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let escape = |byte: u8| if is_plain(byte.into()) { char::from(byte).into() } else { format!("%{byte:02X}") };
    let escaped: String = name.bytes().map(escape).collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{escaped}")
}

fn failed(error: &std::io::Error) -> Response {
    tracing::warn!("{error}");
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_safe_in_a_header_whatever_a_scene_is_called() {
        assert_eq!(
            disposition("drape-xpbd-000075.obj"),
            "attachment; filename=\"drape-xpbd-000075.obj\"; filename*=UTF-8''drape-xpbd-000075.obj"
        );
        let strange = disposition("Tüch \"2\"\r\n.glb");
        assert_eq!(strange, "attachment; filename=\"T-ch--2---.glb\"; filename*=UTF-8''T%C3%BCch%20%222%22%0D%0A.glb");
        assert!(axum::http::HeaderValue::from_str(&strange).is_ok());
    }
}
