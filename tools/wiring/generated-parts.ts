import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { events } from '@tidemark/contracts';
import { type BlockMarks, readBlock, writeBlock } from '../text-block.ts';
import { chartServices } from './chart-values.ts';
import { composeServices } from './compose-services.ts';
import { readServices } from './read-code.ts';
import { settingsTable, unexplained } from './settings-table.ts';
import { diagramOf, STATE_MACHINES } from './state-diagram.ts';

/** A generated part of a file. */
interface GeneratedPart {
  readonly file: string;
  readonly marks: BlockMarks;
  readonly text: string;
}

const YAML: BlockMarks = {
  opening: '  # Generated from deploy/services.ts and services/*/src/config.ts by tools/wiring.ts:\n',
  closing: '\n  # End of the generated part.\n',
};

const README: BlockMarks = {
  opening: '<!-- Generated from src/config.ts by tools/wiring.ts: -->\n\n',
  closing: '\n\n<!-- End of the generated part. -->\n',
};

const STATES: BlockMarks = {
  opening: '<!-- Generated from the table of transitions by tools/wiring.ts: -->\n\n',
  closing: '\n\n<!-- End of the generated part. -->\n',
};

const EVENTS: BlockMarks = {
  opening: '<!-- Generated from libs/contracts/src/subjects.ts by tools/wiring.ts: -->\n\n',
  closing: '\n\n<!-- End of the generated part. -->\n',
};

export interface WiringFinding {
  readonly services: number;
  /** Files with a generated part. */
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

/** Compares the generated parts with the descriptions and the code; `write` replaces those that differ. */
export async function compareWiring(root: string, mode: 'check' | 'write'): Promise<WiringFinding> {
  const services = await readServices();
  const parts: GeneratedPart[] = [
    { file: 'helm/tidemark/values.yaml', marks: YAML, text: chartServices(services) },
    { file: 'compose.yaml', marks: YAML, text: composeServices(services) },
    { file: 'ARCHITECTURE.md', marks: EVENTS, text: eventsTable() },
    ...services.map((service) => ({
      file: `services/${service.name}/README.md`,
      marks: README,
      text: settingsTable(service),
    })),
  ];
  for (const machine of STATE_MACHINES) {
    const text = await diagramOf(machine);
    parts.push({ file: `services/${machine.service}/README.md`, marks: STATES, text });
  }
  const silent = services.flatMap((service) =>
    unexplained(service).map((key) => `services/${service.name}/src/config.ts: ${key} has no comment`),
  );
  const unnamed = [...services.flatMap(({ name }) => unnamedIn(root, name)), ...unnamedLibraries(root)];
  const stale = parts.filter((part) => isStale(root, part));
  if (mode === 'write') for (const part of stale) replace(root, part);
  const differences = mode === 'write' ? [] : stale.map(({ file }) => `${file} differs from the code; run ${COMMAND}`);
  return {
    services: services.length,
    files: parts.map(({ file }) => file),
    problems: [...silent, ...unnamed, ...differences],
  };
}

/** Documents that name every service, with the text that names one. */
const DOCUMENTS: readonly (readonly [file: string, naming: (service: string) => RegExp])[] = [
  ['ARCHITECTURE.md', (service) => new RegExp(`^\\| ${service} \\|`, 'm')],
  ['README.md', (service) => new RegExp(`^for s in .*\\b${service}\\b.*; do$`, 'm')],
];

const unnamedIn = (root: string, service: string): readonly string[] =>
  DOCUMENTS.filter(([file, naming]) => !naming(service).test(readFileSync(join(root, file), 'utf8'))).map(
    ([file]) => `${file} does not name ${service} among the services`,
  );

/** Returns a problem for each library without a row in the table of libraries. */
function unnamedLibraries(root: string): string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  return LIBRARIES.filter((library) => !text.includes(`\n| \`${library}\` | `)).map(
    (library) => `ARCHITECTURE.md does not name ${library} among the libraries`,
  );
}

const LIBRARIES = readdirSync(join(import.meta.dirname, '../../libs'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function eventsTable(): string {
  const rows = Object.values(events)
    .map(({ subject, owner, consumers }) => `| \`${subject}\` | ${owner} | ${consumers.join(', ')} |`)
    .sort();
  return ['| event | published by | consumed by |', '| --- | --- | --- |', ...rows].join('\n');
}

const COMMAND = 'node --conditions=tidemark-source tools/wiring.ts --write';

const isStale = (root: string, { file, marks, text }: GeneratedPart): boolean =>
  readBlock(readFileSync(join(root, file), 'utf8'), marks) !== text;

function replace(root: string, { file, marks, text }: GeneratedPart): void {
  const path = join(root, file);
  writeFileSync(path, writeBlock(readFileSync(path, 'utf8'), text, marks));
}
