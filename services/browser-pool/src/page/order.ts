import type { Exit } from '../exits/exit-list.ts';

/** What a page must have before it is read, beside being settled. */
export type WaitFor =
  | { readonly kind: 'selector'; readonly selector: string }
  | { readonly kind: 'ms'; readonly ms: number }
  | { readonly kind: 'network_idle' };

/** One thing a visitor does on the page. An empty selector is none. */
export type Action =
  | { readonly kind: 'click'; readonly selector: string }
  | { readonly kind: 'type'; readonly selector: string; readonly text: string }
  | { readonly kind: 'press'; readonly selector: string; readonly key: string }
  | { readonly kind: 'scroll'; readonly selector: string; readonly to: 'down' | 'up' | 'top' | 'bottom' }
  | { readonly kind: 'wait'; readonly selector: string; readonly ms: number };

/** What came of an action. */
export interface ActionOutcome {
  readonly kind: Action['kind'];
  readonly selector: string;
  readonly ok: boolean;
  readonly ms: number;
  /** Why it could not be done, or what is to be known of it. */
  readonly note: string;
}

export interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

/** A cookie set before the page is opened, with the rules it goes by. */
export interface Cookie extends NameAndValue {
  /** Whose it is. */
  readonly host: string;
  /** Whether the host's subdomains get it too. */
  readonly isForSubdomains: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

/** Who the page is shown to. */
export type Device = 'desktop' | 'mobile';

/** What is to be rendered, and how. */
export interface Order {
  readonly url: URL;
  readonly workspaceId: string;
  readonly screenshot: 'none' | 'viewport' | 'full_page';
  readonly blocksResources: boolean;
  /** For the origin of the URL alone, names in lower case. */
  readonly headers: readonly NameAndValue[];
  readonly cookies: readonly Cookie[];
  /** Empty: the fleet's own. */
  readonly userAgent: string;
  readonly device: Device;
  readonly waitFor?: WaitFor;
  readonly actions: readonly Action[];
  /** The exit every connection goes through. Its URL holds credentials and is never logged. */
  readonly exit?: Pick<Exit, 'name' | 'url'>;
  /** Empty: the page is alone. */
  readonly session: string;
}
