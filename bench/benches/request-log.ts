// What the request log costs: in the gateway per request, and in PostgreSQL per stored, read and deleted request.
import { newId } from '@tidemark/contracts';
import { StoreRequestsRequest } from '@tidemark/contracts/identity/v1/requests';
import { openPool } from '@tidemark/service';
import { RequestLog } from '../../services/identity/src/store/request-log.ts';
import { startFleet } from '../../test/harness/fleet.ts';

const MADE = 50_000;
const BATCH = 1_000;
const BATCHES = 300;

const row = (workspaceId: string, at: number) => ({
  id: newId('rql'),
  at: new Date(),
  workspaceId,
  keyId: 'key_01j5xq2w8se6fa7t0a6q1n3k2m',
  keyName: '',
  route: 'GET /v1/scrape/{id}',
  method: 'GET',
  path: `/v1/scrape/${newId('job')}`,
  status: at % 25 === 0 ? 404 : 200,
  code: at % 25 === 0 ? 'not_found' : '',
  message: at % 25 === 0 ? 'no job has this id; it was deleted, or it belongs to another workspace' : '',
  durationMs: at % 900,
  requestId: newId('req'),
  credits: 1,
  userAgent: 'tidemark-sdk/1.0.0',
});

const print = (name: string, value: number, unit: string): void =>
  console.log(`${name.padEnd(56)} ${value.toFixed(2).padStart(10)} ${unit}`);

/** CPU of making an entry and encoding its part of a batch, µs. */
function measureEntries(): void {
  const make = (count: number): void => {
    for (let at = 0; at < count; at += BATCH) {
      const requests = Array.from({ length: BATCH }, (_, index) => row('ws_01j5xq2w8se6fa7t0a6q1n3k2m', index));
      StoreRequestsRequest.encode({ requests }).finish();
    }
  };
  make(5 * BATCH);
  const before = process.cpuUsage();
  make(MADE);
  const { user, system } = process.cpuUsage(before);
  print('gateway: make and encode an entry', (user + system) / MADE, 'µs CPU');
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
};

measureEntries();

const fleet = await startFleet({ services: ['identity'] });
try {
  const pool = openPool(fleet.databaseUrl, 'identity', 2);
  const log = new RequestLog(pool);
  const { id } = await fleet.workspaces.make();
  const made = Array.from({ length: BATCHES }, () =>
    Array.from({ length: BATCH }, (_, at) => ({ ...row(id, at), at: new Date(), credits: 1 })),
  );
  const storeMs = await timed(async () => {
    for (const batch of made) await log.store(batch);
  });
  print(`identity and PostgreSQL: store, batches of ${BATCH}`, (storeMs * 1_000) / (BATCH * BATCHES), 'µs a request');
  const small = Array.from({ length: 100 }, (_, at) => ({ ...row(id, at), at: new Date(), credits: 1 }));
  const singleMs = await timed(async () => {
    for (const one of small) await log.store([one]);
  });
  print('the same, batches of 1', (singleMs * 1_000) / small.length, 'µs a request');
  const sizes = await fleet.sql<{ bytes: string }>("SELECT pg_total_relation_size('identity.requests') AS bytes");
  print('size with indexes', Number(sizes[0]?.bytes) / (BATCH * BATCHES), 'bytes a request');
  const first = { before: '', limit: 100 };
  print(`newest 100 of ${BATCH * BATCHES}`, await timed(() => log.list(id, {}, first)), 'ms');
  print('newest 100 failures', await timed(() => log.list(id, { statusFrom: 400 }, first)), 'ms');
  print(
    'a request id that is the oldest',
    await timed(() => log.list(id, { requestId: made[0]?.[0]?.requestId }, first)),
    'ms',
  );
  print('groups of failures', await timed(() => log.groupFailures(id, {})), 'ms');
  await fleet.sql("UPDATE identity.requests SET at = at - interval '8 days' WHERE at < now() - interval '1 ms'");
  let deleted = 0;
  const deleteMs = await timed(async () => {
    for (let count = await log.deleteOld(7); count > 0; count = await log.deleteOld(7)) deleted += count;
  });
  print('delete after a week', (deleteMs * 1_000) / deleted, 'µs a request');
  await pool.end();
} finally {
  await fleet.stack.stop();
  await fleet.close();
}
process.exit(0);
