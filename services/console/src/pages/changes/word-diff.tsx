import type { Change, ChangedBlock, ChangedField } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { Loaded } from '../../parts/states.tsx';
import { count } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { foldFrame } from './fold-frame.ts';
import type { Readings } from './readings.ts';

const { changes: texts } = words;

/** The words of a block: added ones underlined, removed ones struck through. All text is shown as text. */
function BlockText({ block: { op, words: parts, before, after } }: { block: ChangedBlock }) {
  if (parts.length > 0)
    return parts.map(({ op: kind, text }, index) => {
      const key = `${index} ${kind}`;
      if (kind === '+') return <ins key={key}>{text}</ins>;
      return kind === '-' ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
    });
  return (
    <>
      {before === null || op === 'moved' ? null : <del>{before}</del>}
      {before !== null && after !== null && op !== 'moved' ? <br /> : null}
      {after === null ? null : op === 'moved' ? after : <ins>{after}</ins>}
    </>
  );
}

function Block({ block }: { block: ChangedBlock }) {
  const place = [block.section, block.landmark, texts.ops[block.op]].filter((one) => one !== '').join(' · ');
  return (
    <li className="border-s-2 border-line ps-3">
      <p dir="auto" className="anywhere text-xs text-muted">
        {place}
      </p>
      <p dir="auto" className="anywhere whitespace-pre-wrap">
        <BlockText block={block} />
      </p>
      <ul>
        {block.links.map(({ text, from, to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the links of a block are constant
          <li key={index} className="anywhere text-xs">
            {texts.linkFrom(text)}: {from === null ? null : <del>{from}</del>} {to === null ? null : <ins>{to}</ins>}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Field({ field: { name, from, to } }: { field: ChangedField }) {
  return (
    <li className="border-s-2 border-line ps-3">
      <p className="text-xs text-muted">{texts.field(name)}</p>
      <p dir="auto" className="anywhere">
        {from === null ? null : <del>{from === '' ? texts.empty : from}</del>}{' '}
        {to === null ? null : <ins>{to === '' ? texts.empty : to}</ins>}
      </p>
    </li>
  );
}

function Blocks({ blocks }: { blocks: readonly ChangedBlock[] }) {
  return (
    <ul className="grid gap-4">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a change are constant
        <Block key={index} block={block} />
      ))}
    </ul>
  );
}

/** The changed blocks and fields of a page. Of a page that was added or removed, the parts around its content are folded. */
export function WordDiff({
  change: { blocks, fields, truncated },
}: {
  change: Pick<Change, 'blocks' | 'fields' | 'truncated'>;
}) {
  const { shown, folded } = foldFrame(blocks);
  return (
    <>
      {fields.length === 0 ? null : (
        <ul className="mb-4 grid gap-4">
          {fields.map((field) => (
            <Field key={field.name} field={field} />
          ))}
        </ul>
      )}
      <Blocks blocks={shown} />
      {folded.length === 0 ? null : (
        <details className="mt-4">
          <summary className="mb-3 cursor-pointer text-muted">
            {texts.folded(count(folded.length, 'block', 'blocks'))}
          </summary>
          <Blocks blocks={folded} />
        </details>
      )}
      {truncated ? <p className="mt-4 text-muted">{texts.truncated}</p> : null}
    </>
  );
}

/** The words that differ between two readings of a page which several runs changed. */
export function ComparedWords({ project: id, url, run, from }: Readings) {
  const query = { url, run_id: run, ...(from === undefined ? {} : { from }) };
  const compared = useRead('GET /projects/{id}/changes/page', { path: { id }, query });
  return <Loaded of={compared}>{(data) => <WordDiff change={{ ...data, truncated: false }} />}</Loaded>;
}
