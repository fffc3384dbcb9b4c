import type { Express, Request, Response } from 'express';
import { type ConsoleFile, type ConsoleFiles, ENCODINGS } from './console-files.ts';

/** Only files of this origin, no inline code; scripts write no markup (Trusted Types). Frames show stored pages of a route of their own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';
/** Addresses of the API and of its documents. They never show the console, so that a wrong address of the API is an error. */
const NOT_CONSOLE = /^\/(?:v1|auth|assets|stored|healthz|readyz|metrics|llms[^/]*)(?:\/|$)/;

/**
 * Mounts the files of the console at the root of the origin. Every other address that a browser opens as a page shows the console, whose
 * router then chooses the page. Programs, which do not accept HTML, get the answers that they get without a console.
 */
export function mountConsole(app: Express, files: ConsoleFiles): void {
  const index = files.get('/index.html');
  if (index === undefined) throw new Error('the console has no index.html');
  app.get('/{*path}', (request, response, next) => {
    const file = files.get(request.path);
    if (file !== undefined) return send(file, request, response);
    const isPage = request.get('accept')?.includes('text/html') === true && !NOT_CONSOLE.test(request.path);
    if (isPage) return send(index, request, response);
    next();
  });
}

function send(file: ConsoleFile, request: Request, response: Response): void {
  const { contentType, hash, isImmutable, bytes } = file;
  const encoding = ENCODINGS.find((one) => bytes[one] !== undefined && request.acceptsEncodings([one]) === one);
  const chosen = encoding ?? 'identity';
  response.set({
    'content-type': contentType,
    'content-security-policy': POLICY,
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': isImmutable ? IMMUTABLE : REVALIDATE,
    etag: `"${hash}-${chosen}"`,
    vary: 'Accept-Encoding, Accept',
  });
  if (request.fresh) return void response.status(304).end();
  if (chosen !== 'identity') response.set('content-encoding', chosen);
  response.send(bytes[chosen] ?? bytes.identity);
}
