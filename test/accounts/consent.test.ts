import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { enrol, newEmail, PASSWORD } from '../harness/people.ts';
import { layoutOf, violationsOf } from './accessibility.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';
import { openBrowser, submit, type TestBrowser, untilPath, untilText } from './browser.ts';

const MCP_URL = 'https://tidemark.example/mcp';
const VERIFIER = 'v'.repeat(43);

let site: AccountSite;
let chromium: TestBrowser;
beforeAll(async () => {
  site = await startAccountSite({ gateway: { MCP_URL } });
  chromium = await openBrowser();
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await site?.close();
});

/** Registers an application that returns to a page of the site, and returns the address that it opens. */
async function authorizationUrl(): Promise<string> {
  const redirectUri = `${site.url}/healthz`;
  const response = await fetch(`${site.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Agent <b>', redirect_uris: [redirectUri] }),
  });
  const body: unknown = await response.json();
  const clientId = typeof body === 'object' && body !== null && 'client_id' in body ? String(body.client_id) : '';
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 's1',
    resource: MCP_URL,

    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${site.url}/oauth/authorize?${query}`;
}

async function signUp(page: Page): Promise<void> {
  await page.goto(`${site.url}/auth/signup`);
  await submit(page, { name: 'Ann', email: newEmail(), password: PASSWORD });
  await untilPath(page, '/auth/account');
}

describe('the consent page', () => {
  it('shows the application as text, offers read only first, and returns with a code', async () => {
    const { page, context, problems } = await chromium.open();
    await signUp(page);
    const url = await authorizationUrl();
    await page.goto(url);
    await untilText(page, 'Agent <b> requests access to the workspace');
    expect(await page.evaluate("document.querySelector('input[value=read]').checked")).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    expect(await layoutOf(page)).toEqual({ unlabelled: [], isTooWide: false });
    await page.locator('::-p-text(Read and write)').click();
    await page.locator('button::-p-text(Allow)').click();
    await untilPath(page, '/healthz');
    const returned = new URL(page.url()).searchParams;
    expect([returned.get('state'), returned.get('iss'), returned.get('error')]).toEqual(['s1', site.url, null]);
    const token = await fetch(`${site.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: returned.get('code') ?? '',
        code_verifier: VERIFIER,
        client_id: new URL(url).searchParams.get('client_id') ?? '',
      }),
    });
    expect(await token.json()).toMatchObject({ token_type: 'Bearer', scope: 'read write' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('returns with access_denied after a denial', async () => {
    const { page, context } = await chromium.open();
    await signUp(page);
    await page.goto(await authorizationUrl());
    await untilText(page, 'requests access');
    await page.locator('button::-p-text(Deny)').click();
    await untilPath(page, '/healthz');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await context.close();
  });

  it('opens the sign-in first, and continues after it', async () => {
    const { page, context } = await chromium.open();
    const email = newEmail();
    await site.people.signUp(email);
    await page.goto(await authorizationUrl());
    await untilPath(page, '/auth/login');
    await submit(page, { email, password: PASSWORD });
    await untilPath(page, '/oauth/authorize');
    await untilText(page, 'requests access');
    await context.close();
  });

  it('requires a fresh code of a person with a second factor before it grants write access, not before a denial, and continues after it', async () => {
    const { page, context } = await chromium.open();
    const email = newEmail();
    const { recoveryCodes } = await enrol(await site.people.signUp(email));
    await page.goto(await authorizationUrl());
    await untilPath(page, '/auth/login');
    await submit(page, { email, password: PASSWORD });
    await untilPath(page, '/auth/code');
    await submit(page, { code: recoveryCodes[0] ?? '' });
    await untilPath(page, '/oauth/authorize');
    await untilText(page, 'requests access');
    await site.sql("UPDATE identity.sessions SET code_shown_at = now() - interval '11 minutes'");
    // The cache of the gateway expires after 3 s.
    await page.waitForFunction(
      `fetch('/oauth/consent', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
        .then((response) => response.text()).then((text) => text.includes('mfa_stale'))`,
      { polling: 500 },
    );
    const request = page.url();
    await page.locator('button::-p-text(Deny)').click();
    await untilPath(page, '/healthz');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(request);
    await untilText(page, 'requests access');
    await page.locator('::-p-text(Read and write)').click();
    await page.locator('button::-p-text(Allow)').click();
    await untilPath(page, '/auth/code');
    await submit(page, { code: recoveryCodes[1] ?? '' });
    await untilPath(page, '/oauth/authorize');
    await untilText(page, 'requests access');
    await page.locator('::-p-text(Read and write)').click();
    await page.locator('button::-p-text(Allow)').click();
    await untilPath(page, '/healthz');
    expect(new URL(page.url()).searchParams.get('code')).not.toBeNull();
    await context.close();
  });

  it('offers to set up a second factor where the workspace requires one and the person has none', async () => {
    const { page, context } = await chromium.open();
    const email = newEmail();
    const person = await site.people.signUp(email);
    await site.sql(
      `UPDATE identity.workspaces SET require_second_factor = true
        WHERE id IN (SELECT workspace_id FROM identity.memberships WHERE user_id = $1)`,
      [person.id],
    );
    await page.goto(await authorizationUrl());
    await untilPath(page, '/auth/login');
    await submit(page, { email, password: PASSWORD });
    await untilText(page, 'The workspace requires a second factor');
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('button::-p-text(Set up a second factor)').click();
    await untilPath(page, '/auth/account');
    await context.close();
  });

  it('states that an application is unknown, and does not return to it', async () => {
    const { page, context } = await chromium.open();
    const url = new URL(await authorizationUrl());
    url.searchParams.set('client_id', 'unknown');
    await page.goto(url.href);
    await untilText(page, 'Unknown application');
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});
