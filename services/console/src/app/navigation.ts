import {
  Activity,
  Bell,
  Building2,
  ChartColumn,
  CreditCard,
  Database,
  FlaskConical,
  Folder,
  Gauge,
  KeyRound,
  LogIn,
  type LucideIcon,
  Network,
  ScrollText,
  Users,
  Waypoints,
  Webhook,
} from 'lucide-react';
import { words } from '../words/frame.ts';

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
const PATHS = [
  '/',
  '/projects',
  '/playground',
  '/notices',
  '/destinations',
  '/webhooks',
  '/logins',
  '/exits',
  '/monitor',
  '/usage',
  '/billing',
  '/children',
  '/keys',
  '/requests',
  '/members',
  '/workspace',
] as const;

export const NAVIGATION: readonly Group[] = [
  {
    title: groups.work,
    items: [
      { to: '/', text: nav.overview, icon: Activity },
      { to: '/projects', text: nav.projects, icon: Folder },
      { to: '/playground', text: nav.playground, icon: FlaskConical },
      { to: '/notices', text: nav.notices, icon: Bell },
    ],
  },
  {
    title: groups.data,
    items: [
      { to: '/destinations', text: nav.destinations, icon: Database },
      { to: '/webhooks', text: nav.webhooks, icon: Webhook },
      { to: '/logins', text: nav.logins, icon: LogIn },
      { to: '/exits', text: nav.exits, icon: Waypoints },
      { to: '/monitor', text: nav.monitor, icon: Gauge },
    ],
  },
  {
    title: groups.workspace,
    items: [
      { to: '/usage', text: nav.usage, icon: ChartColumn },
      { to: '/billing', text: nav.billing, icon: CreditCard },
      { to: '/keys', text: nav.keys, icon: KeyRound },
      { to: '/requests', text: nav.requests, icon: ScrollText },
      { to: '/members', text: nav.members, icon: Users },
      { to: '/children', text: nav.children, icon: Network },
      { to: '/workspace', text: nav.settings, icon: Building2 },
    ],
  },
];
