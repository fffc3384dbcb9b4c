import type { ChangedBlock, ChangedField, ComparedBlock } from '@tidemark/sdk';
import { type TextRun, wholeWords } from '@tidemark/sdk/whole-words';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { words } from '../../words/words.ts';
import { Loaded } from '../states.tsx';
import { foldFrame } from './fold-frame.ts';
import type { Layout } from './layouts.ts';
import type { Readings } from './readings.ts';

const { changes: texts } = words;
const LANDMARKS: Readonly<Record<string, string>> = texts.landmarks;
type Block = ChangedBlock | ComparedBlock;

/** Returns the text of a block as runs, in whole words. */
function runsOf({ op, words: parts, before, after }: Block): TextRun[] {
  if (op === 'same' || op === 'moved') return [{ op: '=', text: after ?? '' }];
  if (parts.length > 0) return wholeWords(parts);
  return [
    ...(before === null ? [] : [{ op: '-' as const, text: before }]),
    ...(after === null ? [] : [{ op: '+' as const, text: after }]),
  ];
}

/** Text with its edits: added words underlined, removed ones struck through, a gap between the two. All text is shown as text. */
const Runs = ({ runs }: { runs: readonly TextRun[] }) =>
  runs.map(({ op, text }, index) => {
    const key = `${index} ${op}`;
    if (op === '-') return <del key={key}>{text}</del>;
    if (op === '=') return <span key={key}>{text}</span>;
    return runs[index - 1]?.op === '-' ? (
      <span key={key}>
        {' '}
        <ins>{text}</ins>
      </span>
    ) : (
      <ins key={key}>{text}</ins>
    );
  });

/** The earlier and the later text, one below the other inside of the text, or beside one another. */
function Texts({ runs, layout }: { runs: readonly TextRun[]; layout: Layout }) {
  const className = 'anywhere max-w-[80ch] leading-relaxed whitespace-pre-wrap';
  if (layout === 'unified')
    return (
      <p dir="auto" className={className}>
        <Runs runs={runs} />
      </p>
    );
  return (
    <div className="grid grid-cols-2 gap-x-4">
      {(['+', '-'] as const).map((left) => (
        <p key={left} dir="auto" className={className}>
          <Runs runs={runs.filter(({ op }) => op !== left)} />
        </p>
      ))}
    </div>
  );
}

function Placed({ place, children }: { place: string; children: ReactNode }) {
  return (
    <li>
      {place === '' ? null : (
        <p dir="auto" className="anywhere mb-0.5 text-xs text-muted">
          {place}
        </p>
      )}
      {children}
    </li>
  );
}

/** Returns where a block is and what happened to it. The main content needs no name; what is around it does. */
function placeOf({ section, landmark, op }: Block): string {
  const place = [section, landmark === 'main' ? '' : (LANDMARKS[landmark] ?? ''), texts.ops[op]];
  return place.filter((one) => one !== '').join(' · ');
}

