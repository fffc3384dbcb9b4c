import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { words } from '../../words/words.ts';
import { type FrameMessage, readMessage } from './frame-message.ts';

export interface FrameState {
  readonly state: 'loading' | 'ready' | 'empty';
  readonly at: string;
  /** Matches of the shown selector in the frame; undefined: it is no CSS selector. */
  readonly count: { readonly selector: string; readonly count: number | undefined } | undefined;
}

const START: FrameState = { state: 'loading', at: '', count: undefined };

/** A frame and what it shows. */
export interface ConnectedFrame {
  readonly frame: RefObject<HTMLIFrameElement | null>;
  readonly state: FrameState['state'];
  /** The element under the pointer, in words. */
  readonly at: string;
  /** Matches of the selector; undefined until the frame has counted them, or where it is invalid. */
  readonly count: number | undefined;
}

/** Connects a frame: takes messages of this frame only, and marks the matches of a selector in it. */
export function useFrame(selector: string, onPicked: (selectors: readonly string[]) => void): ConnectedFrame {
  const frame = useRef<HTMLIFrameElement>(null);
  const [shown, setShown] = useState(START);
  const receive = useEffectEvent((message: FrameMessage) => {
    if (message.kind === 'picked') onPicked(message.selectors);
    else if (message.kind === 'at') setShown((was) => ({ ...was, at: words.picker.at(message.name, message.text) }));
    else if (message.kind === 'shown') {
      const count = message.count < 0 ? undefined : message.count;
      setShown((was) => ({ ...was, count: { selector: message.selector, count } }));
    } else setShown({ ...START, state: message.kind });
  });
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      // A sandboxed document has the origin `null`.
      if (source !== frame.current?.contentWindow || origin !== 'null') return;
      const message = readMessage(data);
      if (message !== undefined) receive(message);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  const { state } = shown;
  useEffect(() => {
    // An opaque origin has no name: the message has nothing but the selector.
    if (state === 'ready') frame.current?.contentWindow?.postMessage({ kind: 'show', selector, scroll: true }, '*');
  }, [selector, state]);
  const count = shown.count?.selector === selector ? shown.count.count : undefined;
  return { frame, state, at: shown.at, count };
}
