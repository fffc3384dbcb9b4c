import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser, submit, type TestBrowser, untilPath } from '../accounts/browser.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { newEmail, PASSWORD } from '../harness/people.ts';

const fleet = sharedFleet();
let chromium: TestBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(async () => {
  await chromium?.close();
  await fleet.close();
});

describe('the address that npm start prints', () => {
  test('opens a session that Chromium keeps in its cookie and sends, over http', async () => {
    const { page, context, problems } = await chromium.open();
    await page.goto(`${fleet.url}/auth/signup`);
    await submit(page, { name: 'Ann', email: newEmail(), password: PASSWORD });
    await untilPath(page, '/');
    const [cookie] = await context.cookies();
    expect(cookie?.name).toMatch(/^__Host-tidemark_\d+$/);
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', domain: '127.0.0.1' });
    await page.reload();
    expect(await page.evaluate(`fetch('/v1/me').then(({ status }) => status)`)).toBe(200);
    expect(problems).toEqual([]);
    await context.close();
  });
});
