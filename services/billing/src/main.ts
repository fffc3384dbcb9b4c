import { run } from '@tidemark/service';
import { billing } from './service.ts';

await run(billing);
