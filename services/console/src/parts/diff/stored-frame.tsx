import type { Ref } from 'react';
import { words } from '../../words/words.ts';
import { Empty, Loading } from '../states.tsx';
import type { ComparedMessage } from './compared-message.ts';

const { rendered: texts } = words.changes;

interface Props {
  readonly frame: Ref<HTMLIFrameElement>;
  readonly state: ComparedMessage | undefined;
  readonly title: string;
  /** URL of the gateway's route, without the theme. */
  readonly src: string;
}

/** The theme of the document, for a frame, which can not read it. */
const themeNow = (): string => document.documentElement.dataset['theme'] ?? 'light';

/** A frame of an opaque origin that shows stored content and loads nothing. It fills its parent. */
export function StoredFrame({ frame, state, title, src }: Props) {
  const isHtml = state?.kind === 'ready' && state.source === 'html';
  return (
    <div className="relative size-full">
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        src={`${src}&theme=${themeNow()}`}
        className={`block size-full ${state?.kind === 'ready' ? '' : 'invisible'}`}
        // Pages without colours of their own expect a white ground.
        style={isHtml ? { background: '#ffffff', colorScheme: 'light' } : {}}
      />
      {state?.kind === 'ready' ? null : (
        <div className="absolute inset-0 overflow-auto bg-surface">
          {state === undefined ? <Loading /> : <Empty title={texts.none} hint={state.reason} scene="away" />}
        </div>
      )}
    </div>
  );
}
