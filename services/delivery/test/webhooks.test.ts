import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { startDelivery } from './delivery-servers.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { isSignedBy, isVerifiedBy, projectWithWebhook } from './webhook-project.ts';

let on: Awaited<ReturnType<typeof startDelivery>>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  on = await startDelivery();
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await on.close();
});

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

const newProject = (url: string, workspaceId?: string, chatUrl?: string) =>
  projectWithWebhook(on, url, { workspaceId, chatUrl });

describe('the secret of a project’s webhook', () => {
  it('is generated for admins, stays the same, and is sealed', async () => {
    const project = newProject('http://127.0.0.2:1/hook?token=geheim');
    const { secret, isSecretHidden } = await project.get();
    expect([secret, isSecretHidden]).toEqual([expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), false]);
    expect((await project.get()).secret).toBe(secret);
    const rows = await on.servers.database.sql<{ row: string }>(
      'SELECT r::text AS row FROM delivery.receivers r WHERE project_id = $1',
      [project.projectId],
    );
    expect(rows).toHaveLength(1);
    for (const secretText of [secret ?? '', 'geheim'])
      for (const shown of [secretText, Buffer.from(secretText).toString('hex')])
        expect(rows[0]?.row).not.toContain(shown);
  });

  it('is hidden from other scopes, and their read generates none', async () => {
    const project = newProject('http://127.0.0.2:1/');
    for (const scope of ['read', 'write'] as const)
      expect(await project.get(project.as(scope))).toMatchObject({
        secret: undefined,
        isSecretHidden: true,
        health: { state: 'never' },
      });
    const rows = await on.servers.database.sql('SELECT id FROM delivery.receivers WHERE project_id = $1', [
      project.projectId,
    ]);
    expect(rows).toEqual([]);
    await expect(project.rotate(project.as('write'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is empty without a webhook, which can be neither tested nor rotated', async () => {
    const project = newProject('http://127.0.0.2:1/');
    project.made.channels = { ...project.made.channels, webhookUrl: undefined };
    expect(await project.get()).toMatchObject({ url: undefined, secret: undefined, isSecretHidden: false });
    await expect(project.test()).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('webhook_url'),
    });
    await expect(project.rotate()).rejects.toMatchObject({ code: 'validation' });
  });

  it('is not found for a project outside the key’s scope or workspace', async () => {
    const project = newProject('http://127.0.0.2:1/');
    for (const call of [project.as('admin', ['prj_other']), callerIn(newWorkspace())])
      for (const calls of [project.get(call), project.test(call), project.rotate(call)])
        await expect(calls).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a test message', () => {
  it('is sent at once, marked as a test, and verified by receivers of both kinds', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    const { secret } = await project.get();
    const { delivery } = await project.test();
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, isTest: true, event: 'run.finished' });
    expect(delivery?.receiver).toBe(new URL(receiver.url).host);
    expect(delivery?.log).toMatchObject([{ number: 1, status: 200, by: 'test' }]);
    const [got] = receiver.got;
    if (got === undefined) throw new Error('nothing came');
    expect(JSON.parse(got.body)).toMatchObject({
      id: delivery?.id,
      event: 'run.finished',
      test: true,
      project: { host: 'site.test' },
    });
    expect([isSignedBy(secret, got), isVerifiedBy(secret, got)]).toEqual([true, true]);
    expect(got.headers).toMatchObject({
      'x-service-event': 'run.finished',
      'x-service-delivery': delivery?.id,
      'user-agent': 'Tidemark-Webhook/1.0',
    });
    expect((await project.get()).health).toMatchObject({ state: 'ok', lastStatus: undefined });
  });

  it('that fails is one attempt, recorded with its address, and does not change the health', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    await project.test();
    receiver.respond = () => 500;
    const { delivery } = await project.test();
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, lastStatus: 500, lastError: 'HTTP 500' });
    expect(delivery?.nextAt).toBeUndefined();
    expect(delivery?.log).toMatchObject([
      { number: 1, status: 500, by: 'test', url: receiver.url.replace('geheim', '***') },
    ]);
    const { health, deliveries } = await project.get();
    expect(health).toMatchObject({ state: 'ok', lastStatus: undefined, waiting: 0, paused: 0 });
    expect([health?.lastFailedAt, deliveries[0]?.id]).toEqual([undefined, delivery?.id]);
  });

  it('fails like any attempt where the address is internal', async () => {
    const project = newProject('http://127.0.0.1:5432/hook?token=geheim');
    const { delivery } = await project.test();
    expect(delivery).toMatchObject({
      status: 'failed',
      lastStatus: undefined,
      lastError: expect.stringMatching(/^not sent there/),
    });
    expect(JSON.stringify(delivery)).not.toContain('geheim');
  });
});

