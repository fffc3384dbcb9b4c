import { GROUPS } from '../../parts/settings/groups.ts';

export const SECTIONS = [...GROUPS, 'history'] as const;
export type Section = (typeof SECTIONS)[number];

/** The part of the URL that chooses the shown settings. */
export interface SettingsView {
  readonly section?: Section | undefined;
  /** Search over names and descriptions, in all sections. */
  readonly q?: string | undefined;
  /** Only settings that differ from their defaults. */
  readonly set?: true | undefined;
}
