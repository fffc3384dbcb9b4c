import type { ReactNode } from 'react';
import { words } from '../words/frame.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle';

const DOTS: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  info: 'bg-info',
  idle: 'bg-edge',
};

/** A word with a dot in its colour. The word alone carries the meaning. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${DOTS[tone]}`} />
      {children}
    </span>
  );
}

const RUN_TONES = { queued: 'idle', running: 'info', done: 'good', error: 'bad', cancelled: 'warn' } as const;
export const RunBadge = ({ status }: { status: keyof typeof RUN_TONES }) => (
  <Badge tone={RUN_TONES[status]}>{words.runStatus[status]}</Badge>
);

const HEALTH_TONES = { ok: 'good', failing: 'bad', never: 'idle' } as const;
export const HealthBadge = ({ health }: { health: keyof typeof HEALTH_TONES }) => (
  <Badge tone={HEALTH_TONES[health]}>{words.health[health]}</Badge>
);

const VERDICT_TONES = {
  ok: 'good',
  thin: 'warn',
  blocked: 'bad',
  skipped: 'idle',
  robots: 'idle',
  cached: 'info',
} as const;
export const VerdictBadge = ({ verdict }: { verdict: keyof typeof VERDICT_TONES }) => (
  <Badge tone={VERDICT_TONES[verdict]}>{words.verdicts[verdict]}</Badge>
);
