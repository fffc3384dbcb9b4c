import { run } from '@tidemark/service';
import { map } from './service.ts';

await run(map);
