import { History, type LucideIcon } from 'lucide-react';
import { words } from '../words/words.ts';

/** The pages of a project that are in its navigation. */
const PATHS = ['/projects/$project'] as const;

interface Item {
  readonly to: (typeof PATHS)[number];
  readonly text: string;
  readonly icon: LucideIcon;
}

export const PROJECT_NAVIGATION: readonly Item[] = [
  { to: '/projects/$project', text: words.project.runs, icon: History },
];
