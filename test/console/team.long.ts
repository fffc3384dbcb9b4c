import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { codeOf, newEmail, PASSWORD } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { Clicks } from './clicks.ts';
import { launchChromium } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { runJourney } from './journey.ts';

const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await fleet.close();
});

const NO_KEY = 'key_01j5xq2w8se6fa7t0a6q1n3k2m';

/** The second factor of a person was shown longer ago than routes accept. */
async function makeStale(page: Page, userId: string): Promise<void> {
  await fleet.sql("UPDATE identity.sessions SET code_shown_at = now() - interval '11 minutes' WHERE user_id = $1", [
    userId,
  ]);
  // The gateway caches a session for some seconds.
  await until('the refusal of the old code', async () =>
    String(
      await page.evaluate(`fetch('/v1/me/keys/${NO_KEY}', { method: 'DELETE' }).then((response) => response.text())`),
    ).includes('mfa_stale'),
  );
}

describe.each(THEMES)('the pages of the workspace (%s)', (_theme, display) => {
  it('create an API key in two clicks, rotate it with the same rights, and revoke it after a confirmation', async () => {
    const person = await fleet.people.signUp();
    await runJourney(browser, {
      name: 'keys',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'API keys' }));
        await page.getByText('No API key yet').waitFor();
        await page.getByLabel('Name', { exact: true }).fill('reporting');
        await clicks.on(page.getByRole('button', { name: 'Create the key' }));
        await page.getByText('The key reporting is created').waitFor();
        expect(clicks.count).toBe(2);
        const secret = await page.locator('code').first().textContent();
        expect((await fleet.api(String(secret)).get('/me')).status).toBe(200);
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('button', { name: 'Rotate the key reporting' }).click();
        await page.getByText('The key reporting is created').waitFor();
        expect(await page.locator('code').first().textContent()).not.toBe(secret);
        await page.getByRole('button', { name: 'Revoke the key reporting' }).nth(1).click();
        await page.getByRole('heading', { name: 'Revoke reporting?' }).waitFor();
        await page.getByRole('button', { name: 'Revoke', exact: true }).click();
        await page.getByText('The key reporting is revoked.').waitFor();
        await page.getByRole('button', { name: 'Revoke the key reporting' }).nth(1).waitFor({ state: 'detached' });
      },
    });
  });

  it('invite a person in two clicks, change a role and take it back, keep the last owner, and remove a member', async () => {
    const person = await fleet.people.signUp();
    const invited = newEmail();
    await runJourney(browser, {
      name: 'members',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Members' }));
        await page.getByText('The last owner stays').waitFor();
        expect(await page.getByRole('button', { name: 'Leave the workspace' }).count()).toBe(0);
        await page.getByLabel('E-mail address').fill(invited);
        await clicks.on(page.getByRole('button', { name: 'Invite', exact: true }));
        await page.getByRole('button', { name: `Withdraw the invitation of ${invited}` }).waitFor();
        expect(clicks.count).toBe(2);
        const link = String(await page.locator('code').first().textContent());
        const guest = fleet.people.visitor();
        const accept = { token: link.split('#')[1], name: 'Bob', password: PASSWORD };
        expect((await guest.post('/auth/invites/accept', accept)).status).toBe(200);
        await page.reload();
        await page.getByLabel('Role of Bob').selectOption('viewer');
        await page.getByText('Bob is now Viewer.').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('Bob is now Member.').waitFor();
        await page.getByRole('button', { name: 'Remove Bob' }).click();
        await page.getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByText('Bob is removed.').waitFor();
      },
    });
  });

  it('rename the workspace and take it back, list what was done, and name the role that a viewer lacks', async () => {
    const person = await fleet.people.signUp();
    await runJourney(browser, {
      name: 'workspace',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        await page.getByRole('link', { name: 'Workspace', exact: true }).click();
        await page.getByLabel('Name', { exact: true }).fill('Harbour مرفأ');
        await page.getByRole('button', { name: 'Save: Name' }).click();
        await page.getByText('The workspace is renamed.').waitFor();
        await page.getByTitle('Harbour مرفأ').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByTitle('Harbour مرفأ').waitFor({ state: 'detached' });
        await page.getByRole('tab', { name: 'Audit log' }).click();
        await page.getByText('Workspace changed').first().waitFor();
        expect(new URL(page.url()).search).toBe('?tab=audit');
      },
    });
  });
});

describe.each(THEMES)('the account (%s)', (_theme, display) => {
  it('turns the second factor on, repeats a call after a fresh code, and ends another session', async () => {
    const person = await fleet.people.signUp();
    await fleet.people.logIn(person.email);
    await runJourney(browser, {
      name: 'account',
      url,
      email: person.email,
      display,
      refusals: [403, 404],
      steps: async (page) => {
        await page.getByRole('button', { name: 'Account' }).click();
        await page.getByRole('link', { name: 'Your account' }).click();
        await page.getByRole('button', { name: 'End all other sessions' }).click();
        await page.getByText('All other sessions have ended.').waitFor();
        const factor = page.getByRole('region', { name: 'Second factor' });
        await factor.getByLabel('Password').fill(PASSWORD);
        await factor.getByRole('button', { name: 'Set up an app' }).click();
        await page.getByRole('img', { name: 'QR code of the secret below' }).waitFor();
        const secret = String(await factor.locator('code').textContent());
        await factor.getByLabel('Code of the app').fill(codeOf(secret));
        await factor.getByRole('button', { name: 'Turn on' }).click();
        await page.getByText('Each signs in once').waitFor();
        const codes = await factor.locator('li').allTextContents();
        expect(codes).toHaveLength(10);
        await page.getByRole('button', { name: 'I have kept them' }).click();
        await makeStale(page, person.id);
        await page.getByRole('link', { name: 'API keys' }).click();
        await page.getByLabel('Name', { exact: true }).fill('reporting');
        await page.getByRole('button', { name: 'Create the key' }).click();
        await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
        await page.getByLabel('Code of the authenticator app').fill(String(codes[0]));
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('The key reporting is created').waitFor();
      },
    });
  });
});
