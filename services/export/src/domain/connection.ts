/** What came of trying a connection out. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** In words. */
  readonly reason: string;
  readonly at: Date;
}

/** How another service is reached on the customer's behalf, without its secrets. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  /** The provider's fields, as they were given. */
  readonly config: Values;
  /** Names of the secrets that are set. */
  readonly secretsSet: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Absent: never tested since it was changed. */
  readonly lastTest: ConnectionTest | undefined;
}

/** Values by the names of a provider's fields or secrets. */
export type Values = Readonly<Record<string, string>>;

/** Values that change others: null takes one away. */
export type ValueChanges = Readonly<Record<string, string | null>>;
