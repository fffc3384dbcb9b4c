import { VERSION } from './version.ts';

const [first] = process.argv.slice(2);
// Without commander: this command is used by scripts and installers.
if (first === '--version' || first === '-V') process.stdout.write(`${VERSION}\n`);
else await import('./run.ts').then(({ run }) => run(process.argv));
