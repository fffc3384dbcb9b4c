import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Moves the focus to the content when another page opens: it would fall to the document, far before the first field. */
export function usePageFocus(): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const content = document.getElementById('content');
    // A page may have moved the focus to one of its fields already.
    if (content !== null && !content.contains(document.activeElement)) content.focus({ preventScroll: true });
  }, [pathname]);
}
