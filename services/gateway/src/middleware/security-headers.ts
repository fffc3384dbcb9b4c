import type { RequestHandler } from 'express';

/** Prevents browsers from rendering, framing or type-sniffing API responses. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  next();
};
