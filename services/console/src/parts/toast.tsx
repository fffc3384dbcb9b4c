import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { words } from '../words/frame.ts';
import { Button, buttonClass, IconButton } from './button.tsx';

export interface Message {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo?: (() => void) | undefined;
  /** Adds a link to the page of the plan. */
  readonly isPayable?: boolean | undefined;
}

/** Long enough for a screen reader and a hand; an undo stays longer. */
const SHOWN_MS = 6_000;
const UNDO_SHOWN_MS = 12_000;
const MAX_SHOWN = 3;

let messages: readonly Message[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function show(next: readonly Message[]): void {
  messages = next.slice(-MAX_SHOWN);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a message for some seconds; with a way back if `undo` is given. */
export function notify(text: string, options: Partial<Omit<Message, 'id' | 'text'>> = {}): void {
  show([...messages, { id: nextId++, text, ...options, isBad: options.isBad ?? false }]);
}

const dismiss = (id: number): void => show(messages.filter((one) => one.id !== id));

function Toast({ message: { id, text, isBad, undo, isPayable } }: { message: Message }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), undo === undefined ? SHOWN_MS : UNDO_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, undo]);
  const takeBack = () => {
    dismiss(id);
    undo?.();
  };
  return (
    <li
      className={`flex max-w-md items-center gap-3 rounded-lg border bg-surface py-2 ps-4 pe-2 shadow-lg ${isBad ? 'border-bad' : 'border-line'}`}
    >
      <span className="anywhere min-w-0 flex-1">{text}</span>
      {isPayable === true ? (
        <Link to="/billing" className={buttonClass()}>
          {words.openBilling}
        </Link>
      ) : null}
      {undo === undefined ? null : <Button onClick={takeBack}>{words.states.undo}</Button>}
      <IconButton label={words.close} onClick={() => dismiss(id)}>
        <X aria-hidden size={16} />
      </IconButton>
    </li>
  );
}

/** The messages at the lower edge of the window. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <ul
      aria-live="polite"
      className="fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2 empty:hidden sm:start-auto"
    >
      {shown.map((message) => (
        <Toast key={message.id} message={message} />
      ))}
    </ul>
  );
}
