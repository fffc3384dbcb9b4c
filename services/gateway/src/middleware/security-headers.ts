import type { RequestHandler } from 'express';

/** Answers are data: no browser may take one for a page, frame it or guess at its type. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  next();
};
