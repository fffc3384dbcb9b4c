import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeRecord, IgnoredChange, Tidemark } from '@tidemark/sdk';
import { type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import { EXIT } from '../exit.ts';
import type { Output } from '../terminal/output.ts';

const KINDS = ['added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template'] as const;
type Kind = (typeof KINDS)[number];

interface ChangeFlags {
  readonly run?: string;
  readonly kind?: Kind;
  readonly exitCode?: true;
  readonly ignored?: true;
  readonly patch?: true;
  readonly reviewAll?: true;
}

const POLL_MS = 1_000;
/** Kinds that state a change of the site. The others state that no comparison was possible. */
const CHANGED: ReadonlySet<string> = new Set(['added', 'removed', 'modified', 'template']);

type Handle = ReturnType<Tidemark['projects']['of']>;

/** Returns the change record of a run once it is made. */
async function recordOf(project: Handle, run_id: string | undefined, signal: AbortSignal): Promise<ChangeRecord> {
  for (;;) {
    const record = await project.changes({ run_id, limit: 1 });
    if (record.status !== 'making') return record;
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
}

/** Writes the words of an edit as `git diff --word-diff` does. */
export function patchOf({ url, kind, blocks, fields }: Change): string {
  const words = blocks.flatMap(({ section, words, before, after }, at) => {
    const head = at > 0 && blocks[at - 1]?.section === section ? [] : [`@@${section === '' ? '' : ` ${section}`} @@`];
    if (words.length > 0) return [...head, words.map(({ op, text }) => marked(op, text)).join('')];
    const parts = [before === null ? '' : marked('-', before), after === null ? '' : marked('+', after)];
    return [...head, ...parts.filter((part) => part !== '')];
  });
  const changed = fields.map((field) => `@@ field @@ ${JSON.stringify(field)}`);
  return [`${kind} ${url}`, ...words, ...changed, ''].join('\n');
}

const marked = (op: string, text: string): string => (op === '+' ? `{+${text}+}` : op === '-' ? `[-${text}-]` : text);

async function printEntries(out: Output, entries: AsyncIterable<Change>, isPatch: boolean): Promise<void> {
  if (isPatch && !out.isJson) for await (const entry of entries) out.text(patchOf(entry));
  else
    await out.rows(entries, ({ kind, url, section, wordsAdded, wordsRemoved, reviewed }) => ({
      kind,
      url,
      section,
      words: `+${wordsAdded} -${wordsRemoved}`,
      reviewed,
    }));
}

/** Prints ignored changes with both texts. */
async function printIgnored(out: Output, ignored: AsyncIterable<IgnoredChange>): Promise<void> {
  await out.rows(ignored, ({ id, url, reason, before, after, changed, comparisons, ignore }) => ({
    id,
    url,
    reason,
    before: before ?? '',
    after: after ?? '',
    changed: `${changed} of ${comparisons}`,
    decision: ignore === null ? '' : ignore ? 'ignore' : 'report',
  }));
}

/** 0 without changes, 2 with changes, 3 if the comparison is no verdict. */
function exitCodeOf({ counts, coverage, status }: ChangeRecord): number {
  if (status !== 'made' || counts === null) return EXIT.noVerdict;
  if (counts.added + counts.removed + counts.modified > 0) return EXIT.changes;
  return coverage?.verdict === true ? EXIT.ok : EXIT.noVerdict;
}

/** Returns the meaning of each coverage reason; none if the API does not respond: the codes are printed then. */
async function coverageReasons(client: Tidemark, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  const meta = await client.call('GET /meta', { signal, timeoutMs: 5_000, maxRetries: 0 }).catch(() => undefined);
  return meta?.coverageReasons ?? {};
}

function summaryOf(
  { status, counts, coverage, baseline, error }: ChangeRecord,
  meanings: Readonly<Record<string, string>>,
): string {
  if (status === null) return 'no run of this project has ended';
  if (counts === null) return `there is no change record: ${error ?? status}`;
  const names = Object.entries(counts).filter(([, count]) => count > 0);
  const reasons = coverage?.reasons.map((reason) => meanings[reason] ?? reason).join(', ') || 'nothing to compare with';
  const verdict = coverage?.verdict === true ? '' : `; no verdict: ${reasons}`;
  return `${names.map(([name, count]) => `${count} ${name}`).join(', ') || 'no pages'} since ${baseline ?? 'the beginning'}${verdict}`;
}

async function* none(): AsyncGenerator<never> {}

export function addChanges(program: Command): void {
  program
    .command('changes')
    .description('show what changed in the last run of a project')
    .argument('<id>', 'project')
    .option('--run <id>', 'run')
    .addOption(new Option('--kind <kind>', 'only entries of a kind').choices(KINDS))
    .option('--exit-code', 'end with 0 without changes, 2 with changes, 3 without a verdict')
    .option('--ignored', 'list what differs but is ignored, with both texts and the reason')
    .option('--patch', 'print the changed words')
    .option('--review-all', 'mark the printed entries as reviewed')
    .addHelpText(
      'before',
      'Examples:\n  tidemark changes prj_01j… --patch\n  tidemark run prj_01j… --wait && tidemark changes prj_01j… --exit-code\n',
    )
    .action(async (id: string, flags: ChangeFlags, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const project = client().projects.of(id);
      const record = await recordOf(project, flags.run, signal);
      const run_id = record.runId ?? undefined;
      const reviewed: string[] = [];
      const entries = async function* () {
        if (record.status !== 'made') return;
        for await (const entry of project.changeEntries({ run_id, kind: flags.kind })) {
          if (flags.kind === undefined && !CHANGED.has(entry.kind)) continue;
          reviewed.push(entry.id);
          yield entry;
        }
      };
      if (flags.ignored === true)
        await printIgnored(out, record.status === 'made' ? project.ignoredChanges({ run_id }) : none());
      else await printEntries(out, entries(), flags.patch === true);
      out.note(summaryOf(record, record.coverage?.verdict === false ? await coverageReasons(client(), signal) : {}));
      if (flags.reviewAll === true) for (const change of reviewed) await project.review(change);
      if (flags.exitCode === true) process.exitCode = exitCodeOf(record);
    });
}
