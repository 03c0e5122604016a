//! Who may talk to the server. A page of another site must not, whatever name it gave to this machine's address.

use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The rules of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard {
    /// What every address must be given with; then any name of the host will do. Without, only loopback's.
    pub token: Option<String>,
}

impl Guard {
    /// Whether a request may pass, or with which status and word it is turned away.
    pub fn admit(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), (StatusCode, &'static str)> {
        // Which of two would count is not for us to choose.
        if [header::HOST, header::ORIGIN].iter().any(|name| headers.get_all(name).iter().nth(1).is_some()) {
            return Err((StatusCode::FORBIDDEN, "the request names its host or origin twice"));
        }
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = uri.authority().map(|authority| authority.as_str()).or_else(|| text(header::HOST));
        let Some(host) = host else { return Err((StatusCode::FORBIDDEN, "the request names no host")) };
        if self.token.is_none() && !is_loopback(host) {
            return Err((StatusCode::FORBIDDEN, "this server is for programs on the same computer"));
        }
        if headers.contains_key(header::ORIGIN) {
            let own = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://")) == Some(host);
            if !own {
                return Err((StatusCode::FORBIDDEN, "another page may not use this server"));
            }
        }
        // Of requests without an origin browsers say whose page wants them. A link may lead here.
        let foreign =
            text(HeaderName::from_static("sec-fetch-site")).is_some_and(|site| !matches!(site, "same-origin" | "none"));
        let followed = text(HeaderName::from_static("sec-fetch-mode")) == Some("navigate") && uri.path() == "/";
        if foreign && !followed {
            return Err((StatusCode::FORBIDDEN, "another page may not use this server"));
        }
        match &self.token {
            Some(token) if !given(uri).is_some_and(|given| same(given, token)) => Err((
                StatusCode::UNAUTHORIZED,
                "the address needs ?token=TOKEN as it was printed when the server began",
            )),
            _ => Ok(()),
        }
    }
}

fn given(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Compares in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// A host's name or address, with its port or without, as browsers write it; nothing else is one.
fn is_loopback(host: &str) -> bool {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        // A colon may be one of an address without a port.
        Some(_) if host.ends_with(']') => host,
        Some(_) => return false,
        None => host,
    };
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(guard: &Guard, host: &str, origin: Option<&str>, path: &str) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        origin.into_iter().for_each(|origin| drop(headers.insert(header::ORIGIN, origin.parse().unwrap())));
        guard.admit(&headers, &path.parse().unwrap()).map_or_else(|(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn only_loopback_and_its_own_page_pass_without_a_token() {
        let guard = Guard::default();
        for host in ["127.0.0.1:8417", "localhost:9", "LocalHost", "[::1]:8417", "127.8.8.8:1"] {
            assert_eq!(status(&guard, host, None, "/ws"), 200, "{host}");
            assert_eq!(status(&guard, host, Some(&format!("http://{host}")), "/ws"), 200, "{host}");
            for origin in ["http://evil.example", "https://127.0.0.1:8417", "null", "http://127.0.0.1:1", ""] {
                assert_eq!(status(&guard, host, Some(origin), "/ws"), 403, "{host} {origin}");
            }
        }
        for host in
            ["evil.example", "127.0.0.1.evil.example:8417", "192.168.1.7:8417", "[::2]:1", "", "localhost.evil.example"]
        {
            assert_eq!(status(&guard, host, None, "/"), 403, "{host}");
        }
        assert_eq!(guard.admit(&HeaderMap::new(), &"/".parse().unwrap()).unwrap_err().0, StatusCode::FORBIDDEN);
    }

    #[test]
    fn a_host_is_a_name_with_a_port_and_nothing_else() {
        for host in ["127.0.0.1", "[::1]", "localhost", "localhost:65535", "[0:0:0:0:0:0:0:1]:1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "127.0.0.1:1@evil.example",
            "127.0.0.1@evil.example:1",
            "evil.example@127.0.0.1:1",
            "127.0.0.1:x",
            "127.0.0.1:+1",
            "127.0.0.1:1:1",
            "127.0.0.1:65536",
            "127.0.0.1/evil",
            "localhost ",
            "::1",
            "[::1",
            "[::1]evil:1",
            "[::1]@evil.example",
            "[127.0.0.1]:1",
            "[]",
            ":1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn who_names_its_host_or_origin_twice_is_refused() {
        for name in [header::HOST, header::ORIGIN] {
            for token in [None, Some("s3cret".to_string())] {
                let mut headers = HeaderMap::new();
                headers.insert(header::HOST, "127.0.0.1:1".parse().unwrap());
                headers.insert(header::ORIGIN, "http://127.0.0.1:1".parse().unwrap());
                let guard = Guard { token };
                let uri = "/?token=s3cret".parse().unwrap();
                assert_eq!(guard.admit(&headers, &uri), Ok(()));
                // Not even if both say the same.
                headers.append(&name, headers[&name].clone());
                assert_eq!(guard.admit(&headers, &uri).unwrap_err().0, StatusCode::FORBIDDEN, "{name}");
            }
        }
    }

    #[test]
    fn what_pages_of_other_sites_embed_is_refused_and_links_to_the_page_work() {
        let with = |site: &str, mode: &str, path: &str| {
            let mut headers = HeaderMap::new();
            for (name, value) in [("host", "127.0.0.1:1"), ("sec-fetch-site", site), ("sec-fetch-mode", mode)] {
                headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
            }
            Guard::default().admit(&headers, &path.parse().unwrap()).is_ok()
        };
        assert!(!with("cross-site", "no-cors", "/recording.glb") && !with("same-site", "navigate", "/frame.obj"));
        assert!(!with("cross-site", "no-cors", "/") && with("cross-site", "navigate", "/"));
        assert!(with("same-origin", "cors", "/frame.obj") && with("none", "navigate", "/recording.html"));
    }

    #[test]
    fn beyond_loopback_the_token_opens_and_other_pages_stay_out() {
        let guard = Guard { token: Some("s3cret".to_string()) };
        assert_eq!(status(&guard, "box.lan:1", None, "/?token=s3cret"), 200);
        assert_eq!(status(&guard, "box.lan:1", None, "/frame.obj?view=1&token=s3cret"), 200);
        for path in ["/", "/?token=", "/?token=s3cre", "/?token=s3cretx", "/?token=S3cret", "/?xtoken=s3cret"] {
            assert_eq!(status(&guard, "box.lan:1", None, path), 401, "{path}");
        }
        assert_eq!(status(&guard, "box.lan:1", Some("http://evil.example"), "/ws?token=s3cret"), 403);
        assert_eq!(status(&guard, "box.lan:1", Some("http://box.lan:1"), "/ws?token=s3cret"), 200);
    }
}
