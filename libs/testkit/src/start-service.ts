import { OPERATOR } from '@tidemark/contracts';
import {
  type ConfigShape,
  dial,
  fleetAccess,
  type Peer,
  type ServiceDefinition,
  type StartedService,
  start,
} from '@tidemark/service';
import { fleetEnv } from './fleet-access.ts';

/** A service in the test's process, called over gRPC. */
export interface RunningService extends StartedService {
  readonly address: string;
  readonly httpUrl: string;
  readonly peer: Peer;
}

const ANY_PORT = '127.0.0.1:0';

/** Starts a service on free ports, silent unless TEST_LOG says otherwise. */
export async function startService<S extends ConfigShape>(
  definition: ServiceDefinition<S>,
  env: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const base = { GRPC_LISTEN: ANY_PORT, HTTP_LISTEN: ANY_PORT, LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' };
  const settings = { ...base, ...fleetEnv, ...env };
  const running = await start(definition, settings);
  const address = `127.0.0.1:${running.grpcPort}`;
  const peer = dial(definition.name, address, fleetAccess(OPERATOR, settings));
  let closing: Promise<void> | undefined;
  return {
    ...running,
    address,
    httpUrl: `http://127.0.0.1:${running.httpPort}`,
    peer,
    close() {
      // A test may stop a service that is closed again at the end of its suite.
      closing ??= peer.close().then(() => running.close());
      return closing;
    },
  };
}
