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
  /** The group of the sidebar that it is in. */
  readonly group: string;
}

const { project } = words;
const {
  groups: { watch, setUp, deliver },
} = project;

/** The pages of a project in the order of the sidebar; those of a group follow one another. */
export const PROJECT_NAVIGATION: readonly Item[] = [
  { to: '/projects/$project/changes', text: project.changes, icon: GitCompareArrows, group: watch },
  { to: '/projects/$project/pages', text: project.pages, icon: FileText, group: watch },
  { to: '/projects/$project', text: project.runs, icon: History, group: watch },
  { to: '/projects/$project/links', text: project.links, icon: Unlink, group: watch },
  { to: '/projects/$project/sources', text: project.sources, icon: ListTree, group: setUp },
  { to: '/projects/$project/picker', text: project.picker, icon: MousePointerClick, group: setUp },
  { to: '/projects/$project/settings', text: project.settings, icon: Settings, group: setUp },
  { to: '/projects/$project/webhooks', text: project.webhooks, icon: Send, group: deliver },
  { to: '/projects/$project/exports', text: project.exports, icon: Download, group: deliver },
];
