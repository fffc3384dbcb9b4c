import { fillPath } from '@tidemark/sdk';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Readings } from '../../parts/diff/readings.ts';
import { CheckField } from '../../parts/field.tsx';
import { NeverStored } from '../../parts/never-stored.tsx';
import { Loaded } from '../../parts/states.tsx';
import { share } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { screens: texts } = words.changes;

/** Two screenshots above each other, with a slider that uncovers the later one. */
export function ScreenshotDiff({ project: id, url, run, from }: Readings) {
  const [at, setAt] = useState(50);
  const [isMarked, setMarked] = useState(false);
  const query = { url, run_id: run, ...(from === undefined ? {} : { from }) };
  const screens = useRead('GET /projects/{id}/changes/screenshot', { path: { id }, query });
  const urlOf = (side: string) =>
    `${fillPath('/v1/projects/{id}/changes/screenshot', { id })}?${new URLSearchParams({ ...query, side })}`;
  return (
    <Loaded of={screens} whenMissing={<NeverStored what="screenshot" />}>
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
            {isMarked ? (
              <img src={urlOf('diff')} alt={texts.diffAlt} className="block w-full rounded border border-line" />
            ) : (
              <Uncovered urlOf={urlOf} at={at} />
            )}
            <div className="mt-2">
              <CheckField label={texts.diff} checked={isMarked} onChange={(event) => setMarked(event.target.checked)} />
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

/** The later screenshot below the earlier one, which is cut off at a share of the width. */
const Uncovered = ({ urlOf, at }: { urlOf: (side: string) => string; at: number }) => (
  <div className="relative overflow-hidden rounded border border-line">
    <img src={urlOf('after')} alt={texts.after} className="block w-full" />
    <img
      src={urlOf('before')}
      alt={texts.before}
      className="absolute inset-x-0 top-0 block w-full"
      style={{ clipPath: `inset(0 ${at}% 0 0)` }}
    />
  </div>
);