function ChangedText({ block, place, layout }: { block: Block; place: string; layout: Layout }) {
  const { op, links } = block;
  if (op === 'same')
    return (
      <li className="text-muted">
        <Texts runs={runsOf(block)} layout={layout} />
      </li>
    );
  return (
    <Placed place={place}>
      <Texts runs={runsOf(block)} layout={layout} />
      <ul>
        {links.map(({ text, from, to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the links of a block are constant
          <li key={index} className="anywhere text-xs">
            {texts.linkFrom(text)}: {from === null ? null : <del>{from}</del>} {to === null ? null : <ins>{to}</ins>}
          </li>
        ))}
      </ul>
    </Placed>
  );
}

function Field({ field: { name, from, to }, layout }: { field: ChangedField; layout: Layout }) {
  const runs: TextRun[] = [
    ...(from === null ? [] : [{ op: '-' as const, text: from === '' ? texts.empty : from }]),
    ...(to === null ? [] : [{ op: '+' as const, text: to === '' ? texts.empty : to }]),
  ];
  return (
    <Placed place={texts.field(name)}>
      <Texts runs={runs} layout={layout} />
    </Placed>
  );
}

/** The blocks in order. Where a block is, is stated once for those that follow one another, and not for those of a whole page. */
function Blocks({ blocks, layout, isWhole }: BlocksProps) {
  const places = blocks.map((block) => (isWhole ? '' : placeOf(block)));
  return (
    <ul className={`grid ${isWhole ? 'gap-2' : 'gap-4'}`}>
      {blocks.map((block, index) => (
        <ChangedText
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a change are constant
          key={index}
          block={block}
          place={places[index] === places[index - 1] ? '' : (places[index] ?? '')}
          layout={layout}
        />
      ))}
    </ul>
  );
}

interface BlocksProps {
  readonly blocks: readonly Block[];
  readonly layout: Layout;
  /** The blocks are those of a whole page, which was added or removed. */
  readonly isWhole: boolean;
}

interface FoldProps extends BlocksProps {
  readonly title: string;
  /** Opened at first: nothing else differs. */
  readonly isOpen?: boolean;
}

/** Blocks that are shown once their title is opened; nothing without blocks. */
function Fold({ title, isOpen = false, ...rest }: FoldProps) {
  if (rest.blocks.length === 0) return null;
  return (
    <details className="mt-4" open={isOpen}>
      <summary className="mb-3 text-sm text-muted">{title}</summary>
      <Blocks {...rest} />
    </details>
  );
}

/** The text of a page that was added or removed. One line beside the text marks it as added or removed; its words are not marked. */
function WholePage({ blocks }: { blocks: readonly Block[] }) {
  const isRemoved = blocks.every(({ after }) => after === null);
  return (
    <>
      <p className="mb-3 text-sm text-muted">{isRemoved ? texts.wholeRemoved : texts.wholeAdded}</p>
      <div className={`whole-text border-s-4 ps-4 ${isRemoved ? 'border-bad' : 'border-good'}`}>
        <Blocks blocks={blocks} layout="unified" isWhole />
      </div>
    </>
  );
}

interface DiffProps {
  readonly change: {
    readonly blocks: readonly Block[];
    readonly fields: readonly ChangedField[];
    readonly truncated: boolean;
  };
  readonly layout: Layout;
  /** The page was added or removed: all of it differs. */
  readonly isWhole: boolean;
}

const isIgnored = ({ volatile, op }: Block): boolean => volatile && op !== 'same';

/**
 * The changed blocks and fields of a page. Ignored blocks are folded, and of a page that was added or removed the parts around its content.
 */
export function WordDiff({ change: { blocks, fields, truncated }, layout, isWhole }: DiffProps) {
  const { shown, folded } = foldFrame(blocks.filter((block) => !isIgnored(block)));
  const ignored = blocks.filter(isIgnored);
  return (
    <>
      {layout === 'split' && !isWhole ? (
        <div aria-hidden className="mb-3 grid grid-cols-2 gap-x-4 text-xs font-medium text-muted">
          <span>{texts.screens.before}</span>
          <span>{texts.screens.after}</span>
        </div>
      ) : null}
      {fields.length === 0 || isWhole ? null : (
        <ul className="mb-4 grid gap-4">
          {fields.map((field) => (
            <Field key={field.name} field={field} layout={layout} />
          ))}
        </ul>
      )}
      {isWhole ? <WholePage blocks={shown} /> : <Blocks blocks={shown} layout={layout} isWhole={false} />}
      <Fold
        title={texts.folded(words.counts.blocks(folded.length))}
        blocks={folded}
        layout={layout}
        isWhole={isWhole}
      />
      <Fold
        title={texts.ignored.title(words.counts.blocks(ignored.length))}
        blocks={ignored}
        layout={layout}
        isWhole={false}
        isOpen={shown.length + fields.length === 0}
      />
      {truncated ? <p className="mt-4 text-muted">{texts.truncated}</p> : null}
    </>
  );
}

interface ComparedProps extends Readings {
  readonly layout: Layout;
  /** Unchanged blocks too. */
  readonly all: boolean;
}

/** The words that differ between two readings of a page. */
export function ComparedWords({ project: id, url, run, from, layout, all }: ComparedProps) {
  const query = { url, run_id: run, unchanged: all, ...(from === undefined ? {} : { from }) };
  const compared = useRead('GET /projects/{id}/changes/page', { path: { id }, query });
  return (
    <Loaded of={compared}>
      {(data) => (
        <WordDiff
          change={{ ...data, truncated: false }}
          layout={layout}
          isWhole={data.before === null || data.after === null}
        />
      )}
    </Loaded>
  );
}
