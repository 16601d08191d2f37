//! Encrypted connections, with rustls.
//!
//! The modes are those of PostgreSQL's own programs: `sslmode` in the URL, else `PGSSLMODE`.
//! Trusted certificates come from `sslrootcert`, `PGSSLROOTCERT` or `~/.postgresql/root.crt`, else
//! from the system.

use std::{
    future::Future,
    io,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{self, CryptoProvider},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    config::SslMode,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_rustls::TlsConnector;

/// How much a connection is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Disable,
    /// Encrypted if the server supports it.
    Prefer,
    Require,
    /// Encrypted, and the certificate must be signed by a trusted authority.
    VerifyCa,
    /// The same, and the certificate must be for this host.
    VerifyFull,
}

/// The settings for encryption in a URL and in the environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Security {
    mode: Mode,
    roots: Option<PathBuf>,
}

impl Security {
    /// Removes the parameters for encryption from a URL and returns them.
    pub(super) fn take_from(url: &str) -> Result<(String, Security), String> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let mut mode = variable("PGSSLMODE");
        let mut roots = variable("PGSSLROOTCERT");
        let mut others = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value.to_owned()),
                Some(("sslrootcert", value)) => roots = Some(value.to_owned()),
                _ => others.push(pair),
            }
        }
        let usual = || Some(std::env::home_dir()?.join(".postgresql/root.crt"));
        let roots = roots.map(PathBuf::from).or_else(|| usual().filter(|path| path.exists()));
        let mode = match mode.as_deref() {
            Some("disable") => Mode::Disable,
            None | Some("allow" | "prefer") => Mode::Prefer,
            // As in PostgreSQL's own programs.
            Some("require") if roots.is_some() => Mode::VerifyCa,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(other) => {
                return Err(format!(
                    "sslmode is '{other}', expected disable, prefer, require, verify-ca or \
                     verify-full"
                ));
            }
        };
        let separator = if others.is_empty() { "" } else { "?" };
        Ok((format!("{base}{separator}{}", others.join("&")), Security { mode, roots }))
    }

    pub(super) fn mode(&self) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    /// The connector for encrypted connections.
    pub(super) fn connector(&self) -> Result<Rustls, String> {
        let provider = Arc::new(crypto::ring::default_provider());
        let trusted = match self.mode {
            Mode::Disable | Mode::Prefer | Mode::Require => None,
            Mode::VerifyCa | Mode::VerifyFull => {
                let roots = Arc::new(self.root_certificates()?);
                let trusted = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
                Some(trusted.build().map_err(|error| error.to_string())?)
            }
        };
        let verifier = Verifier {
            trusted,
            checks_name: self.mode == Mode::VerifyFull,
            provider: provider.clone(),
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Rustls(Arc::new(config)))
    }

    fn root_certificates(&self) -> Result<RootCertStore, String> {
        let mut store = RootCertStore::empty();
        match &self.roots {
            Some(path) => {
                for certificate in read_certificates(path)? {
                    store.add(certificate).map_err(|error| at(path, &error))?;
                }
            }
            None => {
                store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        match store.is_empty() {
            true => Err("there are no trusted certificates; name a file of them with sslrootcert"
                .to_owned()),
            false => Ok(store),
        }
    }
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| at(path, &error))?;
    certificates.collect::<Result<_, _>>().map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Verifies the certificate of a server.
#[derive(Debug)]
struct Verifier {
    /// `None` if any certificate is accepted.
    trusted: Option<Arc<WebPkiServerVerifier>>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        match trusted.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            // Names are compared last, so everything else is correct.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Encrypts the connections of the PostgreSQL client.
#[derive(Clone)]
pub(super) struct Rustls(Arc<ClientConfig>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Rustls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Connect> {
        // A Unix socket has no host name and is never encrypted.
        let name = ServerName::try_from(domain.to_owned()).ok();
        Ok(Connect { config: self.0.clone(), name })
    }
}

pub(super) struct Connect {
    config: Arc<ClientConfig>,
    name: Option<ServerName<'static>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connect {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let nameless =
                || io::Error::new(io::ErrorKind::InvalidInput, "the name of the host is not valid");
            let name = self.name.ok_or_else(nameless)?;
            let stream = TlsConnector::from(self.config).connect(name, stream).await?;
            Ok(Encrypted(stream))
        })
    }
}

/// An encrypted stream.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
