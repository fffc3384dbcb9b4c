import type { ConfigValues } from '../domain/config-values.ts';
import type { ProjectSettings } from '../domain/project.ts';

/** A project whose row is locked. */
export interface LockedProject extends ProjectSettings {
  readonly id: string;
  readonly seed: string;
  readonly name: string;
  readonly reference: string;
  readonly tags: readonly string[];
  readonly config: ConfigValues;
  readonly nextDue: Date | undefined;
}

/** The new values of a locked project. */
export interface ProjectChange extends ProjectSettings {
  readonly name: string;
  /** Undefined: unchanged. */
  readonly seed?: string;
  readonly reference: string;
  readonly tags: readonly string[];
  readonly nextDue: Date | undefined;
  /** Undefined: config and version are unchanged. */
  readonly config: ConfigValues | undefined;
  /** The config version that this change restores. */
  readonly restoredFrom?: number;
}
