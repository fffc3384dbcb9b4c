import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack } from '../../deploy/local/stack.ts';
import { Figures } from '../archive/figures.ts';
import { measureLists } from '../delivery/lists.ts';
import { measureSending } from '../delivery/send.ts';

const DATA_DIR = resolve(import.meta.dirname, '../../.tidemark/bench-delivery');
const SECTIONS = ['offered', 'most', 'lists'] as const;

const HELP = `npm run bench -- delivery [--section offered,most,lists] [--messages 10000] [--per-second 200] [--rows 1000000]

Sends messages to fifty receivers over real HTTP, two of them dead (no response) and one slow (2 s), from a separate process that runs the
queue and the dispatcher of delivery on PostgreSQL with default settings. Prints each figure next to its goal.

  offered  200 messages a second: the delay of the healthy receivers, CPU a message, memory
  most     all of them at once: messages a second
  lists    lists of deliveries among a million`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: SECTIONS.join(',') },
    'per-second': { type: 'string', default: '200' },
    messages: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const expected = new Set(values.section.split(','));
  rmSync(DATA_DIR, { recursive: true, force: true });
  const stack = await startStack({ dataDir: DATA_DIR, services: [], logLevel: 'warn' });
  const { databaseUrl } = stack.urls;
  const postgresPid = stack.parts.postgres.pid;
  const figures = new Figures();
  try {
    const around = { databaseUrl, postgresPid, messages: Number(values.messages) };
    if (expected.has('offered')) await measureSending(figures, { ...around, perSecond: Number(values['per-second']) });
    if (expected.has('most')) await measureSending(figures, { ...around, perSecond: 0 });
    if (expected.has('lists')) await measureLists(figures, databaseUrl, postgresPid, Number(values.rows));
    figures.print();
  } finally {
    await stack.stop();
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}

if (values.help) console.log(HELP);
else await main();
