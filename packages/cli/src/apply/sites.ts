type Settings = Readonly<Record<string, unknown>>;

/** A destination of a project as the file describes it. */
export interface DesiredDestination {
  readonly name: string;
  /** Name or id of the connection. */
  readonly connection: string;
  /** Settings that are given, as the API accepts them. */
  readonly settings: Settings;
}

/** A project as the file describes it, with the defaults of the file. */
export interface DesiredProject {
  readonly key: string;
  readonly reference: string;
  readonly seed: string;
  /** Whether the file gives the scheme of the seed; otherwise the server found it. */
  readonly hasScheme: boolean;
  readonly name: string;
  /** Sorted, each once. */
  readonly tags: readonly string[];
  readonly schedule: string;
  readonly timezone: string;
  readonly retention: number;
  readonly config: Settings;
  /** The same with masked secrets, as the API shows it. */
  readonly shownConfig: Settings;
  readonly destinations: readonly DesiredDestination[];
}

export interface DesiredSites {
  readonly name: string;
  readonly projects: readonly DesiredProject[];
}

/** A destination of a project as it is. */
export interface PresentDestination {
  readonly id: string;
  readonly name: string;
  readonly connectionId: string | null;
  readonly settings: Settings;
}

/** A project of the set as it is. */
export interface PresentProject {
  readonly id: string;
  readonly reference: string;
  readonly seed: string;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly schedule: string;
  readonly timezone: string;
  readonly retention: number;
  /** Secrets are masked. */
  readonly config: Settings;
  readonly destinations: readonly PresentDestination[];
}

export interface PresentConnection {
  readonly id: string;
  readonly name: string;
}

/** One value that differs. Undefined: not set. */
export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** One change that makes the workspace equal to the file. */
export type Step =
  | { readonly kind: 'create-project'; readonly project: DesiredProject }
  | {
      readonly kind: 'change-project';
      readonly id: string;
      readonly reference: string;
      readonly patch: Settings;
      readonly differences: readonly Difference[];
    }
  | { readonly kind: 'delete-project'; readonly id: string; readonly reference: string }
  | {
      readonly kind: 'create-destination';
      readonly reference: string;
      readonly name: string;
      readonly body: Settings;
    }
  | {
      readonly kind: 'change-destination';
      readonly projectId: string;
      readonly id: string;
      readonly reference: string;
      readonly name: string;
      readonly patch: Settings;
      readonly differences: readonly Difference[];
    }
  | {
      readonly kind: 'delete-destination';
      readonly projectId: string;
      readonly id: string;
      readonly reference: string;
      readonly name: string;
    };

export interface SitesPlan {
  /** In the order in which they are made. */
  readonly steps: readonly Step[];
  /** Projects and destinations that equal the file. */
  readonly unchanged: number;
  /** What cannot be made equal, with what to do. Nothing is applied while there is one. */
  readonly faults: readonly string[];
}
