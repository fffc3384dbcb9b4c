import { fillPath } from '@tidemark/sdk';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import type { Readings } from '../../parts/diff/readings.ts';
import { Empty, Loading } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type ComparedMessage, readComparedMessage } from './compared-message.ts';

const { rendered: texts } = words.changes;

/**
 * The page with its changes in place, in a frame of an opaque origin that loads nothing (the gateway's route /stored/{id}/comparison). It has
 * the stored html, or else the stored markdown.
 */
export function PageFrame({ project: id, url, run, from }: Readings) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<ComparedMessage>();
  const [at, setAt] = useState(0);
  const receive = useEffectEvent((message: ComparedMessage) => setState(message));
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      // A sandboxed document has the origin `null`.
      if (source !== frame.current?.contentWindow || origin !== 'null') return;
      const message = readComparedMessage(data);
      if (message !== undefined) receive(message);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  const query = new URLSearchParams({ url, run_id: run, ...(from === undefined ? {} : { from }) });
  const total = state?.kind === 'ready' ? state.shown : 0;
  const show = (next: number) => {
    setAt(next);
    // An opaque origin has no name: the message has nothing but a number.
    frame.current?.contentWindow?.postMessage({ kind: 'show', at: next }, '*');
  };
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-5 text-xs text-muted">
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
                <IconButton label={texts.previous} onClick={() => show((at + total - 1) % total)}>
                  <ChevronUp aria-hidden size={16} />
                </IconButton>
                <IconButton label={texts.next} onClick={() => show((at + 1) % total)}>
                  <ChevronDown aria-hidden size={16} />
                </IconButton>
              </span>
            )}
          </>
        ) : null}
      </div>
      <div className="relative min-h-0 flex-1">
        <iframe
          ref={frame}
          title={texts.frame}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          src={`${fillPath('/stored/{id}/comparison', { id })}?${query}`}
          className={`block size-full ${state?.kind === 'ready' ? '' : 'invisible'}`}
          // Pages without colours of their own expect a white ground.
          style={{ background: '#ffffff', colorScheme: 'light' }}
        />
        {state?.kind === 'ready' ? null : (
          <div className="absolute inset-0 overflow-auto bg-surface">
            {state === undefined ? <Loading /> : <Empty title={texts.none} hint={state.reason} scene="away" />}
          </div>
        )}
      </div>
    </div>
  );
}
