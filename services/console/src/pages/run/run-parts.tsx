import type { RunDetail } from '@tidemark/sdk';
import type { LivePage } from '../../api/live.ts';
import { engineName } from '../../parts/engine-name.ts';
import { Panel } from '../../parts/panel.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { duration, exactMoment, moment, number, second } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { run: texts } = words.runs;

/** What each engine read and what it cost. */
export function Engines({ engines }: { engines: RunDetail['engines'] }) {
  if (engines === null || engines.length === 0) return null;
  return (
    <Panel title={texts.engines}>
      <ul className="grid gap-2">
        {engines.map(({ method, pages, credits, medianMs }) => (
          <li key={method ?? ''}>
            <span className="font-medium">{method === null ? texts.noEngine : engineName(method)}</span>
            <span className="block text-muted">
              {texts.engine(words.counts.pages(pages), words.counts.credits(credits), duration(medianMs))}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The pages that ended last. */
export function NewestPages({ pages }: { pages: readonly LivePage[] }) {
  if (pages.length === 0) return null;
  return (
    <Panel title={texts.newest} flush className="lg:col-span-2">
      <ScrollBox label={texts.newest} className="max-h-80">
        <ul>
          {pages.map(({ id, url, verdict, httpStatus, words: length }) => (
            <li key={id} className="flex items-center gap-3 border-t border-line px-4 py-1.5 first:border-t-0">
              <span className="w-16 shrink-0 text-muted">{verdict}</span>
              <span dir="ltr" className="min-w-0 flex-1 truncate">
                {pathOf(url)}
              </span>
              <span className="text-xs text-muted tabular-nums">
                {httpStatus ?? ''} · {number(length)}
              </span>
            </li>
          ))}
        </ul>
      </ScrollBox>
    </Panel>
  );
}

export function Hosts({ held }: { held: RunDetail['held'] }) {
  if (held.length === 0) return null;
  return (
    <Panel title={texts.held}>
      <ul className="grid gap-1">
        {held.map(({ host, until, why }) => (
          <li key={host} className="anywhere">
            {texts.heldUntil(host, moment(until), why)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Traps({ traps }: { traps: RunDetail['traps'] }) {
  if (traps.length === 0) return null;
  return (
    <Panel title={texts.traps} className="lg:col-span-2">
      <ul className="grid gap-1">
        {traps.map(({ pattern, urls, why }) => (
          <li key={pattern} className="anywhere">
            {texts.trap(pattern, words.counts.urls(urls), why)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The log of a run, oldest first. */
export function Log({ entries }: { entries: RunDetail['log'] }) {
  return (
    <Panel title={texts.log} flush className="lg:col-span-3">
      {entries.length === 0 ? (
        <p className="px-4 pb-4 text-muted">{texts.noLog}</p>
      ) : (
        <ScrollBox label={texts.log} className="max-h-96">
          <ol>
            {entries.map(({ at, what, why }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries are only appended, and two may be equal
              <li key={index} className="flex flex-wrap gap-x-4 border-t border-line px-4 py-1.5 first:border-t-0">
                <time dateTime={at} title={exactMoment(at)} className="w-40 shrink-0 text-muted tabular-nums">
                  {second(at)}
                </time>
                <span className="anywhere min-w-48 flex-1">
                  {what}
                  {why === '' ? '' : `: ${why}`}
                </span>
              </li>
            ))}
          </ol>
        </ScrollBox>
      )}
    </Panel>
  );
}
