// Jest loads this by Node itself, which runs the TypeScript it imports.
export default async () => (await import('./shared-stack.ts')).setup();
