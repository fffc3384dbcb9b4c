import type { Sealer } from '@tidemark/sealing';
import { z } from 'zod';
import type { Model } from './model.ts';

const SealedModel = z.object({ provider: z.string(), baseUrl: z.string(), model: z.string(), apiKey: z.string() });

/** Separates models from other values that are sealed under the id of the same workspace. */
const contextOf = (workspaceId: string): string => `${workspaceId}:model`;

/** Encrypts a model with its key, for the job that calls it. */
export const sealModel = (model: Model, sealer: Pick<Sealer, 'seal'>, workspaceId: string): Buffer =>
  sealer.seal(JSON.stringify(model), contextOf(workspaceId));

/** Decrypts a model. @throws Error if it was sealed for another workspace or with an unknown key */
export const openModel = (sealed: Uint8Array, sealer: Pick<Sealer, 'open'>, workspaceId: string): Model =>
  SealedModel.parse(JSON.parse(sealer.open(sealed, contextOf(workspaceId))));
