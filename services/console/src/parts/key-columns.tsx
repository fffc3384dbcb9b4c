import type { ApiKey } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { number } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Time } from './time.tsx';
import type { Column } from './virtual-table.tsx';

const { keys: texts } = words.team;
const { columns: titles } = texts;

const scopeOf = ({ scopes }: ApiKey) =>
  scopes.includes('admin') ? texts.scopes.admin : scopes.includes('write') ? texts.scopes.write : texts.scopes.read;

/** Returns the columns of a table of API keys. */
export const keyColumns = (actions: (key: ApiKey) => ReactNode, width: number): readonly Column<ApiKey>[] => [
  {
    key: 'name',
    title: titles.name,
    cell: ({ name, lastFour }) => (
      <>
        <span dir="auto" className="block truncate font-medium" title={name}>
          {name}
        </span>
        <span className="block font-mono text-xs text-muted">{texts.ending(lastFour)}</span>
      </>
    ),
  },
  { key: 'scopes', title: titles.scopes, width: 190, wideOnly: true, cell: scopeOf },
  {
    key: 'projects',
    title: titles.projects,
    width: 90,
    align: 'end',
    wideOnly: true,
    cell: ({ projects }) => (projects.length === 0 ? texts.allProjects : number(projects.length)),
  },
  {
    key: 'used',
    title: titles.used,
    width: 120,
    wideOnly: true,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="text-muted">{texts.unused}</span> : <Time at={lastUsedAt} />,
  },
  {
    key: 'expires',
    title: titles.expires,
    width: 120,
    wideOnly: true,
    cell: ({ expiresAt }) => (expiresAt === null ? texts.never : <Time at={expiresAt} />),
  },
  { key: 'actions', title: <span className="sr-only">{titles.actions}</span>, width, align: 'end', cell: actions },
];
