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

/** Reviews by keyboard: J and K move, E marks one, Shift E all, O opens the page. Keys typed into a field are left alone. */
export function useReviewKeys(keys: Keys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'j') keys.move(1);
    else if (key === 'k') keys.move(-1);
    else if (key === 'e' && event.shiftKey) keys.reviewAll();
    else if (key === 'e') keys.review();
    else if (key === 'o') keys.open();
    else if (key === 'escape') return keys.close();
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
