import { commandLineOptionsOf } from './command-line.ts';
import { readContract } from './contract.ts';
import { pythonApiOf, pythonErrorsOf, pythonTypesOf } from './python.ts';
import { typescriptOf } from './typescript.ts';

const PYTHON = 'clients/python/src/tidemark/generated';

/** Returns the generated files of the client packages, by path from the root of the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const contract = readContract();
  return {
    'packages/sdk/src/generated/contract.ts': typescriptOf(contract),
    'packages/cli/src/generated/options.ts': commandLineOptionsOf(contract),
    [`${PYTHON}/__init__.py`]: '',
    [`${PYTHON}/contract.py`]: pythonTypesOf(contract),
    [`${PYTHON}/errors.py`]: pythonErrorsOf(contract),
    [`${PYTHON}/api.py`]: pythonApiOf(contract),
  };
}
