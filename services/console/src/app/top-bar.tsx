import { Menu, Moon, Search, Sun } from 'lucide-react';
import { IconButton } from '../parts/button.tsx';
import { words } from '../words/frame.ts';
import { AccountMenu } from './account-menu.tsx';
import { Crumbs } from './crumbs.tsx';
import { toggleTheme, useTheme } from './theme.ts';

interface Props {
  readonly onMenu: () => void;
  readonly onPalette: () => void;
  /** Loads the palette, before it is opened. */
  readonly preparePalette: () => void;
}

export function TopBar({ onMenu, onPalette, preparePalette }: Props) {
  const isDark = useTheme() === 'dark';
  return (
    <header className="sticky top-0 z-20 flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 md:px-6">
      <span className="md:hidden">
        <IconButton label={words.menu} onClick={onMenu}>
          <Menu aria-hidden size={18} />
        </IconButton>
      </span>
      <Crumbs />
      <div className="ms-auto flex items-center gap-1">
        <button
          type="button"
          onClick={onPalette}
          onPointerEnter={preparePalette}
          onFocus={preparePalette}
          className="flex items-center gap-2 rounded-md border border-line px-2.5 py-1 text-sm text-muted hover:bg-hover hover:text-ink"
        >
          <Search aria-hidden size={14} />
          <span className="max-sm:sr-only">{words.find}</span>
          <kbd className="text-xs max-sm:hidden">Ctrl K</kbd>
        </button>
        <IconButton label={isDark ? words.theme.light : words.theme.dark} onClick={toggleTheme}>
          {isDark ? <Sun aria-hidden size={18} /> : <Moon aria-hidden size={18} />}
        </IconButton>
        <AccountMenu />
      </div>
    </header>
  );
}
