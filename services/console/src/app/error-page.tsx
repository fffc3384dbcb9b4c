import type { ErrorComponentProps } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { Button } from '../parts/button.tsx';
import { words } from '../words/frame.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Stands in for a page that threw an error. The frame around it works on. */
export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-3 py-10 text-center">
      <CircleAlert aria-hidden className="text-muted" />
      <h1 className="text-base font-semibold">{words.states.crashed}</h1>
      <p className="text-muted">{words.states.crashedHint}</p>
      <p className="anywhere font-mono text-xs text-muted">{messageOf(error)}</p>
      <Button onClick={() => location.reload()}>{words.states.reload}</Button>
    </div>
  );
}
