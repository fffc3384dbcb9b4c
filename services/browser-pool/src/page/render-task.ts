import type { Exit } from '../exits/exit-list.ts';

/** Condition for reading a page, in addition to a stable document. */
export type WaitFor =
  | { readonly kind: 'selector'; readonly selector: string }
  | { readonly kind: 'ms'; readonly ms: number }
  | { readonly kind: 'network_idle' };

/** One user action on the page. Empty selector: none. */
export type Action =
  | { readonly kind: 'click'; readonly selector: string }
  | { readonly kind: 'type'; readonly selector: string; readonly text: string }
  | { readonly kind: 'press'; readonly selector: string; readonly key: string }
  | { readonly kind: 'scroll'; readonly selector: string; readonly to: 'down' | 'up' | 'top' | 'bottom' }
  | { readonly kind: 'wait'; readonly selector: string; readonly ms: number }
  | { readonly kind: 'select'; readonly selector: string; readonly value: string };

/** Result of an action. */
export interface ActionResult {
  readonly kind: Action['kind'];
  readonly selector: string;
  readonly ok: boolean;
  readonly ms: number;
  /** Reason of a failure, or a remark; may be empty. */
  readonly note: string;
}

export interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

/** A cookie set before navigation, with its attributes. */
export interface Cookie extends NameAndValue {
  readonly host: string;
  /** Whether it is also sent to subdomains of the host. */
  readonly isForSubdomains: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

export type Device = 'desktop' | 'mobile';

/** What to render, and how. */
export interface RenderTask {
  readonly url: URL;
  readonly workspaceId: string;
  readonly screenshot: 'none' | 'viewport' | 'full_page';
  readonly blocksResources: boolean;
  /** Sent to the origin of the URL only; lower-case names. */
  readonly headers: readonly NameAndValue[];
  readonly cookies: readonly Cookie[];
  /** Empty: the configured user agent. */
  readonly userAgent: string;
  readonly device: Device;
  readonly waitFor?: WaitFor;
  readonly actions: readonly Action[];
  /** Whether a person operates the page, which then has the focus. */
  readonly isOperated?: true;
  /** The exit of every connection. Its URL contains credentials and is never logged. */
  readonly exit?: Pick<Exit, 'name' | 'url'>;
  /** Empty: no session. */
  readonly session: string;
}
