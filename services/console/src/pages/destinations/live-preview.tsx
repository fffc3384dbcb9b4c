import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Result, TidemarkError } from '@tidemark/sdk';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Select } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { Empty, Loading, sentenceOf } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { columnsOf, type DestinationDraft, messagesOf, shapeOf } from './destination-draft.ts';

const { destinations: texts } = words;
/** Time after the last key press, ms. */
const SETTLE_MS = 400;
const MAX_ROWS = 20;

/** Returns a value once it has not changed for a while. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface Props {
  readonly draft: DestinationDraft;
  readonly project: string | undefined;
  readonly onMessages: (messages: Readonly<Record<string, string>>) => void;
}

/** The first rows as the draft writes them, computed while it is typed. */
export function LivePreview({ draft, project, onMessages }: Props) {
  const projects = useRead('GET /projects', { query: { limit: 0 } });
  const all = (projects.data?.data ?? []).filter(({ lastRun }) => lastRun !== null);
  const [given, setGiven] = useState(project);
  const chosen = all.find(({ id }) => id === given)?.id ?? all[0]?.id;
  const { dataset } = draft;
  const body = useSettled({ dataset, shape: shapeOf(draft), columns: columnsOf(draft) });
  const preview = useQuery({
    queryKey: ['POST /destinations/preview', chosen, body],
    enabled: chosen !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.send('POST /destinations/preview', {
        body: { ...body, project_id: chosen ?? '', limit: MAX_ROWS },
        signal,
      }),
  });
  const { error } = preview;
  useEffect(
    () => onMessages(error instanceof TidemarkError ? messagesOf(error.detail ?? []) : {}),
    [error, onMessages],
  );
  return (
    <Panel title={texts.preview} className="mb-4">
      {projects.data !== undefined && chosen === undefined ? (
        <Empty title={texts.previewNoProject} />
      ) : (
        <>
          <div className="mb-3 max-w-xs">
            <Select
              label={texts.previewOf}
              value={chosen ?? ''}
              onValue={setGiven}
              choices={all.map(({ id, name, seed }) => ({ value: id, text: name ?? shortUrl(seed) }))}
            />
          </div>
          {error === null ? null : (
            <p role="alert" className="anywhere mb-3 text-bad">
              {sentenceOf(error)}
            </p>
          )}
          {preview.data === undefined ? error === null ? <Loading /> : null : <Rows result={preview.data} />}
        </>
      )}
    </Panel>
  );
}

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function Rows({ result: { columns, data, read, failed, failures } }: { result: Result<'POST /destinations/preview'> }) {
  return (
    <>
      {data.length === 0 ? (
        <Empty title={texts.previewNone} />
      ) : (
        <PlainTable
          label={texts.preview}
          titles={columns.map(({ name, type }) => `${name} (${type})`)}
          rows={data}
          keyOf={(_, index) => String(index)}
          cells={(row) =>
            columns.map(({ name }) => (
              <span key={name} dir="auto" className="line-clamp-2 block max-w-72 min-w-24">
                {cellText(row[name])}
              </span>
            ))
          }
        />
      )}
      <p className="mt-3 text-xs text-muted">{texts.previewNote(words.counts.rows(data.length), number(read))}</p>
      {failed === 0 ? null : (
        <div className="mt-2 text-xs">
          <p>{texts.previewFailed(words.counts.cells(failed))}</p>
          <ul className="list-disc ps-5">
            {failures.map(({ column, message }) => (
              <li key={`${column} ${message}`} className="anywhere">
                {column ?? texts.condition}: {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
