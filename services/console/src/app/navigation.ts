import { Activity, Database, FlaskConical, Folder, type LucideIcon } from 'lucide-react';
import { words } from '../words/words.ts';

const { nav, groups } = words;

interface Group {
  readonly title: string;
  readonly items: readonly Item[];
}

interface Item {
  readonly to: (typeof PATHS)[number];
  readonly text: string;
  readonly icon: LucideIcon;
}

/** The pages of the workspace that are in the navigation and in the palette. */
const PATHS = ['/', '/projects', '/playground', '/destinations'] as const;

export const NAVIGATION: readonly Group[] = [
  {
    title: groups.work,
    items: [
      { to: '/', text: nav.overview, icon: Activity },
      { to: '/projects', text: nav.projects, icon: Folder },
      { to: '/playground', text: nav.playground, icon: FlaskConical },
    ],
  },
  {
    title: groups.data,
    items: [{ to: '/destinations', text: nav.destinations, icon: Database }],
  },
];
