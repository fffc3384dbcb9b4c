import type { Change, ChangeRecord, IgnoredChange, ListedChange, Tidemark } from '@tidemark/sdk';
import type { Command } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { EXIT } from '../exit.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';

const OWN = {
  run_id: '--run',
  cursor: '--cursor',
  limit: '--limit',
} as const satisfies OwnWords<'GET /projects/{id}/changes'>;

interface ChangeFlags extends ListFlags {
  readonly run?: string;
  readonly exitCode?: true;
  readonly ignored?: true;
  readonly patch?: true;
  readonly reviewAll?: true;
}

/** Kinds that state a change of the site. The others state that no comparison was possible. */
const CHANGED = 'changed';
const AT_ONCE = 100;
/** Longest wait for a record, ms. */
const RECORD_MS = 600_000;

type Handle = ReturnType<Tidemark['projects']['of']>;

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

/** What of a change record is printed. */
interface Printed extends ListFlags {
  readonly run_id: string | undefined;
  readonly fields: Record<string, unknown>;
  readonly isPatch: boolean;
}

/** Prints the entries of a record. @returns the ids of those that were printed */
async function printEntries(context: Context, project: Handle, printed: Printed): Promise<string[]> {
  const { run_id, fields, isPatch, ...flags } = printed;
  const ids: string[] = [];
  const shape = {
    atOnce: AT_ONCE,
    async read(range: { limit: number; cursor?: string }) {
      const part = await project.changes({ kind: CHANGED, ...fields, run_id, ...range });
      ids.push(...part.entries.map(({ id }) => id));
      return { data: part.entries, cursor: part.cursor };
    },
    columns: ({ kind, url, section, wordsAdded, wordsRemoved, reviewed }: Change) => ({
      kind,
      url,
      section,
      words: `+${wordsAdded} -${wordsRemoved}`,
      reviewed,
    }),
  };
  await printList(context, flags, isPatch ? { ...shape, text: patchOf } : shape);
  return ids;
}

/** Prints ignored changes with both texts. */
async function printIgnored(context: Context, project: Handle, { run_id, limit, cursor }: Printed): Promise<void> {
  const client = context.client();
  await printList(
    context,
    { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) },
    {
      atOnce: AT_ONCE,
      read: (range) =>
        client.page('GET /projects/{id}/changes/ignored', { path: { id: project.id }, query: { run_id, ...range } }),
      columns: ({ id, url, reason, before, after, changed, comparisons, ignore }: IgnoredChange) => ({
        id,
        url,
        reason,
        before: before ?? '',
        after: after ?? '',
        changed: `${changed} of ${comparisons}`,
        decision: ignore === null ? '' : ignore ? 'ignore' : 'report',
      }),
    },
  );
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

async function showChanges(id: string, flags: ChangeFlags, command: Command): Promise<void> {
  const context = contextOf(command);
  const { client, out, signal } = context;
  const { run, patch, ignored, reviewAll, exitCode, limit, cursor } = flags;
  const project = client().projects.of(id);
  const record = await project.record({ run_id: run, limit: 1 }, { signal, waitMs: RECORD_MS });
  const printed: Printed = {
    run_id: record.runId ?? undefined,
    fields: routeFields(command, 'GET /projects/{id}/changes', OWN),
    isPatch: patch === true,
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const isMade = record.status === 'made';
  if (ignored === true && isMade) await printIgnored(context, project, printed);
  const ids = ignored !== true && isMade ? await printEntries(context, project, printed) : [];
  out.note(summaryOf(record, record.coverage?.verdict === false ? await coverageReasons(client(), signal) : {}));
  if (reviewAll === true) for (const change of ids) await project.review(change);
  if (exitCode === true) process.exitCode = exitCodeOf(record);
}

const OWN_OF_ALL = { cursor: '--cursor', limit: '--limit' } as const satisfies OwnWords<'GET /changes'>;

async function showAllChanges(flags: ListFlags & { readonly patch?: true }, command: Command): Promise<void> {
  const context = contextOf(command);
  const { patch, ...range } = flags;
  const query = routeFields(command, 'GET /changes', OWN_OF_ALL);
  const client = context.client();
  const shape = {
    atOnce: AT_ONCE,
    read: (part: { limit: number; cursor?: string }) => client.page('GET /changes', { query: { ...query, ...part } }),
    columns: ({ projectId, kind, url, section, wordsAdded, wordsRemoved, madeAt }: ListedChange) => ({
      project: projectId,
      at: madeAt,
      kind,
      url,
      section,
      words: `+${wordsAdded} -${wordsRemoved}`,
    }),
  };
  await printList(context, range, patch === true ? { ...shape, text: patchOf } : shape);
}

function addAllChanges(program: Command): void {
  const all = addListOptions(
    program
      .command('all-changes')
      .description('list the changes of all projects, or of those with a tag, newest first')
      .option('--patch', 'print the changed words')
      .addHelpText('before', 'Example:\n  tidemark all-changes --tag prices --since 2026-11-01T00:00:00Z\n'),
  );
  addRouteOptions(all, 'GET /changes', OWN_OF_ALL).action(showAllChanges);
}

export function addChanges(program: Command): void {
  addAllChanges(program);
  const changes = addListOptions(
    program
      .command('changes')
      .description('show what changed in the last run of a project')
      .argument('<id>', 'project')
      .option('--run <id>', 'run')
      .option('--exit-code', 'end with 0 without changes, 2 with changes, 3 without a verdict')
      .option('--ignored', 'list what differs but is ignored, with both texts and the reason')
      .option('--patch', 'print the changed words')
      .option('--review-all', 'mark the printed entries as reviewed')
      .addHelpText(
        'before',
        'Examples:\n  tidemark changes prj_01j… --patch\n  tidemark run prj_01j… --wait && tidemark changes prj_01j… --exit-code\n',
      ),
  );
  addRouteOptions(changes, 'GET /projects/{id}/changes', OWN).action(showChanges);
}
