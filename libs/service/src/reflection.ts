import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

const PROTO = resolve(import.meta.dirname, '../../../proto');

/** The proto file a method is declared in: `/tidemark.scrape.v1.ScrapeService/Scrape` is in `tidemark/scrape/v1/scrape.proto`. */
function fileOf(methodPath: string): string | undefined {
  const parts = methodPath.split('/')[1]?.split('.') ?? [];
  const area = parts.at(-3);
  return area === undefined ? undefined : `${parts.slice(0, -1).join('/')}/${area}.proto`;
}

/** Serves gRPC reflection, so that other teams can list and call what a service answers with grpcurl and the like. */
export function addReflection(server: Server, methodPaths: readonly string[]): void {
  const files = [...new Set(methodPaths.map(fileOf).filter((file) => file !== undefined))].filter((file) =>
    existsSync(resolve(PROTO, file)),
  );
  if (files.length === 0) return;
  new ReflectionService(loadSync(files, { includeDirs: [PROTO] })).addToServer(server);
}
