import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Loaded } from '../../parts/states.tsx';
import { share } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { screens: texts } = words.changes;

/** Two screenshots above each other, with a slider that uncovers the later one. */
export function ScreenshotDiff({ project: id, url, run }: { project: string; url: string; run: string }) {
  const [at, setAt] = useState(50);
  const screens = useRead('GET /projects/{id}/changes/screenshot', { path: { id }, query: { url, run_id: run } });
  const address = (side: string) =>
    `/v1/projects/${encodeURIComponent(id)}/changes/screenshot?${new URLSearchParams({ url, run_id: run, side })}`;
  return (
    <Loaded of={screens}>
      {(data) => {
        if (data instanceof Response) return null;
        const { changedShare } = data;
        return (
          <>
            <p className="mb-2 text-muted">
              {changedShare === null ? texts.unknown : texts.changed(share(changedShare))}
            </p>
            <div className="mb-2 flex items-center gap-3">
              <span>{texts.before}</span>
              <input
                type="range"
                aria-label={texts.slider}
                value={at}
                onChange={(event) => setAt(Number(event.target.value))}
                className="min-w-0 flex-1 accent-accent"
              />
              <span>{texts.after}</span>
            </div>
            <div className="relative overflow-hidden rounded border border-line">
              <img src={address('after')} alt={texts.after} className="block w-full" />
              <img
                src={address('before')}
                alt={texts.before}
                className="absolute inset-x-0 top-0 block w-full"
                style={{ clipPath: `inset(0 ${at}% 0 0)` }}
              />
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
