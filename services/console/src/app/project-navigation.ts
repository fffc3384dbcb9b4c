import {
  Download,
  FileText,
  GitCompareArrows,
  History,
  ListTree,
  type LucideIcon,
  MousePointerClick,
  Send,
  Settings,
  Unlink,
} from 'lucide-react';
import { words } from '../words/frame.ts';

/** The pages of a project that are in its navigation. */
const PATHS = [
  '/projects/$project',
  '/projects/$project/pages',
  '/projects/$project/changes',
  '/projects/$project/picker',
  '/projects/$project/sources',
  '/projects/$project/links',
  '/projects/$project/webhooks',
  '/projects/$project/exports',
  '/projects/$project/settings',
] as const;

interface Item {
  readonly to: (typeof PATHS)[number];
  readonly text: string;
  readonly icon: LucideIcon;
}

export const PROJECT_NAVIGATION: readonly Item[] = [
  { to: '/projects/$project', text: words.project.runs, icon: History },
  { to: '/projects/$project/pages', text: words.project.pages, icon: FileText },
  { to: '/projects/$project/changes', text: words.project.changes, icon: GitCompareArrows },
  { to: '/projects/$project/picker', text: words.project.picker, icon: MousePointerClick },
  { to: '/projects/$project/sources', text: words.project.sources, icon: ListTree },
  { to: '/projects/$project/links', text: words.project.links, icon: Unlink },
  { to: '/projects/$project/webhooks', text: words.project.webhooks, icon: Send },
  { to: '/projects/$project/exports', text: words.project.exports, icon: Download },
  { to: '/projects/$project/settings', text: words.project.settings, icon: Settings },
];
