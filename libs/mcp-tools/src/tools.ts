import { CAPTURE_TOOLS } from './capture-tools.ts';
import { PAGE_TOOLS } from './page-tools.ts';
import { PROJECT_TOOLS } from './project-tools.ts';
import type { Tool } from './tool.ts';

/** The tools of the specification. */
export const TOOLS: readonly Tool[] = [...CAPTURE_TOOLS, ...PROJECT_TOOLS, ...PAGE_TOOLS];
