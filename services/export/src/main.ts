import { run } from '@tidemark/service';
import { exportService } from './service.ts';

await run(exportService);
