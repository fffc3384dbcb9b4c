import { readContract } from './contract.ts';
import { typescriptOf } from './typescript.ts';

/** Returns the generated files of the client packages, by path from the root of the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const contract = readContract();
  return {
    'packages/sdk/src/generated/contract.ts': typescriptOf(contract),
  };
}
