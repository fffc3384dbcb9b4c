import type { Exit } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { bytes, number, share } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { exits: texts } = words;
const { columns: titles } = texts;
const REFRESH_MS = 15_000;
const STATE_NAMES: Readonly<Record<string, string>> = texts.states;
const PARITY_NAMES: Readonly<Record<string, string>> = texts.parity;
const TONES: Readonly<Record<string, Tone>> = { alive: 'good', dead: 'bad', tampering: 'bad' };

/** The exits of the installation and how well they work. */
export function ExitsPage() {
  const exits = useRead('GET /me/proxies', {}, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHead title={texts.title} />
      <p className="mb-4 text-muted">{texts.intro}</p>
      <Panel flush>
        <Loaded of={exits}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <VirtualTable label={texts.title} columns={COLUMNS} rows={data} keyOf={({ name }) => name} />
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

function Hosts({ burnedFor, adoptedBy }: Exit) {
  const refused = burnedFor.length === 0 ? '' : texts.refused(burnedFor.join(', '));
  const preferred = adoptedBy.length === 0 ? '' : texts.preferred(adoptedBy.join(', '));
  return [preferred, refused].map((text) =>
    text === '' ? null : (
      <span key={text} dir="ltr" title={text} className="block truncate text-xs">
        {text}
      </span>
    ),
  );
}

const COLUMNS: readonly Column<Exit>[] = [
  {
    key: 'name',
    title: titles.name,
    cell: ({ name, kind, country }) => (
      <>
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-xs text-muted">
          {[kind, country].filter((one) => one !== null).join(' · ')}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: titles.state,
    width: 150,
    cell: ({ state }) => <Badge tone={TONES[state] ?? 'idle'}>{STATE_NAMES[state] ?? state}</Badge>,
  },
  {
    key: 'parity',
    title: titles.parity,
    width: 130,
    wideOnly: true,
    cell: ({ parity }) => PARITY_NAMES[parity] ?? parity,
  },
  { key: 'success', title: titles.success, width: 90, align: 'end', cell: ({ successRate }) => share(successRate) },
  {
    key: 'requests',
    title: titles.requests,
    width: 100,
    align: 'end',
    wideOnly: true,
    cell: ({ requests }) => number(requests),
  },
  {
    key: 'bytes',
    title: titles.bytes,
    width: 100,
    align: 'end',
    wideOnly: true,
    cell: ({ bytes: size }) => bytes(size),
  },
  { key: 'hosts', title: titles.hosts, width: 240, wideOnly: true, cell: (exit) => <Hosts {...exit} /> },
];
