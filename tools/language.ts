// `node tools/language.ts [path prefix …]`: banned words with their replacements, file:line each; `--count` prints counts per folder.
import { resolve } from 'node:path';
import { languageCheck } from './language/language-check.ts';

const isCount = process.argv.includes('--count');
const prefixes = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const { summary, problems } = await languageCheck(resolve(import.meta.dirname, '..')).run();
const shown = problems.filter((line) => prefixes.length === 0 || prefixes.some((prefix) => line.startsWith(prefix)));
if (isCount) {
  const byFolder = Map.groupBy(shown, (line) => line.split(/[/:]/).slice(0, 2).join('/'));
  const counts = [...byFolder].map(([folder, lines]) => ({ folder, count: lines.length }));
  for (const { folder, count } of counts.sort((a, b) => b.count - a.count)) console.log(`${count}\t${folder}`);
} else for (const line of shown) console.log(line);
console.log(`${summary}: ${shown.length} banned words`);
process.exitCode = shown.length === 0 ? 0 : 1;
