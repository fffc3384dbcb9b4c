import { fillPath } from '@tidemark/sdk';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import type { Readings } from '../../parts/diff/readings.ts';
import { StoredFrame } from '../../parts/diff/stored-frame.tsx';
import { useComparedFrame } from '../../parts/diff/use-compared-frame.ts';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { rendered: texts } = words.changes;

/** The page with its changes in place: the stored html, or else the stored markdown (the gateway's route /stored/{id}/comparison). */
export function PageFrame({ project: id, url, run, from }: Readings) {
  const { frame, state, show } = useComparedFrame();
  const [at, setAt] = useState(0);
  const query = new URLSearchParams({ url, run_id: run, ...(from === undefined ? {} : { from }) });
  const total = state?.kind === 'ready' ? state.shown : 0;
  const moveTo = (next: number) => {
    setAt(next);
    show(next);
  };
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-5 py-1 text-xs text-muted">
        {state?.kind === 'ready' ? (
          <>
            <span>{texts.sources[state.source]}</span>
            {state.shown < state.changes ? (
              <span>{texts.outside(number(state.changes - state.shown), number(state.changes))}</span>
            ) : null}
            {total === 0 ? null : (
              <span className="ms-auto flex items-center">
                <span role="status" className="tabular-nums">
                  {texts.at(number(at + 1), number(total))}
                </span>
                <IconButton label={texts.previous} onClick={() => moveTo((at + total - 1) % total)}>
                  <ChevronUp aria-hidden size={16} />
                </IconButton>
                <IconButton label={texts.next} onClick={() => moveTo((at + 1) % total)}>
                  <ChevronDown aria-hidden size={16} />
                </IconButton>
              </span>
            )}
          </>
        ) : null}
      </div>
      <div className="min-h-0 flex-1">
        <StoredFrame
          frame={frame}
          state={state}
          title={texts.frame}
          src={`${fillPath('/stored/{id}/comparison', { id })}?${query}`}
        />
      </div>
    </div>
  );
}
