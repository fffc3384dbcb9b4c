import type { Express, RequestHandler } from 'express';
import { ACCOUNT_PAGES, MISSING_PAGE, renderAccountPage } from './account-pages.ts';
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

const text =
  (type: 'html' | 'css' | 'js', body: string, status = 200): RequestHandler =>
  (_request, response) =>
    void response
      .status(status)
      .set({ 'content-security-policy': POLICY, 'x-frame-options': 'DENY' })
      .type(type)
      .send(body);
