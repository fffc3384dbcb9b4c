import { run } from '@tidemark/service';
import { identity } from './service.ts';

await run(identity);
