import { AppError } from '@tidemark/errors';
import type { Request } from 'express';

/** A host name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 9110 section 7.2). */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const MAX_HOST = 255;

/** Names and addresses that no other machine can point a browser to: of this machine, and IP addresses. */
const ADDRESS = /^(?:localhost|[a-z0-9-]+\.localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Returns the origin of links and identifiers that are kept or passed on: invitations, and the issuer of access tokens. The Host header of the
 * request is used for an IP address or localhost alone, as a name may be another site's. @throws AppError conflict where PUBLIC_URL is needed
 */
export function fixedOriginOf(request: Request, publicUrl: string | undefined): string {
  const { origin, host } = new URL(baseUrlOf(request, publicUrl));
  if (publicUrl !== undefined || ADDRESS.test(host)) return origin;
  throw new AppError(
    'conflict',
    `the public address of this installation is not configured; expected PUBLIC_URL, for example https://${host}/v1. Until then use its IP address or localhost`,
  );
}

/**
 * Returns the base URL of links in a response, with the version prefix: the configured one, otherwise the one of the request.
 * @throws AppError validation (400) if the Host header is invalid (RFC 9112 section 3.2)
 */
export function baseUrlOf(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const host = request.get('host') ?? '';
  if (host.length <= MAX_HOST && HOST.test(host))
    return `${request.protocol === 'https' ? 'https' : 'http'}://${host}/v1`;
  throw new AppError(
    'validation',
    `the Host header is invalid: expected a host name of at most ${MAX_HOST} characters`,
    {
      httpStatus: 400,
      detail: [{ loc: ['header', 'Host'], msg: 'not a host name', type: 'invalid' }],
    },
  );
}
