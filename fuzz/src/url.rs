//! The setters of `url::Url`: what they leave must parse to itself.
//!
//! url 2.4.0 has several bugs behind this one target. They are told apart by the line that fails
//! and by the setter that was called; `tests/true_minima` lists them.

use url::{Position, Url};

/// A URL of some kind, and setters to call on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Session {
    /// Where to start.
    pub start: Start,
    /// What to call, in order.
    pub setters: Vec<Setter>,
}

/// A URL of each kind that the setters tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Start {
    /// A scheme the standard calls special, with a host.
    Http,
    /// A file, without a host.
    File,
    /// Any other scheme, with a host.
    Other,
    /// Any other scheme, without a host.
    NoHost,
    /// A path that does not begin with a slash, which most setters refuse.
    Opaque,
}

/// One call on the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Setter {
    /// `set_path`
    Path(String),
    /// `set_query`
    Query(Option<String>),
    /// `set_fragment`
    Fragment(Option<String>),
    /// `set_host`
    Host(Option<String>),
    /// `set_port`
    Port(Option<u16>),
    /// `set_username`
    Username(String),
    /// `set_password`
    Password(Option<String>),
    /// `set_scheme`
    Scheme(String),
}

impl Start {
    /// The URL.
    ///
    /// # Panics
    ///
    /// Never: all of them are valid.
    pub fn url(self) -> Url {
        Url::parse(match self {
            Self::Http => "http://a/",
            Self::File => "file:///",
            Self::Other => "b://a/",
            Self::NoHost => "b:/",
            Self::Opaque => "b:a",
        })
        .expect("a valid URL")
    }
}

impl Setter {
    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Path(_) => "set_path",
            Self::Query(_) => "set_query",
            Self::Fragment(_) => "set_fragment",
            Self::Host(_) => "set_host",
            Self::Port(_) => "set_port",
            Self::Username(_) => "set_username",
            Self::Password(_) => "set_password",
            Self::Scheme(_) => "set_scheme",
        }
    }

    /// Calls the setter, after which the URL must parse to itself, or be unchanged if the setter
    /// refused.
    ///
    /// # Panics
    ///
    /// Where it does not; or inside `url`.
    pub fn check(&self, url: &mut Url) {
        let before = url.clone();
        let accepted = match self {
            Self::Path(path) => {
                url.set_path(path);
                true
            }
            Self::Query(query) => {
                url.set_query(query.as_deref());
                true
            }
            Self::Fragment(fragment) => {
                url.set_fragment(fragment.as_deref());
                true
            }
            Self::Host(host) => url.set_host(host.as_deref()).is_ok(),
            Self::Port(port) => url.set_port(*port).is_ok(),
            Self::Username(username) => url.set_username(username).is_ok(),
            Self::Password(password) => url.set_password(password.as_deref()).is_ok(),
            Self::Scheme(scheme) => url.set_scheme(scheme).is_ok(),
        };
        if !accepted {
            assert_eq!(url.as_str(), before.as_str());
        }
        // Two slashes would begin a host.
        assert!(url[..Position::BeforePath].contains('/') || !url.path().starts_with("//"));
        // A login or port needs a host. With a port and no host, only the port is safe to read.
        let has_login =
            url.port().is_some() || !url.username().is_empty() || url.password().is_some();
        assert!(!has_login || url.host_str().is_some_and(|host| !host.is_empty()));
        let parsed = Url::parse(url.as_str()).expect("a URL that parses");
        assert_eq!(parsed.scheme(), url.scheme());
        assert_eq!((parsed.query(), parsed.fragment()), (url.query(), url.fragment()));
        assert_eq!(authority(&parsed), authority(url));
        assert_eq!(parsed.path(), url.path());
        assert_eq!(parsed.as_str(), url.as_str());
    }
}

/// No host and an empty one are the same here: <https://github.com/whatwg/url/issues/79>.
fn authority(url: &Url) -> (&str, Option<&str>, &str, Option<u16>) {
    (url.username(), url.password(), url.host_str().unwrap_or_default(), url.port())
}
