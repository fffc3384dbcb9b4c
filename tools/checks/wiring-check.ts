import { compareWiring } from '../wiring/generated-parts.ts';
import type { Check } from './check.ts';

/** Returns the check that compose.yaml, the values of the chart and the READMEs state what the descriptions and the code of the services state. */
export const wiringCheck = (root: string): Check => ({
  name: 'wiring',
  async run() {
    const { services, files, problems } = await compareWiring(root, 'check');
    return { summary: `${services} services, ${files.length} files with generated parts`, problems };
  },
});
