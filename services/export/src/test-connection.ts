import { type DialTcp, EgressRefused, FetchFailed } from '@tidemark/egress';
import type { CheckProvider } from './check-provider.ts';
import { DestinationError, type DriverKind, type TestStep } from './destinations/driver.ts';
import type { ConnectionTest, Values } from './domain/connection.ts';
import type { OpenedConnection } from './domain/opened-connection.ts';
import { MODEL_KIND } from './domain/providers/provider.ts';
import { redacted } from './redacted.ts';

/** Longest test of a destination, ms. */
const TEST_MS = 15_000;

export interface ConnectionTestResult extends Omit<ConnectionTest, 'at'> {
  /** Values to store in the config of the connection. */
  readonly learned: Values;
}

/** Tests a connection at its provider. A failed test is a result and no error. */
export type TestConnection = (connection: OpenedConnection) => Promise<ConnectionTestResult>;

interface TestDeps {
  readonly checkModel: CheckProvider;
  readonly kindOf: (kind: string) => DriverKind | undefined;
  readonly diallerOf: (kind: DriverKind) => DialTcp;
}

export function makeTestConnection({ checkModel, kindOf, diallerOf }: TestDeps): TestConnection {
  return async ({ provider, config, secrets }) => {
    if (provider.kind === MODEL_KIND) {
      const { ok, reason } = await checkModel(provider, config, secrets);
      return { ok, reason, steps: [{ name: 'sign_in', ok, message: reason }], learned: {} };
    }
    const kind = kindOf(provider.kind);
    if (kind === undefined) throw new Error(`the provider ${provider.id} has the unknown kind ${provider.kind}`);
    const driver = kind.open({ config, secrets }, diallerOf(kind));
    const mode = kind.modes[0] ?? 'append';
    const steps = await stepsOf(driver.test(mode, AbortSignal.timeout(TEST_MS)), Object.values(secrets));
    const failed = steps.find((step) => !step.ok);
    const reason = failed?.message ?? steps.at(-1)?.message ?? 'the destination was not tested';
    const learned = failed === undefined ? Object.assign({}, ...steps.map((step) => step.learned ?? {})) : {};
    return { ok: failed === undefined && steps.length > 0, reason, steps: steps.map(toStored), learned };
  };
}

/** Reads the steps of a test. What a driver throws is a failed step. */
async function stepsOf(test: AsyncIterable<TestStep>, secrets: readonly string[]): Promise<TestStep[]> {
  const steps: TestStep[] = [];
  try {
    for await (const step of test) {
      steps.push({ ...step, message: redacted(step.message, secrets) });
      if (!step.ok) break;
    }
  } catch (error) {
    if (!(error instanceof DestinationError || error instanceof EgressRefused || error instanceof FetchFailed))
      throw error;
    steps.push({ name: 'connect', ok: false, message: redacted(error.message, secrets) });
  }
  return steps;
}

const toStored = ({ name, ok, message }: TestStep) => ({ name, ok, message });
