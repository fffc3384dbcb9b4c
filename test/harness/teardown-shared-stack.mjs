export default async () => (await import('./shared-stack.ts')).teardown();
