import { run } from '@tidemark/service';
import { projects } from './service.ts';

await run(projects);
