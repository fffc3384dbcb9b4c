/** A request to reserve between `minCredits` and `maxCredits` for the capture `id`. */
export interface LeaseItem {
  readonly id: string;
  readonly workspaceId: string;
  readonly maxCredits: number;
  readonly minCredits: number;
}
