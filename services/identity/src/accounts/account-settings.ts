/** Policies of sign-up. `invite`: with an invitation or the operator's link; `closed`: with the operator's link only. */
export const SIGN_UP = ['open', 'invite', 'closed'] as const;

export interface AccountSettings {
  readonly signUp: (typeof SIGN_UP)[number];
  readonly passwordMin: number;
  /** Plan of the workspace that a sign-up creates. */
  readonly defaultPlan: string;
}
