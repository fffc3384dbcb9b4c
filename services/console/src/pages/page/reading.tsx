import { fillPath, type StoredPage } from '@tidemark/sdk';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { StoredFrame } from '../../parts/diff/stored-frame.tsx';
import { useComparedFrame } from '../../parts/diff/use-compared-frame.ts';
import { Segments } from '../../parts/segments.tsx';
import { Empty } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { Blame } from './blame.tsx';

const { page: texts } = words.pages;
type Form = 'page' | 'markdown' | 'blame';

interface Props {
  readonly project: string;
  readonly page: StoredPage;
}

/** The stored text of a page, as a reader sees it or as markdown. */
export function Reading({ project: id, page }: Props) {
  const { url, runId, markdown, reason } = page;
  const [form, setForm] = useState<Form>('page');
  const { frame, state } = useComparedFrame();
  const text = markdown ?? '';
  if (text === '') return <Empty title={texts.noText} hint={texts.noTextHint(reason)} scene="away" />;
  return (
    <>
      <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-2">
        <Segments
          label={texts.form}
          value={form}
          choices={[
            { value: 'page', text: texts.forms.page },
            { value: 'markdown', text: texts.forms.markdown },
            { value: 'blame', text: texts.forms.blame },
          ]}
          onValue={setForm}
        />
        <CopyButton text={text} />
      </div>
      {form === 'blame' ? <Blame project={id} page={page} /> : null}
      {form === 'page' ? (
        <div className="h-[calc(100dvh-17rem)] min-h-96">
          <StoredFrame
            frame={frame}
            state={state}
            title={texts.frame}
            src={`${fillPath('/stored/{id}/reading', { id })}?${new URLSearchParams({ url, run_id: runId })}`}
          />
        </div>
      ) : null}
      {form === 'markdown' ? (
        <article dir="auto" className="anywhere max-w-[80ch] p-5 font-mono text-sm whitespace-pre-wrap">
          {text}
        </article>
      ) : null}
    </>
  );
}

/** The stored screenshot of a page, which opens in full. */
export function Screenshot({ project, page: { url, runId, title, screenshot } }: Props) {
  if (screenshot === null) return null;
  const source = `${fillPath('/v1/projects/{project}/pages/screenshot', { project })}?${new URLSearchParams({ url, run_id: runId })}`;
  return (
    <figure>
      <figcaption className="mb-1 text-xs text-muted">{texts.screenshot}</figcaption>
      <a href={source} target="_blank" rel="noreferrer">
        <img
          src={source}
          alt={`${texts.screenshot}: ${title ?? url}`}
          loading="lazy"
          className="max-h-80 w-full rounded-md border border-line object-cover object-top"
        />
      </a>
    </figure>
  );
}
