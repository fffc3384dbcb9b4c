export { accessOf } from './access.ts';
export { createToolServer, type ToolServerOptions } from './create-tool-server.ts';
export type { Access } from './tool.ts';
export { TOOLS } from './tools.ts';
