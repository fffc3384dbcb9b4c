import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type ComparedMessage, readComparedMessage } from './compared-message.ts';

/** Connects a frame of a compared page: takes messages of this frame only, and shows one of its changes. */
export function useComparedFrame() {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<ComparedMessage>();
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
  // An opaque origin has no name: the message has nothing but a number.
  const show = (at: number): void => frame.current?.contentWindow?.postMessage({ kind: 'show', at }, '*');
  return { frame, state, show };
}
