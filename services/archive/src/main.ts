import { run } from '@tidemark/service';
import { archive } from './service.ts';

await run(archive);
