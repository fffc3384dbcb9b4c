import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  /** Without inner padding: for tables and lists. */
  readonly flush?: boolean;
}

/** A bordered section with an optional heading. */
export function Panel({ title, actions, children, className = '', flush = false }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={`min-w-0 rounded-lg border border-line bg-surface ${className}`}
    >
      {title === undefined ? null : (
        <div className={`flex flex-wrap items-center justify-between gap-2 px-4 pt-3 ${flush ? 'pb-2' : ''}`}>
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          {actions}
        </div>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  );
}

interface HeadProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** The URL of what the page shows, on a line of its own. */
  readonly url?: string;
  readonly actions?: ReactNode;
}

/** The heading of a page; it names the document too. */
export function PageHead({ title, note, url, actions }: HeadProps) {
  return (
    <header className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-3 gap-y-2">
      <title>{`${title} · Tidemark`}</title>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="anywhere text-xl font-semibold">{title}</h1>
        {note === undefined ? null : <p className="anywhere text-muted">{note}</p>}
      </div>
      <div className="flex flex-wrap items-center gap-2 max-sm:order-last">{actions}</div>
      {url === undefined ? null : (
        <p dir="ltr" className="anywhere basis-full text-muted">
          {url}
        </p>
      )}
    </header>
  );
}
