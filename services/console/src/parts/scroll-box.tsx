import type { ReactNode, Ref } from 'react';
import { words } from '../words/frame.ts';

interface Props {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement>;
}

/** A box that scrolls. Its focus lets people scroll it with the keyboard. */
export function ScrollBox({ label, className, children, ref }: Props) {
  return (
    <section
      ref={ref}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled box must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      aria-label={words.table.of(label)}
      className={`overflow-auto ${className}`}
    >
      {children}
    </section>
  );
}
