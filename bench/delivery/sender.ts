import { newId } from '@tidemark/contracts';
import { createGuard, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { createLogger, inTransaction, openPool } from '@tidemark/service';
import type { NewMessage } from '../../services/delivery/src/domain/new-message.ts';
import { openSending } from '../../services/delivery/src/sending/open-sending.ts';

/** The queue and its dispatcher as delivery runs them, in a process of its own: tells messages as tellers do, and sends them. */
interface Asked {
  readonly databaseUrl: string;
  readonly urls: readonly string[];
  readonly messages: number;
  /** Messages told a second; 0: all at once. */
  readonly perSecond: number;
}

const TICK_MS = 20;
/** Told in one transaction, where all are told at once. */
const AT_ONCE = 500;
const BODY = 'x'.repeat(2_000);

const { databaseUrl, urls, messages, perSecond }: Asked = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(databaseUrl, 'delivery', 12);
const app = { own: <T extends object>(one: T): T => one, log: createLogger('bench', 'fatal') };
const { queue } = openSending(app, {
  ...{ pool, sealer: new Sealer(Buffer.alloc(32, 7).toString('base64')), lookEveryMs: 1_000, now: () => new Date() },
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

/** The n-th message: receivers take turns. Its age counts from now, in milliseconds. */
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

async function tell(from: number, to: number): Promise<void> {
  const told = Array.from({ length: to - from }, (_, at) => messageOf(from + at)).flat();
  queue.wake(await inTransaction(pool, (client) => queue.enqueue(client, told)));
}

process.on('disconnect', () => process.exit(0));
const beganAt = performance.now();
for (let told = 0; told < messages; ) {
  const due = perSecond === 0 ? told + AT_ONCE : Math.ceil(((performance.now() - beganAt) / 1_000) * perSecond);
  const to = Math.min(messages, due);
  if (to > told) await tell(told, to);
  told = to;
  if (perSecond > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
