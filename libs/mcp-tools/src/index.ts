export { createToolServer, type ToolServerOptions } from './create-tool-server.ts';
export { accessOf } from './stdio.ts';
export type { Access } from './tool.ts';
export { TOOLS } from './tools.ts';
