/** Maximum length of a URL, UTF-16 code units: the de-facto limit of old browsers, and that of sitemaps. */
export const MAX_URL_CHARS = 2_048;

/** RFC 1035 section 2.3.4. */
const MAX_HOST_OCTETS = 253;
const MAX_LABEL_OCTETS = 63;

/** The parsed URL, or a sentence for the user that explains the refusal. */
export type ParsedWebUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

/**
 * Parses an absolute http or https URL with the WHATWG parser (https://url.spec.whatwg.org). Never throws. Refuses what another parser
 * could read as a different host (userinfo, backslash, control characters, a missing `//`) instead of repairing it: GHSA-rph4-96w6.
 */
export function parseWebUrl(input: string): ParsedWebUrl {
  const rawProblem = problemInText(input);
  if (rawProblem !== undefined) return refuse(rawProblem);
  const url = URL.parse(input);
  const scheme = url?.protocol ?? /^[a-z][a-z0-9+.-]*:/i.exec(input)?.[0];
  if (scheme === undefined) return refuse('the URL must be absolute, starting with http:// or https://');
  if (!isWebScheme(scheme)) return refuse(`only http and https URLs can be fetched; got ${scheme.slice(0, 32)}`);
  const authority = /^https?:\/\/([^/?#]*)/i.exec(input)?.[1];
  if (authority === undefined) return refuse('the scheme must be followed by // and a host name');
  if (authority === '') return refuse('the URL has no host name');
  // Checked in the text, because the parser drops an empty userinfo such as http://@host/.
  if (authority.includes('@')) return refuse('a URL may not carry a user name or password');
  if (url === null) return refuse('it is not a valid URL');
  const hostProblem = problemInHost(url.hostname);
  return hostProblem === undefined ? { ok: true, url } : refuse(hostProblem);
}

function refuse(reason: string): ParsedWebUrl {
  return { ok: false, reason };
}

function isWebScheme(scheme: string): boolean {
  return /^https?:$/i.test(scheme);
}

/** Checks the text before parsing: the WHATWG parser silently drops tabs and newlines and converts \ to /. */
function problemInText(input: string): string | undefined {
  if (input === '') return 'the URL is empty';
  if (input.length > MAX_URL_CHARS) return `the URL is longer than ${MAX_URL_CHARS} characters`;
  if (input.trim() !== input) return 'the URL starts or ends with white space';
  for (let i = 0; i < input.length; i++) {
    const code = input.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'the URL holds a control character';
    if (code === 0x5c) return 'the URL holds a backslash';
  }
  return input.isWellFormed() ? undefined : 'the URL holds half of a surrogate pair';
}

/** Checks the DNS length limits, which the URL standard leaves to the resolver. */
function problemInHost(hostname: string): string | undefined {
  if (hostname === '' || hostname === '.') return 'the URL has no host name';
  if (hostname.startsWith('[')) return undefined;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (name.length > MAX_HOST_OCTETS) return `the host name is longer than ${MAX_HOST_OCTETS} characters`;
  for (const label of name.split('.')) {
    if (label === '') return 'the host name has an empty label';
    if (label.length > MAX_LABEL_OCTETS)
      return `a label of the host name is longer than ${MAX_LABEL_OCTETS} characters`;
  }
  return undefined;
}
