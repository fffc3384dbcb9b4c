import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

const PROTO = resolve(import.meta.dirname, '../../../proto');

/** Returns the proto file of a method: `/tidemark.scrape.v1.ScrapeService/Scrape` is in `tidemark/scrape/v1/scrape.proto`. */
function fileOf(methodPath: string): string | undefined {
  const parts = methodPath.split('/')[1]?.split('.') ?? [];
  const area = parts.at(-3);
  return area === undefined ? undefined : `${parts.slice(0, -1).join('/')}/${area}.proto`;
}

/** Serves gRPC reflection, which lets tools such as grpcurl list and call the methods. */
export function addReflection(server: Server, methodPaths: readonly string[]): void {
  const files = [...new Set(methodPaths.map(fileOf).filter((file) => file !== undefined))].filter((file) =>
    existsSync(resolve(PROTO, file)),
  );
  if (files.length === 0) return;
  new ReflectionService(loadSync(files, { includeDirs: [PROTO] })).addToServer(server);
}
