const PREFIX = 'no secure connection could be made:';

/** Messages for customers by error code of OpenSSL and node; the first match applies. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate is not valid yet'],
  [/^CERT_REVOKED$/, 'the certificate has been revoked'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'the certificate is self-signed'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'the certificate is for another host name'],
  [
    /^(UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA)/,
    'the certificate is not signed by a known authority, or its chain is incomplete',
  ],
  [/^(CERT_|CRL_|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT)/, 'the certificate is not acceptable'],
  [
    /^ERR_SSL_(UNSUPPORTED_PROTOCOL|UNKNOWN_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION)$/,
    'the site supports only a TLS version that is too old',
  ],
  [
    /^ERR_SSL_(DH_KEY_TOO_SMALL|EE_KEY_TOO_SMALL|CA_MD_TOO_WEAK|LEGACY_SIGALG|UNSAFE_LEGACY)/,
    'the site’s TLS is too weak',
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNEXPECTED_MESSAGE)$/,
    'the site does not respond in TLS',
  ],
  [/^ERR_SSL_.*ALERT|^ERR_SSL_(NO_|HANDSHAKE)|^EPROTO$/, 'the site refused the TLS handshake'],
];

/** Returns the message for the code of a failed handshake; undefined for an unknown code. */
export function tlsFailureMessage(code: string): string | undefined {
  const what = MESSAGES.find(([pattern]) => pattern.test(code))?.[1];
  return what === undefined ? undefined : `${PREFIX} ${what}`;
}
