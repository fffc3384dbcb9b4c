import type { ButtonHTMLAttributes } from 'react';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-md px-3 py-1.5 text-sm font-medium whitespace-nowrap disabled:opacity-55 transition-colors';
const KINDS: Readonly<Record<Kind, string>> = {
  primary: 'bg-accent text-on-accent hover:not-disabled:bg-accent-strong',
  plain: 'bg-surface text-ink border border-line hover:not-disabled:bg-hover',
  quiet: 'text-ink hover:not-disabled:bg-hover',
  danger: 'bg-surface text-bad border border-line hover:not-disabled:bg-bad-tint',
};

/** The classes of a button, for links that appear as one. */
export const buttonClass = (kind: Kind = 'plain'): string => `${BASE} ${KINDS[kind]}`;

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: Kind;
}

export function Button({ kind = 'plain', className = '', type = 'button', ...rest }: Props) {
  return <button {...rest} type={type} className={`${buttonClass(kind)} ${className}`} />;
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The name for people who do not see the icon; also its tooltip. */
  readonly label: string;
}

export function IconButton({ label, className = '', type = 'button', ...rest }: IconProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={label}
      className={`inline-grid size-8 place-items-center rounded-md text-muted hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-55 ${className}`}
    />
  );
}
