import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuard, parseAllowList } from '@tidemark/egress';
import { startWebSite, type WebSite } from '@tidemark/testkit';
import type { DeliveryResult, OutgoingMessage } from '../domain/delivery.ts';
import { makePost } from '../http/post-message.ts';
import { channelsOf, recordOf, runNotification, siteHealthNotification } from '../report/fixtures/notifications.ts';
import { makeChatMessages } from './chat-messages.ts';
import { makeSendChat } from './send-chat.ts';

const PATH = '/hooks/abcdefghijklmnopqrstuvwx12';

let channel: WebSite;
let posted: string[];
let answer: { status: number; text: string };

beforeEach(async () => {
  posted = [];
  answer = { status: 200, text: 'ok' };
  channel = await startWebSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      posted.push(body);
      response.writeHead(answer.status).end(answer.text);
    });
  });
});
afterEach(() => channel.close());

const messagesTo = makeChatMessages('');

async function send(url: string): Promise<DeliveryResult> {
  const [message] = messagesTo(runNotification({ channels: channelsOf({ chatUrl: url }) }));
  if (message === undefined) throw new Error('there is no message');
  const { event, receiver } = message;
  const out: OutgoingMessage = {
    id: 'whd_1',
    event,
    service: receiver.service,
    url,
    recipient: '',

    body: message.body('whd_1'),
    queueKey: 'queue',
    secrets: [],
  };
  return makeSendChat(makePost(createGuard({ allow: parseAllowList(channel.host) })))(out);
}

describe('a message to a chat channel', () => {
  it('is built once per reportable run and per change of a site’s health, with a stable key', () => {
    const channels = channelsOf({ chatUrl: 'https://discord.com/api/webhooks/123/abc' });
    const notification = [
      runNotification({ channels }),
      runNotification({ channels }),
      { ...siteHealthNotification('failing'), channels },
    ];
    expect(notification.flatMap(messagesTo).map(({ key, event }) => [key, event])).toEqual([
      ['run_1:run.finished:chat', 'run.finished'],
      ['run_1:run.finished:chat', 'run.finished'],
      ['run_1:site.failing:chat', 'site.failing'],
    ]);
    expect(messagesTo(runNotification({ channels }))[0]?.receiver).toMatchObject({
      id: 'prj_1:chat',
      workspaceId: 'ws_1',
      kind: 'chat',
      service: 'discord',
    });
  });

  it('is not built for a run without changes, or without a channel', () => {
    const channels = channelsOf({ chatUrl: 'https://discord.com/api/webhooks/123/abc' });
    expect(messagesTo(runNotification({ channels, entries: [], record: recordOf({ counts: { same: 5 } }) }))).toEqual(
      [],
    );
    expect(messagesTo(runNotification())).toEqual([]);
  });

  it('is posted in the format of the service', async () => {
    expect(await send(`${channel.origin}${PATH}`)).toMatchObject({ status: 200, error: '', answer: 'ok' });
    expect(JSON.parse(posted[0] ?? '')).toMatchObject({ username: 'Tidemark', attachments: [{ color: '#2f6f8f' }] });
    expect(channel.seen[0]?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Tidemark-Webhook/1.0',
    });
  });

  it.each([404, 429, 503])('returns the status of the service: %d', async (status) => {
    answer = { status, text: 'no' };
    expect(await send(`${channel.origin}${PATH}`)).toMatchObject({ status, error: `HTTP ${status}`, answer: 'no' });
  });

  it('stores nothing of its address, which is a secret, with a response', async () => {
    answer = { status: 400, text: `bad hook ${PATH}` };
    expect(await send(`${channel.origin}${PATH}`)).toMatchObject({ answer: 'bad hook /hooks/…' });
    for (const cutAt of [5, 10, 25]) {
      answer = { status: 400, text: `${'x'.repeat(493 - cutAt)}${PATH}` };
      const { answer: kept } = await send(`${channel.origin}${PATH}`);
      expect(kept).toMatch(/\/hooks\/…$/);
    }
  });

  it('fails where Teams responds with 200 and reports an error in the text', async () => {
    answer = {
      status: 200,
      text: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
    };
    expect(await send(`${channel.origin}${PATH}`)).toMatchObject({ status: 429, error: 'HTTP 429' });
  });

  it('fails at once where its address is of an unknown service, and lists the known ones', async () => {
    expect(await send(`${channel.origin}/webhook`)).toMatchObject({
      status: 0,
      isFinal: true,
      error: expect.stringMatching(/hooks\.slack\.com/),
    });
    expect(posted).toEqual([]);
  });

  it('is not sent outside the public web', async () => {
    expect(await send(`http://127.0.0.1:9${PATH}`)).toMatchObject({
      status: 0,
      error: expect.stringMatching(/not sent there/),
    });
  });
});
