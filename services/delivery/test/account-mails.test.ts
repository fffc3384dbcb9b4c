import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { AccountMailKind } from '@tidemark/contracts/identity/v1/events';
import { Sealer } from '@tidemark/sealing';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { startService, startTestServers, type TestServers, until } from '@tidemark/testkit';
import { AccountMailContent, renderAccountMail } from '../src/mail/account-mail.ts';
import { delivery } from '../src/service.ts';
import { decoded, type MailHost, startMailHost } from './mail-host.ts';

const NOWHERE = '127.0.0.1:1';
const PEERS = {
  CRAWL_ADDR: NOWHERE,
  MAP_ADDR: NOWHERE,
  PROJECTS_ADDR: NOWHERE,
  DIFF_ADDR: NOWHERE,
  EXPORT_ADDR: NOWHERE,
};
const SEALING_KEYS = randomBytes(32).toString('base64');
const TOKEN = 'A'.repeat(43);
const sealer = new Sealer(SEALING_KEYS);
let servers: TestServers;
let mailHost: MailHost;
let bus: Bus;

beforeAll(async () => {
  servers = await startTestServers();
  mailHost = servers.own(await startMailHost());
  const settings = {
    MAIL_URL: mailHost.url,
    MAIL_FROM: 'Tidemark <no-reply@tidemark.example>',
    CONSOLE_URL: 'https://tidemark.example',
  };
  servers.own(await startService(delivery, { ...servers.env, ...PEERS, ...settings, SEALING_KEYS }));
  bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
}, 120_000);
afterAll(() => servers.close());

/** Publishes the event of a mail as identity does, twice, and returns what the mail host received. */
async function mailOf(
  kind: AccountMailKind,
  content: Partial<AccountMailContent>,
): Promise<{ raw: string; text: string }> {
  const [id, to] = [newId('mail'), `${crypto.randomUUID()}@example.com`];
  const sealed = sealer.seal(JSON.stringify({ to, name: 'Ann', ...content }), id);
  const event = outgoingEvent(events.accountMailRequested, id, { id, kind, sealed, at: new Date() });
  await bus.publish(event.subject, [event]);
  await bus.publish(event.subject, [event]);
  const received = () => mailHost.received.filter((mail) => mail.to.includes(to));
  await until('the mail', () => received().length > 0);
  const [mail] = received();
  expect(received()).toHaveLength(1);
  return { raw: mail?.raw ?? '', text: decoded(mail?.raw ?? '') };
}

describe('a mail about an account', () => {
  it('is received by a mail host as text and HTML, with the link to its page, and to one recipient', async () => {
    const { raw, text } = await mailOf('verify', { token: TOKEN });
    expect(raw).toMatch(/^Subject: Verify your address\r$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/);
    expect(text.split(`https://tidemark.example/auth/verify#${TOKEN}`)).toHaveLength(3);
  });

  it('is stored sealed: no row contains its token', async () => {
    await mailOf('reset', { token: 'B'.repeat(43) });
    const rows = await servers.database.sql<{ row: string }>('SELECT d::text AS row FROM delivery.deliveries d');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes('BBBB') || row.includes(TOKEN))).toEqual([]);
  });

  it('has names without line ends, markup and links, so that they forge no header and no text', async () => {
    const name = 'Eve\r\nBcc: all@victims.example\r\n\r\n<a href="https://evil.example">https://evil.example</a>';
    const { raw, text } = await mailOf('invite', {
      token: TOKEN,
      name,
      invitedBy: name,
      workspaceName: name,
      role: 'admin',
    });
    const [head = ''] = raw.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/im);
    expect(text).not.toMatch(/<a href="https:\/\/evil|https:\/\/evil\.example|evil\.example/);
  });

  it('goes to one address only, whatever the address contains', async () => {
    const id = newId('mail');
    const to = 'one@example.com;two@example.com, three@example.com';
    const sealed = sealer.seal(JSON.stringify({ to }), id);
    await bus.publish(events.accountMailRequested.subject, [
      outgoingEvent(events.accountMailRequested, id, { id, kind: 'taken', sealed, at: new Date() }),
    ]);
    const outcome = async () =>
      (
        await servers.database.sql<{ status: string }>('SELECT status FROM delivery.deliveries WHERE key = $1', [
          `${id}:mail`,
        ])
      )[0]?.status;
    await until('an outcome', async () => ['failed', 'delivered', 'retrying'].includes((await outcome()) ?? ''));
    const recipients = mailHost.received.flatMap((mail) => mail.to);
    for (const address of ['two@example.com', 'three@example.com']) expect(recipients).not.toContain(address);
  });
});

describe('renderAccountMail', () => {
  const KINDS = [
    'verify',
    'taken',
    'reset',
    'invite',
    'new_sign_in',
    'password_changed',
    'factor_on',
    'factor_off',
    'codes_renewed',
    'recovery_code_used',
    'wrong_codes',
    'email_change',
    'email_changing',
    'email_changed',
  ] as const;
  const content = AccountMailContent.parse({ to: 'ann@example.com', token: TOKEN, name: 'Ann' });

  it.each(KINDS)('renders %s as text and HTML without images, scripts and external styles', (kind) => {
    const mail = renderAccountMail(kind, content, 'https://tidemark.example/');
    expect(mail.subject).toMatch(/\w/);
    expect(mail.html).not.toMatch(/<(img|script|link|iframe|form)|src=|url\(/);
    const links = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, url]) => new URL(url ?? '').origin);
    expect(links.every((origin) => origin === 'https://tidemark.example')).toBe(true);
  });

  it('names the page and the token where the address of the console is not configured', () => {
    const mail = renderAccountMail('reset', content, '');
    expect(mail.text).toContain(`open /auth/reset at the address of your installation and enter ${TOKEN}`);
    expect(mail.html).not.toContain('href=');
  });
});
