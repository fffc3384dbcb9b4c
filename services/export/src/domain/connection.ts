/** One step of the test of a connection. */
export interface ConnectionTestStep {
  readonly name: string;
  readonly ok: boolean;
  /** Sentence for the user. */
  readonly message: string;
}

/** Result of checking a connection against its provider. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** Sentence for the user. */
  readonly reason: string;
  /** In the order in which they were made; the last one failed if `ok` is false. */
  readonly steps: readonly ConnectionTestStep[];
  readonly at: Date;
}

/** A workspace's access to an external service, without its secrets. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  /** Values of the provider's fields as the user set them. */
  readonly config: Values;
  /** Names of the secrets that are set, sorted. */
  readonly secretsSet: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Undefined: not tested since the last change of its config or secrets. */
  readonly lastTest: ConnectionTest | undefined;
}

/** Values by name of the provider's field or secret. */
export type Values = Readonly<Record<string, string>>;

/** Changes of values; null removes one. */
export type ValueChanges = Readonly<Record<string, string | null>>;
