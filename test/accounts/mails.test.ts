import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountMailKind } from '@tidemark/contracts/identity/v1/events';
import { AccountMailContent, renderAccountMail } from '@tidemark/delivery/account-mail';
import { violationsOf } from './accessibility.ts';
import { openBrowser, type TestBrowser } from './browser.ts';

let chromium: TestBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
}, 120_000);
afterAll(() => chromium?.close());

const TOKEN = 'A'.repeat(43);
const content = AccountMailContent.parse({
  to: 'ann@example.com',
  token: TOKEN,
  name: 'Ann',
  workspaceName: 'Harbour',
  invitedBy: 'Bob',
  role: 'member',

  ip: '203.0.113.9',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  otherEmail: 'new@example.com',

  passkeyName: 'Laptop',
  providerName: 'Acme',

  used: '80 % of its credits',
  left: '2,000',
  resetsAt: '2026-12-01',
  plan: 'Starter',
  amount: '₹1,900.00',
  endsAt: '2026-12-08',
});

describe.each(Object.values(AccountMailKind))('the mail %s', (kind) => {
  it('loads nothing, fits a phone, has sufficient contrast, and states the same in text and HTML', async () => {
    const mail = renderAccountMail(kind, content, 'https://tidemark.example');
    const { page, context, problems } = await chromium.open({ width: 360, height: 700 });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(mail.html);
    expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true);
    expect(await violationsOf(page, { isMail: true })).toEqual([]);
    expect([problems, requests]).toEqual([[], []]);
    const shown = String(await page.evaluate('document.body.innerText')).replace(/\s+/g, ' ');
    const links = [...mail.text.matchAll(/https:\S+/g)].map(([link]) => link);
    for (const line of mail.text.split('\n\n').map((part) => part.trim().replace(/: https:\S+$/, '')))
      expect(shown).toContain(line);
    expect(await page.evaluate('[...document.links].map(({ href }) => href)')).toEqual(links);
    await context.close();
  });
});
