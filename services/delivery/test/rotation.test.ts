import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

const newProject = (url: string) => projectWithWebhook(on, url);

describe('a rotated secret', () => {
  it('signs at once, and the previous one verifies for a day by both kinds of headers', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    const before = (await project.get()).secret;
    const { secret, previousUntil } = await project.rotate();
    expect(secret).not.toBe(before);
    expect((previousUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(86_390_000);
    expect(await project.get()).toMatchObject({ secret, previousUntil });
    receiver.respond = (got) => (isSignedBy(before, got) ? 200 : 401);
    expect((await project.test()).delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    const [first, again] = receiver.got;
    if (first === undefined || again === undefined) throw new Error('it was not tried with the previous secret');
    expect([isSignedBy(secret, first), isSignedBy(before, again), first.id]).toEqual([true, true, again.id]);
    for (const known of [secret, before]) expect(isVerifiedBy(known, first)).toBe(true);
  });

  it('keeps earlier ones valid: each verifies for its own day, by both kinds of headers', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    const first = (await project.get()).secret;
    const second = (await project.rotate()).secret;
    const { secret } = await project.rotate();
    for (const known of [first, second]) {
      receiver.respond = (got) => (isSignedBy(known, got) ? 200 : 401);
      expect((await project.test()).delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    }
    for (const got of receiver.got)
      expect([secret, second, first].map((known) => isVerifiedBy(known, got))).toEqual([true, true, true]);
    for (let n = 0; n < 4; n += 1) await project.rotate();
    const rows = await on.servers.database.sql(
      'SELECT cardinality(previous_secrets) AS kept FROM delivery.receivers WHERE project_id = $1',
      [project.projectId],
    );
    expect(rows).toEqual([{ kept: 3 }]);
  });

  it('replaces one whose sealing key is lost, which no longer signs', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    await project.get();
    await project.rotate();
    await on.servers.database.sql(
      "UPDATE delivery.receivers SET secret = 'lost', previous_secrets = ARRAY['lost'::bytea] WHERE project_id = $1",
      [project.projectId],
    );
    expect(await project.get()).toMatchObject({ secret: '', isSecretHidden: false });
    const { secret, previousUntil } = await project.rotate();
    expect(previousUntil).toBeUndefined();
    expect((await project.test()).delivery).toMatchObject({ status: 'delivered' });
    const [got] = receiver.got;
    expect(got && isVerifiedBy(secret, got)).toBe(true);
    // A predecessor that is lost later is left out.
    await on.servers.database.sql(
      `UPDATE delivery.receivers SET previous_secrets = ARRAY['lost'::bytea], previous_untils = ARRAY[now() + interval '1 hour']
       WHERE project_id = $1`,
      [project.projectId],
    );
    expect((await project.test()).delivery).toMatchObject({ status: 'delivered' });
  });

  it('is the only valid one after a day', async () => {
    const receiver = await newReceiver();
    const project = newProject(receiver.url);
    const before = (await project.get()).secret;
    const { secret } = await project.rotate();
    await on.servers.database.sql(
      'UPDATE delivery.receivers SET previous_untils = ARRAY[now()] WHERE project_id = $1',
      [project.projectId],
    );
    receiver.respond = () => 401;
    expect((await project.test()).delivery).toMatchObject({ status: 'failed', attempts: 1, lastStatus: 401 });
    const [only, ...more] = receiver.got;
    if (only === undefined) throw new Error('nothing came');
    expect([more.length, isVerifiedBy(secret, only), isVerifiedBy(before, only)]).toEqual([0, true, false]);
    expect((await project.get()).previousUntil).toBeUndefined();
  });
});
