import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { ChangeReady } from '@tidemark/contracts/diff/v1/events';
import { Sync, type SyncError } from '@tidemark/contracts/export/v1/destinations';
import { SyncEnded } from '@tidemark/contracts/export/v1/events';
import { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import {
  callerIn,
  type FakeModel,
  newWorkspace,
  type RunningService,
  startFakeConnections,
  startFakeModel,
  startService,
  startTestServers,
  startWebSite,
  type TestServers,
  until,
  type WebSite,
} from '@tidemark/testkit';
import { channelsOf, recordOf } from '../src/report/fixtures/notifications.ts';
import { delivery } from '../src/service.ts';
import { type FakePeers, startFakePeers } from './fake-peers.ts';
import { decoded, type MailHost, startMailHost } from './mail-host.ts';

const workspaceId = newWorkspace();
const DIGEST = { summary: 'A lamp is new.', points: ['Returns within 14 days'], significant: true };

let servers: TestServers;
let peers: FakePeers;
let model: FakeModel;
let mails: MailHost;
let channel: WebSite;
let env: Readonly<Record<string, string>>;
let bus: Bus;
const posted: string[] = [];

beforeAll(async () => {
  servers = await startTestServers();
  peers = servers.own(await startFakePeers());
  model = servers.own(await startFakeModel());
  model.reply = JSON.stringify(DIGEST);
  mails = servers.own(await startMailHost());
  channel = servers.own(
    await startWebSite((request, response) => {
      request.on('data', (chunk) => posted.push(String(chunk)));
      request.on('end', () => response.end('ok'));
    }),
  );
  const configJson = JSON.stringify({ base_url: model.site.origin, model: 'small' });
  const opened = { provider: 'openai', configJson, secrets: { api_key: 'k' } };
  const connections = servers.own(await startFakeConnections(workspaceId, { con_1: opened }));
  const addresses = ['CRAWL', 'SCRAPE', 'MAP', 'PROJECTS', 'DIFF'].map((name) => [`${name}_ADDR`, peers.address]);
  env = {
    ...servers.env,
    ...Object.fromEntries(addresses),
    EXPORT_ADDR: connections.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: `${channel.host},${model.site.host}`,
  };
  bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
}, 120_000);
afterAll(() => servers.close());

/** A finished, reportable run of a project with every kind of channel. */
async function finishRun(): Promise<{ projectId: string; runId: string }> {
  const [projectId, runId] = [newId('prj'), newId('run')];
  for (const id of [projectId, runId]) peers.workspaces.set(id, workspaceId);
  const chatUrl = `${channel.origin}/hooks/abcdefghijklmnopqrstuvwx12`;
  const digest = { digestConnectionId: 'con_1', digestFocus: 'lamps' };
  peers.channels.set(projectId, {
    ...channelsOf({ notifyEmails: ['ann@reader.example'], chatUrl, ...digest }),
    projectId,
  });
  peers.runs.set(runId, { record: { ...recordOf(), runId, projectId }, changeEvents: [] });
  const ids = { runId, workspaceId, projectId };
  const finished = RunFinished.fromPartial({ ...ids, status: 'done', trigger: 'schedule', finishedAt: new Date() });
  await bus.publish(events.runFinished.subject, [outgoingEvent(events.runFinished, `f:${runId}`, finished)]);
  const ready = ChangeReady.fromPartial({ ...ids, isVerdict: true, madeAt: new Date() });
  await bus.publish(events.changeReady.subject, [outgoingEvent(events.changeReady, `r:${runId}`, ready)]);
  return { projectId, runId };
}

/** The end of an automatic sync of a project that has a webhook and a chat channel. */
async function endSync(error: SyncError | undefined): Promise<string> {
  const [projectId, id] = [newId('prj'), newId('syn')];
  peers.workspaces.set(projectId, workspaceId);
  const chatUrl = `${channel.origin}/hooks/abcdefghijklmnopqrstuvwx12`;
  peers.channels.set(projectId, { ...channelsOf({ chatUrl, webhookUrl: `${channel.origin}/webhook` }), projectId });
  const sync = Sync.fromPartial({
    id,
    destinationId: 'dst_1',
    projectId,
    sourceKind: 'run',
    sourceId: newId('run'),
    dataset: 'pages',

    mode: 'upsert',
    trigger: 'automatic',
    status: error === undefined ? 'done' : 'error',
    written: 3,
    location: `table of ${id}`,
    error,
  });
  const pausedReason = error === undefined ? '' : 'a sync was refused';
  const ended = { workspaceId, projectId, at: new Date(), sync, destinationName: `Warehouse ${id}`, pausedReason };
  const event = SyncEnded.fromPartial(ended);
  await bus.publish(events.syncEnded.subject, [outgoingEvent(events.syncEnded, `sync:${id}`, event)]);
  return id;
}

const noticesOf = async (service: RunningService, memberId: string) => {
  const request = { memberId, limit: 100 };
  return (await service.peer.call(Rpc.listNotices, request, callerIn(workspaceId))).notices;
};

describe('members', () => {
  it('are notified of a run by chat and mail with a digest, and find no notice', async () => {
    const service = await startService(delivery, {
      ...env,
      MAIL_URL: mails.url,
      CONSOLE_URL: 'https://console.example',
    });
    const { runId } = await finishRun();
    await until('the mail', () => mails.received.length > 0);
    await until('the message', () => posted.length > 0);
    expect(mails.received.map(({ to }) => to)).toEqual([['ann@reader.example']]);
    const mail = decoded(mails.received[0]?.raw ?? '');
    for (const words of ['1 page added', 'A lamp is new.', 'Returns within 14 days', `/runs/${runId}`])
      expect(mail).toContain(words);
    expect(posted[0]).toContain('A lamp is new');
    expect(peers.keptDigests.get(runId)).toEqual(DIGEST);
    expect(await noticesOf(service, 'mem_1')).toEqual([]);
    await service.close();
  });

  it('find notices where no mail host is configured, until they dismiss them', async () => {
    const before = mails.received.length;
    const service = await startService(delivery, env);
    const { projectId, runId } = await finishRun();
    const found = await until('the notice', async () => (await noticesOf(service, 'mem_1'))[0]);
    expect(found).toMatchObject({ kind: 'run', projectId, runId, text: 'A lamp is new.' });
    const at = new Date();
    const failing = SiteHealthChanged.fromPartial({ projectId, workspaceId, runId, health: 'failing', why: 'x', at });
    await bus.publish(events.siteHealthChanged.subject, [
      outgoingEvent(events.siteHealthChanged, `h:${runId}`, failing),
    ]);
    await until('the other notice', async () => (await noticesOf(service, 'mem_1')).length === 2);
    expect(await noticesOf(service, '')).toEqual([]);
    const dismiss = (memberId: string) =>
      service.peer.call(Rpc.dismissNotice, { memberId, id: found.id }, callerIn(workspaceId));
    await dismiss('mem_1');
    expect((await noticesOf(service, 'mem_1')).map(({ kind }) => kind)).toEqual(['monitor']);
    expect(await noticesOf(service, 'mem_2')).toHaveLength(2);
    await expect(dismiss('')).rejects.toMatchObject({ code: 'not_found' });
    expect(mails.received).toHaveLength(before);
    await service.close();
  });

  it('are notified of a sync that was written and of one that failed, by the webhook and by chat', async () => {
    const service = await startService(delivery, { ...env, CONSOLE_URL: 'https://console.example' });
    const done = await endSync(undefined);
    const failed = await endSync({ code: 'refused', message: 'wrong password', hint: 'Check the user.' });
    const received = (id: string, isWebhook: boolean) =>
      until(`the message about ${id}`, () =>
        posted.find((body) => body.includes(id) && body.includes('"event":"sync.') === isWebhook),
      );
    expect(await received(done, true)).toContain('"event":"sync.finished"');
    expect(await received(failed, true)).toContain('"event":"sync.failed"');
    const written = await received(done, false);
    for (const words of ['3 rows written', 'written to Warehouse']) expect(written).toContain(words);
    const notWritten = await received(failed, false);
    for (const words of ['could not be written to Warehouse', 'wrong password', 'The destination is paused'])
      expect(notWritten).toContain(words);
    await service.close();
  });
});
