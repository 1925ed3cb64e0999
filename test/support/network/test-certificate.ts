import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** For `*.example.com` and `hooks.internal`; signed by itself, good until 2126, and trusted by processes of tests only. */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6dEtasbme9FE1TAW
Q4dV0PQWhStcWzE6g+Y8lo8VyqmhRANCAAS3mCvFEXHRrbeO4lxwqr7zZFozXByY
lkbQqNB9q74Kj3SLN9V+ezoyKoeac9yqITBBRMaOyMlRclT7uKiKd4CZ
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIB0zCCAXigAwIBAgIUZFMwa9Eieceu6mI+gOc7PIp7OTgwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQRm9yZ2V3YXRjaCB0ZXN0czAgFw0yNjExMjAyMzM2MTlaGA8y
MTI2MTAyNzIzMzYxOVowGzEZMBcGA1UEAwwQRm9yZ2V3YXRjaCB0ZXN0czBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABLeYK8URcdGtt47iXHCqvvNkWjNcHJiWRtCo
0H2rvgqPdIs31X57OjIqh5pz3KohMEFExo7IyVFyVPu4qIp3gJmjgZcwgZQwHQYD
VR0OBBYEFDYUTgPIB59RpiQbARVrQ/cpyqyFMB8GA1UdIwQYMBaAFDYUTgPIB59R
piQbARVrQ/cpyqyFMA8GA1UdEwEB/wQFMAMBAf8wQQYDVR0RBDowOIIRaG9va3Mu
ZXhhbXBsZS5jb22CDSouZXhhbXBsZS5jb22CDmhvb2tzLmludGVybmFshwR/AAAB
MAoGCCqGSM49BAMCA0kAMEYCIQDDuBSBnhca1ZEnP05jypHXeQKjArtikoCpLD24
23xRRQIhANlCuVbnFTUUvrgHibD7KYqFL9XX9ORQUD9eOQOFWera
-----END CERTIFICATE-----
`,
};

setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert]);
