import { fillPath, type StoredPage } from '@tidemark/sdk';
import { Empty } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';

const { page: texts } = words.pages;

interface Props {
  readonly project: string;
  readonly page: StoredPage;
}

/** The stored text of a page, as text, and its screenshot. */
export function Reading({ project, page: { url, runId, markdown, title, reason, screenshot } }: Props) {
  const address = `${fillPath('/v1/projects/{project}/pages/screenshot', { project })}?${new URLSearchParams({ url, run_id: runId })}`;
  const text = markdown ?? '';
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      {text === '' ? (
        <Empty title={texts.noText} hint={texts.noTextHint(reason)} />
      ) : (
        <article dir="auto" className="anywhere max-w-[75ch] leading-relaxed whitespace-pre-wrap">
          {text}
        </article>
      )}
      {screenshot === null ? null : (
        <figure>
          <figcaption className="mb-1 text-xs text-muted">{texts.screenshot}</figcaption>
          <img
            src={address}
            alt={`${texts.screenshot}: ${title ?? url}`}
            loading="lazy"
            className="w-full rounded border border-line"
          />
        </figure>
      )}
    </div>
  );
}
