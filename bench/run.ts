// `npm run bench -- <name> …` and `npm run eval -- <name> …`: runs one benchmark or evaluation in this process.
import { join } from 'node:path';
import { CATALOG, helpText, type Kind, listText } from './catalog.ts';

const FOLDERS: Readonly<Record<Kind, string>> = { bench: 'benches', eval: 'evals' };

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

async function main(kind: Kind, args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  const entry = Object.hasOwn(CATALOG[kind], name) ? CATALOG[kind][name] : undefined;
  if (entry === undefined) {
    const print = isHelp(name) ? console.log : console.error;
    if (!isHelp(name)) {
      print(name === '' ? 'a name is missing' : `unknown name: ${name}`);
      process.exitCode = 2;
    }
    print(listText(kind));
    return;
  }
  if (entry.options !== undefined && rest.some(isHelp)) {
    console.log(helpText(kind, name, entry));
    return;
  }
  const file = join(import.meta.dirname, FOLDERS[kind], `${name}.ts`);
  // The file reads its options from `process.argv`, as if it had been started directly.
  process.argv.splice(1, process.argv.length - 1, file, ...rest);
  await import(file);
}

const [kind, ...args] = process.argv.slice(2);
if (kind !== 'bench' && kind !== 'eval') throw new Error('the first argument must be bench or eval');
await main(kind, args);
