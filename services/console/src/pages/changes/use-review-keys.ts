import { useEffect, useEffectEvent } from 'react';

interface Keys {
  readonly move: (step: 1 | -1) => void;
  readonly review: () => void;
  readonly reviewAll: () => void;
  readonly open: () => void;
  /** Returns to the list, where the change lies over it. */
  readonly close: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;

const ACTIONS: ReadonlyMap<string, (keys: Keys) => void> = new Map([
  ['j', (keys) => keys.move(1)],
  ['k', (keys) => keys.move(-1)],
  ['e', (keys) => keys.review()],
  ['shift+e', (keys) => keys.reviewAll()],
  ['o', (keys) => keys.open()],
  ['escape', (keys) => keys.close()],
]);

/** Reviews by keyboard: J and K move, E marks one, Shift E all, O opens the page. Keys typed into a field are left alone. */
export function useReviewKeys(keys: Keys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    const act = ACTIONS.get(event.shiftKey ? `shift+${key}` : key);
    if (act === undefined) return;
    act(keys);
    // Escape also ends the full screen, which the browser does.
    if (key !== 'escape') event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
