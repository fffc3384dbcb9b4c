import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef } from 'react';
import { words } from '../../words/words.ts';
import { keyOf, type RecorderInput, type Size, toPagePoint, typed } from './recorder-state.ts';
import type { Mode } from './recorder-view.ts';

const { recorder: texts } = words;
/** Time in which typed characters are collected into one text, ms. */
const TYPING_MS = 400;
/** Distance of the wheel after which the page is scrolled by a window, pixels. */
const WHEEL_DISTANCE = 240;

interface Props {
  readonly src: string | undefined;
  readonly viewport: Size;
  readonly mode: Mode;
  readonly send: (input: RecorderInput) => void;
  readonly pick: (point: { readonly x: number; readonly y: number }) => void;
}

/** Collects typed characters, so that a word is one input. */
function useTyping(send: (input: RecorderInput) => void) {
  const text = useRef('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const flush = () => {
    clearTimeout(timer.current);
    if (text.current !== '') send(typed(text.current));
    text.current = '';
  };
  const flushLater = useEffectEvent(flush);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (character: string) => {
    text.current += character;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => flushLater(), TYPING_MS);
  };
  return { type, flush };
}

/**
 * The picture of the page. Clicks, the wheel and keys are sent to the page; Tab and Escape leave the picture, so that the keyboard is not trapped.
 */
export function LiveView({ src, viewport, mode, send, pick }: Props) {
  const { type, flush } = useTyping(send);
  const view = useRef<HTMLDivElement>(null);
  const wheel = useRef(0);
  const onClick = ({ clientX, clientY, currentTarget }: MouseEvent<HTMLDivElement>) => {
    const box = currentTarget.getBoundingClientRect();
    const point = toPagePoint({ x: clientX - box.left, y: clientY - box.top }, box, viewport);
    flush();
    if (mode === 'pick') pick(point);
    else send({ type: 'click', point });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    const pressed = keyOf(event);
    if (pressed === undefined) return;
    event.preventDefault();
    if ('text' in pressed) return type(pressed.text);
    flush();
    send({ type: 'press', key: pressed.key });
  };
  const onWheel = useEffectEvent((event: WheelEvent) => {
    // The page of the console scrolls where the picture has no focus.
    if (document.activeElement !== view.current) return;
    event.preventDefault();
    wheel.current += event.deltaY;
    if (Math.abs(wheel.current) < WHEEL_DISTANCE) return;
    send({ type: 'scroll', to: wheel.current > 0 ? 'down' : 'up' });
    wheel.current = 0;
  });
  useEffect(() => {
    const element = view.current;
    // React listens for the wheel passively, which can not prevent scrolling.
    const listen = (event: WheelEvent) => onWheel(event);
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, []);
  return (
    <div
      ref={view}
      role="application"
      aria-label={texts.view}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture receives the keys of the page
      tabIndex={0}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onBlur={flush}
      data-loaded={src !== undefined}
      className={`relative overflow-hidden rounded-lg border border-edge outline-offset-2 ${mode === 'pick' ? 'cursor-crosshair' : 'cursor-pointer'}`}
      style={{ aspectRatio: `${viewport.width} / ${viewport.height}`, background: '#ffffff' }}
    >
      {src === undefined ? (
        <p role="status" className="absolute inset-0 grid place-items-center bg-surface text-muted">
          {texts.waiting}
        </p>
      ) : (
        <img src={src} alt="" draggable={false} className="block size-full select-none" />
      )}
    </div>
  );
}
