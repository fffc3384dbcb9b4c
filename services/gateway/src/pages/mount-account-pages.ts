import type { Express, RequestHandler, Response } from 'express';
import {
  ACCOUNT_PAGES,
  CONSENT_PAGE,
  INVALID_REQUEST_PAGE,
  MISSING_PAGE,
  renderAccountPage,
  UNKNOWN_CLIENT_PAGE,
} from './account-pages.ts';
import { PAGES_CSS } from './pages.css.ts';
import { PAGES_SCRIPT } from './script/pages-script.ts';

/** Only files of this origin, no inline script and no frame; the picture of a QR code is a data URL. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/**
 * Mounts the pages of accounts at /auth: sign-in, verification, reset, invitation, second factor. A console replaces them.
 * @param home - path of the page that follows a sign-in which no other page requested
 */
export function mountAccountPages(app: Express, home: string): void {
  app.get('/auth', (_request, response) => response.redirect(302, '/auth/login'));
  app.get('/auth/pages.css', text('css', PAGES_CSS));
  app.get('/auth/pages.js', text('js', PAGES_SCRIPT));
  for (const [name, page] of Object.entries(ACCOUNT_PAGES))
    app.get(`/auth/${name}`, text('html', renderAccountPage(name, page, home)));
  app.get('/auth/{*path}', text('html', renderAccountPage('missing', MISSING_PAGE, home), 404));
}

const CONSENT_PAGES = {
  request: { body: renderAccountPage('consent', CONSENT_PAGE), status: 200 },
  client: { body: renderAccountPage('unknown-client', UNKNOWN_CLIENT_PAGE), status: 400 },
  parameters: { body: renderAccountPage('invalid-request', INVALID_REQUEST_PAGE), status: 400 },
} as const;

/** Sends the page on which a person grants an application access, or that of a request with an unknown client or wrong parameters. */
export function serveConsentPage(response: Response, name: keyof typeof CONSENT_PAGES): void {
  send(response, 'html', CONSENT_PAGES[name]);
}

const text =
  (type: 'html' | 'css' | 'js', body: string, status = 200): RequestHandler =>
  (_request, response) =>
    send(response, type, { body, status });

interface Page {
  readonly body: string;
  readonly status: number;
}

/** Sends a page, or a file of it, under its policy. */
function send(response: Response, type: 'html' | 'css' | 'js', { body, status }: Page): void {
  response.status(status).set({ 'content-security-policy': POLICY, 'x-frame-options': 'DENY' }).type(type).send(body);
}
