import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AuditEntry } from '@tidemark/sdk';
import { Download } from 'lucide-react';
import { useList } from '../../api/lists.ts';
import { useMore } from '../../api/use-more.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { actorName, type SubjectNames, useNames, withNames } from '../../parts/use-names.ts';
import { useProviderName } from '../../parts/use-provider-name.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';
import { type DetailNames, detailText } from './audit-detail.ts';

const { audit: texts } = words.team.workspace;
const { columns: titles } = texts;
/** The form of an action that the route accepts. */
const ACTION = /^([a-z_]+(\.[a-z_]+)?)?$/;

/** Returns an action in words: `project.changed` is "Project changed". */
function actionText(action: string): string {
  const [object = '', verb = ''] = action.split('.');
  const objects: Readonly<Record<string, string>> = texts.objects;
  const verbs: Readonly<Record<string, string>> = texts.verbs;
  const plain = (word: string): string => word.replaceAll('_', ' ');
  return texts.sentence(objects[object] ?? plain(object), verbs[verb] ?? plain(verb));
}

/** Returns the choice of an action that the URL names and no group has. */
const chosenAction = (action: string): { value: string; text: string }[] =>
  action === '' || action in texts.objects ? [] : [{ value: action, text: actionText(action) }];

/** Returns what an action concerns, by name. */
function subjectText({ subjectId }: AuditEntry, names: SubjectNames): string {
  if (subjectId === null) return '';
  const known = withNames(subjectId, names);
  if (known !== subjectId) return known;
  const kinds: Readonly<Record<string, string>> = texts.kinds;
  return kinds[subjectId.split('_')[0] ?? ''] ?? '';
}

const columnsWith = (names: SubjectNames, detailNames: DetailNames): readonly Column<AuditEntry>[] => [
  { key: 'at', title: titles.at, width: 130, cell: ({ at }) => <Time at={at} /> },
  {
    key: 'action',
    title: titles.action,
    cell: ({ action, detail }) => (
      <>
        <span className="block truncate font-medium" title={action}>
          {actionText(action)}
        </span>
        <span dir="auto" className="block truncate text-xs text-muted" title={JSON.stringify(detail)}>
          {detailText(detail, detailNames)}
        </span>
      </>
    ),
  },
  {
    key: 'actor',
    title: titles.actor,
    width: 180,
    wideOnly: true,
    cell: ({ actor, keyId, memberId }) => (
      <span dir="auto" className="block truncate" title={actor}>
        {actor === '' ? actorName(keyId ?? memberId ?? '', names) : actor}
      </span>
    ),
  },
  {
    key: 'subject',
    title: titles.subject,
    width: 200,
    wideOnly: true,
    cell: (entry) => (
      <span dir="auto" className="block truncate" title={entry.subjectId ?? ''}>
        {subjectText(entry, names)}
      </span>
    ),
  },
  {
    key: 'from',
    title: titles.from,
    width: 130,
    wideOnly: true,
    cell: ({ ip, userAgent }) => (
      <span className="block truncate" title={userAgent ?? ''}>
        {ip}
      </span>
    ),
  },
];

/** The groups of actions that the log can be filtered by, by name. */
const GROUPS = Object.entries(texts.objects)
  .map(([value, text]) => ({ value, text: texts.sentence(text, '').trim() }))
  .sort((a, b) => a.text.localeCompare(b.text));

/** What keys and people did in the workspace. */
export function AuditLog() {
  const search = useSearch({ from: '/workspace' });
  const navigate = useNavigate({ from: '/workspace' });
  const { action = '' } = search;
  const entries = useList('GET /me/audit', {
    query: { limit: 200, ...(action !== '' && ACTION.test(action) ? { action } : {}) },
  });
  const more = useMore(entries);
  const names = useNames();
  const detailNames = { provider: useProviderName(), withNames: (text: string) => withNames(text, names) };
  const filter = (text: string) =>
    void navigate({ search: { ...search, action: text === '' ? undefined : text }, replace: true });
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        <a href="/v1/me/audit/export?format=csv" download className={buttonClass()}>
          <Download aria-hidden size={16} />
          {texts.export}
        </a>
      }
    >
      <div className="w-72 max-w-full px-4 pb-3">
        <Select
          label={texts.action}
          value={action}
          onValue={filter}
          choices={[{ value: '', text: texts.anyAction }, ...chosenAction(action), ...GROUPS]}
        />
      </div>
      <Loaded of={entries}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <Empty title={texts.none} hint={texts.noneHint} />
          ) : (
            <VirtualTable
              label={texts.title}
              columns={columnsWith(names, detailNames)}
              rows={rows}
              keyOf={({ id }) => id}
              onEnd={more}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
