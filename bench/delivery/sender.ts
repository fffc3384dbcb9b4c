import { newId } from '@tidemark/contracts';
import { createGuard, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { createLogger, inTransaction, openPool } from '@tidemark/service';
import type { NewMessage } from '../../services/delivery/src/domain/new-message.ts';
import { openSending } from '../../services/delivery/src/sending/open-sending.ts';

/** Runs delivery's queue and dispatcher in a separate process: enqueues messages as event handlers do, and sends them. */
interface SenderOptions {
  readonly databaseUrl: string;
  readonly urls: readonly string[];
  readonly messages: number;
  /** Messages enqueued per second; 0: all at once. */
  readonly perSecond: number;
}

const TICK_MS = 20;
/** Messages per transaction where all are enqueued at once. */
const AT_ONCE = 500;
const BODY = 'x'.repeat(2_000);

const { databaseUrl, urls, messages, perSecond }: SenderOptions = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(databaseUrl, 'delivery', 12);
const app = { own: <T extends object>(one: T): T => one, log: createLogger('bench', 'fatal') };
const { queue } = openSending(app, {
  pool,
  sealer: new Sealer(Buffer.alloc(32, 7).toString('base64')),
  pollIntervalMs: 1_000,
  now: () => new Date(),
  guard: createGuard({ allow: parseAllowList('127.0.0.2/32') }),
  openChannels: async () => undefined,
  mail: { url: '', from: 'Tidemark <tidemark@localhost>' },
});

const workspaceId = newId('ws');
const receivers = urls.map((url) => ({
  id: newId('job'),
  workspaceId,
  projectId: '',
  kind: 'webhook' as const,
  service: '',
  url,
}));

/** Builds the n-th message; receivers take turns. Its age is measured from now, in milliseconds. */
function messageOf(n: number): NewMessage[] {
  const receiver = receivers[n % receivers.length];
  if (receiver === undefined) return [];
  const ts = Date.now();
  const body = (id: string) => JSON.stringify({ id, event: 'run.finished', ts, data: BODY });
  return [
    {
      key: newId('req'),
      receiver,
      runId: receiver.id,
      event: 'run.finished',
      recipient: '',
      createdAt: new Date(),
      body,
    },
  ];
}

async function enqueue(from: number, to: number): Promise<void> {
  const sent = Array.from({ length: to - from }, (_, at) => messageOf(from + at)).flat();
  queue.wake(await inTransaction(pool, (client) => queue.enqueue(client, sent)));
}

process.on('disconnect', () => process.exit(0));
const beganAt = performance.now();
for (let sent = 0; sent < messages; ) {
  const due = perSecond === 0 ? sent + AT_ONCE : Math.ceil(((performance.now() - beganAt) / 1_000) * perSecond);
  const to = Math.min(messages, due);
  if (to > sent) await enqueue(sent, to);
  sent = to;
  if (perSecond > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