describe('lists of deliveries', () => {
  it('hold each delivery with its attempts, newest first, by cursor and status, limited to the key’s scope', async () => {
    const receiver = await newReceiver();
    const first = newProject(receiver.url);
    const other = newProject(receiver.url, first.workspaceId);
    const ids: string[] = [];
    for (const project of [first, other, first]) ids.unshift((await project.test()).delivery?.id ?? '');
    const idsOf = async (calls: ReturnType<typeof first.list>) => (await calls).deliveries.map(({ id }) => id);
    expect(await idsOf(first.list())).toEqual(ids);
    const page = await first.list(first.as(), { limit: 2 });
    expect([page.deliveries.length, page.next]).toEqual([2, ids[1]]);
    expect(await idsOf(first.list(first.as(), { limit: 2, cursor: page.next ?? '' }))).toEqual([ids[2]]);
    expect(await idsOf(first.list(first.as(), { projectId: other.projectId }))).toEqual([ids[1]]);
    expect(await idsOf(first.list(first.as('read', [other.projectId])))).toEqual([ids[1]]);
    expect(await idsOf(first.list(first.as('read', [other.projectId]), { projectId: first.projectId }))).toEqual([]);
    expect(await idsOf(first.list(first.as(), { status: 'failed' }))).toEqual([]);
    expect(await idsOf(first.list(callerIn(newWorkspace())))).toEqual([]);
    expect((await first.list()).deliveries.every(({ log }) => log.length === 1)).toBe(true);
  });
});

describe('redelivery', () => {
  it('sends the same bytes again now and keeps the attempts', async () => {
    const receiver = await newReceiver();
    receiver.respond = () => 400;
    const project = newProject(receiver.url);
    const id = (await project.test()).delivery?.id ?? '';
    receiver.respond = () => 200;
    expect((await project.redeliver(id)).delivery).toMatchObject({
      id,
      status: expect.stringMatching(/^(pending|delivering|delivered)$/),
    });
    const [delivery] = await until('it to be delivered', async () => {
      const { deliveries } = await project.list();
      return deliveries[0]?.status === 'delivered' && deliveries;
    });
    expect(delivery?.log).toMatchObject([
      { status: 400, by: 'test' },
      { status: 200, by: 'redeliver' },
    ]);
    expect(new Set(receiver.got.map(({ body }) => body)).size).toBe(1);
  });

  it('is sent to an address that was corrected just before', async () => {
    const [old, current] = [await newReceiver(), await newReceiver()];
    old.respond = () => 404;
    const project = newProject(old.url);
    const id = (await project.test()).delivery?.id ?? '';
    project.made.channels = { ...project.made.channels, webhookUrl: current.url };
    await project.redeliver(id);
    await until('it to be delivered', async () => (await project.list()).deliveries[0]?.status === 'delivered');
    expect([old.got.length, current.got.length]).toEqual([1, 1]);
  });

  it('is not found outside the scope, and a conflict while the delivery is being sent', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    const id = (await project.test()).delivery?.id ?? '';
    for (const call of [callerIn(newWorkspace()), project.as('write', ['prj_other'])])
      await expect(project.redeliver(id, call)).rejects.toMatchObject({ code: 'not_found' });
    await expect(project.redeliver("whd_' OR 1=1")).rejects.toMatchObject({ code: 'not_found' });
    await on.servers.database.sql("UPDATE delivery.deliveries SET status = 'delivering' WHERE id = $1", [id]);
    await expect(project.redeliver(id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('channels', () => {
  it('list all projects with their health, newest first, and a page may end between two channels of a project', async () => {
    const receiver = await newReceiver();
    const chat = 'https://hooks.slack.com/services/T0/B0/secret';
    const first = newProject(receiver.url, undefined, chat);
    const second = newProject(receiver.url, first.workspaceId, chat);
    for (const { made } of [first, second]) Object.assign(made.channels, { chatService: 'slack' });
    await first.test();
    const list = (limit: number, cursor?: string, call = first.as()) =>
      on.service.peer.call(Rpc.listChannels, { limit, cursor }, call);
    const named = (channels: { projectId: string; kind: string }[]) =>
      channels.map(({ projectId, kind }) => `${projectId} ${kind}`);
    const all = await list(10);
    expect(named(all.channels)).toEqual(
      [second, first].flatMap(({ projectId }) => [`${projectId} webhook`, `${projectId} chat`]),
    );
    expect(all.channels.map(({ health }) => health?.state)).toEqual(['never', 'never', 'ok', 'never']);
    expect(all.channels.map(({ service }) => service)).toEqual([undefined, 'slack', undefined, 'slack']);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(1, cursor);
      paged.push(...named(page.channels));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(paged).toEqual(named(all.channels));
    expect(named((await list(10, undefined, first.as('read', [first.projectId]))).channels)).toHaveLength(2);
    expect((await list(10, undefined, callerIn(newWorkspace()))).channels).toEqual([]);
  });
});
