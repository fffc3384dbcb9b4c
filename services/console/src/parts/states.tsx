import { Link } from '@tanstack/react-router';
import { TidemarkError } from '@tidemark/sdk';
import { CircleAlert, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Scope, useCan, useSession } from '../api/session.ts';
import { words } from '../words/frame.ts';
import { Button, buttonClass } from './button.tsx';
import { Scene, type SceneName } from './scene.tsx';

interface StateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  /** Stands for a whole page, whose heading it then is. */
  readonly isPage?: boolean;
}

function State({ icon, title, children, isPage = false }: StateProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-2 px-4 py-10 text-center">
      <span className="text-muted">{icon}</span>
      {isPage ? <h1 className="text-lg font-semibold">{title}</h1> : <p className="text-lg font-semibold">{title}</p>}
      {children}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What brings content here. */
  readonly hint?: string;
  readonly scene?: SceneName;
  readonly children?: ReactNode;
}

/** A place without content yet: what belongs here, and how it gets here. */
export function Empty({ title, hint, scene = 'calm', children }: EmptyProps) {
  return (
    <State icon={<Scene name={scene} />} title={title}>
      {hint === undefined ? null : <p className="text-muted">{hint}</p>}
      {children}
    </State>
  );
}

/** Grey bars in place of content; the text is for screen readers. */
export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <div className="p-4" role="status" aria-live="polite">
      <span className="sr-only">{words.states.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are the same and constant
          key={row}
          className="mb-3 h-4 animate-pulse rounded bg-idle motion-reduce:animate-none last:mb-0"
          style={{ width: `${90 - row * 14}%` }}
        />
      ))}
    </div>
  );
}

/** Returns the message of an error as a sentence. */
export function sentenceOf(error: Error): string {
  if (error instanceof TidemarkError && (error.code === 'network' || error.code === 'timeout'))
    return words.states.offline;
  const text = error.message;
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

/** Whether another plan or more credits would let the call succeed. */
export const isPayable = (error: unknown): boolean => error instanceof TidemarkError && error.status === 402;

interface ProblemProps {
  readonly error: Error;
  readonly retry?: () => void;
  readonly isPage?: boolean;
}

/** An error of a read: what happened, its code and request, and a button that tries again. */
export function Problem({ error, retry, isPage = false }: ProblemProps) {
  if (error instanceof TidemarkError && error.status === 404) return <Missing />;
  const isRefused = error instanceof TidemarkError && error.status === 403;
  const { code, requestId } = error instanceof TidemarkError ? error : { code: undefined, requestId: undefined };
  return (
    <div role="alert">
      <State
        icon={isRefused ? <Lock aria-hidden /> : <CircleAlert aria-hidden />}
        title={isRefused ? words.states.forbidden : words.states.problem}
        isPage={isPage}
      >
        <p className="anywhere text-muted">{sentenceOf(error)}</p>
        {code === undefined ? null : (
          <p className="anywhere font-mono text-xs text-muted">
            {code}
            {requestId === undefined ? '' : ` · ${words.states.requestId(requestId)}`}
          </p>
        )}
        {isPayable(error) ? (
          <Link to="/billing" className={buttonClass()}>
            {words.openBilling}
          </Link>
        ) : null}
        {retry === undefined ? null : <Button onClick={retry}>{words.states.retry}</Button>}
      </State>
    </div>
  );
}

export function Missing({ title = words.states.missing }: { title?: string }) {
  return (
    <State icon={<Scene name="away" />} title={title} isPage>
      <p className="text-muted">{words.states.missingHint}</p>
      <Link to="/" className={buttonClass()}>
        {words.states.home}
      </Link>
    </State>
  );
}

const NEEDED = { read: 'viewer', write: 'member', admin: 'admin' } as const;

/** Shows its children to people whose role includes a scope, and to others which role is required. */
export function Allowed({ scope, children }: { scope: Scope; children: ReactNode }) {
  const { workspace } = useSession();
  if (useCan(scope)) return children;
  const { role } = words.workspace;
  const own = workspace === null ? words.workspace.none : role[workspace.role];
  return (
    <State icon={<Lock aria-hidden />} title={words.states.forbidden}>
      <p className="text-muted">{words.states.forbiddenHint(role[NEEDED[scope]], own)}</p>
    </State>
  );
}

interface Readable<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** Shows the state of a read, and its content once there is some. Data stays visible when a later refresh fails. */
export function Loaded<Data>({
  of: { data, error, refetch },
  rows,
  isPage = false,
  whenMissing,
  children,
}: {
  of: Readable<Data>;
  rows?: number;
  /** The content has the heading of the page, so that a problem in its place needs one. */
  isPage?: boolean;
  /** Shown for a 404 whose cause is known, such as content that was never stored. */
  whenMissing?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (whenMissing !== undefined && error instanceof TidemarkError && error.status === 404) return whenMissing;
  if (error !== null) return <Problem error={error} retry={() => void refetch()} isPage={isPage} />;
  return <Loading {...(rows === undefined ? {} : { rows })} />;
}
