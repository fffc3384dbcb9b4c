/** A request to reserve between `minCredits` and `maxCredits` for the capture `id`. */
export interface LeaseItem {
  readonly id: string;
  readonly workspaceId: string;
  readonly maxCredits: number;
  readonly minCredits: number;
  /** The key or person that started the work; absent: a schedule. */
  readonly actorId?: string | undefined;
  /** The project that the work is for; absent: none. */
  readonly projectId?: string | undefined;
}
