import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ChangeRecord, IgnoredChange } from '@tidemark/sdk';
import { ArrowLeft, BellRing, EyeOff } from 'lucide-react';
import { useList } from '../../api/lists.ts';
import { useCan } from '../../api/session.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { moment, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { FROM } from './use-changes.ts';

const {
  changes: { ignored: texts, ops },
  states,
} = words;
const PAGE_BLOCKS = 100;

const blocksIn = (value: number): string => words.counts.blocks(value);

/** The ignored blocks of a record: both texts, why, since when and how often, and the decision about each. */
export function IgnoredBlocks({ record: { runId, counts } }: { record: ChangeRecord }) {
  const { project: id } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const query = { limit: PAGE_BLOCKS, ...(runId === null ? {} : { run_id: runId }) };
  const list = useList('GET /projects/{id}/changes/ignored', { path: { id }, query });
  const more = useMore(list);
  return (
    <Panel
      title={texts.title(blocksIn(counts?.volatileBlocks ?? 0))}
      actions={
        <Link
          to="/projects/$project/changes"
          params={{ project: id }}
          search={{ ...view, ignored: undefined }}
          className={buttonClass()}
        >
          <ArrowLeft aria-hidden size={16} />
          {texts.close}
        </Link>
      }
    >
      <p className="mb-3 text-muted">{texts.hint}</p>
      <Loaded of={list}>
        {({ pages }) => {
          const blocks = pages.flatMap(({ data }) => data);
          if (blocks.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />;
          return (
            <>
              <ul aria-label={texts.list}>
                {blocks.map((block) => (
                  <li
                    key={block.id}
                    className="border-t border-line py-4 [contain-intrinsic-size:auto_10rem] [content-visibility:auto] first:border-t-0 first:pt-0"
                  >
                    <Ignored block={block} />
                  </li>
                ))}
              </ul>
              {list.hasNextPage ? (
                <Button onClick={more} disabled={list.isFetchingNextPage}>
                  {states.more}
                </Button>
              ) : null}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Ignored({ block }: { block: IgnoredChange }) {
  const { url, section, landmark, field, op, reason, since, changed, comparisons, truncated } = block;
  const place = field === null ? [section, landmark, ops[op]] : [texts.field(field)];
  return (
    <article className="grid gap-x-6 gap-y-2 md:grid-cols-[minmax(0,1fr)_14rem]">
      <div className="min-w-0">
        <a dir="ltr" href={url} target="_blank" rel="noreferrer" className="anywhere text-accent underline">
          {pathOf(url)}
        </a>
        <p dir="auto" className="anywhere text-xs text-muted">
          {place.filter((part) => part !== '').join(' · ')}
        </p>
        <dl className="mt-2 grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
          <Text name={texts.before} text={block.before} isOld />
          <Text name={texts.after} text={block.after} />
        </dl>
        {truncated ? <p className="text-xs text-muted">{texts.truncated}</p> : null}
      </div>
      <div className="grid content-start justify-items-start gap-2">
        <p className="text-xs">{texts.reasons[reason]}</p>
        <p className="text-xs text-muted">
          {[
            texts.often(number(changed), words.counts.comparisons(comparisons)),
            since === null ? '' : texts.since(moment(since)),
          ].join(' ')}
        </p>
        <Decision block={block} />
      </div>
    </article>
  );
}

function Text({ name, text, isOld = false }: { name: string; text: string | null; isOld?: boolean }) {
  return (
    <>
      <dt className="text-xs text-muted">{name}</dt>
      <dd dir="auto" className="anywhere whitespace-pre-wrap">
        {text === null ? (
          <span className="text-muted">{texts.missing}</span>
        ) : isOld ? (
          <del>{text}</del>
        ) : (
          <ins>{text}</ins>
        )}
      </dd>
    </>
  );
}

/** The decision about the place of a block, and the button that takes the other one. */
function Decision({ block: { id: ignored, url, ignore } }: { block: IgnoredChange }) {
  const { project: id } = useParams({ from: FROM });
  const canWrite = useCan('write');
  const { send, isSending } = useWrite('POST /projects/{id}/changes/ignored/{ignored}', [
    'GET /projects/{id}/changes/ignored',
  ]);
  const isReported = ignore === false;
  const decide = () =>
    void act(
      () => send({ path: { id, ignored }, body: { ignore: isReported } }),
      isReported ? texts.ignoredDone : texts.reportedDone,
    );
  const Icon = isReported ? EyeOff : BellRing;
  const name = isReported ? texts.ignore : texts.report;
  return (
    <>
      {ignore === null ? null : (
        <Badge tone={isReported ? 'info' : 'idle'}>{isReported ? texts.reported : texts.kept}</Badge>
      )}
      {canWrite ? (
        <Button onClick={decide} disabled={isSending} aria-label={`${name}: ${pathOf(url)}`}>
          <Icon aria-hidden size={16} />
          {name}
        </Button>
      ) : null}
    </>
  );
}
