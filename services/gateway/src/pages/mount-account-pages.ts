import { accountFiles, accountPages, type ConsentPageName, consentPage, type Home } from '@tidemark/web-pages';
import type { Express, RequestHandler, Response } from 'express';

/** Only files of this origin, no inline script and no frame; the picture of a QR code is a data URL. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/**
 * Mounts the pages of accounts at /auth: sign-in, verification, reset, invitation, second factor.
 * @param home - the page that follows a sign-in which no other page requested
 */
export function mountAccountPages(app: Express, home: Home): void {
  const { byName, missing } = accountPages(home);
  app.get('/auth', (_request, response) => response.redirect(302, '/auth/login'));
  app.get('/auth/pages.css', file('css', accountFiles.style));
  app.get('/auth/pages.js', file('js', accountFiles.script));
  for (const [name, page] of byName) app.get(`/auth/${name}`, file('html', page));
  app.get('/auth/{*path}', file('html', missing, 404));
}

const CONSENT_PAGES = {
  request: pageOf('consent', 200),
  client: pageOf('unknown-client', 400),
  parameters: pageOf('invalid-request', 400),
} as const;

/** Sends the page on which a person grants an application access, or that of a request with an unknown client or wrong parameters. */
export function serveConsentPage(response: Response, name: keyof typeof CONSENT_PAGES): void {
  send(response, 'html', CONSENT_PAGES[name]);
}

interface Page {
  readonly body: string;
  readonly status: number;
}

function pageOf(name: ConsentPageName, status: number): Page {
  return { body: consentPage(name), status };
}

const file =
  (type: 'html' | 'css' | 'js', body: string, status = 200): RequestHandler =>
  (_request, response) =>
    send(response, type, { body, status });

/** Sends a page, or a file of it, under its policy. */
function send(response: Response, type: 'html' | 'css' | 'js', { body, status }: Page): void {
  response.status(status).set({ 'content-security-policy': POLICY, 'x-frame-options': 'DENY' }).type(type).send(body);
}
