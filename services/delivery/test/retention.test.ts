import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteExpired } from '../src/store/delete-expired.ts';
import { RetentionStore } from '../src/store/retention-store.ts';
import { messageTo, type SendingServers, startServers, webhookOf } from './sending-servers.ts';

let on: SendingServers;

beforeAll(async () => {
  on = await startServers();
});

afterAll(() => on.close());

describe('retention', () => {
  it('deletes all data of a deleted project and rejects later messages', async () => {
    const receiver = await on.newReceiver();
    const hook = webhookOf(receiver.url);
    const message = messageTo(hook);
    await on.enqueue(message);
    await on.inStatus(message.key, 'delivered');
    const retention = new RetentionStore(on.pool);
    await retention.deleteProjects([hook.projectId]);
    await retention.deleteProjects([hook.projectId]);
    await on.enqueue(messageTo(hook));
    const { rows } = await on.pool.query(
      `SELECT id FROM receivers WHERE project_id = $1 UNION ALL SELECT id FROM deliveries WHERE project_id = $1
       UNION ALL SELECT delivery_id FROM attempts a WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.id = a.delivery_id)`,
      [hook.projectId],
    );
    expect(rows).toEqual([]);
  });

  it('deletes ended deliveries that follow thousands still to be sent', async () => {
    await on.pool.query(
      `INSERT INTO deliveries (id, key, workspace_id, project_id, run_id, event, kind, receiver_id, body, status, queue_key, host, url, created_at, next_at)
       SELECT 'whd_0' || lpad(n::text, 25, '0'), 'old ' || n, 'ws_old', '', '', 'run.finished', 'webhook', '', '{}',
         CASE WHEN n <= 2500 THEN 'retrying' ELSE 'failed' END, 'old', '', '', '2020-01-01', CASE WHEN n <= 2500 THEN '9999-01-01'::timestamptz END
       FROM generate_series(1, 2600) n`,
    );
    await deleteExpired(new RetentionStore(on.pool), { now: new Date('2020-03-01'), days: 30 }, () => true);
    const { rows } = await on.pool.query(
      "SELECT status, count(*)::int AS n FROM deliveries WHERE workspace_id = 'ws_old' GROUP BY 1",
    );
    expect(rows).toEqual([{ status: 'retrying', n: 2_500 }]);
    await on.pool.query("DELETE FROM deliveries WHERE workspace_id = 'ws_old'");
  });

  it('deletes ended deliveries that were created before then, and none still to be sent', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = ({ body }) => (body.includes('later') ? 500 : 200);
    const hook = webhookOf(receiver.url);
    const [over, open] = [messageTo(hook), messageTo(hook, { body: (id) => `{"id":"${id}","later":true}` })];
    await on.enqueue(over, open);
    await on.inStatus(over.key, 'delivered');
    await on.inStatus(open.key, 'retrying');
    const retention = new RetentionStore(on.pool);
    expect(await retention.deleteEnded(new Date(Date.now() + 1_000), '')).toBeDefined();
    await expect(on.find(over.key)).rejects.toThrow('no delivery has the key');
    expect((await on.find(open.key)).status).toBe('retrying');
  });
});
