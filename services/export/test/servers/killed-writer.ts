/**
 * Writes a sync of files in a process of its own, and stops at a step until it is killed.
 *
 *   node killed-writer.ts < JSON of WriterJob
 *
 * Prints a line of JSON for each recorded part, `"stopped"` at the step, and `"done"` at the end.
 */
import { text } from 'node:stream/consumers';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import type { SyncPlan, SyncRow } from '../../src/destinations/driver.ts';
import { type AzureSettings, AzureTarget } from '../../src/destinations/objects/azure/azure-target.ts';
import { ObjectDriver } from '../../src/destinations/objects/object-driver.ts';
import type { ObjectTarget } from '../../src/destinations/objects/object-store.ts';
import type { PartLimits } from '../../src/destinations/objects/part-rows.ts';
import { type S3Settings, S3Target } from '../../src/destinations/objects/s3/s3-target.ts';
import { SFTP_PORTS, type SftpSettings } from '../../src/destinations/objects/sftp/open-sftp.ts';
import { SftpTarget } from '../../src/destinations/objects/sftp/sftp-target.ts';

/** A target as values that another process can open. */
export type TargetValues =
  | { readonly kind: 's3'; readonly settings: S3Settings }
  | { readonly kind: 'azure'; readonly settings: AzureSettings }
  | { readonly kind: 'sftp'; readonly settings: SftpSettings };

/** Where the writer stops: at the file with this number, the manifest being the last. */
export interface Stop {
  readonly at: 'before' | 'during' | 'after' | 'recorded';
  readonly file: number;
}

export interface WriterJob {
  readonly target: TargetValues;
  readonly plan: SyncPlan;
  readonly rows: readonly SyncRow[];
  readonly limits: PartLimits;
  readonly stop: Stop;
}

const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** Never resolves; the timer keeps the process alive. */
function stopHere(): Promise<never> {
  say('stopped');
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}

const dial = makeDialTcp(createGuard({ allow: parseAllowList('127.0.0.1') }), SFTP_PORTS);

function openTarget(target: TargetValues): ObjectTarget {
  if (target.kind === 's3') return new S3Target(target.settings, dial);
  if (target.kind === 'azure') return new AzureTarget(target.settings, dial);
  return new SftpTarget(target.settings);
}

/** Returns the target with a stop in the writing of one of its files. */
function stoppedAt(target: ObjectTarget, { at, file }: Stop): ObjectTarget {
  let files = 0;
  return {
    location: target.location,
    server: target.server,
    open: async (socket, how) => {
      const store = await target.open(socket, how);
      const put: typeof store.put = async (path, bytes, signal) => {
        const isStop = files === file;
        files += 1;
        if (isStop && at === 'before') await stopHere();
        const sent = store.put(path, bytes, signal);
        if (isStop && at === 'during') await Promise.race([sent.then(() => undefined), stopHere()]);
        await sent;
        if (isStop && at === 'after') await stopHere();
      };
      return { ...store, put, get: store.get, remove: store.remove, close: store.close };
    },
  };
}

const job: WriterJob = JSON.parse(await text(process.stdin), (key, value) =>
  (key === 'runAt' || key === 'crawledAt') && typeof value === 'string' ? new Date(value) : value,
);
const { plan, rows, limits, stop } = job;
const source = {
  async *read(after: number) {
    for (const [at, row] of rows.entries()) if (at >= after) yield { rows: [row], last: at + 1 };
  },
};
await new ObjectDriver(stoppedAt(openTarget(job.target), stop), dial, limits).write(plan, source, {
  signal: new AbortController().signal,
  parts: [],
  reportProgress: () => undefined,
  recordPart: async (part) => {
    say(part);
    if (stop.at === 'recorded' && part.number === stop.file) await stopHere();
  },
});
say('done');
