import type { Express, Request, RequestHandler, Response } from 'express';
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

/** The page of a payment, which runs the script of Razorpay. It writes its window with styles of its own, in frames and popups of banks. */
const CHECKOUT_PATH = '/billing/checkout';
const RAZORPAY = 'https://*.razorpay.com';
const CHECKOUT_POLICY = [
  "default-src 'none'",
  `script-src 'self' ${RAZORPAY}`,
  "style-src 'self' 'unsafe-inline'",
  `img-src 'self' data: ${RAZORPAY}`,
  `connect-src 'self' ${RAZORPAY}`,
  `frame-src ${RAZORPAY}`,
  "base-uri 'none'",
  `form-action 'self' ${RAZORPAY}`,
  "frame-ancestors 'none'",
].join('; ');

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';
/** URLs of the API and of its documents. They never show the console, so that a wrong URL of the API is an error. */
const NOT_CONSOLE =
  /^\/(?:v\d+|auth|oauth|firecrawl|mcp|assets|stored|\.well-known|healthz|readyz|metrics|llms[^/]*)(?:\/|$)/;

/** Mounts the files of the console, and its index at the root of the origin. Programs, which do not accept HTML, are led to the documentation there. */
export function mountConsole(app: Express, files: ConsoleFiles): void {
  const index = indexOf(files);
  // No route pattern: it would decode the paths of the API, which answers bad escapes itself.
  app.use((request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const file = request.path === '/' && acceptsPage(request) ? index : files.get(request.path);
    if (file === undefined) next();
    else send(file, request, response);
  });
}

/** Returns the handler of URLs without a route: the console for those that a browser opens as a page, whose router chooses the page. */
export function consolePages(files: ConsoleFiles): RequestHandler {
  const index = indexOf(files);
  return (request, response, next) => {
    if (request.method === 'GET' && acceptsPage(request) && !NOT_CONSOLE.test(request.path))
      send(index, request, response);
    else next();
  };
}

const acceptsPage = (request: Request): boolean => request.get('accept')?.includes('text/html') === true;

function indexOf(files: ConsoleFiles): ConsoleFile {
  const index = files.get('/index.html');
  if (index === undefined) throw new Error('the console has no index.html');
  return index;
}

function send(file: ConsoleFile, request: Request, response: Response): void {
  const { contentType, hash, isImmutable, bytes } = file;
  const encoding = ENCODINGS.find((one) => bytes[one] !== undefined && request.acceptsEncodings([one]) === one);
  const chosen = encoding ?? 'identity';
  const isCheckout = request.path === CHECKOUT_PATH;
  response.set({
    'content-type': contentType,
    'content-security-policy': isCheckout ? CHECKOUT_POLICY : POLICY,
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': isCheckout ? 'same-origin-allow-popups' : 'same-origin',
    'cache-control': isImmutable ? IMMUTABLE : REVALIDATE,
    etag: `"${hash}-${chosen}"`,
    vary: 'Accept-Encoding, Accept',
  });
  if (request.fresh) return void response.status(304).end();
  if (chosen !== 'identity') response.set('content-encoding', chosen);
  response.send(bytes[chosen] ?? bytes.identity);
}
