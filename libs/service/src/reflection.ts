import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

const PROTO = resolve(import.meta.dirname, '../../../proto');

/** Returns the proto files that may define a method: `/tidemark.scrape.v1.ScrapeService/Scrape` is in `tidemark/scrape/v1`. */
function filesOf(methodPath: string): string[] {
  const folder = methodPath.split('/')[1]?.split('.').slice(0, -1).join('/') ?? '';
  return globSync(`${folder}/*.proto`, { cwd: PROTO });
}

/** Serves gRPC reflection, which lets tools such as grpcurl list and call the methods. */
export function addReflection(server: Server, methodPaths: readonly string[]): void {
  const files = [...new Set(methodPaths.flatMap(filesOf))];
  if (files.length === 0) return;
  new ReflectionService(loadSync(files, { includeDirs: [PROTO] })).addToServer(server);
}
