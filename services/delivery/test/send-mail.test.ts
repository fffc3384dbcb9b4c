import { afterEach, describe, expect, it } from '@jest/globals';
import type { SMTPServerOptions } from 'smtp-server';
import type { OutgoingMessage } from '../src/domain/delivery.ts';
import { makeMailMessages } from '../src/mail/mail-messages.ts';
import { makeSendMail } from '../src/mail/mailer.ts';
import { channelsOf, runNotification } from '../src/report/fixtures/notifications.ts';
import { decoded, type MailHost, refusal, startMailHost } from './mail-host.ts';

const FROM = 'Tidemark <tidemark@tide.example>';

let hosts: MailHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  hosts = [];
});

async function startHost(options?: SMTPServerOptions): Promise<MailHost> {
  const host = await startMailHost(options);
  hosts.push(host);
  return host;
}

function mailsTo(...notifyEmails: string[]): OutgoingMessage[] {
  const messages = makeMailMessages('')(runNotification({ channels: channelsOf({ notifyEmails }) }));
  return messages.map(({ event, recipient, body }, at) => ({
    id: `whd_${at + 1}`,
    event,
    service: '',
    url: 'mailto:',
    recipient,
    body: body(''),
    queueKey: 'mail',
    secrets: [],
  }));
}

function oneMail(): OutgoingMessage {
  const [mail] = mailsTo('ann@reader.example');
  if (mail === undefined) throw new Error('there is no mail');
  return mail;
}

describe('a mail', () => {
  it('is sent to each recipient separately, as text and as html', async () => {
    const host = await startHost();
    const send = makeSendMail({ url: host.url, from: FROM });
    for (const mail of mailsTo('ann@reader.example', 'bo@reader.example', 'ann@reader.example'))
      expect(await send(mail)).toMatchObject({ status: 250, error: '' });
    expect(host.received.map(({ to }) => to)).toEqual([['ann@reader.example'], ['bo@reader.example']]);
    const [first] = host.received;
    expect(first?.raw).toMatch(/^From: Tidemark <tidemark@tide\.example>\r$/m);
    expect(first?.raw).toMatch(/^To: ann@reader\.example\r$/m);
    expect(first?.raw).not.toMatch(/bo@reader|List-Unsubscribe/);
    expect(first?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(decoded(first?.raw ?? '')).toMatch(
      /Content-Type: text\/plain[\s\S]*212 words added[\s\S]*Content-Type: text\/html[\s\S]*<h1/,
    );
  });

  it('has the same Message-ID at every attempt', async () => {
    const host = await startHost();
    const send = makeSendMail({ url: host.url, from: FROM });
    await send(oneMail());
    await send(oneMail());
    const ids = host.received.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1]);
    expect(ids).toEqual(['<whd_1@tide.example>', '<whd_1@tide.example>']);
  });

  it('uses the host’s credentials, and is retried where they are refused', async () => {
    const host = await startHost({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'ops' && password === 'p/w' ? done(null, { user: 'ops' }) : done(refusal(535, 'no ops:wrong')),
    });
    const at = (login: string) => makeSendMail({ url: host.url.replace('//', `//${login}@`), from: FROM })(oneMail());
    expect(await at('ops:p%2Fw')).toMatchObject({ status: 250, error: '' });
    expect(await at('ops:wrong')).toEqual({
      status: 535,
      error: 'the mail host refuses our credentials',
      answer: '',
      isFinal: false,
    });
  });

  it.each([
    [451, false, 'is retried on a temporary refusal'],
    [550, true, 'is not retried on a permanent refusal'],
  ])('on SMTP %d is final (%s): it %s', async (code, isFinal) => {
    const host = await startHost({ onRcptTo: (_address, _session, done) => done(refusal(code, 'not now')) });
    const result = await makeSendMail({ url: host.url, from: FROM })(oneMail());
    expect(result).toMatchObject({
      status: code,
      error: `SMTP ${code}`,
      answer: expect.stringContaining('not now'),
      isFinal,
    });
  });

  it('is not retried where its host refuses its content permanently', async () => {
    const host = await startHost({
      onData: (stream, _session, done) => stream.resume().on('end', () => done(refusal(554, 'no such mails'))),
    });
    const result = await makeSendMail({ url: host.url, from: FROM })(oneMail());
    expect(result).toMatchObject({ status: 554, isFinal: true });
  });

  it.each<[string, SMTPServerOptions]>([
    ['greeting', { onConnect: (_session, done) => done(refusal(554, 'no service for your address')) }],
    ['answer to our sender', { onMailFrom: (_address, _session, done) => done(refusal(550, 'no such sender')) }],
  ])('is retried where its host refuses the sender permanently in its %s', async (_, options) => {
    const host = await startHost(options);
    const result = await makeSendMail({ url: host.url, from: FROM })(oneMail());
    expect(result).toMatchObject({ isFinal: false });
  });

  it('is not accepted after its timeout', async () => {
    const late = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const host = await startHost({
      onRcptTo: (_address, _session, done) => void late.promise.then(() => done()),
      onClose: () => gone.resolve(),
    });
    const send = makeSendMail({ url: host.url, from: FROM, withinMs: 200 });
    expect(await send(oneMail())).toMatchObject({ status: 0, isFinal: false });
    await gone.promise;
    late.resolve();
    expect(host.received).toEqual([]);
  });

  it('is retried where the host does not respond', async () => {
    const { url, close } = await startHost();
    await close();
    expect(await makeSendMail({ url, from: FROM })(oneMail())).toEqual({
      status: 0,
      error: 'the mail host did not respond',
      answer: '',
      isFinal: false,
    });
  });

  it('is retried where its host responds too late', async () => {
    const host = await startHost({ onMailFrom: () => undefined });
    const send = makeSendMail({ url: host.url, from: FROM, withinMs: 200 });
    expect(await send(oneMail())).toMatchObject({ status: 0, isFinal: false });
  });

  it('has one recipient, whatever its address contains', async () => {
    const host = await startHost();
    const send = makeSendMail({ url: host.url, from: FROM });
    await send({ ...oneMail(), recipient: 'ann@reader.example, bo@reader.example' });
    await send({ ...oneMail(), recipient: 'ann@reader.example\r\nBcc: bo@reader.example' });
    for (const { to } of host.received) expect(to.length).toBe(1);
  });
});
