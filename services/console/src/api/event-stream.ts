import { useEffect, useEffectEvent, useState } from 'react';

const POLL_MS = 3_000;

export type StreamState = 'connecting' | 'open' | 'polling' | 'ended';

export interface StreamHandlers<Name extends string> {
  /** Names of the events that `onEvent` receives. Constant. */
  readonly events: readonly Name[];
  readonly onEvent: (name: Name, data: unknown) => void;
  /** Called every three seconds where the server refuses the stream. */
  readonly poll: () => void;
  /** Called once with the event `done`, after which the stream is closed. */
  readonly onEnd: (data: unknown) => void;
}

/**
 * Follows server-sent events of the API while the page is visible; undefined: none. The browser reconnects a stream that breaks; a stream
 * that is refused is replaced by `poll`.
 */
export function useEventStream<Name extends string>(
  path: string | undefined,
  { events, onEvent, poll, onEnd }: StreamHandlers<Name>,
): StreamState {
  const [state, setState] = useState<StreamState>('connecting');
  const receive = useEffectEvent(onEvent);
  const pollNow = useEffectEvent(poll);
  const end = useEffectEvent(onEnd);
  const listen = useEffectEvent((source: EventSource) => {
    for (const name of events)
      source.addEventListener(name, ({ data }) => receive(name, JSON.parse(String(data)) as unknown));
  });
  useEffect(() => {
    if (path === undefined) return;
    setState('connecting');
    let source: EventSource | undefined;
    let polling: ReturnType<typeof setInterval> | undefined;
    const close = () => {
      source?.close();
      source = undefined;
      clearInterval(polling);
    };
    const open = () => {
      if (document.hidden || source !== undefined) return;
      clearInterval(polling);
      source = new EventSource(path);
      source.onopen = () => setState('open');
      listen(source);
      source.addEventListener('done', ({ data }) => {
        close();
        document.removeEventListener('visibilitychange', onVisibility);
        setState('ended');
        end(JSON.parse(String(data)));
      });
      source.onerror = () => {
        // The browser reconnects by itself unless the server refused the stream.
        if (source?.readyState !== EventSource.CLOSED) return;
        close();
        setState('polling');
        polling = setInterval(() => pollNow(), POLL_MS);
      };
    };
    const onVisibility = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', onVisibility);
    open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [path]);
  return state;
}
