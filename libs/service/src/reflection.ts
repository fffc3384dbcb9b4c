import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

const PROTO = resolve(import.meta.dirname, '../../../proto');

/** Returns the proto files that may define a method: `/tidemark.scrape.v1.ScrapeService/Scrape` is in `tidemark/scrape/v1`. */
function filesOf(methodPath: string): string[] {
  const folder = methodPath.split('/')[1]?.split('.').slice(0, -1).join('/') ?? '';
  return globSync(`${folder}/*.proto`, { cwd: PROTO });
}

interface Handlers {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** Returns what the library adds to a server: one service for each version of the protocol. */
function handlersOf(definition: PackageDefinition): Handlers[] {
  const added: Handlers[] = [];
  new ReflectionService(definition).addToServer({
    addService: (service, implementation) => void added.push({ definition: service, implementation }),
  });
  return added;
}

let known: readonly Handlers[] | undefined;

/**
 * Serves gRPC reflection, which lets tools such as grpcurl list and call the methods. The proto files are read for the first call: it
 * takes 50 ms of CPU time, and most processes never get such a call.
 */
export function addReflection(server: Server, methodPaths: readonly string[]): void {
  const files = [...new Set(methodPaths.flatMap(filesOf))];
  if (files.length === 0) return;
  let loaded: readonly Handlers[] | undefined;
  const load = (): readonly Handlers[] => {
    loaded ??= handlersOf(loadSync(files, { includeDirs: [PROTO] }));
    return loaded;
  };
  known ??= handlersOf({});
  for (const [version, { definition, implementation }] of known.entries()) {
    const methods = Object.keys(implementation).map((name) => {
      const handle = (...args: unknown[]): unknown => {
        const method = load()[version]?.implementation[name];
        return typeof method === 'function' ? Reflect.apply(method, undefined, args) : undefined;
      };
      return [name, handle] as const;
    });
    server.addService(definition, Object.fromEntries(methods));
  }
}
