import type { BlamedBlock, StoredPage } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { date, moment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { blame: texts } = words.pages.page;

interface Props {
  readonly project: string;
  readonly page: StoredPage;
}

/** The text of a page with the time since which each block has it: when it appeared, was last edited, moved, or came back. */
export function Blame({ project: id, page: { url, crawledAt } }: Props) {
  const blame = useRead('GET /projects/{id}/pages/blame', { path: { id }, query: { url, at: crawledAt } });
  return (
    <Loaded of={blame}>
      {({ blocks, completeSince }) =>
        blocks.length === 0 ? (
          <Empty title={texts.none} hint={texts.noneHint} />
        ) : (
          <div className="p-5">
            <ol className="grid gap-3">
              {blocks.map((block, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a version are constant
                <li key={at} className="grid gap-x-4 gap-y-1 sm:grid-cols-[11rem_minmax(0,1fr)]">
                  <p className="text-xs text-muted" title={titleOf(block)}>
                    <span className="block font-medium text-ink">{sinceOf(block)}</span>
                    {notesOf(block).map((note) => (
                      <span key={note} className="block">
                        {note}
                      </span>
                    ))}
                  </p>
                  <p dir="auto" className={`anywhere max-w-[80ch] ${block.kind === 'heading' ? 'font-semibold' : ''}`}>
                    {block.text}
                  </p>
                </li>
              ))}
            </ol>
            {completeSince === null ? null : (
              <p className="mt-4 text-sm text-muted">{texts.completeSince(moment(completeSince))}</p>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

const sinceOf = ({ lastEdit, edits }: BlamedBlock): string =>
  (edits === 0 ? texts.since : texts.edited)(date(lastEdit.at), lastEdit.atLeast);

const titleOf = ({ origin, lastEdit }: BlamedBlock): string => texts.times(moment(origin.at), moment(lastEdit.at));

/** What else happened to a block: its first appearance, edits, moves, an absence. */
function notesOf({ origin, edits, moves, returned, approximate }: BlamedBlock): string[] {
  return [
    ...(edits === 0 ? [] : [texts.appeared(date(origin.at), words.counts.edits(edits))]),
    ...(moves === 0 ? [] : [texts.moved(words.counts.times(moves))]),
    ...(returned === null ? [] : [texts.returned(date(returned.leftAt.at), date(returned.at.at))]),
    ...(approximate ? [texts.approximate] : []),
  ];
}
